/**
 * The table of a sweep: a row per setting, its runs folded below it, each with a button that opens it in Watch.
 *
 * A real table, so that a keyboard and a screen reader can walk it; every text enters through textContent.
 */

import { element, empty, legible, losslessMark } from "../shared/elements.js";
import { columnName, figure } from "../shared/figures.js";
import { columnHead } from "../shared/results.js";
import { say } from "../shared/words.js";

const NAME = { id: "title", better: null }; // the first column

export class Table {
  /** `watch(run)` opens a run. */
  constructor(watch) {
    this.watch = watch;
    this.unfolded = new Set(); // labels
    this.order = null; // {id, direction}; null is the grid's own
    this.heads = element("tr");
    this.body = element("tbody");
    const caption = element("caption", "sp-visually-hidden", say("sweep_table"));
    this.table = element("table", "sr-table sw-table", null, {}, [caption, element("thead", "", null, {}, [this.heads]), this.body]);
    this.box = element("div", "sr-table-box", null, { tabindex: 0, role: "region", "aria-label": say("sweep_table") }, [this.table]);
    this.root = element("section", "sw-settings", null, { "aria-label": say("sweep_table") }, [
      element("h3", "sr-title", say("sweep_table")), element("p", "sp-quiet", say("sweep_table_caption")), this.box,
    ]);
  }

  set(value) {
    this.value = value;
    this.draw();
  }

  /** Drawn anew at each step; what had the focus gets it back. */
  draw() {
    const focused = this.table.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    empty(this.heads);
    empty(this.body);
    this.heads.append(this.head({ ...NAME, title: say("sweep_setting") }));
    for (const column of this.value.columns) this.heads.append(this.head(column));
    const fronts = element("th", "sw-left", null, { scope: "col", title: say("sweep_fronts_help") }, [element("span", "sr-column", say("sweep_fronts"))]);
    this.heads.append(fronts);
    for (const setting of this.sorted()) {
      this.body.append(this.line(setting));
      if (this.unfolded.has(setting.label)) this.body.append(...setting.runs.map((run) => this.run(setting, run)));
    }
    if (focused) Array.from(this.table.querySelectorAll("[data-key]")).find((node) => node.dataset.key === focused)?.focus({ preventScroll: true });
  }

  head(column) {
    return columnHead(column, {
      title: element("span", "sr-column", column.title),
      name: column.kind ? columnName(column) : column.title,
      direction: this.order && this.order.id === column.id ? this.order.direction : "none",
      first: column.id === NAME.id,
      attributes: { "data-key": "sort " + column.id },
      sort: () => this.sortBy(column),
    });
  }

  /** A first click puts the best on top, a second one the other end, a third one the grid's own order. */
  sortBy(column) {
    const first = column.better === "high" ? "descending" : "ascending";
    const second = first === "descending" ? "ascending" : "descending";
    const now = this.order && this.order.id === column.id ? this.order.direction : null;
    this.order = now === null ? { id: column.id, direction: first } : now === first ? { id: column.id, direction: second } : null;
    this.draw();
  }

  sorted() {
    if (!this.order) return this.value.settings;
    const { id, direction } = this.order;
    const value = (setting) => (id === NAME.id ? setting.title : setting.cells[id]);
    return this.value.settings.slice().sort((a, b) => {
      const [one, other] = [value(a), value(b)];
      if (one === null || other === null) return (one === null) - (other === null);
      const order = typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other;
      return direction === "ascending" ? order : -order;
    });
  }

  line(setting) {
    const words = element("span", "sr-entry", null, {}, [element("span", "sr-name", setting.name)]);
    words.append(" ", losslessMark(setting.badge));
    if (setting.note) words.append(element("span", "sr-note", setting.note));
    const buttons = element("span", "sw-buttons");
    if (setting.run !== null) buttons.append(this.watchButton(setting.run, say("sweep_watch_setting", { title: setting.title })));
    buttons.append(this.fold(setting));
    const line = element("tr", "", null, { "data-label": setting.label }, [element("th", "sr-first", null, { scope: "row" }, [element("span", "sw-setting", null, {}, [words, buttons])])]);
    for (const column of this.value.columns) line.append(this.cell(setting.cells[column.id], column));
    line.append(element("td", "sw-left", setting.fronts.map((id) => say("sweep_front_" + id)).join(", ") || "–"));
    return line;
  }

  fold(setting) {
    const isOpen = this.unfolded.has(setting.label);
    const count = setting.runs.length;
    const failed = setting.num_failed ? ", " + say("sweep_num_failed", { count: setting.num_failed }) : "";
    const text = (count === 1 ? say("sweep_run") : say("sweep_runs", { count })) + failed;
    const name = say(isOpen ? "sweep_fold" : "sweep_unfold", { title: setting.title });
    const button = element("button", "sw-fold", text, { type: "button", "aria-expanded": isOpen, "aria-label": text + ". " + name, "data-key": "fold " + setting.label });
    button.addEventListener("click", () => {
      if (isOpen) this.unfolded.delete(setting.label);
      else this.unfolded.add(setting.label);
      this.draw();
    });
    return button;
  }

  run(setting, run) {
    const { prompt, seed } = run;
    const inside = element("span", "sw-setting", null, {}, [element("span", "sr-note", say("sweep_run_of", { prompt, seed }))]);
    const first = element("th", "sr-first sw-of-run", null, { scope: "row" }, [inside]);
    const line = element("tr", "sw-run", null, { "data-run": run.run }, [first]);
    if (run.failed) {
      line.append(element("td", "sr-failed", say("sweep_failed", { why: legible(run.failed) }), { colspan: this.value.columns.length + 1 }));
      return line;
    }
    inside.append(this.watchButton(run.run, say("sweep_watch_run", { run: run.run, title: setting.title, prompt, seed }), "of run "));
    for (const column of this.value.columns) line.append(this.cell(run.cells[column.id], column));
    line.append(element("td"));
    return line;
  }

  watchButton(run, name, kind = "") {
    const button = element("button", "sr-watch", say("sweep_watch"), { type: "button", "aria-label": name, title: name, "data-key": "watch " + kind + run });
    button.addEventListener("click", () => this.watch(run));
    return button;
  }

  cell(value, column) {
    const blank = value === null || value === undefined;
    return element("td", blank ? "sr-blank" : "", figure(value, column), { "data-column": column.id });
  }
}
