/**
 * The totals up to the cursor, and the facts of the run: what was run, on what, and what the method claims.
 */

import { element, empty, legible, setText } from "../../shared/elements.js";
import { decimal, magnitude, milliseconds, percent } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";

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

export class Totals {
  constructor() {
    this.root = element("dl", "sp-totals", null, { "aria-label": say("totals_label") });
    this.cells = {};
    for (const [name] of ROWS) {
      const cell = element("div", "sp-total", null, { title: say("total_" + name + "_title"), "data-total": name });
      this.cells[name] = element("dd", "", "–");
      cell.append(element("dt", "", say("total_" + name)), this.cells[name]);
      this.root.appendChild(cell);
    }
    this.head = element("header", "sp-head");
    this.title = this.head.appendChild(element("h2", "sp-title"));
    this.claim = this.head.appendChild(element("span", "sp-claim"));
    this.facts = element("details", "sp-facts");
    this.facts.appendChild(element("summary", "", say("run_facts")));
    this.table = this.facts.appendChild(element("dl", "sp-fact-list"));
    this.facts.hidden = true;
    this.told = null;
  }

  show(trace, step) {
    const totals = step ? step.totals : null;
    for (const [name, field, format] of ROWS) setText(this.cells[name], totals && step.kind !== "start" ? format(totals[field]) : "–");
    if (this.told === trace.run && this.ended === trace.finished) return;
    this.told = trace.run;
    this.ended = trace.finished;
    this.tell(trace.run, trace.finished);
  }

  tell(run, finished) {
    this.facts.hidden = !run;
    setText(this.title, run ? legible(run.title) : "");
    setText(this.claim, !run ? "" : run.lossless ? say("lossless", { law: run.reproduces }) : say("lossy"));
    this.claim.className = "sp-claim" + (run && !run.lossless ? " sp-lossy" : "");
    this.claim.title = !run ? "" : run.lossless ? say("lossless_title", { law: run.reproduces }) : say("lossy_title");
    empty(this.table);
    if (!run) return;
    const facts = [
      ["fact_method", run.method],
      ["fact_target", model(run.target)],
      ["fact_draft", run.draft ? model(run.draft) : say("no_draft_model")],
      ["fact_sampling", pairs(run.sampling)],
      ["fact_options", pairs(run.options)],
      ["fact_seed", run.seed],
      ["fact_budget", say("tokens", { count: run.max_new_tokens })],
      ["fact_prefill", milliseconds(run.prefill_s)],
      ["fact_machine", pairs(run.machine)],
      ["fact_versions", pairs(run.versions)],
      ["fact_created", run.created],
      ["fact_energy", finished ? energy(finished.energy) : ""],
      ["fact_perplexity", finished && typeof finished.perplexity === "number" ? finished.perplexity.toFixed(2) : ""],
    ];
    for (const [name, value] of facts)
      if (value !== "" && value !== undefined && value !== null) this.table.append(element("dt", "", say(name)), element("dd", "", legible(String(value))));
  }
}

function model(facts) {
  return say("model", { ...facts, name: facts.name, parameters: magnitude(facts.parameters) });
}

function pairs(table) {
  return Object.entries(table || {})
    .filter(([, value]) => value !== null && value !== "" && typeof value !== "object")
    .map(([name, value]) => `${name.replace(/_/g, " ")} ${value}`)
    .join(", ");
}

// Only what a meter read; the estimate has its own chart and never stands in for it.
function energy(facts) {
  return facts && typeof facts.joules === "number" ? `${facts.joules.toFixed(2)} J (${facts.source})` : "";
}
