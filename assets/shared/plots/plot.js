/**
 * A plot of lines and points with their names, rebuilt at every change: some hundred elements, a few milliseconds.
 *
 *   const plot = new Plot(title)   .root   .show({x, y, lines, points, rules, note})
 *   x, y    {title, low, high, ticks: [[value, text]], log}
 *   lines   [{name, className, dash, x: [], y: []}]; a null in y ends the line there
 *   bands   [{name, className, x: [], low: [], high: []}], below the lines
 *   points  [{x, y, kind, text, hollow, low, high}]   the kind is named by the word `point_<kind>`; SHAPES has those that
 *           are not dots; with an interval from low to high
 *   rules   [{x or y, text, className}]: a straight line across
 */

import { drawRule, frame, onNewWidth, trail, whisker } from "./axes.js";
import { element, empty, setText, svg } from "../elements.js";
import { say } from "../words.js";

/**
 * @typedef {{name: string, className: string, dash?: string, x: number[], y: (number | null)[]}} Line
 * @typedef {{name: string, className: string, x: number[], low: number[], high: number[]}} Band
 * @typedef {{kind: string, text: string, hollow?: boolean}} Sign
 * @typedef {Sign & {x: number, y: number, low?: number | null, high?: number | null}} Point
 * @typedef {ReturnType<typeof frame>} Frame
 */

const BOX = { left: 56, right: 16, top: 12, bottom: 50, height: 290 };
const MARGIN = 14; // px beyond the plot's edge where a point still shows

export class Plot {
  /** @param {string} title */
  constructor(title) {
    this.title = title;
    this.named = ""; // stamp of the names that are shown
    this.legend = element("div", "lab-legend");
    this.box = element("div", "lab-plot");
    this.note = element("p", "sp-quiet lab-plot-note");
    this.root = element("section", "sp-panel lab-plot-panel", [
      element("h2", "sp-panel-title", title),
      this.legend,
      this.box,
      this.note,
    ]);
    onNewWidth(this.box, () => this.shown && this.show(this.shown));
  }

  /** @param {any} what */
  show(what) {
    this.shown = what;
    const { x, y, lines, bands = [], points = [], rules = [], note } = what;
    const plot = frame(BOX, this.box.clientWidth || 480, `${this.title}. ${what.said || ""}`, x, y);
    this.draw(plot, bands, lines);
    for (const rule of rules) drawRule(plot, rule, lines);
    for (const point of points) {
      const [cx, cy] = [plot.at.x(point.x), plot.at.y(point.y)];
      if (isNumber(point.low)) {
        const d = whisker(cx, plot.at.y(point.low), Math.max(plot.top, plot.at.y(point.high)), 5);
        plot.picture.appendChild(svg("path", "lab-whisker", null, { d }));
      }
      if (isWithin(plot, cx, cy)) plot.picture.appendChild(mark(point, cx, cy));
    }
    this.box.replaceChildren(plot.picture);
    this.name(lines, points, bands);
    setText(this.note, note || "");
    this.note.hidden = !note;
  }

  /**
   * Bands and lines, cut off at the edges of the plot.
   * @param {Frame} plot
   * @param {Band[]} bands
   * @param {Line[]} lines
   */
  draw({ picture, at, left, right, top, bottom }, bands, lines) {
    const clip = "lab-clip-" + Plot.count++;
    const edge = svg("rect", "", null, { x: left, y: top - 3, width: right - left, height: bottom - top + 6 });
    picture.appendChild(svg("clipPath", "", null, { id: clip }, [edge]));
    const drawing = picture.appendChild(svg("g", "", null, { "clip-path": `url(#${clip})` }));
    for (const band of bands)
      drawing.appendChild(svg("path", band.className, null, { d: area(band, at) }, [svg("title", "", band.name)]));
    for (const { name, className, dash, x, y } of lines) {
      const d = trail(x.map((value, i) => (isNumber(y[i]) ? [at.x(value), at.y(y[i])] : null)));
      const attributes = { d, "stroke-dasharray": dash || "" };
      drawing.appendChild(svg("path", "lab-line " + className, null, attributes, [svg("title", "", name)]));
    }
  }

  /** @param {Line[]} lines @param {Point[]} points @param {Band[]} bands */
  name(lines, points, bands) {
    const kinds = [...new Set(points.map((point) => point.kind + (point.hollow ? "_hollow" : "")))];
    const stamp = [...bands, ...lines]
      .map((line) => line.name + line.className)
      .concat(kinds)
      .join("|");
    if (stamp === this.named) return;
    this.named = stamp;
    empty(this.legend);
    const sample = (/** @type {SVGElement[]} */ ...inside) =>
      svg("svg", "", null, { width: 30, height: 14, "aria-hidden": "true" }, inside);
    /** @param {string} name @param {SVGElement[]} drawn */
    const add = (name, ...drawn) => this.legend.appendChild(element("span", "", [sample(...drawn), name]));
    for (const { name, className } of bands) add(name, svg("rect", className, null, { width: 30, height: 14 }));
    for (const { name, className, dash } of lines)
      add(name, svg("path", "lab-line " + className, null, { d: "M0 7H30", "stroke-dasharray": dash || "" }));
    for (const kind of kinds) {
      const hollow = kind.endsWith("_hollow");
      add(say("point_" + kind), mark({ kind: kind.replace("_hollow", ""), hollow, text: "" }, 15, 7));
    }
  }
}
Plot.count = 0;

/** @type {Record<string, string>} the way around a point, from its middle */
const SHAPES = {
  measured: "m0 -7l7 7l-7 7l-7 -7Z",
  top_p: "m0 -7l7 7l-7 7l-7 -7Z",
  top_k: "m-5 -5h10v10h-10Z",
  temperature: "m0 -6.5l6.5 11h-13Z",
};

/** @param {number | null | undefined} value @returns {value is number} */
const isNumber = (value) => value !== null && value !== undefined;

/** @param {Frame} plot @param {number} x @param {number} y */
const isWithin = ({ left, right, top, bottom }, x, y) =>
  x >= left - MARGIN && x <= right + MARGIN && y <= bottom + MARGIN && y >= top - MARGIN;

/** @param {Band} band @param {import("./axes.js").At} at */
function area({ x, low, high }, at) {
  const edge = (/** @type {number[]} */ values) =>
    values.map((value, i) => `${at.x(x[i]).toFixed(1)} ${at.y(value).toFixed(1)}`);
  return x.length ? "M" + [...edge(high), ...edge(low).reverse()].join("L") + "Z" : "";
}

/** @param {Sign} sign @param {number} x @param {number} y */
function mark({ kind, text, hollow }, x, y) {
  const className = `lab-point lab-point-${kind}${hollow ? " lab-hollow" : ""}`;
  const inside = text ? [svg("title", "", text)] : [];
  if (SHAPES[kind]) return svg("path", className, null, { d: `M${x} ${y}${SHAPES[kind]}` }, inside);
  return svg("circle", className, null, { cx: x, cy: y, r: kind === "swept" ? 3 : 5.5 }, inside);
}
