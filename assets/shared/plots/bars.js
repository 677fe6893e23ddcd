/**
 * A chart of bars over rounds or depths, stacked by kind, that marks where the cursor is: what views/bars.py describes.
 *
 *   const chart = new BarChart()   .root   .show(bars, label)   .mark(place)
 */

import { frame, onNewWidth, quarters, roundTicks, whisker } from "./axes.js";
import { element, setAttribute, svg, textWidth } from "../elements.js";

/**
 * @typedef {import("./axes.js").At} At
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {string} look
 * @property {number[]} at
 * @property {number[]} values
 * @property {string[]} said
 * @property {number[]} low
 * @property {number[]} high
 *
 * @typedef {object} Bars
 * @property {string} axis "round" or "depth"
 * @property {string} x
 * @property {string} y
 * @property {number[]} places
 * @property {Kind[]} kinds
 * @property {Kind | null} strokes
 * @property {string[]} below
 * @property {boolean} share
 * @property {string} empty
 * @property {string[]} [labels]
 */

const BOX = { left: 70, right: 10, top: 10, bottom: 50, height: 254 };
const FONT = "14px system-ui";
const BAR = 0.76; // of a place's width
const [FEWEST_ROUNDS, FEWEST_LAYERS] = [4, 5]; // on an axis, so that a single bar does not fill it
/** @type {Record<string, string>} */
const HATCHES = {
  correction: "M-1 7L7 -1",
  bonus: "M-1 7L7 -1M-1 -1L7 7",
  plain: "M3 2.9V3.1",
  draft: "M-1 7L7 -1",
  other: "M3 2.9V3.1",
};

export class BarChart {
  constructor() {
    this.names = element("div", "sp-bars-names");
    this.box = element("div", "sp-bars-box");
    this.root = element("div", "sp-bars", [this.names, this.box]);
    /** @type {Bars | null} */
    this.bars = null;
    this.label = "";
    /** @type {number | null} */
    this.place = null;
    this.here = svg("path", "sp-bars-here");
    /** @type {(place: number) => number} */
    this.x = () => 0;
    this.bottom = 0;
    onNewWidth(this.box, () => this.bars && this.show(this.bars, this.label));
  }

  /** @param {Bars} bars
   *  @param {string} label what it shows, for who cannot see it */
  show(bars, label) {
    this.bars = bars;
    this.label = label;
    const { places, kinds, strokes, below, labels = [] } = bars;
    /** @param {Kind} kind @param {SVGElement} drawn */
    const named = (kind, drawn) => element("span", "", [sample(drawn), kind.name]);
    this.names.replaceChildren(...kinds.map((kind) => named(kind, stack(one(kind), new Map(), SAMPLE, 22))));
    if (strokes) this.names.appendChild(named(strokes, levels({ ...one(strokes), values: [0.5] }, SAMPLE, 22)));
    const width = this.box.clientWidth || 480;
    const [low, high] = ends(bars);
    const x = {
      title: bars.x,
      low,
      high,
      ticks: positionTicks(places, labels, (width - BOX.left - BOX.right) / (high - low)),
      below: below.length ? places.map((place, i) => /** @type {[number, string]} */ ([place, below[i]])) : undefined,
    };
    const { picture, at, right, bottom } = frame(BOX, width, label, x, { title: bars.y, low: 0, ...heights(bars) });
    if (bars.empty)
      picture.appendChild(
        svg("text", "sp-bars-empty", bars.empty, { x: (BOX.left + right) / 2, y: bottom / 2, "text-anchor": "middle" }),
      );
    const wide = Math.min(64, BAR * (at.x(1) - at.x(0)));
    const base = new Map();
    for (const kind of kinds) picture.appendChild(stack(kind, base, at, wide));
    if (strokes) picture.appendChild(levels(strokes, at, wide));
    picture.appendChild(this.here);
    this.box.replaceChildren(picture);
    this.x = at.x;
    this.bottom = bottom;
    this.mark(this.place);
  }

  /** @param {number | null} place where the cursor is */
  mark(place) {
    this.place = place;
    const seen = place !== null && this.bars !== null && this.bars.places.includes(place);
    setAttribute(this.here, "d", seen ? `M${this.x(place).toFixed(1)} ${BOX.top}V${this.bottom}` : "");
  }
}

/** @param {string} sentence */
const titleOf = (sentence) => (sentence ? [svg("title", "", sentence)] : []);

