/**
 * Under load: goodput of a batch of sequences by draft length and by batch size, on a table of step costs that was
 * measured, published or typed in. The server works it out; here it is only drawn.
 *
 *   const load = new UnderLoad(ask, () => ({rate, draft_length}))   .root   .changed()   .state()   .follow(query)
 */

import { roundTicks } from "../../shared/plots/axes.js";
import { Plot } from "../../shared/plots/plot.js";
import { element, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { brief, numberIn } from "../address.js";
import { Asking } from "../asking.js";
import { choicesOf, labelled, selectBox } from "../editor.js";
import { TABLES } from "../choices.js";
import { MeasuredBatches } from "./batches.js";

// name: [low, high, step, value]
const FIELDS = {
  batch: [1, 128, 1, 8],
  load_cost: [0, 1, 0.01, 0.1],
  round_ms: [0, 50, 0.1, 0],
  num_experts: [0, 512, 1, 0],
  per_token: [1, 64, 1, 8],
  expert_share: [0, 1, 0.05, 0],
  arrivals: [0, 60, 0.5, 0],
  reads_again: [0, 1, 1, 0],
};
const LONGEST_TABLE = 1000; // letters of a link
const BATCH_TICKS = [1, 2, 4, 8, 16, 32, 64, 128].map((v) => [v, String(v)]);
const LENGTH_TICKS = [0, 2, 4, 6, 8, 10, 12, 14, 16].map((v) => [v, String(v)]);

export class UnderLoad {
  /**
   * @param {(request: object) => Promise<any>} ask
   * @param {() => {rate: number, draft_length: number}} shared
   * @param {(shared: {rate: number, draft_length: number}) => void} share sets the sliders that are shared
   */
  constructor(ask, shared, share) {
    this.asking = new Asking(ask);
    this.shared = shared;
    this.share = share;
    /** @type {Record<string, {root: HTMLElement, input: HTMLInputElement, output: HTMLElement}>} */
    this.fields = {};
    const fields = element("fieldset", "lab-fields", [element("legend", "", say("load_title"))]);
    this.table = selectBox(say("load_table"), choicesOf("load_table_", TABLES), () => this.changed());
    this.table.value = "measured";
    fields.appendChild(element("div", "lab-selects", [this.table]));
    for (const [name, [min, max, step, value]] of Object.entries(FIELDS)) {
      const attributes = { type: "range", min, max, step, "data-name": name };
      const field = labelled(say(name), element("input", "sp-range", null, attributes));
      field.input.value = String(value);
      field.input.addEventListener("input", () => this.changed());
      this.fields[name] = field;
      fields.appendChild(field.root);
    }
    this.costs = element("textarea", "lab-costs", null, {
      rows: 4,
      spellcheck: "false",
      "aria-label": say("load_costs"),
    });
    this.costs.addEventListener("input", () => {
      this.table.value = "typed";
      this.changed();
    });
    this.verdict = element("p", "lab-limit");
    this.experts = element("p", "sp-quiet");
    this.free = element("p", "sp-quiet");
    this.served = element("p", "sp-quiet");
    this.note = element("p", "sp-quiet");
    this.source = element("p", "sp-quiet lab-source");
    this.lengths = new Plot(say("load_lengths_title"));
    this.batches = new Plot(say("load_batches_title"));
    this.measured = new MeasuredBatches(ask, {
      length: () => shared().draft_length,
      changed: () => this.changed(),
      use: (results) => this.take(results),
    });
    const panel = element("section", "sp-panel lab-controls", [
      fields,
      element("label", "lab-costs-field", [element("span", "", say("load_costs")), this.costs]),
      this.source,
    ]);
    const said = element("section", "sp-panel", [
      element("h2", "sp-panel-title", say("load_pays")),
      this.verdict,
      this.served,
      this.experts,
      this.free,
      this.note,
    ]);
    this.root = element("div", "lab-load", [
      this.asking.root,
      element("div", "lab-top", [panel, element("div", "lab-answer", [said, this.lengths.root])]),
      element("div", "lab-pictures", [this.batches.root, this.measured.root]),
    ]);
  }

  /** The estimate on costs and acceptance that were measured here. */
  take({ costs, cost_ratio, rate, draft_length }) {
    this.costs.value = costs.replaceAll(", ", "\n");
    this.table.value = "typed";
    this.fields.load_cost.input.value = String(cost_ratio);
    this.share({ rate, draft_length });
  }

  number(name) {
    return Number(this.fields[name].input.value);
  }

  changed() {
    for (const { input, output } of Object.values(this.fields)) setText(output, input.value);
    for (const name of ["per_token", "expert_share"]) this.fields[name].root.hidden = !this.number("num_experts");
    this.fields.per_token.input.max = String(Math.max(1, Math.min(64, this.number("num_experts") || 64)));
    /** @type {import("../../page/messages.js").Question} */
    const request = {
      type: "load",
      ...this.shared(),
      batch: this.number("batch"),
      table: this.table.value,
      costs: this.costs.value,
      cost_ratio: this.number("load_cost"),
      round_ms: this.number("round_ms"),
      num_experts: this.number("num_experts"),
      per_token: this.number("per_token"),
      expert_share: this.number("expert_share"),
      arrivals_per_s: this.number("arrivals"),
      reads_again: this.number("reads_again") === 1,
    };
    this.asking.want(request, (found) => this.show(found, request));
  }

  show(found, request) {
    if (request.table !== "typed") this.costs.value = found.costs.replaceAll(", ", "\n");
    setText(this.source, found.source || say("load_typed"));
    setText(this.verdict, verdictOf(found, request));
    setText(this.experts, expertsOf(found, request));
    setText(this.free, freeOf(found, request));
    setText(this.served, servedOf(found, request));
    setText(this.note, say("load_note", { percent: decimal(100 * found.written_past_the_end, 1) }));
    this.drawLengths(found, request);
    this.drawBatches(found, request);
  }

  drawLengths({ lengths, speed_up, perfect, best, drafted, tokens_per_s }, { batch, rate }) {
    const length = best || drafted; // the best that drafts, as next to batch sizes
    const most = Math.max(1.2, ...speed_up, Math.min(3, Math.max(...perfect))) * 1.05;
    const text = say("load_said", { tokens: decimal(tokens_per_s[length], 0), ratio: decimal(speed_up[length], 2) });
    this.lengths.show({
      x: { title: say("load_axis_length"), low: 0, high: lengths[lengths.length - 1], ticks: LENGTH_TICKS },
      y: { title: say("load_axis_ratio"), low: 0, high: most, ticks: roundTicks(most) },
      lines: [
        { name: say("load_perfect"), className: "lab-line-one", dash: "6 3", x: lengths, y: perfect },
        {
          name: say("load_here", { rate: decimal(rate, 2), batch }),
          className: "lab-line-rsd",
          x: lengths,
          y: speed_up,
        },
      ],
      points: [{ x: length, y: speed_up[length], kind: "formula", text }],
      rules: [{ y: 1, text: say("rule_even"), className: "lab-rule-even" }],
      said: text,
    });
  }

  drawBatches(answer, { rate, batch, draft_length }) {
    const { batches, by_batch, of_length_by_batch, perfect_by_batch, unpaid_from, last_tokens } = answer;
    const measured = this.measured.points(draft_length);
    const tops = measured.map(({ y, high }) => Math.max(y, Math.min(3, high ?? y)));
    const most = Math.max(1.2, ...by_batch, ...tops, Math.min(3, Math.max(...perfect_by_batch))) * 1.05;
    const rules = [
      { y: 1, text: say("rule_even"), className: "lab-rule-even" },
      ...(unpaid_from ? [{ x: unpaid_from, text: say("load_rule_from", { from: unpaid_from }) }] : []),
    ];
    const at = batches.indexOf(batch);
    this.batches.show({
      x: { title: say("load_axis_batch"), low: 1, high: 128, ticks: BATCH_TICKS, log: true },
      y: { title: say("load_axis_ratio"), low: 0, high: most, ticks: roundTicks(most) },
      lines: [
        { name: say("load_perfect"), className: "lab-line-one", dash: "6 3", x: batches, y: perfect_by_batch },
        { name: say("load_best", { rate: decimal(rate, 2) }), className: "lab-line-rsd", x: batches, y: by_batch },
        ...(measured.length
          ? [
              {
                name: say("line_here", { length: draft_length }),
                className: "lab-line-best",
                dash: "1 3",
                x: batches,
                y: of_length_by_batch,
              },
            ]
          : []),
      ],
      points: [
        ...(at < 0 ? [] : [{ x: batch, y: by_batch[at], kind: "formula", text: `${decimal(by_batch[at], 2)}×` }]),
        ...measured,
      ],
      rules,
      note: say("load_beyond", { tokens: last_tokens }),
    });
  }

  /** The fields for a link. */
  state() {
    const numbers = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, brief(this.number(name))]));
    const typed =
      this.table.value === "typed" ? this.costs.value.replace(/\s*\n\s*/g, ",").slice(0, LONGEST_TABLE) : null;
    return { ...numbers, table: this.table.value, costs: typed };
  }

  /** @param {URLSearchParams} query */
  follow(query) {
    for (const [name, [low, high]] of Object.entries(FIELDS))
      this.fields[name].input.value = String(numberIn(query, name, low, high, this.number(name)));
    const table = query.get("table");
    if (table && TABLES.includes(table)) this.table.value = table;
    const costs = query.get("costs");
    if (costs) {
      this.table.value = "typed";
      this.costs.value = costs.slice(0, LONGEST_TABLE).split(",").join("\n");
    }
  }
}

