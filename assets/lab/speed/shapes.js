/** Chains, trees and beams in a table, all by formula, and in words what follows for the chain. */

import { element, setText } from "../../shared/elements.js";
import { plainTable, scrollBox, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";
import { helps } from "../editor.js";
import { SHAPES, shown } from "../choices.js";

const COLUMNS = ["shape_nodes", "shape_levels", "shape_emitted", "shape_cost", "shape_speed_up"];

export class Shapes {
  constructor() {
    /** @type {Map<string, HTMLTableCellElement[]>} */
    this.lines = new Map();
    const lines = SHAPES.map((id) => {
      const cells = COLUMNS.map(() => element("td"));
      this.lines.set(id, cells);
      const name = element("th", "", say(`shape_${id}`), { scope: "row", title: say(`shape_${id}_help`) });
      return tableLine(name, cells, { "data-shape": id });
    });
    const table = plainTable(
      "lab-shapes",
      ["shape", ...COLUMNS].map((name) => say(name)),
      lines,
    );
    const box = scrollBox("lab-table-box", say("shapes_title"), [table]);
    this.verdict = element("p", "lab-limit");
    this.textbook = element("p", "sp-quiet");
    this.root = element("section", "sp-panel", [
      element("h2", "sp-panel-title", say("shapes_title")),
      element("p", "sp-quiet", say("shapes_note")),
      box,
      this.verdict,
      this.textbook,
      helps(
        say("shapes_formulas"),
        SHAPES.map((id) => [say(`shape_${id}`), say(`shape_${id}_help`)]),
      ),
    ]);
  }

  show(found, length) {
    for (const shape of found.shapes) {
      const emitted = shape.id === "beams" ? say("steps", { value: shown(shape.emitted, 2) }) : shown(shape.emitted, 3);
      const texts = [shape.num_nodes, shape.levels, emitted, shown(shape.cost, 2), shown(shape.speed_up, 2) + "×"];
      this.lines.get(shape.id)?.forEach((cell, i) => setText(cell, String(texts[i])));
    }
    const { chain, shapes } = found;
    const values = {
      length,
      speed_up: shown(shapes[0].speed_up, 2),
      cost: shown(shapes[0].cost, 2),
      most: Number(chain.most.toFixed(2)),
      break_even: chain.break_even === null ? "" : shown(chain.break_even, 3),
      best: chain.best_length,
      best_speed_up: shown(chain.best_speed_up, 2),
      textbook: shown(chain.textbook, 2),
      textbook_break_even: chain.textbook_break_even === null ? say("none") : shown(chain.textbook_break_even, 3),
      textbook_best: chain.textbook_best_length,
    };
    const first = chain.break_even === null ? "verdict_never" : "verdict_win";
    setText(
      this.verdict,
      say(first, values) + " " + say(chain.best_length ? "verdict_best" : "verdict_best_none", values),
    );
    setText(this.textbook, say("verdict_textbook", values));
  }
}
