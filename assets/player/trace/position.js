/**
 * One position of a run as the Lab takes it: the target's p and the draft's q over at most eight tokens.
 *
 *   positionOf(trace, node)  -> {names, p, q, drafts, rule, exact, round, after, lumped, several} or {why: a sentence}
 *
 * A trace holds the likeliest tokens of both models at a position, not the whole vocabulary. The token itself and the
 * others with most of p and q are taken as they are in the trace; what is left of the rows becomes one token, or two
 * where one would let p and q share more than they do: `lumped` says how many. `several`: not all draws came from q.
 */

import { visible } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

const MOST = 8; // tokens of the Lab
const SHARED = 0.0005; // what the trace's rounding may leave of a row that is all there
const NEAR = 0.002; // relative; a trace has had 4 digits
/** @typedef {[number | string, number, number]} Entry a token, or a name for several; p and q */
/** @typedef {import("./records.js").Draw} Draw */

/** @type {Record<string, string>} */
const RULES = {
  specinfer: "spec_infer",
  rsd_c: "recursive",
  rsd_s: "recursive",
  sequoia: "recursive",
  spectr: "k_seq",
  importance_sampling: "importance",
};

/** @param {number} mass */
const brief = (mass) => Number(mass.toPrecision(6)); // as a link to the Lab writes it
/** @param {Entry[]} shown @param {1 | 2} column */
const left = (shown, column) => Math.max(0, 1 - shown.reduce((sum, entry) => sum + entry[column], 0));

/**
 * The round of a drafted node, the node above it, and what the trace has of p and q there; null where it has nothing.
 * @param {import("./trace.js").Trace} trace
 * @param {import("./records.js").TreeNode} node
 */
function askedAt(trace, node) {
  const { parent } = node;
  const round = trace.roundOf(node);
  if (!parent || !round || !round.call) return null;
  const row = round.rowOf.get(parent) ?? -1;
  const rows = /** @type {Entry[]} */ (round.call.alternatives[row] ?? []);
  return rows.length ? { round, parent, rows, overlap: round.call.overlaps[row] } : null;
}

/**
 * All other tokens, as one or two: [name, p, q]. The trace has `overlap`, what p and q share over the whole
 * vocabulary. Two tokens, one that p prefers and one that q prefers, can share exactly what is missing of it.
 * @param {Entry[]} ranked
 * @param {number | null | undefined} overlap
 * @returns {Entry[]}
 */
function lumps(ranked, overlap) {
  const remaining = (/** @type {number} */ number) => {
    const shown = ranked.slice(0, MOST - number);
    const [p, q] = [left(shown, 1), left(shown, 2)];
    const shared = shown.reduce((sum, entry) => sum + Math.min(entry[1], entry[2]), 0);
    const missing = overlap === null || overlap === undefined ? Infinity : Math.max(0, overlap - shared);
    return { p, q, shared: Math.min(p, q, missing) };
  };
  const one = remaining(1);
  if (Math.min(one.p, one.q) - one.shared < SHARED) return [[say("lab_other"), brief(one.p), brief(one.q)]];
  const { p, q, shared } = remaining(2);
  return [
    [say("lab_other_p"), brief(p - shared / 2), brief(shared / 2)],
    [say("lab_other_q"), brief(shared / 2), brief(q - shared / 2)],
  ];
}

/** @param {import("./trace.js").Trace} trace @param {import("./records.js").TreeNode | null} node */
export function positionOf(trace, node) {
  const judged = node && askedAt(trace, node);
  if (!judged) return { why: say("lab_not_judged") };
  const { round, parent, rows, overlap } = judged;
  if (rows.some(([, , q]) => typeof q !== "number")) return { why: say("lab_no_q") };
  const draws = round.layers.flatMap((layer) => layer.draws).filter((draw) => draw.node.parent === parent);
  const { tokens, lumped } = shortened(rows, node.token, overlap);
  // each was certain: no law that draws came from
  const chosen = draws.length > 1 && draws.every((draw) => draw.q === 1);
  return {
    names: tokens.map(([token]) => (typeof token === "number" ? visible(trace.piece(token), 14) : token)),
    p: tokens.map((entry) => entry[1]),
    q: tokens.map((entry) => entry[2]),
    drafts: chosen ? 1 : Math.min(6, Math.max(1, draws.length)),
    rule: ruleOf(trace),
    exact: overlap,
    lumped,
    several: !chosen && haveOtherDistributions(draws, rows),
    round: round.number,
    after: visible(parent.piece, 24),
  };
}

/**
 * As many of the alternatives as the Lab takes, the token itself among them, and the others as one or two; how many
 * those are.
 * @param {Entry[]} rows
 * @param {number} own
 * @param {number | null | undefined} overlap
 */
function shortened(rows, own, overlap) {
  const weight = (/** @type {Entry} */ [token, p, q]) => p + q + (token === own ? 2 : 0);
  const ranked = [...rows].sort((a, b) => weight(b) - weight(a));
  if (rows.length <= MOST && left(rows, 1) < SHARED && left(rows, 2) < SHARED)
    return { tokens: ranked.slice(0, MOST), lumped: 0 };
  const others = lumps(ranked, overlap);
  return { tokens: [...ranked.slice(0, MOST - others.length), ...others], lumped: others.length };
}

/** @param {import("./trace.js").Trace} trace */
const ruleOf = (trace) => RULES[trace.run?.method ?? ""] || null;

/** True if a draw's q is another than the alternatives say. @param {Draw[]} draws @param {Entry[]} rows */
function haveOtherDistributions(draws, rows) {
  const qs = new Map(rows.map(([token, , q]) => [token, q]));
  return draws.some(({ node: { token }, q }) => {
    const said = qs.get(token);
    return said !== undefined && typeof q === "number" && Math.abs(q - said) > NEAR * Math.max(q, said);
  });
}
