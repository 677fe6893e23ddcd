/**
 * The lens of MTAD: the joint ratio P/Q of every prefix against tau, and the longest prefix that passes.
 *
 * The ratios are the rule's own, of the models' probabilities before temperature, top-k and top-p, 1 at most.
 */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { isNumber } from "../trace/checks.js";
import { addLens, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { chainOf, ChainPlot, longestChain, seenVerdict } from "./plot.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const HIGH = 150; // px of the plot
const OTHERS = 136; // px of the rest
const LEAST = 1e-6; // the axis goes no lower

addLens({
  id: "joint_ratio",
  suits: (trace) => trace.kinds.has("joint") && isNumber(trace.run?.options.tau),
  key: [
    ["P/Q", "lens_key_joint"],
    [signs.badge("accepted"), "lens_key_prefix_passes"],
    [signs.badge("rejected"), "lens_key_prefix_fails"],
    [signs.dashed("sp-lens-threshold"), "lens_key_tau"],
    [(picture) => picture.path("M2 4V10H24V4", "sp-lens-bracket"), "lens_key_kept"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return null;
    paint(picture, view, scene);
    return { sentence: tell(view, scene) };
  },
});

/** @param {View} view */
function sceneOf({ trace, round, step }) {
  const chain = chainOf(round);
  if (!chain.length) return null;
  const tau = trace.run?.options.tau;
  const ratios = workingOf(round, "joint")?.ratios ?? [];
  if (ratios.length !== chain.length || chain.some((draw) => !draw.verdict)) return null;
  // The trace's own verdicts say which prefix was kept; the ratios of a file are rounded.
  const accepted = chain.filter((draw) => draw.verdict?.outcome === "accepted").length;
  const passes = ratios.map((ratio, i) => (i + 1 === accepted ? true : i + 1 < accepted && ratio > tau));
  const drafted = step.kind === "drafted" ? step.layers : chain.length;
  const seen = chain.filter((draw) => seenVerdict(draw, step)).length;
  return { tau, chain, ratios, passes, kept: accepted, drafted, seen };
}

/** @param {Picture} picture @param {View} view @param {Scene} scene */
function paint(picture, { trace }, { tau, chain, ratios, passes, kept: accepted, drafted, seen }) {
  const smallest = Math.min(1, tau > 0 ? tau / 2 : 0.05, ...ratios.filter((ratio) => ratio > 0));
  const low = Math.pow(10, Math.floor(Math.log10(Math.max(LEAST, smallest))));
  const plot = new ChainPlot(picture, {
    columns: longestChain(trace),
    top: 44,
    wanted: HIGH,
    others: OTHERS,
    low,
    high: 1,
    log: true,
  });
  picture.text(0, 14, say("lens_joint_axis"), "sp-lens-strong"); // above the ratio of a prefix that stands at the top
  plot.threshold(tau, say("lens_joint_tau", { value: tau }));
  plot.trail(
    ratios.slice(0, seen).map((ratio, i) => [i, ratio]),
    "sp-lens-trail",
  );
  ratios.slice(0, seen).forEach((ratio, i) => {
    picture.badge(passes[i] ? "accepted" : "rejected", plot.x(i), plot.y(ratio), 0.95);
    picture.text(plot.x(i), plot.y(ratio) - 11, shown(ratio), "sp-lens-small sp-lens-named", "middle");
  });
  const foot = plot.foot + 10;
  if (seen === chain.length && accepted > 0) {
    const left = plot.x(0) - plot.pitch / 2 + 4;
    const right = plot.x(accepted - 1) + plot.pitch / 2 - 4;
    picture.path(`M${left} ${foot}V${foot + 7}H${right}V${foot}`, "sp-lens-bracket");
  }
  const boxes = chain.slice(0, drafted).map((draw, i) => ({
    node: draw.node,
    label: say("lens_joint_item", {
      length: i + 1,
      token: quoted(draw.node.piece),
      ratio: i < seen ? shown(ratios[i]) : "",
      p: probability(i < seen ? draw.verdict?.p : null),
      q: probability(draw.q),
    }),
  }));
  plot.end(boxes, 20);
}

/** @param {number} ratio */
const shown = (ratio) =>
  ratio >= 0.01 || ratio === 0 ? String(Number(ratio.toPrecision(2))) : ratio.toExponential(0).replace("-", "−");

/** @param {View} view @param {Scene} scene */
function tell({ step }, { tau, chain, ratios, kept: accepted, seen }) {
  if (step.kind === "drafted") return say("lens_drafted");
  if (seen === 0) return say("lens_joint_scored", { tau });
  const values = { tau, length: seen, ratio: shown(ratios[seen - 1]), kept: accepted, count: chain.length };
  if (seen < chain.length) return say(ratios[seen - 1] > tau ? "lens_joint_passes" : "lens_joint_fails", values);
  if (!accepted) return say("lens_joint_none", values);
  return say(accepted === chain.length ? "lens_joint_all" : "lens_joint_kept", values);
}
