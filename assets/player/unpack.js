/**
 * Reads a packed event: in a file an event says nothing twice, see playground/trace/packing.py, which this repeats.
 *
 *   ids    [3, 6], 9                  3, 4, 5, 6, 9
 *   texts  "no", "yes", 0, [1, 3]     a number is the place where the text first stood; [place, times]
 *   null   left out at the end of a column of as many entries as there are nodes
 *   mask   "1000", 0, 1               a row sees what the row at that place sees, and itself
 *
 * What was not packed reads as itself; what cannot be read is left for the contract to refuse.
 */
(function (player) {
  "use strict";

  const MOST = 10_000_000; // entries an event may unpack to
  const IDS = ["nodes", "parents", "frontier", "fed", "columns"];
  const TEXTS = ["outcomes", "reasons", "origins"];
  const UNKNOWN = { scored: ["overlaps"], judged: ["target_probs", "draft_probs", "accept_probs", "coins"] };

  /** The event with its columns whole. */
  player.unpack = function (event) {
    if (event === null || typeof event !== "object") return event;
    const whole = { ...event };
    const columns = (names) => names.filter((name) => Array.isArray(event[name]));
    for (const name of columns(IDS)) whole[name] = unpackIds(event[name]);
    for (const name of columns(TEXTS)) whole[name] = unpackTexts(event[name]);
    for (const name of columns(UNKNOWN[event.event] || []))
      whole[name] = filled(event[name], Array.isArray(whole.nodes) ? whole.nodes.length : 0);
    for (const name of columns(["alternatives"]))
      whole[name] = event[name].map((rows) => (Array.isArray(rows) ? rows.map((row) => (Array.isArray(row) ? filled(row, 3) : row)) : rows));
    if (Array.isArray(event.mask) && Array.isArray(whole.fed) && Array.isArray(whole.columns))
      whole.mask = unpackMask(event.mask, whole.fed, whole.columns);
    return whole;
  };

  const isPair = (entry) => Array.isArray(entry) && entry.length === 2 && entry.every(Number.isInteger);

  function unpackIds(packed) {
    const ids = [];
    for (const entry of packed) {
      if (!isPair(entry) || ids.length + entry[1] - entry[0] > MOST) ids.push(entry);
      else for (let id = entry[0]; id <= entry[1]; id++) ids.push(id);
    }
    return ids;
  }

  function unpackTexts(packed) {
    const texts = [];
    for (const entry of packed) {
      const [place, times] = isPair(entry) ? entry : [entry, 1];
      const known = Number.isInteger(place) && place in texts && texts.length + times <= MOST;
      if (!known) texts.push(entry);
      else for (let i = 0; i < times; i++) texts.push(texts[place]);
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
})((window.specPlayer = window.specPlayer || {}));
