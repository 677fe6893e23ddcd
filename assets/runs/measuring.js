/**
 * A race while it is measured: a lane per entry, whose bar has a cell for each of its runs, as high as that run's
 * tokens/s, on one scale. It changes between runs only, so that drawing takes no time from a run.
 */

import { element, empty, losslessMark, setText, svg } from "../shared/elements.js";
import { say } from "../shared/words.js";

const HEIGHT = 28; // px
const LEAST = 2; // px of a run that is slow

export class Measuring {
  constructor() {
    this.lanes = element("ol", "sr-lanes");
    this.root = element("section", "sr-measuring", null, { hidden: "", "aria-label": say("measuring_title") }, [
      element("h2", "sr-title", say("measuring_title")),
      element("p", "sp-quiet", say("measuring_how")),
      this.lanes,
    ]);
  }

  /** @param {import("../page/messages.js").Measuring} value */
  show({ runs, lanes }) {
    const fastest = Math.max(1e-9, ...lanes.flatMap(({ rates }) => rates));
    empty(this.lanes);
    for (const lane of lanes) this.lanes.append(drawn(lane, runs, fastest));
  }
}

/** @param {import("../page/messages.js").MeasuredLane} lane */
function drawn({ name, note, badge, rates }, runs, fastest) {
  const heading = element("h3", "sr-name", name);
  heading.append(" ", losslessMark(badge));
  const who = element("div", "sr-who", [heading]);
  if (note) who.append(element("p", "sr-note sr-options", note, { title: note }));
  const cells = Array.from({ length: runs }, (_, i) => {
    const height = i < rates.length ? Math.max(LEAST, (HEIGHT * rates[i]) / fastest) : HEIGHT;
    return svg("rect", i < rates.length ? "sr-run" : "sr-run-awaited", null, {
      x: `${((100 * i) / runs).toFixed(2)}%`,
      width: `${(86 / runs).toFixed(2)}%`,
      y: (HEIGHT - height).toFixed(1),
      height: height.toFixed(1),
    });
  });
  const bar = svg("svg", "sr-track", null, { height: HEIGHT, width: "100%", "aria-hidden": "true" }, cells);
  const rate = element("p", "sr-counter", [
    element("span", "sr-count", rates.length ? median(rates).toFixed(0) : "–"),
    element("span", "sr-unit", say("measuring_rate")),
  ]);
  const done = element("p", "sr-round");
  setText(done, say("measuring_runs", { done: rates.length, count: runs }));
  return element("li", "sr-lane", [
    who,
    element("div", "sr-course", [bar]),
    element("div", "sr-figures", [rate, done]),
  ]);
}

function median(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
