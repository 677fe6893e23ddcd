/**
 * What the run has come to, at the foot of the stage: tokens, calls of the target model and what they replace, acceptance
 * by layer as it grows, and speed. The energy is there once a meter has read it.
 */

import { element, setAttribute, setText, svg } from "../../shared/elements.js";
import { term } from "../../shared/glossary/glossary.js";
import { decimal, percent } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";

const BAR = { width: 15, gap: 4, height: 24 };
const MOST = 10; // layers drawn
const TERMS = { tokens: "token", calls: "target_call", layers: "layer", speed: "speed_up", energy: "energy" };

/** @typedef {import("../trace/records.js").Round} Round */
/** @typedef {{tries: number, passed: number}} Layer */

export class Running {
  constructor() {
    this.root = element("dl", "sp-running", null, { "aria-label": say("running_label") });
    this.cells = {};
    for (const [name, word] of Object.entries(TERMS)) {
      const value = element("dd");
      const label = term(word, say("running_" + name));
      this.cells[name] = { value, label, root: element("div", "sp-run-" + name, null, { title: say("running_" + name + "_title") }, [value, element("dt", "", null, {}, [label])]) };
      this.root.appendChild(this.cells[name].root);
    }
    this.bars = this.cells.layers.value.appendChild(svg("svg", "sp-layers", null, { role: "img", height: BAR.height }));
    this.folded = new WeakMap(); // round -> its layers and those of all rounds before it
  }

  show(trace, step) {
    const totals = step && step.kind !== "start" ? step.totals : null;
    const { tokens, calls, speed, energy } = this.cells;
    setText(tokens.value, totals ? String(totals.tokens) : "–");
    setText(calls.value, totals ? String(totals.target_calls) : "–");
    setText(tokens.label, say(totals?.tokens === 1 ? "running_token" : "running_tokens"));
    const called = totals?.target_calls === 1 ? "running_call" : "running_calls";
    setText(calls.label, totals && totals.tokens > totals.target_calls ? say(called + "_of", { tokens: totals.tokens }) : say(called));
    setText(speed.value, totals ? decimal(totals.tokens_per_second, totals.tokens_per_second < 10 ? 1 : 0) : "–");
    const joules = step && step.kind === "finished" ? trace.finished.energy?.joules : null;
    energy.root.hidden = typeof joules !== "number";
    if (!energy.root.hidden) setText(energy.value, decimal(joules, 1) + " J");
    this.cells.layers.root.hidden = !trace.run?.tests || !trace.rounds.some((round) => round.layers.length);
    if (!this.cells.layers.root.hidden) this.draw(this.upTo(trace, step));
  }

  /**
   * The layers of the rounds that the step has ended.
   * @returns {Layer[]}
   */
  upTo(trace, step) {
    const over = trace.rounds.slice(0, step ? step.totals.rounds : 0);
    const newest = over[over.length - 1];
    if (!newest) return [];
    if (!this.folded.has(newest)) {
      // Rounds come in order, so that only the new ones are folded.
      let before = [];
      for (const round of over) {
        if (!this.folded.has(round)) this.folded.set(round, withRound(before, round, trace.run.tests));
        before = this.folded.get(round);
      }
    }
    return this.folded.get(newest);
  }

  /** @param {Layer[]} layers */
  draw(layers) {
    const shown = layers.slice(0, MOST);
    const stamp = JSON.stringify(shown);
    if (stamp === this.drawn) return;
    this.drawn = stamp;
    const { width, gap, height } = BAR;
    const rates = shown.map(({ tries, passed }) => (tries ? passed / tries : null));
    setAttribute(this.bars, "width", Math.max(1, shown.length) * (width + gap));
    setAttribute(this.bars, "aria-label", rates.map((rate, i) => say("running_layer", { layer: i + 1, rate: percent(rate) })).join(", ") || say("running_layers_none"));
    this.bars.replaceChildren(
      ...rates.flatMap((rate, i) => {
        const tall = rate === null ? 0 : Math.max(1, rate * height);
        const title = svg("title", "", say("running_layer_title", { layer: i + 1, rate: percent(rate), ...shown[i] }));
        return [
          svg("rect", "sp-layer-track", null, { x: i * (width + gap), y: 0, width, height, rx: 2 }, [title]),
          svg("rect", "sp-layer-bar", null, { x: i * (width + gap), y: height - tall, width, height: tall, rx: Math.min(2, tall / 2), "pointer-events": "none" }),
        ];
      }),
    );
  }
}

/**
 * The layers with those of one more round. A try is what the rule tests, see playground/metrics/acceptance.py: a position
 * that was reached; a judged draft, where layers are filled; a drafted one, where whole prefixes are kept or dropped.
 *
 * @param {Layer[]} layers
 * @param {Round} round
 * @param {string} tests
 */
function withRound(layers, round, tests) {
  const sum = layers.map((layer) => ({ ...layer }));
  for (const { number, draws } of round.layers) {
    while (sum.length < number) sum.push({ tries: 0, passed: 0 });
    const judged = draws.filter((draw) => draw.verdict && draw.verdict.outcome !== "unjudged");
    const accepted = judged.filter((draw) => draw.verdict?.outcome === "accepted");
    const places = (some) => new Set(some.map((draw) => draw.node.parent)).size;
    const [tries, passed] =
      tests === "prefixes" ? [draws.length, accepted.length] : tests === "layers" ? [judged.length, accepted.length] : [places(judged), places(accepted)];
    sum[number - 1].tries += tries;
    sum[number - 1].passed += passed;
  }
  return sum;
}
