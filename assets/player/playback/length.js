/**
 * Draft length, dragged from 1 to 8: on release the pair runs again at that length, and tree, rounds and ratio answer.
 * Above the scale is each run's speed-up over plain decoding, recorded ones pale, and grey
 * where it is about as fast; at the line it is as fast.
 */

import { element, setAttribute, setText, svg } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";

const MOST = 8;
const TALL = 30;
const WIDE = 20; // of a length, in units of the picture
const TOP = 2.2; // the ratio that fills the height, unless one is larger

/** Names of the options that set the length of a method's drafts. */
export const NAMES = ["draft_length", "block_length", "depth"];

export class Length {
  constructor() {
    /** @type {((method: string, name: string, value: number) => void) | null} the page around runs the pair again */
    this.run = null;
    /** @type {Map<number, number>} ratios that were recorded beforehand, of runs like that on the stage */
    this.recorded = new Map();
    /** @type {Map<number, number>} ratios of the reader's runs on this page */
    this.made = new Map();
    /** @type {Set<number>} lengths of those that are about as fast as plain decoding, or whose runs do not tell */
    this.even = new Set();
    this.of = ""; // what these are of
    this.range = element("input", "sp-range sp-length-range", null, { type: "range", min: 1, max: MOST, step: 1 });
    this.range.addEventListener("input", () => this.tell());
    this.range.addEventListener("change", () => this.run?.(this.method, this.name, Number(this.range.value)));
    this.value = element("output", "sp-length-value");
    this.bars = svg("svg", "sp-length-bars", null, {
      viewBox: `0 0 ${MOST * WIDE} ${TALL}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
    const label = element("label", "sp-length-label", [new Text(say("length") + " "), this.value]);
    const scale = element("div", "sp-length-scale", [this.bars, this.range]);
    this.asked = element("b", "sp-length-asked");
    this.root = element("div", "sp-length", null, { hidden: "" }, [label, scale, this.asked]);
    this.range.id = `sp-length-${++number}`;
    label.htmlFor = this.range.id;
    this.method = "";
    this.name = "";
    this.shown = null; // the run
    this.drawn = "";
  }

  /** @param {(method: string, name: string, value: number) => void} run */
  offer(run) {
    this.run = run;
  }

  /** Ratios of other lengths of the run on the stage. @param {[number, number][]} tried */
  hear(tried) {
    this.recorded = new Map(tried);
    this.made.clear();
    this.draw();
  }

  /** The run on the stage, as far as it is known. @param {any} trace @param {import("./ratio.js").Ratio} ratio */
  show(trace, ratio) {
    const options = trace.run?.options ?? {};
    const name = NAMES.find((each) => typeof options[each] === "number" && options[each] <= MOST);
    this.root.hidden = !this.run || !name || !options[name];
    if (this.root.hidden || !name) return;
    const value = options[name];
    const of = [trace.run.method, trace.run.prompt, JSON.stringify(trace.run.sampling)].join();
    if (of !== this.of) for (const known of [this.made, this.recorded, this.even]) known.clear();
    Object.assign(this, { method: trace.run.method, name, of });
    const totals = trace.finished ? trace.steps[trace.steps.length - 1].totals : null;
    const result = ratio.over(totals);
    if (result) this.made.set(value, result.ratio);
    if (result?.even) this.even.add(value);
    else this.even.delete(value);
    if (this.shown !== trace.run) this.range.value = String(value);
    this.shown = trace.run;
    this.tell();
    this.draw();
  }

  tell() {
    setText(this.value, this.range.value);
    const length = Number(this.range.value);
    const ratio = this.made.get(length) ?? this.recorded.get(length);
    setAttribute(
      this.range,
      "aria-valuetext",
      ratio ? say("length_ratio", { length: this.range.value, ratio: decimal(ratio, 1) }) : this.range.value,
    );
    const known = [...this.recorded, ...this.made].map(([, each]) => each);
    const stops = known.some((each) => each < 1) && known.some((each) => each >= 1);
    setText(this.asked, ratio ? decimal(ratio, 1) + "×" : stops ? say("length_asked") : "");
    this.range.style.setProperty("--sp-share", (100 * (Number(this.range.value) - 1)) / (MOST - 1) + "%");
  }

  /** The class of a bar. */
  nameOf(length, ratio) {
    if (this.even.has(length)) return "sp-length-about";
    return ratio < 1 ? "sp-length-slow" : "sp-length-fast";
  }

  draw() {
    const stamp = JSON.stringify([...this.made, ...this.recorded, ...this.even]);
    if (stamp === this.drawn) return;
    this.drawn = stamp;
    const top = Math.max(TOP, ...this.made.values(), ...this.recorded.values());
    const y = (ratio) => TALL * (1 - ratio / top);
    const bar = (length, ratio, name) =>
      svg("rect", name, null, { x: (length - 1) * WIDE + 3, y: y(ratio), width: WIDE - 6, height: TALL - y(ratio) });
    const others = [...this.recorded].filter(([length]) => !this.made.has(length));
    this.bars.replaceChildren(
      ...others.map(([length, ratio]) => bar(length, ratio, "sp-length-recorded")),
      ...[...this.made].map(([length, ratio]) => bar(length, ratio, this.nameOf(length, ratio))),
      svg("path", "sp-length-even", null, { d: `M0 ${y(1)}H${MOST * WIDE}` }),
    );
  }
}

let number = 0; // for ids of their own
