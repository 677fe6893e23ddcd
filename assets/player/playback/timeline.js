/**
 * The timeline: one bar per round, taller and darker the more draft tokens it accepted, a tick per rejection, and the
 * scrubber below, a native range input that is the cursor.
 */

import { element, setAttribute, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { Widths } from "./widths.js";

const LEVELS = 5;
const HEIGHT = 26;
const TICKS = 6; // px kept below the bars for the rejections

export class Timeline {
  constructor(seek) {
    this.widths = new Widths(seek);
    this.root = element("div", "sp-timeline", null, {}, [this.widths.root]);
    this.svg = this.root.appendChild(
      svg("svg", "sp-markers", null, { "aria-hidden": "true", preserveAspectRatio: "none", height: HEIGHT }),
    );
    this.levels = Array.from({ length: LEVELS }, (_, level) => this.svg.appendChild(svg("path", "sp-level-" + level)));
    this.rejections = this.svg.appendChild(svg("path", "sp-rejections"));
    this.here = this.svg.appendChild(svg("line", "sp-here", null, { y1: 0, y2: HEIGHT }));
    this.range = this.root.appendChild(
      element("input", "sp-range", null, {
        type: "range",
        min: 0,
        max: 0,
        step: 1,
        value: 0,
        "aria-label": say("scrubber"),
      }),
    );
    this.range.addEventListener("input", () => seek(Number(this.range.value)));
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      if (box.width > 0) seek(Math.round(((event.clientX - box.left) / box.width) * Number(this.range.max)));
    });
    this.drawn = -1;
  }

  /** Draws the bars again when steps were added. */
  draw(trace) {
    const steps = trace.steps.length;
    if (steps === this.drawn) return;
    this.drawn = steps;
    const last = Math.max(1, steps - 1);
    this.range.max = String(Math.max(0, steps - 1));
    setAttribute(this.svg, "viewBox", `0 0 ${last} ${HEIGHT}`);
    const accepted = trace.rounds.map(
      (round) => round.verdicts.filter((verdict) => verdict.outcome === "accepted").length,
    );
    const most = Math.max(1, ...accepted);
    const bars = Array.from({ length: LEVELS }, () => /** @type {string[]} */ ([]));
    const ticks = [];
    trace.rounds.forEach((round, i) => {
      const share = accepted[i] / most;
      const tall = 3 + share * (HEIGHT - TICKS - 3);
      const left = round.firstStep - 0.5;
      const wide = Math.max(0.3, 0.88 * (round.lastStep - round.firstStep + 1));
      const level = accepted[i] === 0 ? 0 : 1 + Math.round((LEVELS - 2) * ((accepted[i] - 1) / Math.max(1, most - 1)));
      bars[level].push(`M${Math.max(0, left)} ${HEIGHT - TICKS}h${wide}v${-tall}h${-wide}z`);
    });
    for (const step of trace.steps)
      if (step.verdict && step.verdict.outcome === "rejected") ticks.push(`M${step.index} ${HEIGHT - 4}v4`);
    bars.forEach((list, level) => setAttribute(this.levels[level], "d", list.join("")));
    setAttribute(this.rejections, "d", ticks.join(""));
  }

  show(trace, cursor) {
    this.draw(trace);
    this.widths.show(trace, cursor);
    if (Number(this.range.value) !== cursor) this.range.value = cursor;
    const step = trace.steps[cursor];
    const heading = step && step.round ? say("round", { round: step.round.number }) : say("start");
    setAttribute(
      this.range,
      "aria-valuetext",
      say("scrubber_value", { step: cursor + 1, steps: trace.steps.length, place: heading }),
    );
    const share = trace.steps.length > 1 ? cursor / (trace.steps.length - 1) : 0;
    this.range.style.setProperty("--sp-share", (100 * share).toFixed(2) + "%");
    setAttribute(this.here, "x1", cursor);
    setAttribute(this.here, "x2", cursor);
  }
}
