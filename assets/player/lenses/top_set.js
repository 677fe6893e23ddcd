/**
 * The lens of AtSpeed (strict): the target's best beams of each step, in or out of what was drafted.
 *
 * A step counts when all of them were drafted. Scores follow from the recorded log-probabilities, as in the braid.
 */

import { quoted } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { edgePath } from "../stage/layout.js";
import { addLens, isOver } from "./lens.js";
import { signs } from "./picture.js";
import { longestChain } from "./plot.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Round, Step, TreeNode, Draw } from "../trace/records.js"
 * @import { Trace } from "../trace/trace.js"
 * @typedef {{node: TreeNode, inside: boolean | null, score: number | null}} Beam
 * @typedef {NonNullable<ReturnType<typeof stepsOf>>[number]} Stage
 * @typedef {Map<TreeNode, number>} Ranks
 * @typedef {{row: number, wide: number, foot: number, x: (i: number) => number, y: (rank: number) => number}} Grid
 */

const LEFT = 22; // px for the ranks
const HEAD = 36;

addLens({
  id: "top_set",
  kind: "top_set",
  key: [
    [signs.badge("accepted"), "lens_key_inside"],
    [signs.badge("correction"), "lens_key_outside"],
    [(picture) => picture.path("M1 3C13 3 13 11 25 11", "sp-lens-strand"), "lens_key_beam_line"],
  ],
  draw(picture, view) {
    const { round, step, trace } = view;
    const steps = stepsOf(trace, round);
    if (!steps) return null;
    paint(picture, view, steps);
    return { sentence: tell(round, step, steps) };
  },
});

/**
 * The steps of a round that were judged: the target's best beams with scores, and how many were drafted too.
 * @param {Trace} trace @param {Round} round
 */
function stepsOf(trace, round) {
  if (!round.commit || !round.commit.frontier_log_probs) return null;
  const scores = startScores(trace, round);
  const start = round.frontier.length ? round.frontier[0].depth : 0;
  const steps = [];
  for (let depth = 1; depth <= round.layers.length + 1; depth++) {
    const layer = round.layers[depth - 1];
    const drawn = layer ? layer.draws.filter((draw) => draw.verdict) : [];
    const inside = drawn.filter((draw) => draw.verdict?.outcome === "accepted").map((draw) => draw.node);
    const outside = round.committed.filter(
      (node, i) => node.depth === start + depth && round.commit?.origins[i] !== "accepted",
    );
    if (!inside.length && !outside.length) break;
    addScores(scores, round, drawn, outside);
    /** @param {TreeNode} node @param {boolean} isInside */
    const beam = (node, isInside) => ({ node, inside: isInside, score: scores.get(node) ?? null });
    const best = inside.map((node) => beam(node, true)).concat(outside.map((node) => beam(node, false)));
    const verdicts = drawn.map((draw) => draw.verdict?.index ?? -1);
    steps.push({
      depth,
      layer,
      best: best.sort((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity)),
      inside: inside.length,
      others: drawn.length - inside.length,
      to: Math.max(-1, ...verdicts),
    });
  }
  return steps;
}

/**
 * Scores of the beams that a round starts from, as the round before left them.
 * @param {Trace} trace @param {Round} round
 */
function startScores(trace, round) {
  const before = trace.rounds[trace.rounds.indexOf(round) - 1];
  const known = before?.commit?.frontier_log_probs || [];
  /** @type {Map<TreeNode | null, number>} */
  const scores = new Map();
  round.frontier.forEach((node, i) => scores.set(node, known.length > i ? known[i] : 0));
  return scores;
}

/**
 * Adds the scores of a step's draws and of the beams that were not drafted.
 * @param {Map<TreeNode | null, number>} scores @param {Round} round @param {Draw[]} drawn @param {TreeNode[]} outside
 */
function addScores(scores, round, drawn, outside) {
  /** @param {TreeNode} node */
  const above = (node) => scores.get(node.parent) ?? 0;
  for (const { node, verdict } of drawn) if (verdict?.p) scores.set(node, above(node) + Math.log(verdict.p));
  for (const node of outside)
    scores.set(node, above(node) + (round.commit?.log_probs[round.committed.indexOf(node)] ?? 0));
}

/**
 * True if the target's best beams of a step may be shown: its verdicts have come, or the round is over.
 * @param {{to: number}} each @param {Step} step
 */
const isTold = (each, step) => isOver(step) || each.to < step.verdicts;

