/** A table of numbers in groups of columns; a cell may have a second number below the first. */

import { element } from "../shared/elements.js";
import { scrollBox } from "../shared/tables/plain.js";

/** @param {import("../page/messages.js").NumberTable} value */
export function tableOf({ title, note, groups, columns, rows }) {
  const top = element("tr", "", [
    element("td"),
    ...groups.map(([name, width]) => element("th", "rec-group", name, { colspan: width, scope: "colgroup" })),
  ]);
  const heads = element("tr", "", [element("td"), ...columns.map((name) => element("th", "", name, { scope: "col" }))]);
  const lines = rows.map((row) =>
    element("tr", row.chosen ? "rec-chosen" : "", [
      element("th", "", row.title, { scope: "row" }),
      ...row.cells.map(cell),
    ]),
  );
  return element("section", "rec-table", [
    element("h2", "sp-panel-title", title),
    element("p", "sp-quiet", note),
    scrollBox("rec-scroll", title, [
      element("table", "", [element("thead", "", [top, heads]), element("tbody", "", lines)]),
    ]),
  ]);
}

/** @param {import("../page/messages.js").NumberCell} value */
function cell({ text, below, title }) {
  const td = element("td", "", text, title ? { title } : {});
  if (below) td.append(element("span", "rec-below", below));
  return td;
}
