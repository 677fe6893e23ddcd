/** Acceptance of every scheme while one number moves: lines with names, each with its own dash. */

import { frame, onNewWidth, quarters, trail } from "../../shared/plots/axes.js";
import { element, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { choicesOf, selectBox } from "../editor.js";
import { CURVES, shown } from "../choices.js";
import { Square } from "./square.js";

const LINES = [
  ["speculative", "lab-line-one", ""],
  ["spec_infer", "lab-line-infer", "6 3"],
  ["k_seq", "lab-line-kseq", "2 3"],
  ["importance", "lab-line-imp", "9 3 2 3"],
  ["importance_truncated", "lab-line-cut", "5 2"],
  ["importance_pooled", "lab-line-own", "12 3"],
  ["recursive", "lab-line-rsd", ""],
  ["optimal_with_replacement", "lab-line-best", "1 3"],
  ["optimal_without_replacement", "lab-line-best2", "10 4"],
];
const BOX = { left: 54, right: 12, top: 10, bottom: 30, height: 258 };

export class Curves {
  /** @param {() => void} chosen @param {(p: number[], q: number[]) => void} onPick rows of two tokens are chosen */
  constructor(chosen, onPick) {
    this.square = new Square(onPick);
    this.which = selectBox(say("curves_title"), choicesOf("curve_", CURVES), chosen);
    this.plot = element("div", "lab-plot");
    this.legend = element("div", "lab-legend");
    for (const [id, className, dash] of LINES) {
      const sample = svg("svg", "", null, { width: 30, height: 10, "aria-hidden": "true" }, [
        svg("path", "lab-line " + className, null, { d: "M0 5H30", "stroke-dasharray": dash }),
      ]);
      this.legend.appendChild(element("span", "", [sample, say(`line_${id}`)]));
    }
    const head = element("div", "lab-head", [element("h2", "sp-panel-title", say("curves_title")), this.which]);
    this.axis = element("p", "sp-quiet");
    this.root = element("section", "sp-panel lab-curves", [head, this.legend, this.plot, this.axis]);
    onNewWidth(this.plot, () => this.shown && this.show(...this.shown));
  }

  show(curve, value, rows) {
    const title = say(`curve_${this.which.value}_x`, { value: shown(value, 3) });
    setText(this.axis, title);
    this.shown = [curve, value, rows];
    this.legend.hidden = Boolean(curve.square);
    if (curve.square) {
      this.square.show(curve.square, rows);
      this.plot.replaceChildren(this.square.root);
      return;
    }
    const [low, high] = [curve.x[0], curve.x[curve.x.length - 1]];
    const ticks = quarters((share) => shown(low + share * (high - low), 2)).map(
      ([share, text]) =>
        /** @type {import("../../shared/plots/axes.js").Tick} */ ([
          low + share * (high - low),
          text,
          { "text-anchor": share === 1 ? "end" : "middle" },
        ]),
    );
    const label = `${say("curves_title")}: ${title}`;
    const { picture, at } = frame(
      BOX,
      this.plot.clientWidth || 600,
      label,
      { low, high, ticks },
      { title: say("curves_y"), low: 0, high: 1, ticks: quarters((share) => share) },
    );
    const known = LINES.map(([id]) => curve.schemes[id] && !curve.schemes[id].includes(null));
    known.forEach((there, i) => this.legend.children[i].toggleAttribute("hidden", !there));
    for (const [id, className, dash] of LINES.filter((_, i) => known[i])) {
      const values = curve.schemes[id];
      const path = trail(values.map((v, i) => [at.x(curve.x[i]), at.y(v)]));
      picture.appendChild(
        svg("path", "lab-line " + className, null, { d: path, "stroke-dasharray": dash }, [
          svg("title", "", say(`line_${id}`)),
        ]),
      );
    }
    this.plot.replaceChildren(picture);
  }
}
