/**
 * A race beside the paper whose comparison it is: directions in sentences, the paper's figure or table with the numbers
 * measured here, and the paper's own numbers in rows that say where they are from.
 */

import { scrollBox, tableAround, tableLine } from "../../shared/tables/plain.js";
import { Charts } from "../../shared/plots/charts.js";
import { element, empty, legible, setText } from "../../shared/elements.js";
import { figure, spreadOf } from "../../shared/figures.js";
import { say } from "../../shared/words.js";

export class Beside {
  constructor() {
    this.title = element("h2", "sr-title");
    this.source = element("p", "sp-quiet");
    this.missing = element("ul", "sr-missing");
    this.says = element("ul", "sr-says");
    this.charts = new Charts({ saves: "paper", label: say("beside_label") });
    this.tables = element("div", "sr-paper-tables");
    this.notes = element("ul", "sr-notes sp-quiet");
    this.root = element("section", "sr-beside", null, { hidden: "", "aria-label": say("beside_label") }, [
      this.title,
      this.source,
      this.missing,
      this.says,
      this.charts.root,
      this.tables,
      this.notes,
    ]);
  }

  /** `found` is what the server says of the race, or null where it is no paper's; `draw` waits for Plotly. */
  show(found, draw) {
    this.root.hidden = !found;
    this.charts.set([]);
    for (const part of [this.source, this.missing, this.says, this.tables, this.notes]) empty(part);
    if (!found) return;
    setText(this.title, say("beside_title", { title: found.title }));
    this.source.append(
      found.paper + ", ",
      element("a", "", "arXiv " + found.arxiv, { href: found.link, target: "_blank", rel: "noreferrer" }),
      ". " + found.reduced,
    );
    for (const sentence of found.missing) this.missing.append(element("li", "", legible(sentence)));
    this.missing.hidden = !found.missing.length;
    for (const { text, kind } of found.says) {
      const line = element("li", "sr-says-" + kind, [element("strong", "", say("beside_" + kind))]);
      line.append(" " + legible(text));
      this.says.append(line);
    }
    for (const panel of found.panels) if (panel.form === "table") this.tables.append(this.table(panel));
    for (const { place, why } of found.left_out) this.notes.append(element("li", "", place + ": " + why));
    this.notes.hidden = !found.left_out.length;
    if (found.charts.length) draw(() => this.charts.set(found.charts));
  }

  /** One number in the paper's arrangement: what was measured here on top, then what the paper prints. */
  table(panel) {
    const { column } = panel;
    const name = column.title + (column.unit && column.form !== "joules" ? " (" + column.unit + ")" : "");
    const first = element("th", "sr-paper-first", panel.axis || "", { scope: "col" });
    const table = tableAround("sr-paper-table", [first, ...panel.heads], [], { "aria-label": name });
    const kind =
      panel.measured.length && panel.measured.some((row) => row.everywhere || row.cells.some((cell) => cell));
    const here = this.group(
      table,
      kind ? say("beside_here", { kind: say("kind_" + column.kind) }) : say("beside_not_here"),
      panel.heads.length,
      "sr-here",
    );
    if (kind) for (const row of panel.measured) here.append(this.measured(row, column, panel.heads.length));
    for (const { head: conditions, rows } of panel.reported) {
      const paper = this.group(table, say("beside_paper", { conditions }), panel.heads.length, "sr-printed");
      for (const row of rows)
        paper.append(tableLine(element("th", "sr-paper-first", row.name, { scope: "row" }), row.cells));
    }
    const box = scrollBox("sr-paper-box", name, [table]);
    return element("figure", "sr-paper", [element("h3", "sp-panel-title", name), box]);
  }

  group(table, name, width, className) {
    const body = element("tbody", className);
    body.append(
      element("tr", "", [
        element("th", "sr-paper-group", null, { scope: "rowgroup", colspan: width + 1 }, [element("span", "", name)]),
      ]),
    );
    return table.appendChild(body);
  }

  measured(row, column, width) {
    const line = element("tr", "", [element("th", "sr-paper-first", row.name, { scope: "row" })]);
    if (row.everywhere) line.append(this.cell(row.everywhere, column, { colspan: width, class: "sr-everywhere" }));
    else for (const cell of row.cells) line.append(this.cell(cell, column, {}));
    return line;
  }

  cell(found, column, attributes) {
    const cell = element("td", "", null, attributes);
    if (!found) return (cell.append("–"), cell);
    cell.append(element("span", "sr-number", figure(found.value, column)));
    const spread = spreadOf(found, column);
    if (spread) cell.append(element("span", "sr-spread", spread));
    return cell;
  }
}
