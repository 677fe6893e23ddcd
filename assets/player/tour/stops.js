/**
 * The stops of a tour through a run: steps of it, each with what is to be understood there, told with its own numbers.
 */

import { quoted } from "../../shared/elements.js";
import { milliseconds, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { tellStep } from "../panels/narration.js";
import { hasResidual } from "../trace/records.js";

const SHOWN = 4; // tokens that a sentence names
const SURE = 0.02; // nearer to 0 or 1 a coin decides nothing

/**
 * @typedef {object} Stop
 * @property {string} name of its title in the words
 * @property {number} step
 * @property {string} text
 * @property {string} part of the player that it speaks of, as a selector
 */

/**
 * In the order of the run; a run without drafts, or one that was cut off, has fewer than five.
 * @param {import("../trace/trace.js").Trace} trace
 * @returns {Stop[]}
 */
export function stopsOf(trace) {
  const round = mostTelling(trace.rounds);
  const here = trace.steps.filter((step) => step.round === round);
  const drafted = here.filter((step) => step.kind === "drafted").pop();
  const scored = here.find((step) => step.kind === "scored");
  const judgements = here.filter((step) => step.kind === "verified");
  const judged =
    judgements.find((step) => isOpen(step.verdict)) ||
    judgements.find((step) => isTossed(step.verdict)) ||
    judgements[0];
  const commit = here.find((step) => step.kind === "committed");
  const end = trace.steps.find((step) => step.kind === "finished");
  /** @type {Stop[]} */
  const stops = [];
  if (drafted) stops.push({ name: "draft", step: drafted.index, text: ofDraft(trace, round), part: ".sp-sign-draft" });
  if (scored) stops.push({ name: "call", step: scored.index, text: ofCall(round), part: ".sp-sign-target" });
  if (judged) stops.push({ name: "judge", step: judged.index, text: ofVerdict(trace, judged), part: ".sp-draw" });
  if (commit && drafted)
    stops.push({ name: "keep", step: commit.index, text: ofRound(trace, commit), part: ".sp-text" });
  if (end) stops.push({ name: "sum", step: end.index, text: ofRun(trace), part: ".sp-timeline" });
  return stops;
}

/** The first round with a coin that kept a draft and a refusal after it; else with such a coin; else the first. */
export function mostTelling(rounds) {
  const tossed = rounds.filter((round) => round.verdicts.some(isTossed));
  return tossed.find(lastRefused) || tossed[0] || rounds.find((round) => round.layers.length) || rounds[0] || null;
}

export const isTossed = (verdict) => verdict.outcome === "accepted" && verdict.coin !== null && verdict.accept !== null;

/** A coin that had something to decide, whichever way it fell. @param {any} verdict */
const isOpen = (verdict) =>
  verdict.coin !== null && verdict.accept !== null && verdict.accept > SURE && verdict.accept < 1 - SURE;

/** The last refusal of a round that ended in a correction. */
export const lastRefused = (round) =>
  round.commit && round.commit.origins.includes("correction")
    ? round.verdicts.filter((verdict) => verdict.outcome === "rejected").pop()
    : undefined;

function ofDraft(trace, round) {
  const nodes = round.nodes;
  const parents = new Set(nodes.map((node) => node.parent));
  const named =
    nodes
      .slice(0, SHOWN)
      .map((node) => quoted(node.piece))
      .join(", ") + (nodes.length > SHOWN ? ", …" : "");
  const shape = !trace.run.draft ? "free" : parents.size === nodes.length ? "chain" : "tree";
  const seconds = round.layers.reduce((sum, layer) => sum + layer.seconds, 0);
  return say("tour_draft_" + shape, { count: nodes.length, ms: milliseconds(seconds), tokens: named });
}

function ofCall(round) {
  const count = round.call.nodes.length;
  return say(count === 1 ? "tour_call_plain" : "tour_call", { count, ms: milliseconds(round.call.seconds) });
}

function ofVerdict(trace, step) {
  const { verdict } = step;
  if (!isTossed(verdict) && !isOpen(verdict)) return tellStep(trace, step) + " " + verdict.reason;
  const [p, q, accept, coin] = [verdict.p, verdict.q, verdict.accept, verdict.coin].map(probability);
  return say("tour_judge_coin", {
    outcome: say("state_" + verdict.outcome),
    token: quoted(verdict.node.piece),
    p,
    q,
    accept,
    coin,
  });
}

function ofRound(trace, step) {
  const { round } = step;
  const extra = round.beams ? null : round.extras[0];
  const refused = extra && lastRefused(round);
  if (refused) {
    const exact = trace.run.lossless && hasResidual(round, extra.parent);
    return say(exact ? "tour_keep_correction" : "tour_keep_refused", {
      refused: quoted(refused.node.piece),
      token: quoted(extra.piece),
    });
  }
  return extra && extra.origin === "bonus"
    ? say("tour_keep_bonus", { token: quoted(extra.piece) })
    : tellStep(trace, step);
}

function ofRun(trace) {
  const { num_tokens: tokens, target_calls: calls } = trace.finished;
  return say(calls < tokens ? "tour_sum" : "tour_sum_plain", { tokens, calls });
}