/** @param {Picture} picture @param {View} view @param {Stage[]} steps */
function paint(picture, { round, step, trace }, steps) {
  const most = Math.max(
    ...trace.rounds.map((each) => (each.next ? each.next.length : 0)),
    ...steps.map((each) => each.best.length),
    round.frontier.length,
  );
  const row = Math.max(22, Math.min(most <= 8 ? 28 : 22, (picture.high - HEAD - 22) / most));
  const pitch = Math.min(190, (picture.width - LEFT) / (longestChain(trace) + 2));
  /** @type {Grid} */
  const grid = {
    row,
    wide: pitch - (picture.narrow ? 12 : 28),
    foot: HEAD + most * row,
    x: (i) => LEFT + i * pitch,
    y: (rank) => HEAD + (rank + 0.5) * row,
  };
  for (let rank = 0; rank < most; rank++) picture.text(0, grid.y(rank) + 4, String(rank + 1), "sp-lens-small");
  /** @type {Ranks} */
  picture.text(grid.x(0), 13, say("lens_ribbon_beams"), "sp-lens-strong");
  let ranks = new Map(Array.from(new Set(round.frontier), (node, i) => [node, i]));
  ranks.forEach((rank, node) => bead(picture, { node, inside: null, score: null }, 0, rank, grid));
  /** @param {number} depth */
  const isDrafted = (depth) => depth <= step.layers || step.kind !== "drafted";
  for (const { number } of round.layers)
    if (isDrafted(number))
      picture.brief(grid, number, 13, [say("lens_top_set_step", { step: number }), String(number)], "sp-lens-strong");
  for (const each of steps) if (isTold(each, step)) ranks = paintStep(picture, each, ranks, grid);
  const untold = steps.filter((each) => each.layer && !isTold(each, step)).map((each) => each.layer);
  for (const { number, draws } of untold.concat(round.layers.slice(steps.length)))
    if (isDrafted(number))
      picture.brief(
        grid,
        number,
        29,
        [say("lens_top_set_drafted", { count: draws.length }), String(draws.length)],
        "sp-lens-small",
      );
  picture.end(grid.foot + 22);
}

/**
 * A step's best beams, each with its line from the beam that it continues; gives their ranks.
 * @param {Picture} picture @param {Stage} it @param {Ranks} ranks
 * @returns {Ranks}
 * @param {Grid} grid
 */
function paintStep(picture, { depth, layer, best, inside, others }, ranks, grid) {
  const x = grid.x(depth);
  const counts = { inside, best: best.length };
  const labels = ["lens_top_set_counts", "lens_top_set_counts_short"].map((word) => say(word, counts));
  if (layer) picture.brief(grid, depth, 29, labels, "sp-lens-small");
  else picture.brief(grid, depth, 13, [say("lens_top_set_bonus"), "+1"], "sp-lens-strong");
  best.forEach((beam, rank) => {
    const from = beam.node.parent ? ranks.get(beam.node.parent) : undefined;
    if (from !== undefined)
      picture.path(
        edgePath(grid.x(depth - 1) + grid.wide, grid.y(from), x, grid.y(rank)),
        "sp-lens-strand" + (beam.inside ? "" : " sp-lens-out"),
      );
    bead(picture, beam, depth, rank, grid);
  });
  if (others > 0 && !picture.narrow)
    picture.brief(
      grid,
      depth,
      grid.foot + 14,
      [say("lens_top_set_others", { count: others }), "+" + others],
      "sp-lens-small",
    );
  return new Map(best.map((beam, rank) => [beam.node, rank]));
}

/** @param {Picture} picture @param {Beam} beam @param {number} depth @param {number} rank @param {Grid} it */
function bead(picture, beam, depth, rank, { x: left, y: middle, wide: width }) {
  const [x, y] = [left(depth), middle(rank)];
  const whether = beam.inside === null ? "" : say(beam.inside ? "legend_pending" : "lens_top_set_outside");
  const label = say("lens_top_set_item", {
    step: depth,
    rank: rank + 1,
    token: quoted(beam.node.piece),
    score: decimal(beam.score, 2).replace("-", "−"),
    whether,
  });
  picture.item(beam.node, label, { x, y: y - 12, width, height: 24 }, () => {
    const kind =
      beam.inside === null ? "" : beam.inside ? " sp-lens-in sp-is-accepted" : " sp-lens-out sp-is-correction";
    picture.rect(x, y - 10, width, 20, "sp-lens-bead" + kind, 6);
    picture.text(
      x + width / 2 + (beam.inside === null ? 0 : 5),
      y + 4,
      picture.fitted(beam.node.piece, width - 18),
      "sp-lens-token sp-lens-drawn",
      "middle",
    );
    if (beam.inside !== null) picture.badge(beam.inside ? "accepted" : "correction", x + 1, y - 2, 0.72);
  });
}

/** @param {Round} round @param {Step} step @param {Stage[]} steps */
function tell(round, step, steps) {
  if (step.kind === "drafted")
    return say("lens_top_set_drafting", { count: round.layers[step.layers - 1].draws.length, step: step.layers });
  const reached = steps.filter((each) => isTold(each, step));
  const last = reached[reached.length - 1];
  if (!last) return say("lens_top_set_scored");
  const outside = last.best.length - last.inside;
  const values = { step: last.depth, inside: last.inside, outside, best: last.best.length };
  if (!last.layer) return say("lens_top_set_bonus_told", values);
  return say(outside ? "lens_top_set_stops" : "lens_top_set_full", values);
}
