/**
 * Expected speed: sliders, what the formulas say of them, and the reader's own runs as measured points.
 *
 *   mount(host, {ask})
 */

import { roundTicks } from "../../shared/plots/axes.js";
import { element, legible, setText } from "../../shared/elements.js";
import { Plot } from "../../shared/plots/plot.js";
import { say } from "../../shared/words.js";
import { askedIn, brief, linkButton, numberIn, queryOf } from "../address.js";
import { Asking } from "../asking.js";
import { choicesOf, labelled, selectBox } from "../editor.js";
import { BYTES, COSTS, MEASURED_COSTS, PUBLISHED_COSTS, shown } from "../choices.js";
import { BestTree } from "./best_tree.js";
import { UnderLoad } from "./load.js";
import { Runs } from "./runs.js";
import { Shapes } from "./shapes.js";

// name: [low, high, step, value, group]
const SLIDERS = {
  alpha: [0, 1, 0.01, 0.7, "accepted"],
  falling: [0, 1, 0.01, 1, "accepted"],
  passing_2: [0, 1, 0.01, 0.4, "accepted"],
  passing_3: [0, 1, 0.01, 0.3, "accepted"],
  passing_4: [0, 1, 0.01, 0.2, "accepted"],
  draft_length: [1, 16, 1, 4, "cost"],
  cost_ratio: [0, 1, 0.01, 0.15, "cost"],
  per_node: [0, 0.3, 0.005, 0.02, "cost"],
  num_nodes: [1, 64, 1, 16, "tree"],
  children: [1, 4, 1, 2, "tree"],
  layer_acceptance: [0, 1, 0.01, 0.7, "beams"],
  num_beams: [1, 8, 1, 2, "beams"],
  num_draws: [1, 12, 1, 6, "beams"],
};
const RATE_TICKS = [0, 0.25, 0.5, 0.75, 1].map((v) => [v, String(v)]);
const NODE_TICKS = [1, 8, 16, 24, 32, 40, 48, 56, 64].map((v) => [v, String(v)]);
const CALL_TICKS = [1, 2, 4, 8, 16, 32, 64, 128, 256].map((v) => [v, String(v)]);

