/**
 * A plot of lines and points with their names, made anew at every change: some hundred elements, a few milliseconds.
 *
 *   const plot = new Plot(title)   .root   .show({x, y, lines, points, rules, note})
 *   x, y    {title, low, high, ticks: [[value, text]], log}
 *   lines   [{name, className, dash, x: [], y: []}]; a null in y ends the line there
 *   bands   [{name, className, x: [], low: [], high: []}], below the lines
 *   points  [{x, y, kind: "formula" or "measured", text, hollow}]   measured ones are diamonds, the others dots
 *   rules   [{x or y, text, className}]: a straight line across
 */

import { element, empty, setText, svg, textWidth } from "./elements.js";
import { say } from "./words.js";

/**
 * @typedef {[number, string | number, Object<string, string>?]} Tick its value, its text, attributes of its own
 * @typedef {{x?: number, y?: number, text: string, className?: string}} Rule a straight line across
 * @typedef {{title?: string, low: number, high: number, ticks: Tick[], log?: boolean}} Axis
 */

const BOX = { left: 56, right: 16, top: 12, bottom: 50, height: 290 };
const ROOM = 14; // px beyond the plot's edge where a point still shows

/**
 * The axes of a plot, with names and ticks and a line across for each tick of y.
 *
 * @param {{left: number, right: number, top: number, bottom: number, height: number}} box the room around them, in px
 * @param {number} given width in px
 * @param {string} label for who cannot see it
 * @param {Axis} x
 * @param {Axis} y
 */
export function frame(box, given, label, x, y) {
  const width = Math.max(260, given);
  const [right, bottom] = [width - box.right, box.height - box.bottom];
  /** @type {(axis: Axis, value: number) => number} */
  const place = ({ low, high, log }, value) =>
    log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low || 1);
  const at = {
    x: (/** @type {number} */ value) => box.left + place(x, value) * (right - box.left),
    y: (/** @type {number} */ value) => bottom - place(y, value) * (bottom - box.top),
  };
  const picture = svg("svg", "", null, { width, height: box.height, role: "img", "aria-label": label });
  for (const [value, text] of y.ticks)
    picture.append(
      svg("path", "lab-grid", null, { d: `M${box.left} ${at.y(value)}H${right}` }),
      svg("text", "lab-tick", text, { x: box.left - 8, y: at.y(value) + 4, "text-anchor": "end" }),
    );
  for (const [value, text, more] of x.ticks)
    picture.appendChild(
      svg("text", "lab-tick", text, { x: at.x(value), y: bottom + 20, "text-anchor": "middle", ...more }),
    );
  const middle = (box.top + bottom) / 2;
  if (x.title)
    picture.append(
      svg("text", "lab-tick", x.title, { x: (box.left + right) / 2, y: bottom + 42, "text-anchor": "middle" }),
    );
  picture.append(
    svg("text", "lab-tick", y.title, {
      x: 14,
      y: middle,
      transform: `rotate(-90 14 ${middle})`,
      "text-anchor": "middle",
    }),
  );
  return { picture, at, right, bottom };
}

/** Calls `draw` whenever a box has another width than when it was called last.
 *  @param {Element} box
 *  @param {() => void} draw */
export function onNewWidth(box, draw) {
  let width = box.clientWidth;
  const look = () => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    draw();
  };
  if (window.ResizeObserver) new ResizeObserver(look).observe(box);
}

export class Plot {
  constructor(title) {
    this.title = title;
    this.legend = element("div", "lab-legend");
    this.box = element("div", "lab-plot");
    this.note = element("p", "sp-quiet lab-plot-note");
    this.root = element("section", "sp-panel lab-plot-panel", null, {}, [
      element("h3", "sp-panel-title", title),
      this.legend,
      this.box,
      this.note,
    ]);
    onNewWidth(this.box, () => this.shown && this.show(this.shown));
  }

