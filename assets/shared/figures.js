/**
 * How the numbers of the table are written: by the form of their column, one way everywhere.
 */

import { say } from "./words.js";

/** @typedef {import("../page/messages.js").Column} Column */

/**
 * @typedef {{value: number | null, low?: number | null, high?: number | null, why?: string}} Cell a number, its spread,
 * or why there is none
 */

const DASH = "–";

/**
 * A value of a column, without its unit: "1.42×", "76 %", "1.3 MiB".
 * @param {number | null | undefined} value
 * @param {Column} column
 */
export function figure(value, column) {
  if (value === null || value === undefined) return DASH;
  if (column.form === "percent") return (100 * value).toFixed(column.digits) + " %";
  if (column.form === "bytes") return bytes(value, column.digits);
  if (column.form === "joules") return joules(value, column.digits);
  return value.toFixed(column.digits) + (column.form === "times" ? "×" : "");
}

/**
 * A column's title with how its numbers came about: two columns may have one title.
 * @param {{title: string, kind?: string}} column
 */
export const columnName = (column) => column.title + ", " + say("kind_" + column.kind);

/**
 * The spread of a cell, or nothing where there is none.
 * @param {Cell} cell
 * @param {Column} column
 */
export function spreadOf(cell, column) {
  if (cell.low === null || cell.low === undefined) return "";
  const [low, high] = [cell.low, cell.high].map((end) => figure(end, column));
  if (low === high) return "";
  // The unit is written once, unless the two ends have different ones.
  const unit = / ?(×|%|[a-zµ]+)$/i;
  const [first, last] = [low, high].map((text) => (text.match(unit) || [""])[0]);
  return (
    (first === last ? low.replace(unit, "") : low) +
    "–" +
    (first === last && column.form !== "bytes" && column.form !== "joules" ? high.replace(unit, "") : high)
  );
}

/** @param {number} value */
export const inSeconds = (value) => value.toFixed(3);

/** @param {number} value @param {number} digits */
function joules(value, digits) {
  const [unit, name] = value >= 1 || value === 0 ? [1, "J"] : value >= 1e-3 ? [1e-3, "mJ"] : [1e-6, "µJ"];
  return (value / unit).toFixed(digits) + " " + name;
}

/** @param {number} value @param {number} digits */
function bytes(value, digits) {
  const [divisor, unit] = value >= 2 ** 30 ? [2 ** 30, "GiB"] : value >= 2 ** 20 ? [2 ** 20, "MiB"] : [2 ** 10, "KiB"];
  return (value / divisor).toFixed(digits) + " " + unit;
}
