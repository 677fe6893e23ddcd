/**
 * Beam width: two rows over the continuations of the beams, and how DSBD chooses how many beams a depth keeps.
 *
 *   mount(host, {ask})
 */

import { element, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { askedIn, brief, linkButton, numberIn, queryOf, rowIn } from "../address.js";
import { Asking } from "../asking.js";
import { Editor, labelled } from "../editor.js";
import { BEAM_PRESETS, shown } from "../choices.js";
import { Rounds } from "./rounds.js";
import { Chances, Rates } from "./widths.js";

const MOST_DRAWS = 12;
const SLIDERS = {
  threshold: [0, 1, 0.05, 0.7, "beam_threshold"],
  min_width: [1, 6, 1, 2, "beam_min"],
  num_layers: [1, 6, 1, 3, "beam_layers"],
};
const HIGHEST_SEED = 10000;

class BeamLab {
  constructor(host, { ask }) {
    this.asking = new Asking(ask);
    this.playing = new Asking(ask); // of its own: rounds are played while sliders may move again
    this.editor = new Editor(() => this.changed(), {
      drafts: say("beam_draws"),
      most: MOST_DRAWS,
      presets: BEAM_PRESETS,
    });
    this.controls = {};
    for (const [name, [min, max, step, value, title]] of Object.entries(SLIDERS)) {
      const control = labelled(
        say(title),
        element("input", "sp-range", null, { type: "range", min, max, step, "data-name": name }),
      );
      control.input.value = value;
      control.input.addEventListener("input", () => this.changed());
      this.controls[name] = control;
    }
    this.seed = element("input", "lab-number", null, {
      type: "number",
      min: 0,
      max: HIGHEST_SEED,
      step: 1,
      value: 0,
      "aria-label": say("beam_seed"),
    });
    this.seed.addEventListener("input", () => this.changed());
    const seed = element("label", "lab-field", [element("span", "", say("beam_seed")), this.seed]);
    const fields = element("div", "lab-fields", [...Object.values(this.controls).map((control) => control.root), seed]);
    fields.prepend(this.editor.drafts.root);
    this.editor.root.insertBefore(fields, this.editor.table);
    this.rates = new Rates();
    this.chances = new Chances();
    this.rounds = new Rounds();
    const answer = element("div", "lab-answer", [this.rates.root, this.chances.root]);
    this.root = element("div", "spec-player spec-lab spec-beam", null, { role: "group" }, [
      this.asking.root,
      this.playing.root,
      this.editor.root,
      answer,
      this.rounds.root,
      linkButton(() => this.query()),
    ]);
    host.appendChild(this.root);
    const [, p, q, drafts] = BEAM_PRESETS[0];
    this.editor.set(this.follow(askedIn("beam")) || { p, q, drafts });
    this.changed();
  }

  state() {
    const { p, q, drafts } = this.editor.value();
    const number = (name) => Number(this.controls[name].input.value);
    const seed = Math.min(HIGHEST_SEED, Math.max(0, Math.round(Number(this.seed.value) || 0)));
    return {
      target: p,
      draft: q,
      num_draws: drafts,
      threshold: number("threshold"),
      min_width: Math.min(drafts, number("min_width")),
      num_layers: number("num_layers"),
      seed,
    };
  }

  changed() {
    const state = this.state();
    for (const [name, { output }] of Object.entries(this.controls))
      setText(output, name === "threshold" ? shown(state[name], 2) : String(state[name]));
    this.played = this.rounded = null;
    this.asking.want({ type: "width", ...state }, (found) => {
      this.found = found;
      this.draw(state.seed);
    });
    const mine = (this.turn = {}); // simulations of older sliders are dropped
    const still = (show) => (played) => mine === this.turn && show(played);
    this.asking.later(
      { type: "depth", ...state },
      still((played) => {
        this.played = played;
        this.draw(state.seed);
      }),
    );
    this.playing.later(
      { type: "rounds", ...state },
      still((rounded) => {
        this.rounded = rounded;
        this.draw(state.seed);
      }),
    );
  }

  draw(seed) {
    if (!this.found) return;
    const { names } = this.editor.value();
    this.editor.mark(this.found);
    this.rates.show(this.found, names);
    this.chances.show(this.found, this.played, seed);
    this.rounds.show(this.found, this.rounded, seed);
  }

  query() {
    const { target, draft, ...rest } = this.state();
    const row = (values) => values.map(brief).join(",");
    return queryOf("beam", { p: row(target), q: row(draft), ...rest });
  }

  /** The rows that a link asks for; null where it has none. Sets the sliders too. */
  follow(query) {
    if (!query) return null;
    for (const [name, [low, high]] of Object.entries(SLIDERS))
      this.controls[name].input.value = numberIn(query, name, low, high, this.controls[name].input.value);
    this.seed.value = numberIn(query, "seed", 0, HIGHEST_SEED, 0);
    const [p, q, drafts] = [rowIn(query, "p"), rowIn(query, "q"), numberIn(query, "num_draws", 1, MOST_DRAWS, 6)];
    return p && q && p.length === q.length ? { p, q, drafts: Math.round(drafts) } : null;
  }
}

export const mount = (host, options) => new BeamLab(host, options);
