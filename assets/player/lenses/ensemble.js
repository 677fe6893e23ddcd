/**
 * The lens of the static ensemble: p, q and their mixture v at each drafted token. A test is a matter of one number, u q,
 * which a token passes where it is below v; speculative sampling would hold it against p.
 */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isAnswered, isOver, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { chainOf, ChainPlot, longestChain, seenVerdict } from "./plot.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"ensemble">} Working
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Step, Draw } from "../trace/records.js"
 * @typedef {{p: number, q: number, v: number, reach: number, outcome: string, strict: boolean}} Test a draw against the mixture
 * @typedef {{working: Working, chain: Draw[], tests: Test[]}} Scene
 */

const HIGH = 150; // px of the plot
const OTHERS = 96; // px of the rest

addLens({
  id: "ensemble",
  kind: "ensemble",
  key: [
    [signs.dot("sp-fill-p"), "legend_p"],
    [signs.dot("sp-fill-q"), "legend_q"],
    [signs.level("sp-lens-bar-level"), "lens_key_ensemble_v"],
    [signs.level("sp-lens-own-bar"), "lens_key_ensemble_reach"],
  ],
  draw(picture, view) {
    const { round, step, trace } = view;
    const working = workingOf(round, "ensemble");
    const chain = chainOf(round);
    if (!working || !chain.length || working.mixture.length > chain.length) return null;
    const drafted = step.kind === "drafted" ? step.layers : chain.length;
    const plot = new ChainPlot(picture, {
      columns: longestChain(trace),
      wanted: HIGH,
      others: OTHERS,
      title: say("lens_ensemble_axis"),
    });
    const tests = testsOf(chain, step, working);
    chain.slice(0, drafted).forEach((draw, i) => paintToken(picture, plot, draw, tests[i], i));
    const tokens = chain.slice(0, drafted).map((draw, i) => ({ node: draw.node, label: labelOf(draw, tests[i]) }));
    plot.end(tokens, 4);
    const sentence = tell(view, { working, chain, tests });
    return { sentence };
  },
});

/**
 * Tests of a chain that the step has reached, in order.
 * @returns {{p: number, q: number, v: number, reach: number, outcome: string, strict: boolean}[]} `reach` is u q, and
 *   `strict` is true where p itself would pass it
 * @param {Draw[]} chain @param {Step} step @param {Working} it
 */
export function testsOf(chain, step, { mixture }) {
  /** @type {Test[]} */
  const tests = [];
  for (const [i, v] of mixture.entries()) {
    const verdict = seenVerdict(chain[i], step);
    if (!verdict || typeof verdict.p !== "number" || typeof verdict.q !== "number" || typeof verdict.coin !== "number")
      break;
    const reach = verdict.coin * verdict.q;
    tests.push({ p: verdict.p, q: verdict.q, v, reach, outcome: verdict.outcome, strict: reach < verdict.p });
  }
  return tests;
}

/**
 * A token: q as it was drafted; once tested p, the way to the mixture, and u q.
 * @param {Picture} picture @param {import("./plot.js").ChainPlot} plot @param {Draw} draw
 * @param {Test | undefined} test @param {number} i
 */
function paintToken(picture, plot, draw, test, i) {
  const x = plot.x(i);
  if (draw.q !== null) picture.dot(x, plot.y(draw.q), 5, "sp-fill-q");
  if (!test) return;
  picture.line(x, plot.y(test.p), x, plot.y(test.q), "sp-lens-stem sp-is-" + test.outcome);
  picture.dot(x, plot.y(test.p), 5, "sp-fill-p");
  plot.level(i, test.v, 0.6, "sp-lens-bar-level");
  plot.level(i, test.reach, 0.6, "sp-lens-own-bar");
  picture.badge(test.outcome, x + Math.min(26, 0.36 * plot.pitch), plot.y(test.v) - 10, 0.8);
}

/** @param {Draw} draw @param {Test | undefined} test */
function labelOf(draw, test) {
  const values = { token: quoted(draw.node.piece), q: probability(draw.q) };
  if (!test) return say("lens_ensemble_item_drafted", values);
  const { p, v, reach, outcome } = test;
  const numbers = { p: probability(p), v: probability(v), reach: probability(reach) };
  return say("lens_ensemble_item", { ...values, ...numbers, outcome: say("state_" + outcome) });
}

/** @param {View} view @param {Scene} it */
function tell({ round, step }, { working, chain, tests }) {
  const weight = decimal(working.weight, 2);
  if (!isAnswered(round, step)) return say("lens_drafted");
  if (!tests.length) return say("lens_ensemble_scored", { weight });
  const numAccepted = tests.filter(({ outcome }) => outcome === "accepted").length;
  if (isOver(step) || step.kind === "not_tested") {
    const first = tests.findIndex(({ strict }) => !strict);
    return say("lens_ensemble_over", {
      kept: numAccepted,
      count: chain.length,
      strict: first < 0 ? numAccepted : first,
    });
  }
  const { p, q, v, reach, outcome, strict } = tests[tests.length - 1];
  const token = quoted(chain[tests.length - 1].node.piece);
  const values = { token, p: probability(p), q: probability(q), v: probability(v), reach: probability(reach), weight };
  return say("lens_ensemble_" + (outcome === "rejected" ? "rejected" : strict ? "accepted" : "relaxed"), values);
}
