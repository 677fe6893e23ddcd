/**
 * Two pinned entries side by side, with their differences.
 */

import { element, empty, pressButton } from "../../shared/elements.js";
import { columnName, difference, figure, ratio } from "../../shared/figures.js";
import { say } from "../../shared/words.js";

export class Pinned {
  /** `release()` unpins both. */
  constructor(release) {
    this.release = release;
    this.root = element("div", "sr-pinned", null, { hidden: "" });
  }

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
    const table = element("table", "sp-table sr-pinned-table", null, { "aria-label": title });
    table.append(
      element("thead", "", [
        element(
          "tr",
          "",
          heads.map((name) => element("th", "", name, { scope: "col" })),
        ),
      ]),
    );
    const body = table.appendChild(element("tbody"));
    for (const column of columns) {
      const [a, b] = [one, other].map((row) => row.cells[column.id].value);
      const cells = [figure(a, column), figure(b, column), difference(a, b, column), ratio(a, b)];
      body.append(
        element("tr", "", [
          element("th", "", columnName(column), { scope: "row" }),
          ...cells.map((text) => element("td", "", text)),
        ]),
      );
    }
    this.root.append(
      element("div", "sp-table-box sr-pinned-box", null, { tabindex: 0, role: "region", "aria-label": title }, [table]),
    );
  }
}

function compareSpeed(one, other) {
  const [a, b] = [one, other].map((row) => row.cells.speed_up);
  if (!a || !b || a.low === null || b.low === null || one.against !== other.against) return "";
  if (a.low <= b.high && b.low <= a.high) return say("pinned_overlap");
  return say("pinned_apart", { faster: a.low > b.high ? one.title : other.title });
}
