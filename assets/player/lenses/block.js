/**
 * The lens of block verification: how far the target can follow the chain, and the tests of its prefixes from the end.
 *
 * The reach P follows from the recorded p and q; the chances of the tests and their coins are the verdicts' own.
 */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isAnswered } from "./lens.js";
import { signs } from "./picture.js";
import { chainOf, ChainPlot, longestChain, seenVerdict } from "./plot.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Verdict } from "../trace/records.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const HIGH = 160; // px of the plot
const OTHERS = 120; // px of the rest

addLens({
  id: "block",
  kind: "block",
  key: [
    [signs.level("sp-lens-reach"), "lens_key_reach"],
    [(picture) => picture.rect(6, 1, 14, 13, "sp-lens-chance sp-is-accepted", 2), "lens_key_block_chance"],
    [signs.dot("sp-coin-dot sp-is-accepted"), "lens_key_coin"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return null;
    paint(picture, view, scene);
    return { sentence: tell(scene) };
  },
});

/** @param {View} view */
function sceneOf({ round, step }) {
  const chain = chainOf(round);
  if (!chain.length || chain.some((draw) => !draw.verdict || draw.verdict.p === null || !draw.verdict.q)) return null;
  /** @type {number[]} */
  const reach = [];
  for (const { verdict } of chain)
    reach.push(Math.min(1, ((reach.length ? reach[reach.length - 1] : 1) * (verdict?.p ?? 0)) / (verdict?.q ?? 1)));
  const tested = chain
    .map((draw) => seenVerdict(draw, step))
    .map((verdict) => (verdict && verdict.coin !== null && verdict.accept !== null ? verdict : null));
  const passed = tested.findIndex((verdict) => verdict && verdict.outcome === "accepted");
  return {
    chain,
    reach,
    tested,
    passed,
    called: isAnswered(round, step),
    drafted: step.kind === "drafted" ? step.layers : chain.length,
  };
}

/** @param {Picture} picture @param {View} view @param {Scene} scene */
function paint(picture, { trace, step }, { chain, reach, tested, called, drafted }) {
  const plot = new ChainPlot(picture, {
    columns: longestChain(trace),
    wanted: HIGH,
    others: OTHERS,
    title: say("lens_block_axis"),
  });
  tested.forEach((verdict, i) => {
    if (!verdict) return;
    plot.column(i, verdict.accept, 0.5, "sp-lens-chance sp-is-" + verdict.outcome);
    picture.dot(plot.x(i), plot.y(verdict.coin), 5, "sp-coin-dot sp-is-" + verdict.outcome);
    picture.badge(verdict.outcome, plot.x(i) + Math.min(22, plot.pitch / 2 - 4), plot.y(verdict.accept) - 2, 0.8);
  });
  if (called) reach.forEach((value, i) => plot.level(i, value, 0.82, "sp-lens-reach"));
  const boxes = chain.slice(0, drafted).map((draw, i) => {
    const verdict = seenVerdict(draw, step);
    if (verdict && verdict.outcome === "accepted" && !tested[i])
      picture.badge("accepted", plot.x(i), plot.foot - 12, 0.8);
    const numbers = tested[i]
      ? say("lens_block_item_test", { accept: probability(tested[i].accept), coin: probability(tested[i].coin) })
      : "";
    const label = say("lens_block_item", {
      length: i + 1,
      token: quoted(draw.node.piece),
      reach: probability(called ? reach[i] : null),
      numbers,
    });
    return { node: draw.node, label };
  });
  plot.end(boxes);
}

/** @param {Scene} scene */
function tell({ chain, reach, tested, passed, called }) {
  const count = chain.length;
  if (!called) return say("lens_drafted");
  const tests = tested.filter(Boolean).length;
  if (!tests) return say("lens_block_scored", { count, reach: probability(reach[count - 1]) });
  if (passed >= 0)
    return say(passed + 1 === count ? "lens_block_whole" : "lens_block_passed", {
      length: passed + 1,
      count,
      ...numbers(tested[passed]),
    });
  const last = tested.findIndex(Boolean);
  if (last === 0) return say("lens_block_none", numbers(tested[0]));
  return say("lens_block_failed", { length: last + 1, ...numbers(tested[last]) });
}

/** @param {Verdict | null} verdict */
const numbers = (verdict) => ({ accept: probability(verdict?.accept), coin: probability(verdict?.coin) });
