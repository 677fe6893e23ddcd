/**
 * Ribbon of beam widths over the run, above the timeline: at each step as thick as the beams that are allowed there.
 * While the tests of a depth go on that is the width chosen for it, else how many beams the text has. A press goes to
 * the step below it.
 */

import { element, setAttribute, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

const HEIGHT = 24;
const WIDE = 1000;

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
    const head = element("p", "sp-widths-head", [element("span", "", say("widths_title")), this.now]);
    this.root = element("div", "sp-widths", null, { hidden: "", title: say("widths_hint") }, [head, this.svg]);
    this.svg.addEventListener("click", (event) => {
      const { left, width } = this.svg.getBoundingClientRect();
      const after = this.at.findIndex((place) => place * width > WIDE * (event.clientX - left));
      seek(Math.max(0, (after < 0 ? this.at.length : after) - 1));
    });
    /** @type {Width[]} */
    this.widths = [];
    /** @type {number[]} place of each step on the timeline, from 0 to WIDE */
    this.at = [0];
  }

  /** @param {Trace} trace @param {number} cursor @param {number[]} at */
  show(trace, cursor, at) {
    this.root.hidden = !trace.kinds.has("beam_width");
    if (this.root.hidden) return;
    if (this.at !== at) this.draw(trace, at);
    const step = trace.steps[cursor];
    const { round } = step;
    setAttribute(this.current, "d", round ? this.band(round.firstStep, Math.min(round.lastStep, cursor)) : "");
    for (const x of ["x1", "x2"]) setAttribute(this.here, x, at[cursor]);
    const { width, layer } = this.widths[cursor];
    setText(
      this.now,
      say(layer === null ? (width === 1 ? "widths_beam" : "widths_beams") : "widths_layer", { width, layer }),
    );
  }

  /** @param {Trace} trace @param {number[]} at */
  draw(trace, at) {
    this.at = at;
    this.widths = widthsOf(trace);
    setAttribute(this.svg, "viewBox", `0 0 ${WIDE} ${HEIGHT}`);
    setAttribute(this.ribbon, "d", this.band(0, at.length - 1));
  }

  /** Outline of the ribbon from a step to another. */
  band(from, to) {
    const unit = HEIGHT / Math.max(1, ...this.widths.map(({ width }) => width));
    const edge = this.widths.slice(from, to + 1).flatMap(({ width }, i) => {
      const half = (width * unit) / 2;
      return [this.at[Math.max(0, from + i - 1)], this.at[from + i]].map((x) => [x, half]);
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
