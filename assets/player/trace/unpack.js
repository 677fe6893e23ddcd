/**
 * Reads a packed event: in a file an event says nothing twice, see playground/trace/packing.py, which this repeats.
 *
 *   ids    [3, 6], 9                  3, 4, 5, 6, 9
 *   texts  "no", "yes", 0, [1, 3]     a number is the place where the text first stood; [place, times]
 *          -2                         the second of the different reasons that earlier events gave
 *   null   left out at the end of a column of as many entries as there are nodes
 *   mask   "1000", 0, 1               a row sees what the row at that place sees, and itself
 *
 * What was not packed reads as itself; what cannot be read is left for the contract to refuse.
 */

const MOST = 10_000_000; // entries an event may unpack to
const IDS = ["nodes", "parents", "frontier", "fed", "columns"];
const TEXTS = ["outcomes", "reasons", "origins"];
const UNKNOWN = { scored: ["overlaps"], judged: ["target_probs", "draft_probs", "accept_probs", "coins"] };

/** The event with its columns whole. `said` holds the reasons given before, and takes in this event's. */
export function unpack(event, said = new Set()) {
  if (event === null || typeof event !== "object") return event;
  const whole = { ...event };
  const columns = (names) => names.filter((name) => Array.isArray(event[name]));
  for (const name of columns(IDS)) whole[name] = unpackIds(event[name]);
  const reasons = [...said];
  for (const name of columns(TEXTS)) whole[name] = unpackTexts(event[name], name === "reasons" ? reasons : []);
  if (Array.isArray(whole.reasons)) for (const text of whole.reasons) said.add(text);
  for (const name of columns(UNKNOWN[event.event] || []))
    whole[name] = filled(event[name], Array.isArray(whole.nodes) ? whole.nodes.length : 0);
  for (const name of columns(["alternatives"]))
    whole[name] = event[name].map((rows) => (Array.isArray(rows) ? rows.map((row) => (Array.isArray(row) ? filled(row, 3) : row)) : rows));
  if (Array.isArray(event.mask) && Array.isArray(whole.fed) && Array.isArray(whole.columns))
    whole.mask = unpackMask(event.mask, whole.fed, whole.columns);
  return whole;
}

const isPair = (entry) => Array.isArray(entry) && entry.length === 2 && entry.every(Number.isInteger);

function unpackIds(packed) {
  const ids = [];
  for (const entry of packed) {
    if (!isPair(entry) || ids.length + entry[1] - entry[0] > MOST) ids.push(entry);
    else for (let id = entry[0]; id <= entry[1]; id++) ids.push(id);
  }
  return ids;
}

function unpackTexts(packed, said) {
  const texts = [];
  for (const entry of packed) {
    const [number, times] = isPair(entry) ? entry : [entry, 1];
    const [from, place] = number < 0 ? [said, -1 - number] : [texts, number];
    const known = Number.isInteger(number) && place in from && texts.length + times <= MOST;
    if (!known) texts.push(entry);
    else for (let i = 0, text = from[place]; i < times; i++) texts.push(text);
  }
  return texts;
}

function filled(column, length) {
  return column.concat(Array(Math.max(0, length - column.length)).fill(null));
}

function unpackMask(packed, fed, columns) {
  if (packed.length * columns.length > MOST) return packed;
  const own = new Map(columns.map((node, column) => [node, column]));
  const rows = [];
  for (const entry of packed) {
    const column = own.get(fed[rows.length]);
    const known = Number.isInteger(entry) && typeof rows[entry] === "string" && column !== undefined;
    rows.push(known ? rows[entry].slice(0, column) + "1" + rows[entry].slice(column + 1) : entry);
  }
  return rows;
}