/**
 * The bars of a kind on top of those below, whose heights `base` holds by place.
 * @param {Kind} kind
 * @param {Map<number, number>} base
 * @param {At} at
 * @param {number} wide
 */
function stack({ look, at: places, values, said, low, high }, base, at, wide) {
  const group = svg("g", "sp-bar sp-bar-" + look);
  const hatch = hatchOf(look, group);
  places.forEach((place, i) => {
    const from = base.get(place) || 0;
    const to = from + values[i];
    base.set(place, to);
    const [x, y] = [at.x(place), at.y(to)];
    const size = { x: x - wide / 2, y, width: wide, height: Math.max(0, at.y(from) - y) };
    const bar = group.appendChild(svg("g", "", [...titleOf(said[i]), svg("rect", "", null, size)]));
    if (hatch) bar.appendChild(svg("rect", "", null, { ...size, style: `fill: url(#${hatch})` }));
    if (low.length) {
      const cap = Math.min(5, wide / 4);
      const d = whisker(x, at.y(low[i]), at.y(high[i]), cap);
      bar.appendChild(svg("path", "sp-bar-interval", null, { d }));
    }
  });
  return group;
}

/** @param {Kind} kind @param {At} at @param {number} wide */
function levels({ look, at: places, values, said }, at, wide) {
  const group = svg("g", "sp-bar-level sp-bar-" + look);
  places.forEach((place, i) =>
    group.appendChild(
      svg("path", "", null, { d: `M${at.x(place) - 0.4 * wide} ${at.y(values[i])}h${0.8 * wide}` }, titleOf(said[i])),
    ),
  );
  return group;
}

// A hatch is drawn over its colour, as a pattern, which is found by a name that the page has once.
let hatches = 0;

/** @param {string} look @param {SVGElement} group */
function hatchOf(look, group) {
  if (!(look in HATCHES)) return "";
  const id = "sp-hatch-" + ++hatches;
  const lines = svg("path", "sp-bar-hatch", null, { d: HATCHES[look] });
  group.appendChild(svg("pattern", "", null, { id, width: 6, height: 6, patternUnits: "userSpaceOnUse" }, [lines]));
  return id;
}

// A kind as it is drawn next to its name: one bar as high as the sign.
const SAMPLE = { x: () => 11, y: (/** @type {number} */ value) => 12 - 12 * value };
/** @param {Kind} kind @returns {Kind} */
const one = (kind) => ({ ...kind, at: [1], values: [1], said: [], low: [], high: [] });
/** @param {SVGElement} drawn */
const sample = (drawn) => svg("svg", "", null, { width: 22, height: 12, "aria-hidden": "true" }, [drawn]);

/** Ends of the axis of places. Few rounds begin at the left, as more will come. @param {Bars} bars */
function ends({ axis, places }) {
  const [first, last] = places.length ? [places[0], places[places.length - 1]] : [1, 1];
  if (axis === "round") return [first - 0.6, Math.max(last, FEWEST_ROUNDS) + 0.6];
  const slack = Math.max(0.6, (FEWEST_LAYERS - places.length) / 2);
  return [first - slack, last + slack];
}

/**
 * Numbers of the positions that there is room for, or their labels.
 * @param {number[]} places
 * @param {string[]} labels
 * @param {number} pitch
 */
function positionTicks(places, labels, pitch) {
  if (labels.length) return places.map((place, i) => /** @type {[number, string]} */ ([place, labels[i]]));
  const labelWidth = textWidth(String(places[places.length - 1] ?? ""), FONT) + 10;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((count) => count * pitch >= labelWidth) || 1000;
  return places
    .filter((place) => every === 1 || place % every === 0)
    .map((place) => /** @type {[number, number]} */ ([place, place]));
}

/** Height of the bars, with ticks. @param {Bars} bars */
function heights({ share, kinds, strokes, empty: nothing }) {
  if (nothing) return { high: 1, ticks: [] };
  if (share) return { high: 1.04, ticks: quarters((value) => 100 * value + "%") };
  const sums = new Map();
  for (const { at, values } of kinds) at.forEach((place, i) => sums.set(place, (sums.get(place) || 0) + values[i]));
  const most = Math.max(...sums.values(), ...(strokes?.values ?? []), 1e-9);
  const isCount = kinds.every(({ values }) => values.every(Number.isInteger));
  const ticks = roundTicks(most).filter(([value]) => !isCount || Number.isInteger(value));
  return { high: 1.05 * most, ticks };
}
