/**
 * Axes: from values to px, with ticks and names. Every plot drawn here uses them.
 *
 *   const y = scaleOf({ low: 0, high: 1 }, bottom, top)          px of a value
 *   const { picture, at, right, bottom } = frame(box, width, label, x, y)
 */

import { svg, textWidth } from "../elements.js";

/**
 * @typedef {[number, string | number, Object<string, string>?]} Tick its value, its text, attributes of its own
 * @typedef {{low: number, high: number, log?: boolean}} Range
 * @typedef {Range & {title?: string, ticks: Tick[], below?: Tick[]}} Axis `below` is a second line under the ticks of x
 * @typedef {{x?: number, y?: number, text: string, className?: string}} Rule a straight line across
 * @typedef {{x: (value: number) => number, y: (value: number) => number}} At px of values
 * @typedef {{left: number, right: number, top: number, bottom: number, height: number}} Box px around, and the height
 */

const NARROWEST = 260; // px
const LINE = 16; // px of a further line of text below
const FONT = "14px system-ui"; // of ticks and names, as the style sheet has it
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Px of an axis' values, from its lower end to its upper one; what is beyond an end is drawn beyond it.
 * @param {Range} axis
 * @param {number} from px of `low`
 * @param {number} to px of `high`
 * @returns {(value: number) => number}
 */
export function scaleOf({ low, high, log }, from, to) {
  const span = log ? Math.log(high / low) : high - low || 1;
  return (value) => from + ((log ? Math.log(value / low) : value - low) / span) * (to - from);
}

/**
 * An empty plot: axes with names and ticks, and a line across for each tick of y.
 * @param {Box} around
 * @param {number} given width in px
 * @param {string} label for who cannot see it
 * @param {Axis} x
 * @param {Axis} y
 */
export function frame(around, given, label, x, y) {
  const width = Math.max(NARROWEST, given);
  const right = width - around.right;
  const toX = scaleOf(x, around.left, right);
  const rows = x.below ? (isCrowded(x.below, toX) ? 2 : 1) : 0;
  const title = linesOf(x.title ?? "", right - around.left);
  const more = LINE * (rows + Math.max(0, title.length - 1));
  const box = { ...around, bottom: around.bottom + more, height: around.height + more };
  const bottom = box.height - box.bottom;
  const at = { x: toX, y: scaleOf(y, bottom, box.top) };
  const picture = svg("svg", "", null, { width, height: box.height, role: "img", "aria-label": label });
  /** @param {string | number | undefined} text @param {Record<string, unknown>} attributes */
  const write = (text, attributes) =>
    picture.appendChild(svg("text", "lab-tick", text, { "text-anchor": "middle", ...attributes }));
  for (const [value, text] of y.ticks) {
    picture.appendChild(svg("path", "lab-grid", null, { d: `M${box.left} ${at.y(value)}H${right}` }));
    write(text, { x: box.left - 8, y: at.y(value) + 4, "text-anchor": "end" });
  }
  for (const [value, text, own] of x.ticks) write(text, { x: at.x(value), y: bottom + 20, ...own });
  (x.below ?? []).forEach(([value, text, own], i) =>
    write(text, { x: at.x(value), y: bottom + 20 + LINE * (1 + (i % rows)), ...own }),
  );
  title.forEach((line, i) => write(line, { x: (box.left + right) / 2, y: bottom + 42 + LINE * (rows + i) }));
  const middle = (box.top + bottom) / 2;
  write(y.title, { x: 14, y: middle, transform: `rotate(-90 14 ${middle})` });
  return { picture, at, left: box.left, right, top: box.top, bottom };
}

/** True if neighbouring texts would touch. @param {Tick[]} ticks @param {(v: number) => number} toX */
function isCrowded(ticks, toX) {
  const widths = ticks.map(([, text]) => textWidth(String(text), FONT));
  return ticks.some(([value], i) => i > 0 && toX(value) - toX(ticks[i - 1][0]) < (widths[i] + widths[i - 1]) / 2 + 8);
}

/**
 * A name on as many lines as it needs, none wider than a limit in px unless a single word is.
 * @param {string} text
 * @param {number} room
 */
