/**
 * The table of a race: sorted by any column, its blanks explained.
 */

import { element, empty, legible, losslessMark, pressButton } from "../../shared/elements.js";
import { columnName, figure, spreadOf } from "../../shared/figures.js";
import { NAME, SortedTable } from "../../shared/tables/sorted.js";
import { say } from "../../shared/words.js";
import { standingOf } from "../result.js";
import { Columns } from "./columns.js";

const LONG_TITLE = 18; // letters; a longer title gets two lines and the room for them

/**
 * @typedef {import("../../page/messages.js").Standing} Standing
 * @typedef {import("../../page/messages.js").Column} Column
 */

export class Standings {
  /** `explain(label)` is called when the reader wants to know why an entry is not faster. */
  constructor(explain) {
    this.explain = explain;
    this.columns = new Columns(() => this.draw());
    /** @type {import("../../page/messages.js").Standings} */
    this.data = { columns: [], rows: [], notes: [] };
    this.table = new SortedTable(say("table_title"), {
      order: { id: "speed_up", direction: "descending" },
      draw: () => this.draw(),
    });
    this.groups = element("tr", "sr-groups");
    this.table.top.prepend(this.groups);
    this.box = this.table.root;
    const overflow = () =>
      this.box.classList.toggle("sr-more", this.box.scrollLeft + this.box.clientWidth < this.box.scrollWidth - 2);
    this.box.addEventListener("scroll", overflow, { passive: true });
    if (window.ResizeObserver) new ResizeObserver(overflow).observe(this.table.table);
    this.blanks = element("ul", "sr-blanks sp-quiet");
    this.root = element("section", "sr-standings", [
      element("h2", "sr-title", say("table_title")),
      element("p", "sp-quiet", say("table_caption")),
      this.columns.root,
      this.box,
      this.blanks,
    ]);
  }

  /**
   * `recorded` says that it was not measured now: then nobody can ask why an entry is not faster.
   * @param {import("../../page/messages.js").Standings} data
   */
  load(data, recorded = false) {
    this.data = data;
    this.recorded = recorded;
    this.columns.load(data.columns);
    this.draw();
  }

  draw() {
    const columns = this.columns.shown;
    const best = bestOf(this.data.rows, columns);
    const value = (row, id) => (id === NAME ? row.title : row.cells[id] ? row.cells[id].value : null);
    this.drawGroups(columns);
    this.table.fill((heads, body) => {
      heads.append(this.table.head({ id: NAME, title: say("table_entry") }));
      for (const column of columns) heads.append(this.table.head(column, { long: column.title.length > LONG_TITLE }));
      for (const row of this.table.sorted(this.data.rows, value)) body.append(this.line(row, columns, best));
    });
    this.tellBlanks(columns);
  }

  drawGroups(columns) {
    empty(this.groups);
    this.groups.append(element("td", "sr-corner"));
    for (let i = 0; i < columns.length;) {
      let end = i;
      while (end < columns.length && columns[end].group === columns[i].group) end++;
      this.groups.append(element("th", "sr-group", columns[i].group, { scope: "colgroup", colspan: end - i }));
      i = end;
    }
  }

  /** @param {Standing} row @param {Column[]} columns */
  line(row, columns, best) {
    const line = element("tr", "", null, { "data-label": row.label });
    line.append(this.who(row));
    if (row.failed) {
      line.append(
        element("td", "sr-failed", say("table_failed", { why: legible(row.failed) }), {
          colspan: Math.max(1, columns.length),
        }),
      );
      return line;
    }
    for (const column of columns) line.append(this.cell(row, column, best[column.id]));
    return line;
  }

  who(row) {
    const cell = element("th", "sr-first", null, { scope: "row" });
    const words = element("span", "sr-entry", [element("span", "sr-name", row.name)]);
    words.append(" ", losslessMark(row.badge));
    if (row.note) words.append(element("span", "sr-note", row.note));
    if (row.runs && !row.failed && !this.recorded) words.append(this.why(row));
    cell.append(words);
    return cell;
  }

  why(row) {
    return pressButton("sr-why", say("table_why"), () => this.explain(row.label), {
      "aria-label": `${say("table_why")} ${row.title}`,
      "data-why": row.label,
    });
  }

  /** @param {Standing} row @param {Column} column */
  cell(row, column, best) {
    const entry = row.cells[column.id];
    const cell = element("td", "sr-value", null, { "data-column": column.id });
    if (entry.value === null) {
      cell.classList.add("sr-blank");
      cell.title = say("table_blank", { why: entry.why });
      cell.append(
        element("span", "", "–", { "aria-hidden": "true" }),
        element("span", "sp-visually-hidden", say("table_blank", { why: entry.why })),
      );
      return cell;
    }
    const number = element("span", "sr-number", figure(entry.value, column));
    const spread = spreadOf(entry, column);
    if (column.id === "speed_up") cell.classList.add("sr-" + standingOf(entry));
    if (best !== undefined && entry.value === best && !(row.over && column.id === "speed_up")) {
      cell.classList.add("sr-best");
      cell.title = say("table_best");
    }
    cell.append(number);
    if (spread) cell.append(element("span", "sr-spread", spread));
    if (column.id === "speed_up" && row.over)
      cell.append(element("span", "sr-spread sr-over", say("table_over", { title: row.over })));
    return cell;
  }

  /** Reasons for blank columns, once below the table, where a finger finds it too. */
  tellBlanks(columns) {
    empty(this.blanks);
    const sound = this.data.rows.filter((row) => !row.failed);
    for (const column of columns) {
      const reasons = new Set(
        sound.map((row) => (row.cells[column.id].value === null ? row.cells[column.id].why : null)),
      );
      if (sound.length && reasons.size === 1 && !reasons.has(null))
        this.blanks.append(element("li", "", columnName(column) + ": " + Array.from(reasons)[0]));
    }
    for (const note of this.data.notes) this.blanks.append(element("li", "", note));
    this.blanks.hidden = !this.blanks.children.length;
  }
}

/** @param {Standing[]} rows @param {Column[]} columns */
function bestOf(rows, columns) {
  const best = {};
  for (const column of columns) {
    // over another rival
    const comparable = rows.filter((row) => !row.failed && !(row.over && column.id === "speed_up"));
    const values = comparable.map((row) => row.cells[column.id].value).filter((value) => value !== null);
    if (!column.better || new Set(values).size < 2) continue;
    best[column.id] = column.better === "high" ? Math.max(...values) : Math.min(...values);
  }
  return best;
}
