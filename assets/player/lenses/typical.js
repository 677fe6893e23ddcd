/**
 * The lens of typical acceptance: p of each drafted token against the bar, which falls where the target is unsure.
 */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isOver, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { chainOf, ChainPlot, longestChain, seenVerdict } from "./plot.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"typical">} Working
 * @import { Picture } from "./picture.js"
 * @import { Step, Draw, Verdict } from "../trace/records.js"
 */

const HIGH = 160; // px of the plot
const OTHERS = 134; // px of the rest
const LOW = 1e-4;

addLens({
  id: "typical",
  kind: "typical",
  key: [
    [signs.dot("sp-fill-p"), "legend_p"],
    [signs.level("sp-lens-bar-level"), "lens_key_bar"],
    [signs.level("sp-lens-own-bar"), "lens_key_own_bar"],
    [signs.dashed("sp-lens-threshold"), "lens_key_epsilon"],
    ["H", "lens_key_entropy"],
  ],
  draw(picture, view) {
    const { round, step, trace } = view;
    const working = workingOf(round, "typical");
    const chain = chainOf(round);
    if (!working || !chain.length || working.thresholds.length > chain.length) return null;
    const ruled = chain.filter(
      (draw) => seenVerdict(draw, step) && draw.verdict?.outcome !== "not_tested" && draw.verdict?.p !== null,
    );
    const drafted = step.kind === "drafted" ? step.layers : chain.length;
    const plot = new ChainPlot(picture, {
      columns: longestChain(trace),
      wanted: HIGH,
      others: OTHERS,
      low: LOW,
      log: true,
      title: say("lens_typical_axis"),
    });
    plot.threshold(working.epsilon, say("lens_typical_epsilon", { value: probability(working.epsilon) }));
    ruled
      .slice(0, working.thresholds.length)
      .forEach(({ verdict }, i) => verdict && paintTest(picture, plot, working, verdict, i));
    const boxes = chain.slice(0, drafted).map((draw, i) => ({
      node: draw.node,
      label: say("lens_typical_item", {
        token: quoted(draw.node.piece),
        p: probability(ruled.includes(draw) ? draw.verdict?.p : null),
        bar: probability(ruled.includes(draw) ? working.thresholds[i] : null),
      }),
    }));
    plot.end(boxes, 22);
    return { sentence: tell(step, working, ruled, chain) };
  },
});

/**
 * A tested token: p as a dot, over or under its bar, and the entropy that the bar follows.
 * @param {Picture} picture @param {import("./plot.js").ChainPlot} plot @param {Working} it @param {Verdict} verdict
 * @param {number} i
 */
function paintTest(picture, plot, { thresholds, entropies, delta }, { p, outcome }, i) {
  const [x, y] = [plot.x(i), plot.y(p)];
  plot.level(i, delta * Math.exp(-entropies[i]), 0.7, "sp-lens-own-bar");
  plot.level(i, thresholds[i], 0.7, "sp-lens-bar-level");
  picture.line(x, plot.y(thresholds[i]), x, y, "sp-lens-stem sp-is-" + outcome);
  picture.dot(x, y, 5, "sp-fill-p");
  picture.badge(outcome, x + 14, y, 0.8);
  const word = plot.pitch >= 60 ? "lens_typical_entropy" : "lens_typical_entropy_short";
  const entropy = say(word, { value: decimal(entropies[i], 1) });
  picture.text(x, plot.foot + 15, entropy, "sp-lens-small", "middle");
}

/** @param {Step} step @param {Working} working @param {Draw[]} ruled @param {Draw[]} chain */
function tell(step, working, ruled, chain) {
  if (step.kind === "drafted") return say("lens_drafted");
  const values = {
    epsilon: probability(working.epsilon),
    count: chain.length,
    kept: ruled.filter((draw) => draw.verdict?.outcome === "accepted").length,
  };
  if (!ruled.length) return say("lens_typical_scored", values);
  const at = ruled.length - 1;
  const draw = ruled[at];
  Object.assign(values, {
    token: quoted(draw.node.piece),
    p: probability(draw.verdict?.p),
    bar: probability(working.thresholds[at]),
    entropy: decimal(working.entropies[at], 2),
  });
  if (isOver(step) || step.kind === "not_tested") return say("lens_typical_over", values);
  const unsure = working.thresholds[at] < working.epsilon;
  return say(
    draw.verdict?.outcome === "accepted"
      ? unsure
        ? "lens_typical_passes_unsure"
        : "lens_typical_passes"
      : "lens_typical_fails",
    values,
  );
}