  show(what) {
    this.shown = what;
    const { x, y, lines, bands = [], points = [], rules = [], note } = what;
    const { picture, at, right, bottom } = frame(
      BOX,
      this.box.clientWidth || 480,
      `${this.title}. ${what.said || ""}`,
      x,
      y,
    );
    const clip = "lab-clip-" + Plot.count++;
    picture.appendChild(
      svg("clipPath", "", null, { id: clip }, [
        svg("rect", "", null, { x: BOX.left, y: BOX.top - 3, width: right - BOX.left, height: bottom - BOX.top + 6 }),
      ]),
    );
    const drawing = picture.appendChild(svg("g", "", null, { "clip-path": `url(#${clip})` }));
    for (const band of bands)
      drawing.appendChild(svg("path", band.className, null, { d: area(band, at) }, [svg("title", "", band.name)]));
    for (const line of lines)
      drawing.appendChild(
        svg("path", "lab-line " + line.className, null, { d: trail(line, at), "stroke-dasharray": line.dash || "" }, [
          svg("title", "", line.name),
        ]),
      );
    for (const rule of rules) this.rule(picture, rule, at, { right, bottom });
    const inside = (point) =>
      at.x(point.x) >= BOX.left - ROOM &&
      at.x(point.x) <= right + ROOM &&
      at.y(point.y) <= bottom + ROOM &&
      at.y(point.y) >= BOX.top - ROOM;
    for (const point of points.filter(inside)) picture.appendChild(mark(point, at.x(point.x), at.y(point.y)));
    empty(this.box);
    this.box.appendChild(picture);
    this.name(lines, points, bands);
    setText(this.note, note || "");
    this.note.hidden = !note;
  }

  rule(picture, { x, y, text, className }, at, { right, bottom }) {
    const kind = "lab-rule " + (className || "");
    if (y !== undefined) {
      picture.append(
        svg("path", kind, null, { d: `M${BOX.left} ${at.y(y)}H${right}` }),
        svg("text", "lab-rule-text", text, { x: right - 4, y: at.y(y) - 5, "text-anchor": "end" }),
      );
      return;
    }
    const room = textWidth(text, "14px system-ui");
    const left = at.x(x) + 6 + room > right;
    picture.append(
      svg("path", kind, null, { d: `M${at.x(x)} ${BOX.top}V${bottom}` }),
      svg("text", "lab-rule-text", text, {
        x: at.x(x) + (left ? -6 : 6),
        y: bottom - 8,
        "text-anchor": left ? "end" : "start",
      }),
    );
  }

  name(lines, points, bands) {
    const kinds = [...new Set(points.map((point) => point.kind + (point.hollow ? "_hollow" : "")))];
    const stamp = [...bands, ...lines]
      .map((line) => line.name + line.className)
      .concat(kinds)
      .join("|");
    if (stamp === this.named) return;
    this.named = stamp;
    empty(this.legend);
    const sample = (...inside) => svg("svg", "", null, { width: 30, height: 14, "aria-hidden": "true" }, inside);
    for (const { name, className } of bands)
      this.legend.appendChild(
        element("span", "", null, {}, [
          sample(svg("rect", className, null, { width: 30, height: 14 })),
          document.createTextNode(name),
        ]),
      );
    for (const { name, className, dash } of lines)
      this.legend.appendChild(
        element("span", "", null, {}, [
          sample(svg("path", "lab-line " + className, null, { d: "M0 7H30", "stroke-dasharray": dash || "" })),
          document.createTextNode(name),
        ]),
      );
    for (const kind of kinds)
      this.legend.appendChild(
        element("span", "", null, {}, [
          sample(mark({ kind: kind.split("_")[0], hollow: kind.endsWith("_hollow"), text: "" }, 15, 7)),
          document.createTextNode(say("point_" + kind)),
        ]),
      );
  }
}
Plot.count = 0;

function trail(line, at) {
  let path = "";
  line.x.forEach((v, i) => {
    if (line.y[i] === null || line.y[i] === undefined) return;
    path += `${path && line.y[i - 1] !== null && line.y[i - 1] !== undefined ? "L" : "M"}${at.x(v).toFixed(1)} ${at.y(line.y[i]).toFixed(1)}`;
  });
  return path;
}

function area({ x, low, high }, at) {
  const edge = (values) => values.map((value, i) => `${at.x(x[i]).toFixed(1)} ${at.y(value).toFixed(1)}`);
  return x.length ? "M" + [...edge(high), ...edge(low).reverse()].join("L") + "Z" : "";
}

function mark({ kind, text, hollow }, x, y) {
  const className = `lab-point lab-point-${kind}${hollow ? " lab-hollow" : ""}`;
  const inside = text ? [svg("title", "", text)] : [];
  if (kind === "measured")
    return svg("path", className, null, { d: `M${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}L${x - 7} ${y}Z` }, inside);
  return svg("circle", className, null, { cx: x, cy: y, r: 5.5 }, inside);
}

/** Some four to seven round numbers from 0 to `most`, as ticks. */
export function roundTicks(most) {
  const rough = most / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((times) => times * unit).find((each) => each >= rough) ?? 10 * unit;
  /** @type {Tick[]} */
  const ticks = [];
  for (let i = 0; i * step <= most * 1.0001; i++) ticks.push([i * step, String(Number((i * step).toFixed(6)))]);
  return ticks;
}
