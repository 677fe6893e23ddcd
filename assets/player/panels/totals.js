/** The totals of the rounds that were complete at the cursor, each with what is counted in it. */

import { element, setText } from "../../shared/elements.js";
import { term } from "../../shared/glossary/glossary.js";
import { decimal, percent } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { totalsOver } from "../trace/trace.js";

/** @type {[string, keyof import("../trace/records.js").Totals, (value: any) => string][]} */
const ROWS = [
  ["tokens", "tokens", (value) => String(value)],
  ["rounds", "rounds", (value) => String(value)],
  ["target_calls", "target_calls", (value) => String(value)],
  ["block_efficiency", "block_efficiency", (value) => decimal(value, 2)],
  ["acceptance_per_position", "acceptance_per_position", percent],
  ["acceptance_per_draw", "acceptance_per_draw", percent],
  ["draft_efficiency", "draft_efficiency", percent],
  ["tokens_per_second", "tokens_per_second", (value) => decimal(value, 1)],
];

/** Entries of the glossary that have another name than the total. */
const TERMS = {
  tokens: "token",
  rounds: "round",
  target_calls: "target_call",
  acceptance_per_position: "acceptance_rate",
  acceptance_per_draw: "acceptance_rate",
  tokens_per_second: "speed_up",
};

export class Totals {
  constructor() {
    this.root = element("dl", "sp-totals", null, { "aria-label": say("totals_label") });
    this.cells = {};
    for (const [name] of ROWS) {
      const cell = element("div", "sp-total", null, { "data-total": name });
      this.cells[name] = element("dd", "", "–");
      cell.append(element("dt", "", [term(TERMS[name] ?? name, say("total_" + name))]), this.cells[name]);
      this.root.appendChild(cell);
    }
  }

  show(trace, step) {
    const totals = totalsOver(trace, step);
    for (const [name, field, format] of ROWS) setText(this.cells[name], totals ? format(totals[field]) : "–");
  }
}
