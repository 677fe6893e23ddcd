/**
 * Slots of the target's cache, round by round: what is in it before the call, what the call writes, what stays.
 *
 * All of it follows from the tree: a slot is freed when its node is on no path to the next frontier, and those behind
 * it move up. The number of cached tokens in the trace checks it.
 */

/**
 * @typedef {import("../../trace/trace.js").Trace} Trace
 * @typedef {import("../../trace/records.js").Round} Round
 * @typedef {import("../../trace/records.js").TreeNode} TreeNode
 *
 * @typedef {object} Slots of one round
 * @property {Round} round
 * @property {TreeNode[]} before slots from earlier rounds
 * @property {TreeNode[]} written by the call, behind them
 * @property {TreeNode[]} kept for the next round, in their new order; all of them while the round goes on
 * @property {Set<TreeNode>} moved those of them that are in another slot than before
 * @property {Separate | null} separate with beams
 * @property {DraftCache[]} drafts the draft models' caches, as far as the trace says
 *
 * @typedef {{beams: number, slots: number}} Separate slots that a cache of its own for each beam would keep
 * @typedef {{name: string, written: number, held: number, bytes: number}} DraftCache
 */

/**
 * The rounds that have called the target; null where the trace does not say what a slot takes, or its number of cached
 * tokens is another.
 * @param {Trace} trace
 * @returns {Slots[] | null}
 */
export function slotsOf(trace) {
  if (!trace.run || !bytesPerSlot(trace.run.target)) return null;
  const called = trace.rounds.filter((round) => round.call);
  /** @type {TreeNode[]} */
  let slots = called.length ? ancestors(called[0].frontier[0].parent) : [];
  const all = [];
  for (const [i, round] of called.entries()) {
    if (slots.length !== round.call?.num_cached) return null;
    const held = [...slots, ...round.fed];
    const next = keptOf(held, round, called[i + 1]);
    const index = new Map(held.map((node, slot) => [node, slot]));
    const moved = new Set(next.filter((node, slot) => index.get(node) !== slot));
    all.push({
      round,
      before: slots,
      written: round.fed,
      kept: next,
      moved,
      separate: separateOf(round, next),
      drafts: draftsOf(trace, round),
    });
    slots = next;
  }
  return all;
}

/** Bytes of keys and values that one token takes in a model's cache. @param {Record<string, any>} facts */
export const bytesPerSlot = (facts) => Number(facts.kv_bytes_per_token) || 0;

/** Slots that are held while the target is called. @param {Slots} slots */
export const heldBy = ({ before, written }) => before.length + written.length;

/** Slots that the round frees. @param {Slots} slots */
export const freedBy = (slots) => heldBy(slots) - slots.kept.length;

/**
 * Slots written, freed and held at most up to a round, and the largest cache of all models together.
 * @param {Trace} trace @param {Slots[]} all
 */
export function totalsOf(trace, all) {
  /** @param {(slots: Slots) => number} of */
  const sum = (of) => all.reduce((total, each) => total + of(each), 0);
  const most = Math.max(0, ...all.map(heldBy));
  const drafts = [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
    Math.max(0, ...all.map(({ drafts: [...each] }) => each[i]?.bytes ?? 0)),
  );
  return {
    written: sum(({ written }) => written.length),
    freed: sum(freedBy),
    most,
    bytes: most * bytesPerSlot(trace.run?.target ?? {}) + drafts.reduce((total, bytes) => total + bytes, 0),
  };
}

/**
 * Slots that stay: their nodes lead to the next frontier, and the next call does not run them again.
 * @param {TreeNode[]} held @param {Round} round @param {Round | undefined} next
 */
function keptOf(held, round, next) {
  if (!round.next) return held;
  const alive = new Set(round.next.flatMap((node) => ancestors(node)));
  const again = new Set(next ? next.fed : []);
  return held.filter((node) => alive.has(node) && !again.has(node));
}

/**
 * @param {Round} round @param {TreeNode[]} kept
 */
function separateOf({ beams, next }, kept) {
  if (!beams || !next) return null;
  const slots = new Set(kept);
  const texts = next.map((node) => ancestors(node).filter((each) => slots.has(each)).length);
  return { beams: next.length, slots: texts.reduce((sum, length) => sum + length, 0) };
}

/**
 * @param {Trace} trace @param {Round} round
 * @returns {DraftCache[]}
 */
function draftsOf({ run }, { commit }) {
  const models = [run?.draft, ...(run?.other_drafts ?? [])];
  return (commit?.draft_cache_bytes ?? []).map((bytes, i) => {
    const facts = models[i] ?? {};
    return {
      name: String(facts.name ?? ""),
      written: commit?.draft_work?.[3 * i + 1] ?? 0,
      held: bytesPerSlot(facts) ? bytes / bytesPerSlot(facts) : 0,
      bytes,
    };
  });
}

/** The node and all above it, from the root. @param {TreeNode | null} node */
function ancestors(node) {
  const path = [];
  for (let at = node; at; at = at.parent) path.push(at);
  return path.reverse();
}