class SpeedLab {
  constructor(host, { ask }) {
    this.asking = new Asking(ask);
    this.controls = {};
    const groups = {};
    for (const group of ["accepted", "cost", "tree", "beams"])
      groups[group] = element("fieldset", "lab-fields", [element("legend", "", say("group_" + group))]);
    for (const [name, [min, max, step, value, group]] of Object.entries(SLIDERS)) {
      const control = labelled(
        say(name),
        element("input", "sp-range", null, { type: "range", min, max, step, "data-name": name }),
      );
      control.input.value = value;
      control.input.addEventListener("input", () => this.changed());
      this.controls[name] = control;
      groups[group].appendChild(control.root);
    }
    this.kind = selectBox(say("nodes_cost"), choicesOf("nodes_", COSTS), () => this.changed());
    this.bytes = selectBox(say("bytes"), choicesOf("bytes_", BYTES), () => this.changed());
    groups.cost.insertBefore(element("div", "lab-selects", [this.kind, this.bytes]), this.controls.per_node.root);
    this.taken = element("p", "sp-quiet", null, { role: "status" });
    this.shapes = new Shapes();
    this.rates = new Plot(say("rate_title"));
    this.tokens = new Plot(say("tokens_title"));
    this.nodes = new Plot(say("nodes_title"));
    this.cost = new Plot(say("cost_title"));
    this.paying = new Plot(say("paying_title"));
    this.tree = new BestTree();
    const panel = element("section", "sp-panel lab-controls", [this.taken, ...Object.values(groups)]);
    const pictures = element("div", "lab-pictures", [
      this.tokens.root,
      this.nodes.root,
      this.tree.root,
      this.cost.root,
      this.paying.root,
    ]);
    this.runs = new Runs({ ask, changed: () => this.found && this.draw(), take: (run) => this.take(run) });
    pictures.appendChild(this.runs.root);
    const shared = () => ({ rate: this.number("alpha"), draft_length: this.number("draft_length") });
    this.load = new UnderLoad(ask, shared, (values) => this.share(values));
    const answer = element("div", "lab-answer", [this.shapes.root, this.rates.root]);
    const top = element("div", "lab-top", [panel, answer]);
    this.root = element("div", "spec-player spec-lab spec-speed", null, { role: "group" }, [
      this.asking.root,
      top,
      pictures,
      this.load.root,
      linkButton(() => this.query()),
    ]);
    host.appendChild(this.root);
    this.follow(askedIn("speed"));
    this.changed();
    // The player's trace is looked up when the section comes into view: it may have changed meanwhile.
    if (window.IntersectionObserver)
      new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && this.runs.refresh()).observe(
        this.root,
      );
  }

  share({ rate, draft_length }) {
    this.controls.alpha.input.value = rate;
    this.controls.draft_length.input.value = draft_length;
    this.changed();
  }

  number(name) {
    return Number(this.controls[name].input.value);
  }

  changed() {
    const straight = this.kind.value === "straight";
    this.controls.per_node.root.hidden = !straight;
    this.bytes.hidden = straight || [...MEASURED_COSTS, ...PUBLISHED_COSTS].includes(this.kind.value);
    this.controls.num_draws.input.min = this.number("num_beams"); // fewer drafts can never fill the beams
    for (const [name, { input, output }] of Object.entries(this.controls))
      setText(output, shown(input.value, SLIDERS[name][2] < 0.01 ? 3 : SLIDERS[name][2] < 1 ? 2 : 0));
    const others = Object.fromEntries(
      Object.keys(SLIDERS)
        .filter((name) => !/^alpha|^passing/.test(name))
        .map((name) => [name, this.number(name)]),
    );
    /** @type {any} the sliders' names are those of the question */
    const request = {
      type: "speed",
      passing: this.passing(),
      nodes_cost: this.kind.value,
      bytes_per_parameter: Number(this.bytes.value),
      ...others,
    };
    this.load.changed();
    this.asking.want(request, (found) => {
      this.found = found;
      this.request = request;
      this.draw();
    });
  }

  passing() {
    return ["alpha", "passing_2", "passing_3", "passing_4"].map((name) => this.number(name));
  }

  draw() {
    const { found, request } = this;
    const length = request.draft_length;
    this.shapes.show(found, length);
    this.tree.show(found);
    this.drawRates(found, length);
    this.drawTokens(found, length);
    this.drawNodes(found);
    this.drawCost(found);
    const { x, longest_paying: longest, best_length: best } = found.by_rate;
    this.paying.show({
      x: { title: say("axis_rate_alone"), low: 0, high: 1, ticks: RATE_TICKS },
      y: { title: say("axis_length"), low: 0, high: 16.5, ticks: roundTicks(16) },
      lines: [
        { name: say("line_paying"), className: "lab-line-rsd", x, y: longest },
        { name: say("line_best_length"), className: "lab-line-best", dash: "1 3", x, y: best },
      ],
      note: say("paying_note"),
    });
  }

  drawRates({ by_rate: rate, alpha, shapes, chain }, length) {
    const runs = this.runs.list().filter((run) => run.speed_up);
    const most = Math.max(...rate.best, ...rate.textbook, ...runs.map((run) => run.speed_up), 1.2) * 1.05;
    /** @type {import("../../shared/plots/axes.js").Rule[]} */
    const rules = [{ y: 1, text: say("rule_even"), className: "lab-rule-even" }];
    if (chain.break_even !== null) rules.push({ x: chain.break_even, text: "α = " + shown(chain.break_even, 2) });
    this.rates.show({
      x: { title: say("axis_rate"), low: 0, high: 1, ticks: RATE_TICKS },
      y: { title: say("shape_speed_up"), low: 0, high: most, ticks: roundTicks(most) },
      lines: [
        { name: say("line_textbook", { length }), className: "lab-line-one", dash: "6 3", x: rate.x, y: rate.textbook },
        { name: say("line_best"), className: "lab-line-best", dash: "1 3", x: rate.x, y: rate.best },
        { name: say("line_here", { length }), className: "lab-line-rsd", x: rate.x, y: rate.speed_up },
      ],
      points: [
        { x: alpha, y: shapes[0].speed_up, kind: "formula", text: `${shown(shapes[0].speed_up, 3)}×` },
        ...runs.map((run) => point(run, run.speed_up, `${shown(run.speed_up, 2)}×`)),
      ],
      rules,
      said: say("plot_said", { value: shown(shapes[0].speed_up, 2), rate: shown(alpha, 2) }),
    });
  }

  drawTokens({ by_rate: rate, alpha, shapes }, length) {
    const runs = this.runs.list();
    const most = Math.max(length + 1, ...runs.map((run) => run.emitted)) * 1.05;
    this.tokens.show({
      x: { title: say("axis_rate"), low: 0, high: 1, ticks: RATE_TICKS },
      y: { title: say("axis_emitted"), low: 0, high: most, ticks: roundTicks(most) },
      lines: [{ name: say("line_here", { length }), className: "lab-line-rsd", x: rate.x, y: rate.emitted }],
      points: [
        { x: alpha, y: shapes[0].emitted, kind: "formula", text: shown(shapes[0].emitted, 3) },
        ...runs.map((run) => point(run, run.emitted, say("point_tokens", { value: shown(run.emitted, 2) }))),
      ],
      said: say("plot_said", { value: shown(shapes[0].emitted, 2), rate: shown(alpha, 2) }),
    });
  }

  drawNodes({ by_nodes: by, shapes }) {
    const best = shapes.find(({ id }) => id === "best");
    const most = Math.max(1.2, ...by.chain, ...by.tree.filter((value) => value !== null)) * 1.08;
    /** @type {import("../../shared/plots/axes.js").Rule[]} */
    const rules = [{ y: 1, text: say("rule_even"), className: "lab-rule-even" }];
    if (by.best)
      rules.push({ x: by.best, text: say("rule_best", { best: by.best, speed_up: shown(by.best_speed_up, 2) }) });
    const points = [
      { x: shapes[0].num_nodes, y: shapes[0].speed_up, kind: "formula", text: `${shown(shapes[0].speed_up, 3)}×` },
    ];
    if (best.num_nodes)
      points.push({ x: best.num_nodes, y: best.speed_up, kind: "formula", text: `${shown(best.speed_up, 3)}×` });
    this.nodes.show({
      x: { title: say("axis_nodes"), low: 1, high: by.x[by.x.length - 1], ticks: NODE_TICKS },
      y: { title: say("shape_speed_up"), low: 0, high: most, ticks: roundTicks(most) },
      lines: [
        { name: say("line_chain"), className: "lab-line-kseq", dash: "2 3", x: by.x, y: by.chain },
        { name: say("line_tree"), className: "lab-line-rsd", x: by.x, y: by.tree },
      ],
      points,
      rules,
      said: say("rule_best", { best: by.best, speed_up: shown(by.best_speed_up, 2) }),
    });
  }

  drawCost({ cost }) {
    const runs = this.runs.list().filter((run) => run.verify_step_s && run.verify_s && run.nodes);
    const growth = (run) => run.verify_s / run.verify_step_s;
    const most = Math.max(2, ...cost.y, ...runs.map(growth)) * 1.05;
    const high = Math.round(cost.x[cost.x.length - 1]);
    const ticks = CALL_TICKS.filter(([size]) => Number(size) <= high);
    const rules =
      cost.free === null
        ? []
        : [
            {
              x: Math.max(1, cost.free),
              text: say(cost.free >= 1 ? "rule_free" : "rule_free_none", { nodes: Math.floor(cost.free) }),
            },
          ];
    this.cost.show({
      x: { title: say("axis_call"), low: 1, high, ticks, log: true },
      y: { title: say("axis_growth"), low: 0, high: most, ticks: roundTicks(most) },
      lines: [{ name: say("line_growth"), className: "lab-line-rsd", x: cost.x, y: cost.y }],
      points: [
        ...cost.sizes.map(([x, y]) => ({ x, y, kind: "measured", text: `${x}: ${shown(y, 2)}` })),
        ...runs.map((run) => ({
          x: Math.max(1, run.nodes),
          y: growth(run),
          kind: "measured",
          text: `${run.title}: ${shown(growth(run), 2)}`,
        })),
      ],
      rules,
      note: [cost.note, ...(runs.length ? [say("cost_note_measured")] : [])].join(" "),
    });
  }

  /** The sliders as a run measured them, as far as it tells. */
  take(run) {
    const said = [];
    for (const { name, symbol, value, text } of measuredBy(run)) {
      const [low, high] = SLIDERS[name];
      this.controls[name].input.value = Math.min(high, Math.max(low, value));
      if (text) said.push(text);
      if (symbol && (value > high || value < low)) said.push(say("taken_capped", { name: symbol }));
      if (name === "per_node") this.kind.value = "straight";
    }
    setText(this.taken, say("taken", { title: legible(run.title), what: said.join(", ") }));
    this.changed();
  }

  query() {
    const state = Object.fromEntries(Object.keys(SLIDERS).map((name) => [name, brief(this.number(name))]));
    return queryOf("speed", { ...state, nodes_cost: this.kind.value, bytes: this.bytes.value, ...this.load.state() });
  }

  follow(query) {
    if (!query) return;
    for (const [name, [low, high]] of Object.entries(SLIDERS))
      this.controls[name].input.value = numberIn(query, name, low, high, this.number(name));
    if (COSTS.includes(query.get("nodes_cost"))) this.kind.value = query.get("nodes_cost");
    this.load.follow(query);
    if (BYTES.includes(query.get("bytes"))) this.bytes.value = query.get("bytes");
    const title = query.get("log"); // The rates are those of a server's log.
    if (title)
      this.tell(
        title,
        ["alpha", "draft_length", "cost_ratio"].filter((name) => query.get(name)),
      );
  }

  /** Say where the values of these sliders are from. */
  tell(title, names) {
    const said = { alpha: "taken_alpha", draft_length: "taken_length", cost_ratio: "taken_cost" };
    const of = (value) => ({ alpha: shown(value, 2), length: value, cost: shown(value, 2) });
    const what = names.map((name) => say(said[name], of(this.number(name)))).join(", ");
    setText(this.taken, say("taken", { title: legible(title), what }));
  }
}

