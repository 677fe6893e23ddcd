/**
 * Which columns of the table are to be seen, and what each of them means: two folds above the table.
 */

import { element, empty, pressButton } from "../../shared/elements.js";
import { columnName } from "../../shared/figures.js";
import { say } from "../../shared/words.js";

export class Columns {
  /** `changed()` is called when a column is hidden or shown. */
  constructor(changed) {
    this.changed = changed;
    this.hidden = new Set();
    this.boxes = element("div", "sr-boxes");
    this.all = pressButton("sr-small", say("table_all"), () => {
      this.hidden.clear();
      for (const box of this.boxes.querySelectorAll("input")) box.checked = true;
      this.changed();
    });
    this.meanings = element("dl", "sr-meanings");
    const fold = (name, ...inside) =>
      element("details", "sr-fold sp-facts", [element("summary", "", say(name)), ...inside]);
    this.root = element("div", "sr-folds", [
      fold("table_columns", this.boxes, this.all),
      fold("table_help", this.meanings),
    ]);
  }

  load(columns) {
    this.columns = columns;
    empty(this.boxes);
    empty(this.meanings);
    for (const column of columns) {
      const box = element("input", "", null, { type: "checkbox", "data-column": column.id });
      box.checked = !this.hidden.has(column.id);
      box.addEventListener("change", () => {
        if (box.checked) this.hidden.delete(column.id);
        else this.hidden.add(column.id);
        this.changed();
      });
      this.boxes.append(element("label", "sr-box", [box, element("span", "", columnName(column))]));
      this.meanings.append(element("dt", "", columnName(column)), element("dd", "", column.help));
    }
  }

  get shown() {
    return this.columns.filter((column) => !this.hidden.has(column.id));
  }
}