function linesOf(text, room) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const longer = lines.length ? lines[lines.length - 1] + " " + word : word;
    if (lines.length && textWidth(longer, FONT) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * A straight line across a plot with its text, at a value of x or of y. The text of a level one is below it where
 * a line of the plot passes through the room above.
 * @param {ReturnType<typeof frame>} plot
 * @param {Rule} rule
 * @param {{x: number[], y: (number | null)[]}[]} [lines] of the plot
 */
export function drawRule({ picture, at, left, right, top, bottom }, { x, y, text, className = "" }, lines = []) {
  const kind = "lab-rule " + className;
  if (y !== undefined) {
    const from = right - 12 - textWidth(text, FONT);
    const crosses = (/** @type {number} */ low, /** @type {number} */ high) =>
      lines.some((line) => passes(line, at, from, at.y(y) + low, at.y(y) + high));
    const below = at.y(y) + 20 < bottom && crosses(-20, -1) && !crosses(1, 20);
    picture.append(
      svg("path", kind, null, { d: `M${left} ${at.y(y)}H${right}` }),
      svg("text", "lab-rule-text", text, { x: right - 4, y: at.y(y) + (below ? 15 : -5), "text-anchor": "end" }),
    );
    return;
  }
  const here = at.x(/** @type {number} */ (x));
  const before = here + 6 + textWidth(text, FONT) > right;
  picture.append(
    svg("path", kind, null, { d: `M${here} ${top}V${bottom}` }),
    svg("text", "lab-rule-text", text, {
      x: here + (before ? -6 : 6),
      y: bottom - 8,
      "text-anchor": before ? "end" : "start",
    }),
  );
}

/**
 * True where a line is between two heights right of `from`, px, at a point or on the way to the next.
 * @param {{x: number[], y: (number | null)[]}} line
 * @param {At} at
 * @param {number} from
 * @param {number} low
 * @param {number} high
 */
function passes({ x, y }, at, from, low, high) {
  return x.some((value, i) => {
    const [here, next] = [y[i], y[i + 1] ?? y[i]];
    if (here === null || here === undefined || next === null || next === undefined) return false;
    if (at.x(x[i + 1] ?? value) < from) return false;
    const ends = [at.y(here), at.y(next)];
    return Math.max(...ends) > low && Math.min(...ends) < high;
  });
}

/** The path through points in px; a null ends the line there. @param {([number, number] | null)[]} points */
export function trail(points) {
  let path = "";
  points.forEach((point, i) => {
    if (point) path += `${points[i - 1] ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
  });
  return path;
}

/**
 * The path of an interval with caps, `cap` px to each side.
 * @param {number} x
 * @param {number} low
 * @param {number} high
 * @param {number} cap
 */
export const whisker = (x, low, high, cap) =>
  `M${x} ${low}V${high}M${x - cap} ${low}h${2 * cap}M${x - cap} ${high}h${2 * cap}`;

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

// -- ticks -----------------------------------------------------------------------------------------------------------

/** Ticks of shares, from 0 to 1. @param {(share: number) => string | number} write @returns {Tick[]} */
export const quarters = (write) => [0, 0.25, 0.5, 0.75, 1].map((share) => [share, write(share)]);

/** Some four to seven round numbers from 0 to `most`. @param {number} most */
export function roundTicks(most) {
  const rough = most / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((times) => times * unit).find((each) => each >= rough) ?? 10 * unit;
  /** @type {Tick[]} */
  const ticks = [];
  for (let i = 0; i * step <= most * 1.0001; i++) ticks.push([i * step, String(Number((i * step).toFixed(6)))]);
  return ticks;
}

/**
 * Ticks of a logarithmic axis: `steps` of each power of ten, thinned to at most `most`, the uppermost kept.
 * @param {Range} axis
 * @param {{steps?: number[], most?: number, write?: (value: number) => string}} [how]
 */
export function decades({ low, high }, { steps = [1], most = Infinity, write = powerOfTen } = {}) {
  /** @type {Tick[]} */
  const ticks = [];
  for (let power = Math.floor(Math.log10(low) + 1e-9); 10 ** power <= high * 1.001; power++)
    for (const step of steps) {
      const value = step * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push([value, write(value)]);
    }
  const every = Math.ceil(ticks.length / most) || 1;
  return ticks.filter((_, i) => (ticks.length - 1 - i) % every === 0);
}

/** "100", "0.01", "10⁻³", "10⁵". @param {number} value */
function powerOfTen(value) {
  const power = Math.round(Math.log10(value));
  if (value > 99_999) return "10" + [...String(power)].map((digit) => RAISED[Number(digit)]).join("");
  return value >= 0.0099 ? String(value) : "10⁻" + RAISED[-power];
}

/** "0.02", "500", "3k", "2M". @param {number} value */
export function brief(value) {
  if (value >= 1e6) return value / 1e6 + "M";
  return value >= 1000 ? Math.round(value / 1000) + "k" : String(Number(value.toPrecision(2)));
}
