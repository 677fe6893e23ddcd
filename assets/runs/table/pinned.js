/**
 * Two pinned entries side by side, with their differences.
 */

import { element, empty, pressButton } from "../../shared/elements.js";
import { columnName, difference, figure, ratio } from "../../shared/figures.js";
import { scrollBox, tableAround, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";

/** @typedef {import("../../page/messages.js").Standing} Standing */

export class Pinned {
  /** `release()` unpins both. */
  constructor(release) {
    this.release = release;
    this.root = element("div", "sr-pinned", null, { hidden: "" });
  }

  /** @param {Standing[]} rows @param {import("../../page/messages.js").Column[]} columns */
  show(rows, columns) {
    empty(this.root);
    this.root.hidden = rows.length === 0;
    if (rows.length === 0) return;
    if (rows.length === 1) {
      this.root.append(element("p", "sp-quiet", say("pinned_one", { one: rows[0].title })));
      return;
    }
    const [one, other] = rows;
    const free = pressButton("sr-small", say("pinned_release"), this.release);
    const title = say("pinned_title", { one: one.title, other: other.title });
    this.root.append(element("div", "sr-head", [element("h3", "sp-panel-title", title), free]));
    const verdict = compareSpeed(one, other);
    if (verdict) this.root.append(element("p", "sp-quiet", verdict));
    const heads = [say("pinned_measure"), one.title, other.title, say("pinned_difference"), say("pinned_ratio")];
    const lines = columns.map((column) => {
      const [a, b] = [one, other].map((row) => row.cells[column.id].value);
      return tableLine(columnName(column), [
        figure(a, column),
        figure(b, column),
        difference(a, b, column),
        ratio(a, b),
      ]);
    });
    const table = tableAround("sp-table sr-pinned-table", heads, [element("tbody", "", lines)], {
      "aria-label": title,
    });
    this.root.append(scrollBox("sp-table-box sr-pinned-box", title, [table]));
  }
}

/** @param {Standing} one @param {Standing} other */
function compareSpeed(one, other) {
  const [a, b] = [one, other].map((row) => row.cells.speed_up);
  if (!a || !b || one.against !== other.against) return "";
  if (a.low === null || a.high === null || b.low === null || b.high === null) return "";
  if (a.low <= b.high && b.low <= a.high) return say("pinned_overlap");
  return say("pinned_apart", { faster: a.low > b.high ? one.title : other.title });
}
