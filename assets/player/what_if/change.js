/**
 * What is different in a branch, as one word of an address, and back.
 *
 *   2.14.rejected    in round 2 the verdict on node 14
 *   2.14.305         in round 2 token 305 in the place of node 14
 *   2.width.6        from round 2 on an option of the method
 */

/**
 * @typedef {{round: number, node?: number | null, outcome?: string | null, token?: number | null, options?:
 * Record<string, number>}} Change as a trace holds it
 */

const WORD =
  /^([1-9]\d{0,8})\.(?:(\d{1,9})\.(?:(accepted|rejected)|(\d{1,9}))|([a-z_]{1,40})\.(-?\d{1,9}(?:\.\d{1,9})?))$/;

/** @param {Change} change */
export function changeText({ round, node, outcome, token, options }) {
  return [
    round,
    ...((outcome ?? token ?? null) === null ? Object.entries(options ?? {})[0] : [node, outcome ?? token]),
  ].join(".");
}

/**
 * Null where it is none.
 *
 * @param {string | null} text
 * @returns {Change | null}
 */
export function changeIn(text) {
  const match = WORD.exec(text ?? "");
  if (!match) return null;
  const [, round, node, outcome, token, name, value] = match;
  if (name) return { round: Number(round), options: { [name]: Number(value) } };
  return { round: Number(round), node: Number(node), ...(outcome ? { outcome } : { token: Number(token) }) };
}
