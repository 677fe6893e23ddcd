/**
 * The lens of BiLD: the small model's confidence against the fallback threshold, the large one's surprise against the
 * rollback threshold, token by token.
 */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isOver, workingOf, keptDrafts } from "./lens.js";
import { signs } from "./picture.js";
import { chainOf, ChainPlot, longestChain, seenVerdict } from "./plot.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 */
/**
 * @typedef {object} Scene
 * @property {import("../trace/records.js").WorkingOf<"rollback">} working
 * @property {import("../trace/records.js").Draw[]} chain
 * @property {number} drafted
 * @property {{piece: string, confidence: number} | null} hesitant
 */

const HIGH = 84; // px of each plot
const LEAST = 48;
const OTHERS = 146; // px of heads and tokens

addLens({
  id: "rollback",
  kind: "rollback",
  key: [
    [signs.dot("sp-fill-q"), "lens_key_confidence"],
    [(picture) => picture.path(diamond(13, 7), "sp-lens-hollow-q"), "lens_key_hesitant"],
    [signs.bar("sp-fill-p"), "lens_key_surprise"],
    [signs.dashed("sp-lens-threshold"), "lens_key_threshold"],
    [signs.badge("accepted"), "lens_key_stays"],
    [signs.badge("rejected"), "lens_key_rolled_back"],
  ],
  draw(picture, view) {
    const { round, step, trace } = view;
    const working = workingOf(round, "rollback");
    const chain = chainOf(round);
    if (!working || working.surprises.length !== chain.length) return null;
    const columns = longestChain(trace) + 1;
    const drafted = step.kind === "drafted" ? step.layers : chain.length;
    const hesitant =
      working.tokens.length && drafted === chain.length
        ? { piece: trace.piece(working.tokens[0]), confidence: working.confidences[chain.length] }
        : null;
    const scene = { working, chain, drafted, hesitant };
    const below = paintConfidence(picture, scene, columns);
    paintSurprise(picture, view, scene, columns, below);
    return { sentence: tell(view, scene) };
  },
});

/** @param {Picture} picture @param {Scene} it @param {number} columns */
function paintConfidence(picture, { working, chain, drafted, hesitant }, columns) {
  const plot = new ChainPlot(picture, {
    columns,
    top: 28,
    height: plotHeight(picture),
    ticks: [0, 1],
    title: say("lens_rollback_confidence"),
  });
  plot.threshold(working.fallback, say("lens_rollback_fallback", { value: decimal(working.fallback, 2) }));
  const points = chain.slice(0, drafted).map((_, i) => [i, working.confidences[i]]);
  if (hesitant) points.push([chain.length, hesitant.confidence]);
  plot.trail(points, "sp-lens-trail sp-line-q-plain");
  points.forEach(([index, value]) => {
    const unsure = hesitant && index === chain.length;
    if (unsure) picture.path(diamond(plot.x(index), plot.y(value)), "sp-lens-hollow-q");
    else picture.dot(plot.x(index), plot.y(value), 4.5, "sp-fill-q");
    if (plot.pitch >= 34) picture.text(plot.x(index), plot.y(value) - 8, decimal(value, 2), "sp-lens-small", "middle");
  });
  return plot.foot;
}

/** Px of one of two plots. @param {Picture} picture */
const plotHeight = (picture) => Math.max(LEAST, Math.min(HIGH, (picture.high - OTHERS) / 2));

/** @param {number} x @param {number} y */
const diamond = (x, y) => `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z`;

/** @param {Picture} picture @param {View} view @param {Scene} it @param {number} columns @param {number} below */
function paintSurprise(picture, view, { working, chain, drafted, hesitant }, columns, below) {
  const { step } = view;
  const known = working.surprises.flatMap((value) => value ?? []);
  const high = Math.max(1, 1.25 * working.rollback, ...known.map((value) => Math.min(value, 4 * working.rollback)));
  const plot = new ChainPlot(picture, {
    columns,
    top: below + 46,
    height: plotHeight(picture),
    high,
    ticks: [0],
    title: say("lens_rollback_surprise"),
  });
  plot.threshold(working.rollback, say("lens_rollback_rollback", { value: decimal(working.rollback, 1) }));
  /** @type {any[]} */
  const boxes = [];
  chain.slice(0, drafted).forEach((draw, i) => {
    const verdict = seenVerdict(draw, step);
    const surprise = working.surprises[i];
    if (verdict && verdict.outcome !== "not_tested") {
      plot.column(i, surprise === null ? high : surprise, 0.4, "sp-fill-p");
      picture.badge(verdict.outcome, plot.x(i), plot.y(surprise === null ? high : surprise) - 10, 0.8);
    } else if (verdict) picture.badge("not_tested", plot.x(i), plot.foot - 10, 0.8);
    const sentence =
      verdict && verdict.outcome !== "not_tested"
        ? say("lens_rollback_item_surprise", { value: surprise === null ? "∞" : decimal(surprise, 2) })
        : "";
    boxes.push({
      node: draw.node,
      label: say("lens_rollback_item", {
        token: quoted(draw.node.piece),
        confidence: probability(working.confidences[i]),
        surprise: sentence,
      }),
    });
  });
  if (hesitant)
    boxes.push({
      node: null,
      piece: hesitant.piece,
      className: "sp-lens-struck",
      label: say("lens_rollback_hesitant", {
        token: quoted(hesitant.piece),
        confidence: probability(hesitant.confidence),
      }),
    });
  plot.end(boxes, 4);
}

/** @param {View} view @param {Scene} it */
function tell({ round, step }, { working, chain, drafted, hesitant }) {
  const thresholds = { fallback: decimal(working.fallback, 2), rollback: decimal(working.rollback, 1) };
  if (step.kind === "verified") {
    const verdict = /** @type {import("../trace/records.js").Verdict} */ (step.verdict);
    const surprise = working.surprises[chain.findIndex((draw) => draw.node === verdict.node)];
    const values = {
      ...thresholds,
      token: quoted(verdict.node.piece),
      surprise: surprise === null || surprise === undefined ? "∞" : decimal(surprise, 2),
    };
    return say(verdict.outcome === "accepted" ? "lens_rollback_stays" : "lens_rollback_back", values);
  }
  if (isOver(step)) {
    const accepted = keptDrafts(round);
    const added = round.committed.length > accepted ? round.committed[round.committed.length - 1] : null;
    const values = { kept: accepted, count: chain.length, token: added ? quoted(added.piece) : "" };
    return say(
      chain.length ? (added ? "lens_rollback_over" : "lens_rollback_over_all") : "lens_rollback_over_none",
      values,
    );
  }
  if (hesitant)
    return say("lens_rollback_hands_over", {
      ...thresholds,
      token: quoted(hesitant.piece),
      confidence: decimal(hesitant.confidence, 2),
    });
  const draw = chain[drafted - 1];
  if (!draw) return say("lens_nothing");
  return say("lens_rollback_writes", {
    ...thresholds,
    token: quoted(draw.node.piece),
    confidence: decimal(working.confidences[drafted - 1], 2),
  });
}