/** Sentences on the best draft length, on a perfect drafter and on the batch size from which none pays. */
function verdictOf({ best, drafted, speed_up, tokens_per_s, perfect_loses, unpaid_from }, { batch }) {
  const values = {
    batch,
    best,
    drafted,
    ratio: decimal(speed_up[best || drafted], 2),
    tokens: decimal(tokens_per_s[best || drafted], 0),
    plain: decimal(tokens_per_s[0], 0),
    from: unpaid_from,
  };
  const from = unpaid_from === null ? "load_always" : unpaid_from === 1 ? "load_never" : "load_from";
  return [
    say(best ? "load_win" : "load_lose", values),
    ...(perfect_loses ? [say("load_perfect_loses")] : []),
    say(from, values),
  ].join(" ");
}

function expertsOf({ experts }, { num_experts, batch, draft_length }) {
  if (!experts) return say("load_dense");
  const values = {
    batch,
    length: draft_length,
    experts: num_experts,
    plain: decimal(experts.plain, 1),
    drafted: decimal(experts.drafted, 1),
    growth: decimal(experts.growth, 2),
  };
  return say("load_experts", values);
}

/** Sequences up to which verifying is free, machine by machine. */
function freeOf({ free_up_to }, { draft_length }) {
  const machines = free_up_to.map(({ machine, sequences }) =>
    say("load_free_on", { machine, sequences: decimal(sequences, 1) }),
  );
  return say("load_free", { length: draft_length, machines: machines.join("; ") });
}

/** Latency and goodput of simulated requests; empty where none arrive. */
function servedOf({ served }, { draft_length, arrivals_per_s }) {
  if (!served.length) return "";
  const [plain, drafted] = served.map((side) =>
    say(side.median_s === null ? "load_served_never" : "load_served_side", {
      median: decimal(side.median_s ?? 0, 2),
      slow: decimal(side.slowest_in_20_s ?? 0, 2),
      most: decimal(side.capacity_per_s, 1),
      tokens: decimal(side.tokens_per_s, 0),
    }),
  );
  return say("load_served", { arrivals: arrivals_per_s, length: draft_length, plain, drafted });
}
