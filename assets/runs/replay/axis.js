/** Axis of a replay above the lanes: tokens from the start to the finish line, and the key to the bars' colours. */

import { element, empty, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { HEIGHT, ORIGINS, paths } from "./bar.js";

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const MOST_TICKS = 6;
const LAST = 0.8; // of the axis: beyond it is the label of the finish

export class Axis {
  constructor() {
    this.ticks = element("div", "sr-ticks");
    const items = Object.entries(ORIGINS).map(([letter, origin]) => {
      const sample = svg("svg", "", null, { width: 14, height: HEIGHT / 2, "aria-hidden": "true" });
      const drawn = paths([{ letter, round: 0 }], { width: 14, height: HEIGHT / 2 });
      sample.append(svg("path", `sr-cells sp-is-${origin}`, null, { d: drawn[letter], "fill-rule": "evenodd" }));
      return element("li", "", [sample, element("span", "", say("bar_" + origin))]);
    });
    this.key = element("ul", "sr-key sp-quiet", null, { "aria-label": say("bar_key") }, items);
    this.root = element("div", "sr-axis", [this.ticks]);
  }

  /** @param {number} budget tokens at the finish line */
  show(budget) {
    empty(this.ticks);
    if (!budget) return;
    const step = STEPS.find((each) => budget / each <= MOST_TICKS) || budget;
    for (let at = 0; at <= LAST * budget; at += step) this.tick(at, at / budget, String(at));
    this.tick(budget, 1, say("bar_finish", { budget }));
  }

  tick(at, share, text) {
    const name = share === 1 ? "sr-tick sr-is-finish" : at ? "sr-tick" : "sr-tick sr-is-start";
    this.ticks.append(element("span", name, text, { style: `left: ${(100 * share).toFixed(2)}%` }));
  }
}
