/** Every scheme's exact acceptance as a bar, in groups by how the drafts are made; and what sets the limit. */

import { element, setAttribute, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { helps } from "../editor.js";
import { SCHEMES, shown } from "../choices.js";

export class Bars {
  constructor() {
    this.note = element("p", "sp-quiet");
    this.limit = element("p", "lab-limit");
    this.chain = element("p", "sp-quiet");
    this.bars = new Map(); // scheme -> {fill, number}
    this.root = element("section", "sp-panel lab-bars", [
      element("h2", "sp-panel-title", say("bars_title")),
      this.note,
    ]);
    for (const { group, schemes } of SCHEMES) {
      const list = element("div", "lab-group", null, { role: "list", "aria-label": say(`schemes_${group}`) });
      this.root.append(element("h3", "lab-group-title", say(`schemes_${group}`)), list);
      list.append(...schemes.map((id) => this.bar(id)));
    }
    const named = SCHEMES.flatMap(({ group, schemes }) =>
      schemes.map((id) => [
        say("bars_scheme", { title: say(`scheme_${id}`), group: say(`schemes_${group}`) }),
        say(`scheme_${id}_help`),
      ]),
    );
    this.root.append(this.limit, this.chain, helps(say("bars_schemes"), named));
  }

  bar(id) {
    const help = say(`scheme_${id}_help`);
    const fill = element("span", "lab-fill" + (id.startsWith("optimal_") ? " lab-best" : ""));
    const number = element("span", "lab-value");
    const name = element("span", "lab-name", say(`scheme_${id}`), { title: help });
    this.bars.set(id, { fill, number });
    return element("div", "lab-bar", null, { role: "listitem", "data-scheme": id, title: help }, [
      name,
      element("span", "lab-track", [fill]),
      number,
    ]);
  }

  show(found, names) {
    setText(this.note, say("bars_note", { k: found.num_drafts }));
    for (const [id, { fill, number }] of this.bars) {
      const value = found.schemes[id];
      fill.style.width = `${100 * (value || 0)}%`;
      setText(number, shown(value));
      setAttribute(number, "title", value === null || value === undefined ? "" : Number(value).toPrecision(12));
    }
    const { limit, chain } = found;
    const accepted = { length: chain.draft_length, token: shown(chain.by_token), block: shown(chain.by_block) };
    setText(this.chain, say("bars_chain", accepted));
    const tokens = limit.tokens.map((i) => names[i]).join(", ");
    setText(
      this.limit,
      say(limit.tokens.length ? "limit" : "limit_none", {
        k: found.num_drafts,
        power: "⁰¹²³⁴⁵⁶"[found.num_drafts],
        tokens,
        inside: shown(limit.all_inside),
        target: shown(limit.target),
        optimum: shown(limit.optimum),
      }),
    );
  }
}
