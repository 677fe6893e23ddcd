/** A table that is not sorted: a line of heads, lines that begin with a name, and a box in which it scrolls. */

import { element } from "../elements.js";

/** @typedef {import("../elements.js").Text | HTMLTableCellElement} Cell a text, or a cell that is ready */

/** A table of some lines. @param {string} className @param {Cell[]} heads @param {Node[]} lines */
export const plainTable = (className, heads, lines) => tableAround(className, heads, [element("tbody", "", lines)]);

/**
 * A table of a line of heads and bodies that may be filled later.
 *
 * @param {string} className
 * @param {Cell[]} heads
 * @param {Element[]} bodies
 * @param {Record<string, unknown>} [attributes]
 */
export function tableAround(className, heads, bodies, attributes) {
  const cells = heads.map((head) => ready(head) ?? element("th", "", asText(head), { scope: "col" }));
  return element("table", className, null, attributes, [element("thead", "", [element("tr", "", cells)]), ...bodies]);
}

/**
 * A line; a cell without a value shows a dash.
 *
 * @param {Cell | null} name null: the line has no name
 * @param {Cell[]} cells
 * @param {Record<string, unknown>} [attributes]
 */
export function tableLine(name, cells, attributes) {
  const head = name === null ? [] : [ready(name) ?? element("th", "", asText(name), { scope: "row" })];
  const values = cells.map((cell) => ready(cell) ?? element("td", "", asText(cell) ?? "–"));
  return element("tr", "", null, attributes, [...head, ...values]);
}

/** A box that scrolls, also by keys. @param {string} className @param {string} title @param {Node[]} children */
export const scrollBox = (className, title, children) =>
  element("div", className, null, { tabindex: 0, role: "region", "aria-label": title }, children);

/** @param {Cell} cell */
const ready = (cell) => (typeof cell === "object" ? cell : null);
/** @param {Cell} cell */
const asText = (cell) => (typeof cell === "object" ? null : cell);
