/**
 * What a race measured of one entry, in the words of its lane and of its card: read from the table of the race, so that
 * they are one number everywhere.
 *
 * @typedef {import("../page/messages.js").Standings} Standings
 */

import { figure, spreadOf } from "../shared/figures.js";
import { say } from "../shared/words.js";

const ENERGY = ["joules_per_token", "estimated_joules_per_token"]; // the measured one where there is one

/**
 * The speed-up with its interval, what it is over, and the side of 1 that the interval is on.
 * @param {Standings} standings
 * @param {string} label
 */
export function ratioOf(standings, label) {
  const { row, column, cell } = find(standings, label, "speed_up");
  if (!row || !column || !cell || cell.value === null) return { text: "–", spread: "", over: "", standing: "open" };
  if (row.against === label || label === "autoregressive")
    return { text: "1×", spread: "", over: say("table_baseline"), standing: "open" };
  return {
    text: figure(cell.value, column),
    spread: cell.low === null ? "" : `(${spreadOf(cell, column)})`,
    over: row.over ? say("table_over", { title: row.over }) : "",
    standing: standingOf(cell),
  };
}

/**
 * Whether an interval lies above 1, below it, or neither.
 * @param {import("../page/messages.js").Cell} cell
 */
export function standingOf({ low, high }) {
  if (low === null || high === null || (low <= 1 && high >= 1)) return "open";
  return low > 1 ? "faster" : "slower";
}

/**
 * Joules of a token, and whether they were measured or estimated; nothing where neither is known.
 * @param {Standings} standings
 * @param {string} label
 */
export function energyOf(standings, label) {
  for (const id of ENERGY) {
    const { column, cell } = find(standings, label, id);
    if (column && cell && cell.value !== null)
      return say("lane_joules", { joules: figure(cell.value, column), kind: say("kind_" + column.kind) });
  }
  return "";
}

/** @param {Standings} standings */
function find({ columns, rows }, label, id) {
  const row = rows.find((each) => each.label === label);
  return { row, column: columns.find((each) => each.id === id), cell: row?.cells[id] };
}

/** 1 as "1st". */
export const ordinal = (number) => say(number <= 3 ? "place_" + number : "place_n", { number });
