/**
 * The timeline, on the run's recorded clock: a block for each round, its draft calls orange and its target call blue, as
 * tall as the tokens that it emitted, with a mark for each rejection. Below, where plain decoding of the same prompt and
 * seed is kept, is a tick for each token that it wrote. A press or a drag goes to the step at that time; for the
 * keyboard there is a range input.
 */

import { element, setAttribute, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { Widths } from "./widths.js";

const WIDE = 1000; // units of the picture
const ROW = 26;
const BASE = ROW - 4; // of its blocks
const PLAIN = 14;
const LEAST = 7; // of a round's height

export class Timeline {
  constructor(seek) {
    this.widths = new Widths(seek);
    this.shape = Object.fromEntries(
      ["rest", "draft", "target", "rejections", "plain"].map((name) => [name, svg("path", "sp-time-" + name)]),
    );
    this.ahead = svg("rect", "sp-time-ahead", null, { y: 0, height: "100%" });
    const about = { "aria-hidden": "true", preserveAspectRatio: "none" };
    this.svg = svg("svg", "sp-markers", null, about, [...Object.values(this.shape), this.ahead]);
    this.here = element("i", "sp-here");
    this.range = element("input", "sp-timeline-range", null, {
      type: "range",
      min: 0,
      max: 0,
      step: 1,
      value: 0,
      "aria-label": say("scrubber"),
    });
    this.range.addEventListener("input", () => seek(Number(this.range.value)));
    this.names = element("div", "sp-time-names", null, { "aria-hidden": "true" }, [
      element("span", "", say("clocks_run")),
      element("span", "", say("clocks_plain")),
    ]);
    this.box = element("div", "sp-time-box", [this.svg, this.here, this.range]);
    const rows = element("div", "sp-time-rows", [this.names, this.box]);
    this.root = element("div", "sp-timeline", [this.widths.root, rows]);
    /** @type {number[] | null} seconds at which plain decoding had each token */
    this.plain = null;
    /** @type {number[] | null} */
    this.again = null;
    /** @type {number[]} place of each step, from 0 to WIDE */
    this.at = [0];
    this.drawn = "";
    this.listen(seek);
  }

  listen(seek) {
    const follow = (/** @type {PointerEvent} */ event) => {
      const { left, width } = this.box.getBoundingClientRect();
      const wanted = (WIDE * (event.clientX - left)) / Math.max(1, width);
      const after = this.at.findIndex((place) => place > wanted);
      seek(after < 0 ? this.at.length - 1 : Math.max(0, after - 1));
    };
    this.box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      this.range.focus({ preventScroll: true });
      this.box.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.box.addEventListener(
      "pointermove",
      (event) => this.box.hasPointerCapture(event.pointerId) && event.buttons && follow(event),
    );
  }

  /** @param {number[] | null} plain @param {number[] | null} again as ratio.js has them */
  load(plain, again) {
    this.plain = plain && plain.length ? plain : null;
    this.again = again;
    this.root.classList.toggle("sp-beside-plain", this.plain !== null);
    this.drawn = "";
  }

  /** Draws all of it again when steps were added. */
  draw(trace) {
    const stamp = [trace.steps.length, trace.rounds.filter((round) => round.commit).length].join();
    if (stamp === this.drawn) return;
    this.drawn = stamp;
    const spans = spansOf(trace.rounds);
    const end = spans.at(-1)?.end ?? 0;
    // The turn's times are laid on the run's own clock.
    const pace = this.again?.length ? end / this.again[this.again.length - 1] : 1;
    const plain = (this.plain ?? []).map((time) => pace * time);
    const last = Math.max(end, plain.at(-1) ?? 0) || 1;
    const x = (/** @type {number} */ time) => (WIDE * time) / last;
    this.at = trace.steps.map((step) => x(timeOf(step, spans)));
    this.range.max = String(Math.max(0, trace.steps.length - 1));
    setAttribute(this.svg, "viewBox", `0 0 ${WIDE} ${ROW + (this.plain ? PLAIN : 0)}`);
    for (const [name, path] of Object.entries(blocks(spans, x))) setAttribute(this.shape[name], "d", path);
    const rejected = trace.steps.filter((step) => step.verdict?.outcome === "rejected");
    const marks = (/** @type {number[]} */ places, shape) =>
      places.map((place) => `M${place.toFixed(2)} ${shape}`).join("");
    setAttribute(
      this.shape.rejections,
      "d",
      marks(
        rejected.map((step) => this.at[step.index]),
        `${BASE}v4`,
      ),
    );
    setAttribute(this.shape.plain, "d", marks(plain.map(x), `${ROW + 3}v${PLAIN - 4}`));
  }

  show(trace, cursor) {
    this.draw(trace);
    this.widths.show(trace, cursor, this.at);
    if (Number(this.range.value) !== cursor) this.range.value = cursor;
    const step = trace.steps[cursor];
    const heading = step && step.round ? say("round", { round: step.round.number }) : say("start");
    setAttribute(
      this.range,
      "aria-valuetext",
      say("scrubber_value", { step: cursor + 1, steps: trace.steps.length, place: heading }),
    );
    const here = this.at[cursor] ?? 0;
    this.here.style.left = ((100 * here) / WIDE).toFixed(2) + "%";
    setAttribute(this.ahead, "x", here.toFixed(2));
    setAttribute(this.ahead, "width", Math.max(0, WIDE - here).toFixed(2));
  }
}

/**
 * @typedef {{first: number, last: number, start: number, end: number, draft: number, verify: number, emitted: number}} Span
 * of a round: its steps, and its time in seconds; where a trace has no times, each round takes one.
 */

/** @returns {Span[]} */
function spansOf(rounds) {
  const isTimed = rounds.some((round) => (round.commit?.clock_s ?? 0) > 0);
  let start = 0;
  return rounds.map((round, i) => {
    const { commit } = round;
    const end = isTimed ? Math.max(start, commit?.clock_s ?? start + start / Math.max(1, i)) : start + 1;
    const span = {
      first: round.firstStep,
      last: round.lastStep,
      start,
      end,
      draft: isTimed ? (commit?.draft_s ?? 0) : 0,
      verify: isTimed ? (commit?.verify_s ?? 0) : 1,
      emitted: round.committed.length,
    };
    start = end;
    return span;
  });
}

/**
 * The parts of all rounds as paths: what is neither call, the draft calls, the target call.
 * @param {Span[]} spans @param {(time: number) => number} x
 */
function blocks(spans, x) {
  const most = Math.max(1, ...spans.map(({ emitted }) => emitted));
  const paths = { rest: "", draft: "", target: "" };
  for (const { start, end, draft, verify, emitted } of spans) {
    const top = (BASE - LEAST - ((BASE - LEAST) * emitted) / most).toFixed(1);
    const drafted = Math.max(start, end - verify);
    const began = Math.max(start, drafted - draft);
    const parts = /** @type {const} */ ([
      ["rest", start, began],
      ["draft", began, drafted],
      ["target", drafted, end],
    ]);
    for (const [name, from, to] of parts)
      if (to > from) paths[name] += `M${x(from).toFixed(2)} ${BASE}V${top}H${x(to).toFixed(2)}V${BASE}z`;
  }
  return paths;
}

/** Time of a step: those of a round are spread over its time. @param {any} step @param {Span[]} spans */
function timeOf(step, spans) {
  if (!step.round) return step.index ? (spans.at(-1)?.end ?? 0) : 0;
  const { first, last, start, end } = spans[step.round.number - 1] ?? spans[spans.length - 1];
  return start + ((end - start) * (step.index - first + 1)) / Math.max(1, last - first + 1);
}
