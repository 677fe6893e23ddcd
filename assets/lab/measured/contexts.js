/**
 * Acceptance and the price of a call by the length of the text: two plots, beside the reader's own runs.
 *
 *   const contexts = new Contexts(ask)   .root   .offer({pairs, recorded})
 *
 * What was recorded of a pair is shown until the reader measures here.
 */

import { element, legible, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { roundTicks } from "../../shared/plots/axes.js";
import { Plot } from "../../shared/plots/plot.js";
import { session } from "../../shared/session.js";
import { say } from "../../shared/words.js";
import { selectBox } from "../editor.js";
import { Measuring } from "../measuring.js";

const DRAFT_LENGTH = 4;
const RATE_TICKS = [0, 0.25, 0.5, 0.75, 1].map((value) => [value, String(value)]);

export class Contexts {
  constructor(ask) {
    /** @type {any} its values are those of the question */
    this.pair = selectBox(say("contexts_models"), [], (pair) => this.open(pair));
    this.measuring = new Measuring(ask, {
      title: say("contexts_start"),
      what: say("contexts_what"),
      request: () => ({ type: "contexts", pair: this.pair.value, draft_length: DRAFT_LENGTH }),
      show: (known) => this.show(known, say("contexts_here")),
    });
    this.rates = new Plot(say("contexts_rates"));
    this.prices = new Plot(say("contexts_prices"));
    this.verdict = element("p", "lab-verdict");
    this.source = element("p", "sp-quiet");
    this.pictures = element("div", "lab-findings", [this.rates.root, this.prices.root], { hidden: "" });
    this.root = element("section", "sp-panel lab-contexts", [
      element("h2", "sp-panel-title", say("contexts_title")),
      element("p", "", say("contexts_about")),
      element("div", "lab-asked", [
        element("label", "lab-named", [element("span", "", say("contexts_models")), this.pair]),
      ]),
      this.measuring.root,
      this.verdict,
      this.source,
      this.pictures,
    ]);
    this.session = session;
    session.heard(() => this.known && this.show(this.known, this.source.textContent));
  }

  offer({ pairs, recorded }) {
    this.recorded = recorded;
    const choices = pairs.map((pair) =>
      element("option", "", say(`contexts_${pair.replace("-", "_")}`), { value: pair }),
    );
    this.pair.replaceChildren(...choices);
    this.open(pairs[0]);
  }

  open(pair) {
    const known = this.recorded[pair];
    this.pictures.hidden = !known;
    for (const part of [this.verdict, this.source]) setText(part, "");
    if (known) this.show(known, say("contexts_recorded", { machine: known.machine.processor, on: known.on }));
  }

  show(known, source) {
    this.known = known;
    const { points, reads, change, target } = known;
    if (!points.length) return;
    this.pictures.hidden = false;
    setText(this.source, source);
    const x = points.map(({ length }) => length);
    const axis = { title: say("contexts_x"), low: x[0] / 2, high: 1.06 * Math.max(...x, 2 * x[0]), log: true };
    const ticks = { ...axis, ticks: x.map((length) => [length, length.toLocaleString("en")]) };
    this.drawRates(ticks, known);
    this.drawPrices(ticks, known);
    const [first, last] = [points[0], points[points.length - 1]];
    const limits = say(target === "bundled target" ? "contexts_trained" : "contexts_reads", { reads });
    setText(this.verdict, change ? `${verdict(change, first, last)} ${limits}` : "");
  }

  drawRates(x, { points, target, texts, positions }) {
    const runs = this.session.runs.filter((run) => run.chain && run.target === target);
    this.rates.show({
      x,
      y: { title: say("contexts_rate"), low: 0, high: 1, ticks: RATE_TICKS },
      ...curve(points, say("contexts_overlap"), "rate", "low", "high"),
      points: runs
        .filter(({ context = 0 }) => context >= x.low && context <= x.high)
        .map((run) => ({
          x: run.context,
          y: run.alpha,
          kind: "measured",
          text: say("contexts_run", { title: legible(run.title), rate: decimal(run.alpha, 2), length: run.context }),
        })),
      note: say("contexts_rates_note", { texts, positions }),
    });
  }

  drawPrices(x, { points, draft_length: length }) {
    const most = Math.max(2, ...points.map((point) => point.price_high)) * 1.05;
    this.prices.show({
      x,
      y: { title: say("contexts_price", { tokens: length + 1 }), low: 0, high: most, ticks: roundTicks(most) },
      ...curve(points, say("contexts_ratio", { tokens: length + 1 }), "price", "price_low", "price_high"),
      rules: [{ y: 1, text: say("contexts_one"), className: "lab-rule-even" }],
      note: points
        .map((point) => say("contexts_step", { length: point.length, ms: decimal(point.step_ms, 2) }))
        .join("; "),
    });
  }
}

/** A line of the points with its interval around it. */
function curve(points, name, value, low, high) {
  const x = points.map(({ length }) => length);
  const column = (key) => points.map((point) => point[key]);
  return {
    lines: [{ name, className: "lab-line-rsd", x, y: column(value) }],
    bands: [{ name: say("contexts_interval"), className: "lab-band", x, low: column(low), high: column(high) }],
  };
}

/** Change of acceptance and price from the first length to the last, and whether that is more than chance. */
function verdict({ value, low, high }, first, last) {
  const signed = (number) => (number < 0 ? "−" : "+") + decimal(Math.abs(number), 3);
  const kind = low > 0 ? "rises" : high < 0 ? "falls" : "stays";
  const prices = { price: decimal(first.price, 2), last_price: decimal(last.price, 2) };
  const interval = { value: signed(value), low: signed(low), high: signed(high) };
  const lengths = { first: first.length, last: last.length };
  return [say(`contexts_${kind}`, { ...interval, ...lengths }), say("contexts_costs", { ...prices, ...lengths })].join(
    " ",
  );
}
