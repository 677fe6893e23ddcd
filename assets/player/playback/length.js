/**
 * Draft length, dragged from 1 to 8, with the speed-up over plain decoding of each length that has run. A recorded one
 * answers the drag at once; on release at another length the pair runs, and tree, rounds and ratio answer.
 */

import { element, pressButton, setAttribute, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";

const MOST = 8;

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
    this.range.addEventListener("change", () => this.ratio === undefined && this.ask());
    this.value = element("output", "sp-length-value");
    this.bars = element("div", "sp-length-bars", null, { "aria-hidden": "true" });
    const label = element("label", "sp-length-label", [new Text(say("length") + " "), this.value]);
    const scale = element("div", "sp-length-scale", [this.bars, this.range]);
    this.asked = element("b", "sp-length-asked");
    this.again = pressButton("sp-length-again", say("length_run"), () => this.ask(), { hidden: "" });
    this.root = element("div", "sp-length", null, { hidden: "" }, [label, scale, this.asked, this.again]);
    this.range.id = `sp-length-${++number}`;
    label.htmlFor = this.range.id;
    this.method = "";
    this.name = "";
    this.ofRun = 0; // the length of the run on the stage
    this.shown = null; // the run
    this.drawn = "";
  }

  /** Speed-up at the length that is chosen. @returns {number | undefined} */
  get ratio() {
    const length = Number(this.range.value);
    return this.made.get(length) ?? this.recorded.get(length);
  }

  ask() {
    this.run?.(this.method, this.name, Number(this.range.value));
  }

  /** @param {(method: string, name: string, value: number) => void} run */
  offer(run) {
    this.run = run;
  }

  /** Ratios of other lengths of the run on the stage. @param {[number, number][]} tried */
  hear(tried) {
    this.recorded = new Map(tried);
    for (const known of [this.made, this.even]) known.clear();
    this.draw();
  }

  /** The run on the stage, as far as it is known. @param {any} trace @param {import("./ratio.js").Ratio} ratio */
  show(trace, ratio) {
    const [name, value] = lengthOf(trace.run?.options);
    this.root.hidden = true;
    if (!this.run || !value) return;
    const of = [trace.run.method, trace.run.prompt, JSON.stringify(trace.run.sampling)].join();
    if (of !== this.of) for (const known of [this.made, this.recorded, this.even]) known.clear();
    Object.assign(this, { method: trace.run.method, name, of });
    const totals = trace.finished ? trace.steps[trace.steps.length - 1].totals : null;
    const result = ratio.over(totals);
    if (result) this.made.set(value, result.ratio);
    if (result?.even) this.even.add(value);
    else this.even.delete(value);
    this.root.hidden = this.made.size + this.recorded.size === 0; // a strip of nothing
    if (this.shown !== trace.run) this.range.value = String(value);
    this.shown = trace.run;
    this.ofRun = value;
    this.tell();
    this.draw();
  }

  tell() {
    setText(this.value, this.range.value);
    const { ratio } = this;
    setAttribute(
      this.range,
      "aria-valuetext",
      ratio ? say("length_ratio", { length: this.range.value, ratio: decimal(ratio, 1) }) : this.range.value,
    );
    setText(this.asked, ratio ? decimal(ratio, 1) + "×" : "");
    this.again.hidden = ratio === undefined || Number(this.range.value) === this.ofRun;
    [...this.bars.children].forEach((bar, i) =>
      setAttribute(bar, "aria-current", String(i + 1 === Number(this.range.value))),
    );
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
    const top = Math.max(1, ...this.made.values(), ...this.recorded.values());
    const bars = Array.from({ length: MOST }, (_, i) => {
      const ratio = this.made.get(i + 1) ?? this.recorded.get(i + 1);
      if (ratio === undefined) return element("span");
      const look = this.nameOf(i + 1, ratio);
      return element("span", look, [
        element("b", "", decimal(ratio, 1)),
        element("i", "", null, { style: `height: ${(18 * ratio) / top}px` }),
      ]);
    });
    this.bars.replaceChildren(...bars);
    this.tell();
  }
}

let number = 0; // for ids of their own

/** The option of a run that says how far it drafts, and its value; the strip has no more than MOST. */
function lengthOf(options = {}) {
  const name = NAMES.find((each) => typeof options[each] === "number" && options[each] <= MOST);
  return [name, options[name ?? ""]];
}
