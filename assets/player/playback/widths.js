/**
 * Ribbon of beam widths over the run, above the timeline: at each step as thick as the beams that are allowed there.
 * While the tests of a depth go on that is the width chosen for it, else how many beams the text has. A press goes to
 * the step below it.
 */

import { element, setAttribute, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

const HEIGHT = 24;
const SLOPE = 0.2; // of a step, over which the thickness changes

/** @typedef {import("../trace/records.js").Step} Step */
/** @typedef {import("../trace/trace.js").Trace} Trace */
/** @typedef {{width: number, layer: number | null}} Width layer: the depth it was chosen for, where it was */

export class Widths {
  /** @param {(step: number) => void} seek */
  constructor(seek) {
    this.ribbon = svg("path", "sp-width-all");
    this.current = svg("path", "sp-width-round");
    this.here = svg("line", "sp-here", null, { y1: 0, y2: HEIGHT });
    const about = { "aria-hidden": "true", preserveAspectRatio: "none", height: HEIGHT };
    this.svg = svg("svg", "sp-widths-picture", null, about, [this.ribbon, this.current, this.here]);
    this.now = element("b", "sp-widths-now");
    const head = element("p", "sp-widths-head", null, {}, [element("span", "", say("widths_title")), this.now]);
    this.root = element("div", "sp-widths", null, { hidden: "", title: say("widths_hint") }, [head, this.svg]);
    this.svg.addEventListener("click", (event) => {
      const { left, width } = this.svg.getBoundingClientRect();
      if (width > 0) seek(Math.round(((event.clientX - left) / width) * (this.widths.length - 1)));
    });
    /** @type {Width[]} */
    this.widths = [];
    this.drawn = -1;
  }

  /** @param {Trace} trace @param {number} cursor */
  show(trace, cursor) {
    this.root.hidden = !trace.kinds.has("beam_width");
    if (this.root.hidden) return;
    if (trace.steps.length !== this.drawn) this.draw(trace);
    const step = trace.steps[cursor];
    const { round } = step;
    setAttribute(this.current, "d", round ? this.band(round.firstStep, Math.min(round.lastStep, cursor)) : "");
    for (const x of ["x1", "x2"]) setAttribute(this.here, x, cursor);
    const { width, layer } = this.widths[cursor];
    setText(
      this.now,
      say(layer === null ? (width === 1 ? "widths_beam" : "widths_beams") : "widths_layer", { width, layer }),
    );
  }

  /** @param {Trace} trace */
  draw(trace) {
    this.drawn = trace.steps.length;
    this.widths = widthsOf(trace);
    setAttribute(this.svg, "viewBox", `0 0 ${Math.max(1, this.drawn - 1)} ${HEIGHT}`);
    setAttribute(this.ribbon, "d", this.band(0, this.drawn - 1));
  }

  /** Outline of the ribbon from a step to another. */
  band(from, to) {
    const unit = HEIGHT / Math.max(1, ...this.widths.map(({ width }) => width));
    const edge = this.widths.slice(from, to + 1).flatMap(({ width }, i) => {
      const half = (width * unit) / 2;
      return [-0.5 + SLOPE / 2, 0.5 - SLOPE / 2].map((beside) => [from + i + beside, half]);
    });
    const upper = edge.map(([x, half]) => `${x.toFixed(2)} ${(HEIGHT / 2 - half).toFixed(1)}`);
    const lower = edge.map(([x, half]) => `${x.toFixed(2)} ${(HEIGHT / 2 + half).toFixed(1)}`).reverse();
    return edge.length ? `M${[...upper, ...lower].join("L")}Z` : "";
  }
}

/**
 * Width of the ribbon at every step of a run.
 * @param {Trace} trace
 * @returns {Width[]}
 */
function widthsOf(trace) {
  /** @type {Width[]} */
  const widths = [];
  for (const { kind, round, verdict } of trace.steps) {
    const before = widths[widths.length - 1] ?? { width: 1, layer: null };
    if (!round) widths.push({ width: before.width, layer: null });
    else if (kind === "committed") widths.push({ width: round.next?.length || before.width, layer: null });
    else if (kind === "drafted" || kind === "scored") widths.push({ width: round.frontier.length, layer: null });
    else widths.push(widthIn(round, verdict) ?? before);
  }
  return widths;
}

/** The width chosen for the depth of a test. */
function widthIn(round, verdict) {
  const working = round.workings.find(({ kind, depth }) => kind === "beam_width" && depth === verdict?.node.layer);
  return working ? { width: working.width, layer: working.depth } : null;
}
