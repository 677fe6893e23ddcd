/** Moments of a run that pages of lessons point at, and their numbers. Indices are of steps. */

import { isTossed, lastRefused, mostTelling } from "../player/tour/stops.js";

/** @typedef {import("./lesson.js").Trace} Trace
 *  @typedef {any} Round of it */

export { isTossed, lastRefused };

/**
 * The round that shows the most: a coin that kept a draft, and a refusal after it.
 *
 * @param {Trace} trace
 * @returns {Round}
 */
export const telling = (trace) => mostTelling(trace.rounds);

/** The last step of a kind in a round. @param {Trace} trace @param {Round} round @param {string} kind */
export function stepOf(trace, round, kind) {
  const last = trace.steps.filter((step) => step.round === round && step.kind === kind).pop();
  return last ? last.index : round.firstStep;
}

/**
 * The step at which a depth of a round was drafted.
 *
 * @param {Trace} trace
 * @param {Round} round
 * @param {number} place of the depth, from 0
 */
export const layerStep = (trace, round, place) =>
  trace.steps.find((step) => step.round === round && step.kind === "drafted" && step.layers === place + 1).index;

/** A probability or a ratio as a number that can be one of several choices. */
export const rounded = (value) => Math.round(1000 * value) / 1000;

/** The step of a verdict. @param {Trace} trace @param {import("../player/trace/records.js").Verdict} verdict */
export const stepOfVerdict = (trace, verdict) =>
  (trace.steps.find((step) => step.verdict === verdict) || trace.steps[0]).index;

/** The step before it, where its random number is not drawn yet. */
export const before = (trace, verdict) => Math.max(0, stepOfVerdict(trace, verdict) - 1);

/** The run's last step. @param {Trace} trace */
export const end = (trace) => trace.steps.length - 1;

/** The middle of some numbers. @param {number[]} values */
export function median(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * The round whose target call takes the median time of all calls over this many positions: what a page says of a call
 * is what its stage shows.
 *
 * @param {Trace} trace
 * @param {number} positions
 * @returns {Round}
 */
export function medianCall(trace, positions) {
  const rounds = trace.rounds.filter((round) => round.call && round.call.nodes.length === positions);
  const sorted = rounds.sort((a, b) => a.call.seconds - b.call.seconds);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Positions that a full call of the run scores. @param {Trace} trace */
export const fullCall = (trace) => Math.max(...trace.rounds.map((round) => (round.call ? round.call.nodes.length : 0)));

/** Accepted drafts, over all rounds. @param {Trace} trace */
export const accepted = (trace) => trace.steps[end(trace)].totals.accepted;

/**
 * A rejected draft with a correction in its place, whose p and q are known for several tokens.
 *
 * @param {Trace} trace
 * @returns {any}
 */
export function correction(trace) {
  const corrected = trace.rounds
    .map((round) => ({ round, refused: lastRefused(round), extra: round.extras[0] }))
    .filter(({ refused, extra }) => refused && extra && refused.p !== null && refused.q !== null)
    .filter(({ round, refused }) => rowsAt(round, refused.node.parent).length > 3);
  return corrected.find(({ refused, extra }) => isWord(refused.node) && isWord(extra)) || corrected[0] || null;
}

/** True for a whole word, false for a piece of one: what a page opens on should be read at a glance. */
export const isWord = (node) => /^\s\p{L}{2,}$/u.test(node.piece);

/** The likeliest tokens after a node: [token, p, q, residual]. @param {Round} round */
export function rowsAt(round, node) {
  const at = round.rowOf.get(node);
  return at === undefined || !round.call ? [] : round.call.alternatives[at];
}
