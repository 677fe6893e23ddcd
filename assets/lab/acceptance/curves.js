/** Acceptance of every scheme while one number moves: lines with names, each with its own dash. */

import { element, empty, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { selectBox } from "../editor.js";
import { CURVES, shown } from "../words.js";

const LINES = [
  ["speculative", "one draft", "lab-line-one", ""],
  ["spec_infer", "SpecInfer", "lab-line-infer", "6 3"],
  ["k_seq", "K-SEQ", "lab-line-kseq", "2 3"],
  ["importance", "importance", "lab-line-imp", "9 3 2 3"],
  ["recursive", "recursive (RSD)", "lab-line-rsd", ""],
  ["optimal_with_replacement", "optimum, independent", "lab-line-best", "1 3"],
  ["optimal_without_replacement", "optimum, different", "lab-line-best2", "10 4"],
];
const BOX = { left: 44, right: 12, top: 10, bottom: 42, height: 270 };

export class Curves {
  constructor(chosen) {
    this.which = selectBox(say("curves_title"), CURVES, chosen);
    this.plot = element("div", "lab-plot");
    this.legend = element("div", "lab-legend");
    for (const [, name, className, dash] of LINES) {
      const sample = svg("svg", "", null, { width: 30, height: 10, "aria-hidden": "true" }, [svg("path", "lab-line " + className, null, { d: "M0 5H30", "stroke-dasharray": dash })]);
      this.legend.appendChild(element("span", "", null, {}, [sample, document.createTextNode(name)]));
    }
    const head = element("div", "lab-head", null, {}, [element("h3", "sp-panel-title", say("curves_title")), this.which]);
    this.axis = element("p", "sp-quiet");
    this.root = element("section", "sp-panel lab-curves", null, {}, [head, this.legend, this.plot, this.axis]);
    if (window.ResizeObserver) new ResizeObserver(() => this.shown && this.plot.clientWidth !== this.width && this.show(...this.shown)).observe(this.plot);
  }

  show(curve, value) {
    const title = CURVES.find(([id]) => id === this.which.value)[2].replace("{value}", shown(value, 3));
    setText(this.axis, title);
    this.shown = [curve, value];
    this.width = this.plot.clientWidth;
    const width = Math.max(260, this.width || 600);
    const [first, last] = [curve.x[0], curve.x[curve.x.length - 1]];
    const inner = { width: width - BOX.left - BOX.right, height: BOX.height - BOX.top - BOX.bottom };
    const x = (v) => BOX.left + ((v - first) / (last - first || 1)) * inner.width;
    const y = (v) => BOX.top + (1 - v) * inner.height;
    const picture = svg("svg", "", null, { width, height: BOX.height, role: "img", "aria-label": `${say("curves_title")}: ${title}` });
    for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
      picture.append(
        svg("path", "lab-grid", null, { d: `M${BOX.left} ${y(tick)}H${width - BOX.right}` }),
        svg("text", "lab-tick", tick, { x: BOX.left - 8, y: y(tick) + 4, "text-anchor": "end" }),
      );
      const at = first + tick * (last - first);
      picture.appendChild(svg("text", "lab-tick", shown(at, 2), { x: x(at), y: BOX.height - 24, "text-anchor": tick === 1 ? "end" : "middle" }));
    }
    picture.appendChild(svg("text", "lab-tick", say("curves_y"), { x: 12, y: y(0.5), transform: `rotate(-90 12 ${y(0.5)})`, "text-anchor": "middle" }));
    for (const [id, name, className, dash] of LINES) {
      const values = curve.schemes[id];
      if (!values || values.some((v) => v === null)) continue;
      const path = values.map((v, i) => `${i ? "L" : "M"}${x(curve.x[i]).toFixed(1)} ${y(v).toFixed(1)}`).join("");
      picture.appendChild(svg("path", "lab-line " + className, null, { d: path, "stroke-dasharray": dash }, [svg("title", "", name)]));
    }
    empty(this.plot);
    this.plot.appendChild(picture);
  }
}
