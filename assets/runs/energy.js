/**
 * Where a race's energy went: a bar per entry, in joules per token. The estimate is in parts and takes the reader's own
 * watts; what a meter read is below it, whole and named as measured.
 */

import { element, empty, pressButton, setText } from "../shared/elements.js";
import { figure } from "../shared/figures.js";
import { say } from "../shared/words.js";

const PARTS = ["text", "rejected", "draft"];
const WATTS = ["flop_w", "memory_w"];
const WIDEST = 78; // % of the line, so that the number has room behind its bar
const JOULES = /** @type {any} */ ({ form: "joules", digits: 1 });

export class Energy {
  constructor() {
    /** @type {import("../page/messages.js").EnergyValue | null} */
    this.value = null;
    /** @type {Record<string, HTMLInputElement>} */
    this.fields = {};
    const labels = WATTS.map((name) => {
      const field = (this.fields[name] = element("input", "", null, {
        type: "number",
        min: 0,
        step: "any",
        inputmode: "decimal",
      }));
      field.addEventListener("input", () => this.draw());
      return element("label", "", [element("span", "", say("energy_" + name)), field]);
    });
    this.back = pressButton("sr-small", say("energy_back"), () => this.fillIn());
    this.note = element("p", "sp-quiet", null, { role: "status" });
    this.meter = element("p", "sp-quiet");
    this.bars = element("ul", "sr-bars");
    const parts = PARTS.map((part) => element("li", "sr-part-" + part, say("energy_" + part)));
    this.root = element("section", "sr-energy", null, { hidden: "", "aria-label": say("energy_title") }, [
      element("h2", "sr-title", say("energy_title")),
      element("p", "sp-quiet", say("energy_how")),
      element("div", "sr-watts", [...labels, this.back]),
      this.note,
      element("ul", "sr-parts", parts),
      this.bars,
      this.meter,
    ]);
  }

  /** @param {import("../page/messages.js").EnergyValue | null} value null where nothing was estimated */
  load(value) {
    this.value = value;
    this.root.hidden = !value;
    if (value) this.fillIn();
  }

  /** The machine's own watts. */
  fillIn() {
    const { watts } = this.value ?? { watts: {} };
    for (const [name, own] of Object.entries(watts)) this.fields[name].value = String(Number(own.toPrecision(3)));
    this.draw();
  }

  draw() {
    if (!this.value) return;
    const { bars, machine, source, why, watts } = this.value;
    const given = WATTS.map((name) => Number(this.fields[name].value));
    const known = WATTS.every(
      (name, i) => this.fields[name].value !== "" && given[i] >= 0 && Number.isFinite(given[i]),
    );
    const own = WATTS.some((name, i) => given[i] !== Number(watts[name].toPrecision(3)));
    setText(this.note, known ? (own ? say("energy_own") : say("energy_of", { machine })) : say("energy_wrong"));
    setText(this.meter, source ? say("energy_measured", { source }) : say("energy_no_meter", { why: why || "" }));
    if (!known) return;
    const rows = bars.map((bar) => ({
      ...bar,
      joules: PARTS.map((part) => bar.parts[part].reduce((sum, seconds, i) => sum + seconds * given[i], 0)),
    }));
    const most = Math.max(...rows.flatMap(({ joules, measured }) => [total(joules), measured || 0])) || 1;
    empty(this.bars);
    for (const { title, joules, measured } of rows) {
      const pieces = PARTS.map((part, i) =>
        piece(
          "sr-part-" + part,
          joules[i],
          most,
          say("energy_piece", { part: say("energy_" + part), joules: figure(joules[i], JOULES) }),
        ),
      );
      const line = element("li", "", [
        element("span", "sr-name", title),
        barOf(pieces, say("energy_estimate", { joules: figure(total(joules), JOULES) })),
      ]);
      if (measured !== null) {
        const sentence = say("energy_meter", { joules: figure(measured, JOULES) });
        const whole = barOf([piece("sr-part-measured", measured, most, sentence)], sentence);
        whole.classList.add("sr-measured");
        line.append(whole);
      }
      this.bars.append(line);
    }
  }
}

const total = (joules) => joules.reduce((sum, each) => sum + each, 0);

const barOf = (pieces, sentence) => element("div", "sr-bar-line", [stacked(pieces), element("span", "", sentence)]);

function stacked(pieces) {
  const bar = element("div", "sr-bar", pieces);
  bar.style.width = pieces.reduce((sum, each) => sum + Number(each.dataset.share), 0) + "%";
  return bar;
}

function piece(name, joules, most, title) {
  const share = (WIDEST * joules) / most;
  const part = element("i", name, null, { title, "data-share": share });
  part.style.flexGrow = String(share);
  return part;
}
