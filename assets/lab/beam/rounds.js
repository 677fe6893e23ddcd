/** Whole rounds of DSBD, simulated: what each depth was offered, asked for and got, next to what the theorem says. */

import { element, empty, setText } from "../../shared/elements.js";
import { scrollBox, tableAround, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";
import { shown } from "../choices.js";

const percent = (share) => `${Math.round(100 * share)} %`;

export class Rounds {
  constructor() {
    this.note = element("p", "sp-quiet");
    this.body = element("tbody");
    const names = ["rounds_layer", "rounds_share", "rounds_draws", "rounds_widths", "rounds_accepted"];
    const table = tableAround(
      "lab-rounds",
      names.map((name) => say(name)),
      [this.body],
    );
    this.box = scrollBox("lab-table-box", say("rounds_title"), [table]);
    this.end = element("p", "lab-limit");
    this.root = element("section", "sp-panel lab-wide", [
      element("h2", "sp-panel-title", say("rounds_title")),
      this.note,
      this.box,
      this.end,
    ]);
  }

  /** `played` is null while the rounds are being played: what is shown then is of older sliders, and grey. */
  show(found, played, seed) {
    this.root.classList.toggle("lab-stale", !played);
    setText(this.note, played ? say("rounds_note", { runs: played.runs, seed }) : say("rounds_waiting"));
    if (!played) return;
    empty(this.body);
    played.layers.forEach((layer, i) => {
      const cells = layer.reached
        ? [
            percent(layer.share),
            shown(layer.num_draws, 1),
            layer.widths.map(([width, share]) => `${width} (${percent(share)})`).join(", "),
            `${shown(layer.accepted, 2)} ± ${shown(layer.noise, 2)}`,
          ]
        : [say("rounds_never"), "–", "–", "–"];
      this.body.append(tableLine(i + 1, cells));
    });
    const theorem = say(found.threshold ? "rounds_theorem" : "rounds_theorem_fixed", {
      layers: shown(found.layers, 2),
      layer: shown(found.layer, 2),
      full: shown(found.full, 2),
      full_layers: shown(found.full_layers, 2),
    });
    setText(
      this.end,
      say("rounds_end", { steps: shown(played.steps, 2), noise: shown(played.steps_noise, 2), theorem }),
    );
  }
}
