/**
 * The table of a sweep: a row per setting, its runs folded below it, each with a button that opens it in Watch.
 */

import { element, legible, losslessMark, pressButton } from "../../shared/elements.js";
import { figure } from "../../shared/figures.js";
import { NAME, SortedTable } from "../../shared/tables/sorted.js";
import { say } from "../../shared/words.js";

/** @typedef {import("../../page/messages.js").SweepSetting} Setting */

export class Table {
  /** `watch(run)` opens a run. */
  constructor(watch) {
    this.watch = watch;
    this.unfolded = new Set(); // labels
    /** @type {Pick<import("../../page/messages.js").SweepValue, "columns" | "settings">} */
    this.value = { columns: [], settings: [] };
    this.table = new SortedTable(say("sweep_table"), {
      className: " sw-table",
      returns: true,
      draw: () => this.draw(),
    });
    this.root = element("section", "sw-settings", [
      element("h2", "sr-title", say("sweep_table")),
      element("p", "sp-quiet", say("sweep_table_caption")),
      this.table.root,
    ]);
  }

  /** @param {import("../../page/messages.js").SweepValue} value */
  set(value) {
    this.value = value;
    this.draw();
  }

  draw() {
    this.table.fill((heads, body) => {
      heads.append(this.table.head({ id: NAME, title: say("sweep_setting") }));
      for (const column of this.value.columns) heads.append(this.table.head(column));
      heads.append(
        element("th", "sw-left", null, { scope: "col", title: say("sweep_fronts_help") }, [
          element("span", "sr-column", say("sweep_fronts")),
        ]),
      );
      const value = (setting, id) => (id === NAME ? setting.title : setting.cells[id]);
      for (const setting of this.table.sorted(this.value.settings, value)) {
        body.append(this.line(setting));
        if (this.unfolded.has(setting.label)) body.append(...setting.runs.map((run) => this.run(setting, run)));
      }
    });
  }

  /** @param {Setting} setting */
  line(setting) {
    const words = element("span", "sr-entry", [element("span", "sr-name", setting.name)]);
    words.append(" ", losslessMark(setting.badge));
    if (setting.note) words.append(element("span", "sr-note", setting.note));
    const buttons = element("span", "sw-buttons");
    if (setting.run !== null)
      buttons.append(this.watchButton(setting.run, say("sweep_watch_setting", { title: setting.title })));
    buttons.append(this.fold(setting));
    const line = element("tr", "", null, { "data-label": setting.label }, [
      element("th", "sr-first", null, { scope: "row" }, [element("span", "sw-setting", [words, buttons])]),
    ]);
    if (setting.failed) {
      line.append(this.failure(setting));
      return line;
    }
    for (const column of this.value.columns) line.append(this.cell(setting.cells[column.id], column));
    line.append(element("td", "sw-left", setting.fronts.map((id) => say("sweep_front_" + id)).join(", ") || "–"));
    return line;
  }

  /** @param {Setting} setting */
  fold(setting) {
    const isOpen = this.unfolded.has(setting.label);
    const count = setting.runs.length;
    const failed = setting.num_failed ? ", " + say("sweep_num_failed", { count: setting.num_failed }) : "";
    const text = (count === 1 ? say("sweep_run") : say("sweep_runs", { count })) + failed;
    const name = say(isOpen ? "sweep_fold" : "sweep_unfold", { title: setting.title });
    const button = element("button", "sw-fold", text, {
      type: "button",
      "aria-expanded": isOpen,
      "aria-label": text + ". " + name,
      "data-key": "fold " + setting.label,
    });
    button.addEventListener("click", () => {
      if (isOpen) this.unfolded.delete(setting.label);
      else this.unfolded.add(setting.label);
      this.draw();
    });
    return button;
  }

  /** @param {Setting} setting @param {import("../../page/messages.js").SweepRun} run */
  run(setting, run) {
    const { prompt, seed } = run;
    const inside = element("span", "sw-setting", [element("span", "sr-note", say("sweep_run_of", { prompt, seed }))]);
    const first = element("th", "sr-first sw-of-run", null, { scope: "row" }, [inside]);
    const line = element("tr", "sw-run", null, { "data-run": run.run }, [first]);
    if (run.failed) {
      line.append(this.failure(run));
      return line;
    }
    inside.append(
      this.watchButton(
        run.run,
        say("sweep_watch_run", { run: run.run, title: setting.title, prompt, seed }),
        "of run ",
      ),
    );
    for (const column of this.value.columns) line.append(this.cell(run.cells[column.id], column));
    line.append(element("td"));
    return line;
  }

  failure({ failed }) {
    const colspan = this.value.columns.length + 1;
    return element("td", "sr-failed", say("sweep_failed", { why: legible(failed) }), { colspan });
  }

  watchButton(run, name, kind = "") {
    return pressButton("sr-watch", say("sweep_watch"), () => this.watch(run), {
      "aria-label": name,
      title: name,
      "data-key": "watch " + kind + run,
    });
  }

  cell(value, column) {
    const blank = value === null || value === undefined;
    return element("td", blank ? "sr-blank" : "", figure(value, column), { "data-column": column.id });
  }
}
