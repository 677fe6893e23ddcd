/**
 * A trace of version 2, of November 2026, as one of version 3: fields and outcomes have the field's words since.
 *
 * Its reasons are English sentences, and are shown as they are; playground/trace/version_2.py makes codes of them.
 */

import { isTable } from "./checks.js";
import contract from "./contract.json" with { type: "json" };

/** @type {Record<string, any>} */
const { FORMAT, VERSION, VERSION_2 } = contract;

/** The file in the version of today, if it is of version 2; any other as it is. @param {any} file */
export function current(file) {
  if (!isTable(file) || file.format !== FORMAT || file.version !== 2 || !Array.isArray(file.events)) return file;
  return { ...file, version: VERSION, events: file.events.map(updated) };
}

/** @param {unknown} event */
function updated(event) {
  if (!isTable(event)) return event;
  const { events, fields, outcomes, workings } = VERSION_2;
  /** @type {Record<string, any>} */
  const read = { ...renamed(event, fields[event.event]), event: events[event.event] ?? event.event };
  if (Array.isArray(read.outcomes))
    read.outcomes = read.outcomes.map((/** @type {string} */ outcome) => outcomes[outcome] ?? outcome);
  if (Array.isArray(read.workings))
    read.workings = read.workings.map((/** @type {unknown} */ working) =>
      isTable(working) ? renamed(working, workings[working.kind]) : working,
    );
  if (isTable(read.branch) && !Object.keys(read.branch).length) delete read.branch;
  return read;
}

/** @param {Record<string, any>} table @param {Record<string, string>} [names] */
const renamed = (table, names = {}) =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [names[name] ?? name, value]));
