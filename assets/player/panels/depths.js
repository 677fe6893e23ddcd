/**
 * Acceptance by depth of the draft tree, growing with the run: a bar a depth, with its interval and the overlap of p
 * and q.
 */

import { BarChart } from "../../shared/plots/bars.js";
import { element, setText, shownWidth } from "../../shared/elements.js";
import { percent } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { acceptanceByDepth, intervalOf, overlapOf, rateOf, triesOf } from "../trace/by_depth.js";

export class Depths {
  constructor() {
    this.title = element("h3", "sp-panel-title");
    this.summary = element("p", "sp-quiet");
    this.chart = new BarChart();
    this.root = element("figure", "sp-panel sp-chart", null, { "data-chart": "acceptance_by_depth" }, [
      this.title,
      this.summary,
      this.chart.root,
    ]);
    this.shown = "";
  }

  /** Draws where the panel has a width. @param {any} trace @param {any} step */
  show(trace, step) {
    this.root.hidden = !step || !trace.rounds.some((round) => round.layers.length);
    const width = shownWidth(this.root);
    if (!width) return;
    const stamp = `${step.totals.rounds}/${width}`;
    if (this.shown !== stamp || this.trace !== trace) {
      this.shown = stamp;
      this.trace = trace;
      const title = say(step.totals.rounds ? "depths_title" : "depths_title_start", { round: step.totals.rounds });
      const depths = acceptanceByDepth(trace, step);
      setText(this.title, title);
      setText(this.summary, summaryOf(depths));
      this.chart.show(barsOf(depths, triesOf(trace.run)), title);
    }
    this.chart.mark(step.verdict ? step.verdict.node.layer : step.layers || null);
  }
}

function summaryOf(depths) {
  const [tries, passed] = ["tries", "passed"].map((name) => depths.reduce((sum, each) => sum + each[name], 0));
  return tries ? say("depths_summary", { passed, tries, share: percent(passed / tries) }) : "";
}

/**
 * @param {import("../trace/by_depth.js").Depth[]} depths
 * @param {string} kind of their tries
 * @returns {import("../../shared/plots/bars.js").Bars}
 */
function barsOf(depths, kind) {
  const tried = depths.filter((each) => each.tries);
  const drawn = tried.filter((each) => each.positions);
  const intervals = tried.map(intervalOf);
  const describe = (each) =>
    say("depths_said", { depth: each.depth, passed: each.passed, tries: each.tries, share: percent(rateOf(each)) });
  const counted = {
    name: say("depths_counted"),
    look: "counted",
    at: tried.map((each) => each.depth),
    values: tried.map((each) => rateOf(each) ?? 0),
    said: tried.map(describe),
    low: intervals.map(([low]) => low),
    high: intervals.map(([, high]) => high),
  };
  const overlap = {
    name: say("depths_overlap"),
    look: "overlap",
    at: drawn.map((each) => each.depth),
    values: drawn.map((each) => overlapOf(each) ?? 0),
    low: [],
    high: [],
    said: drawn.map((each) => say("depths_overlap_said", { depth: each.depth, share: percent(overlapOf(each)) })),
  };
  return {
    axis: "depth",
    x: say("depths_x"),
    y: say(kind ? `depths_y_${kind}` : "depths_y_none"),
    share: true,
    places: counted.at,
    below: tried.map((each) => `${each.passed}/${each.tries}`),
    empty: tried.length ? "" : say(kind ? "depths_none_yet" : "depths_not_said"),
    kinds: tried.length ? [counted] : [],
    strokes: drawn.length ? overlap : null,
  };
}