/** Values of sliders that a run has measured, each with what is said of it. */
function measuredBy(run) {
  const [first, ...later] = run.passing || [];
  const child = later.findIndex((value) => value !== null); // the first known beyond the first
  // of a single draft: the first, where a node had several
  const alpha = child >= 0 ? first : run.chain ? run.alpha : null;
  const all = [
    alpha === null
      ? null
      : { name: "alpha", symbol: "α", value: alpha, text: say("taken_alpha", { alpha: shown(alpha, 2) }) },
    ...later.map((value, i) => ({ name: "passing_" + (i + 2), value, text: i === child ? say("taken_passing") : "" })),
    ...costsOf(run),
  ];
  return all.filter((each) => each !== null && each.value !== null);
}

/** Cost of the run's draft calls and of its further nodes, in target calls on one node. */
function costsOf({ chain, length, draft_s: draft, verify_s: verify, verify_step_s: one, nodes }) {
  const cost = one && draft ? draft / one : null;
  const each = one && verify && nodes > 1 ? (verify / one - 1) / (nodes - 1) : null;
  return [
    chain && length
      ? { name: "draft_length", symbol: "γ", value: length, text: say("taken_length", { length }) }
      : null,
    cost === null
      ? null
      : { name: "cost_ratio", symbol: "c", value: cost, text: say("taken_cost", { cost: shown(cost, 2) }) },
    each === null
      ? null
      : { name: "per_node", symbol: "v", value: each, text: say("taken_nodes", { per_node: shown(each, 3) }) },
  ];
}

function point(run, y, what) {
  const text = say("point_text", { title: legible(run.title), alpha: shown(run.alpha, 2), what });
  return {
    x: run.alpha,
    y,
    kind: "measured",
    hollow: !run.chain,
    text: run.chain ? text : `${text} (${say("not_a_chain")})`,
  };
}

export const mount = (host, options) => new SpeedLab(host, options);
