/**
 * Sentences about a step: the caption over the stage, and what a screen reader hears once per round.
 */

import { quoted, visible } from "../../shared/elements.js";
import { milliseconds, probability } from "../../shared/numbers.js";
import { say, words } from "../../shared/words.js";
import { areCertain } from "../stage/scene.js";

/**
 * @import { Layer, Round, Step, Verdict } from "../trace/records.js"
 * @import { Trace } from "../trace/trace.js"
 * @typedef {Round & {call: NonNullable<Round["call"]>}} Called a round whose target was asked
 */

/** The caption of a step. @param {Trace} trace @param {Step} step */
export function tellStep(trace, step) {
  const round = /** @type {Called} */ (step.round);
  const verdict = /** @type {Verdict} */ (step.verdict);
  switch (step.kind) {
    case "start": {
      const count = trace.run?.prompt_ids.length;
      return say(count === 1 ? "say_start_one" : "say_start", { count });
    }
    case "drafted":
      return tellLayer(round.layers[step.layers - 1]);
    case "scored": {
      const count = round.call.nodes.length;
      return say("say_scored", { count, ms: milliseconds(round.call.seconds) });
    }
    case "verified":
      return tellVerdict(verdict);
    case "not_tested": {
      const count = step.verdicts - trace.steps[step.index - 1].verdicts;
      return say(count === 1 ? "say_not_tested_one" : "say_not_tested", {
        count,
        token: quoted(verdict.node.piece),
      });
    }
    case "committed":
      return tellCommit(round);
    default:
      return tellEnd(trace.finished);
  }
}

/** @param {any} end */
function tellEnd({ num_tokens: tokens, target_calls: calls, finish_reason: reason }) {
  return say("say_finished", { tokens, calls, reason: words["reason_" + reason] || reason });
}

/** @param {Layer} layer */
function tellLayer(layer) {
  const nodes = new Set(layer.draws.map((draw) => draw.node));
  const values = { count: layer.draws.length, nodes: nodes.size };
  const what =
    nodes.size <= 4
      ? Array.from(nodes, (node) => quoted(node.piece)).join(", ")
      : say(nodes.size === layer.draws.length ? "tokens" : "say_draws", values);
  const sentence = say("say_drafted", { layer: layer.number, what });
  return layer.number === 1 && areCertain({ layers: [layer] }) ? sentence + " " + say("say_certain") : sentence;
}

/**
 * True where the target gives a draft all or nothing, so that no random number could decide otherwise.
 *
 * @param {{p?: number | null, accept?: number | null, coin?: number | null}} verdict
 */
export const isSettled = ({ p = null, accept, coin = null }) => coin !== null && (p === 0 || p === 1) && accept === p;

/** @param {Verdict} verdict */
function tellVerdict(verdict) {
  const accepted = verdict.outcome === "accepted";
  const values = { coin: probability(verdict.coin), accept: probability(verdict.accept) };
  const token = quoted(verdict.node.piece);
  let numbers = "";
  // a rule that draws no number decides by a threshold of its own, and its reason says which
  if (verdict.coin === null)
    return (
      say(accepted ? "say_accepted" : "say_rejected", { token, numbers }) + (verdict.reason ? " " + verdict.reason : "")
    );
  if (isSettled(verdict)) numbers = say(verdict.p ? "say_writes" : "say_writes_not");
  else if (verdict.accept !== null) numbers = say(accepted ? "say_coin_below" : "say_coin_above", values);
  const isAccepted = verdict.node.draws.some(
    (draw) => draw.verdict && draw.verdict.index < verdict.index && draw.verdict.outcome === "accepted",
  );
  return say(accepted ? "say_accepted" : isAccepted ? "say_rejected_again" : "say_rejected", { token, numbers });
}

/** @param {Round} round */
function tellBeams(round) {
  const ends = new Set(round.next ?? []);
  const what =
    Array.from(ends)
      .slice(0, 6)
      .map((node) => quoted(node.piece))
      .join(", ") + (ends.size > 6 ? ", …" : "");
  return (
    say(round.next?.length === 1 ? "say_beam" : "say_beams", {
      count: round.next?.length,
      what,
      best: quoted(round.best?.piece ?? ""),
    }) + (round.rewritten ? " " + say("say_rewritten") : "")
  );
}

/** @param {Round} round */
function tellCommit(round) {
  if (round.beams) return tellBeams(round);
  const origins = round.commit?.origins ?? [];
  const accepted = origins.filter((origin) => origin === "accepted").length;
  const parts = accepted ? [say("say_part_accepted", { count: accepted })] : [];
  round.committed.forEach((node, i) => {
    if (origins[i] !== "accepted") parts.push(say("say_part_" + origins[i], { token: quoted(node.piece) }));
  });
  if (!parts.length) return say("say_nothing");
  return origins.length === 1
    ? say("say_committed_one", { what: parts[0] })
    : say("say_committed", { count: origins.length, what: parts.join(", ") });
}

/** One sentence about a whole round, for the live region. @param {Round} round */
export function tellRound(round) {
  return say("live_round", {
    round: round.number,
    drafted: round.layers.reduce((sum, layer) => sum + layer.draws.length, 0),
    accepted: round.verdicts.filter((verdict) => verdict.outcome === "accepted").length,
    text: round.commit ? visible(round.commit.text.trim() || round.commit.text, 80).replace(/·/g, " ") : "",
  });
}
