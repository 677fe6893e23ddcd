/**
 * What the run has come to, at the foot of the stage: tokens, calls of the target model and what they replace,
 * acceptance by depth as it grows, and speed. The energy is there once a meter has read it.
 */

import { element, setAttribute, setText, svg } from "../../shared/elements.js";
import { term } from "../../shared/glossary/glossary.js";
import { decimal, percent } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { Clocks } from "../playback/clocks.js";
import { acceptanceByDepth, rateOf } from "../trace/by_depth.js";
import { totalsOver } from "../trace/trace.js";

const BAR = { width: 15, gap: 4, height: 24 };
const MOST = 10; // depths drawn
const NOTHING = { tokens: 0, target_calls: 0, tokens_per_second: null }; // before the end of the first round
const TERMS = { tokens: "token", calls: "target_call", layers: "layer", speed: "speed_up", energy: "energy" };

/** @typedef {import("../trace/by_depth.js").Depth} Depth */

export class Running {
  constructor() {
    this.root = element("dl", "sp-running", null, { "aria-label": say("running_label") });
    this.clocks = new Clocks(); // above the stage
    this.cells = {};
    for (const [name, word] of Object.entries(TERMS)) {
      const value = element("dd");
      const label = term(word, say("running_" + name));
      this.cells[name] = {
        value,
        label,
        root: element("div", "sp-run-" + name, null, { title: say("running_" + name + "_title") }, [
          value,
          element("dt", "", null, {}, [label]),
        ]),
      };
      this.root.appendChild(this.cells[name].root);
    }
    this.bars = this.cells.layers.value.appendChild(svg("svg", "sp-layers", null, { role: "img", height: BAR.height }));
  }

  show(trace, step) {
    this.clocks.show(trace, step);
    const totals = totalsOver(trace, step);
    this.count(totals ?? NOTHING);
    for (const name of ["layers", "speed"]) this.cells[name].root.classList.toggle("sp-run-unknown", !totals);
    const joules = step && step.kind === "finished" ? trace.finished.energy?.joules : null;
    const { energy, layers } = this.cells;
    energy.root.hidden = typeof joules !== "number";
    if (!energy.root.hidden) setText(energy.value, decimal(joules, 1) + " J");
    layers.root.hidden = !trace.run?.tests || !trace.rounds.some((round) => round.layers.length);
    if (!layers.root.hidden) this.draw(acceptanceByDepth(trace, step));
  }

  count({ tokens: emitted, target_calls: called, tokens_per_second: rate }) {
    const { tokens, calls, speed } = this.cells;
    setText(tokens.value, String(emitted));
    setText(tokens.label, say(emitted === 1 ? "running_token" : "running_tokens"));
    setText(calls.value, String(called));
    const word = called === 1 ? "running_call" : "running_calls";
    setText(calls.label, emitted > called ? say(word + "_of", { tokens: emitted }) : say(word));
    setText(speed.value, decimal(rate, (rate ?? 0) < 10 ? 1 : 0));
  }

  /** @param {Depth[]} depths */
  draw(depths) {
    const shown = depths.slice(0, MOST);
    const stamp = JSON.stringify(shown);
    if (stamp === this.drawn) return;
    this.drawn = stamp;
    const { width, gap, height } = BAR;
    const rates = shown.map(rateOf);
    setAttribute(this.bars, "width", Math.max(1, shown.length) * (width + gap));
    setAttribute(
      this.bars,
      "aria-label",
      rates.map((rate, i) => say("running_layer", { layer: i + 1, rate: percent(rate) })).join(", ") ||
        say("running_layers_none"),
    );
    this.bars.replaceChildren(
      ...rates.flatMap((rate, i) => {
        const tall = rate === null ? 0 : Math.max(1, rate * height);
        const title = svg("title", "", say("running_layer_title", { layer: i + 1, rate: percent(rate), ...shown[i] }));
        return [
          svg("rect", "sp-layer-track", null, { x: i * (width + gap), y: 0, width, height, rx: 2 }, [title]),
          svg("rect", "sp-layer-bar", null, {
            x: i * (width + gap),
            y: height - tall,
            width,
            height: tall,
            rx: Math.min(2, tall / 2),
            "pointer-events": "none",
          }),
        ];
      }),
    );
  }
}
