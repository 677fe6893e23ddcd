/**
 * The acceptance lab: two small distributions that one can drag, and what every rule makes of them.
 *
 *   const lab = mount(host, {ask})   ask(request) -> a promise of the server's answer, or of {error}
 *   lab.open({names, p, q, drafts, rule, curve, origin})   origin: see origin.js
 *
 * It begins with what the player hands over, else with what the page's address says, else with the first example.
 */

import { element } from "../../shared/elements.js";
import { HANDED_OVER, handed } from "../../shared/handed.js";
import { askedIn, brief, linkButton, numberIn, queryOf, rowIn } from "../address.js";
import { Asking } from "../asking.js";
import { Editor } from "../editor.js";
import { CURVES, PRESETS, RULES } from "../choices.js";
import { Bars } from "./bars.js";
import { CouplingView } from "./coupling.js";
import { Curves } from "./curves.js";
import { fromNode, Origin, originIn } from "./origin.js";

class AcceptanceLab {
  constructor(host, { ask }) {
    this.asking = new Asking(ask);
    this.editor = new Editor((what) => this.edited(what));
    this.bars = new Bars();
    this.full = new CouplingView(() => this.changed());
    this.curves = new Curves(
      () => this.askCurve(),
      (p, q) => this.take(p, q),
    );
    this.origin = new Origin();
    this.root = element("div", "spec-player spec-lab", null, { role: "group" }, [
      this.origin.root,
      this.asking.root,
      this.editor.root,
      this.bars.root,
      this.full.root,
      this.curves.root,
      linkButton(() => this.query()),
    ]);
    host.appendChild(this.root);
    const [, p, q, drafts] = PRESETS[0];
    if (!this.takeOver()) this.open(fromAddress() || { p, q, drafts });
    document.addEventListener(HANDED_OVER, () => this.takeOver());
    window.addEventListener("popstate", () => this.open(fromAddress())); // of the entry that Back or Forward lead to
  }

  /** Shows what the player hands over, if it does. */
  takeOver() {
    const position = handed();
    if (position) this.open(fromNode(position));
    return position !== null;
  }

  open(state) {
    if (!state) return;
    this.editor.set(state);
    if (state.rule) this.full.rule.value = state.rule;
    if (state.curve) this.curves.which.value = state.curve;
    this.origin.set(state.origin || null);
    this.changed();
  }

  edited(what) {
    if (what === "rows") this.origin.edit();
    if (what === "example") this.origin.set(null);
    this.changed();
  }

  changed() {
    this.asking.want({ type: "position", ...this.state() }, (found) => this.show(found));
    this.askCurve();
  }

  /** Two tokens with these rows, from the square of all such pairs. */
  take(p, q) {
    this.editor.set({ p, q });
    this.edited("example");
  }

  state() {
    const { p, q, drafts } = this.editor.value();
    return { target: p, draft: q, num_drafts: drafts, rule: this.full.rule.value };
  }

  show(found) {
    const { names } = this.editor.value();
    this.editor.mark(found);
    this.bars.show(found, names);
    this.full.show(found, names);
    this.origin.show(found, names);
  }

  /** 41 positions take longer than one: the curve waits until nothing was changed for a moment. */
  askCurve() {
    const curve = /** @type {any} one of those that the question offers */ (this.curves.which.value);
    this.asking.later({ type: "curve", curve, ...this.state() }, (answer) =>
      this.curves.show(answer, answer.value, this.state()),
    );
  }

  query() {
    const { names, p, q, drafts } = this.editor.value();
    const row = (values) => values.map(brief).join(",");
    const curve = this.curves.which.value;
    return queryOf("acceptance", {
      p: row(p),
      q: row(q),
      k: drafts,
      rule: this.full.rule.value,
      curve: curve === CURVES[0] ? null : curve,
      t: this.editor.names ? names : null,
      ...this.origin.query(),
    });
  }
}

export const mount = (host, options) => new AcceptanceLab(host, options);

/** The state that an address asks for; null where it asks for none or a damaged one. */
export function fromAddress(address) {
  const query = askedIn("acceptance", address);
  if (!query) return null;
  const [p, q, drafts] = [rowIn(query, "p"), rowIn(query, "q"), numberIn(query, "k", 1, 6, PRESETS[0][3])];
  if (!p || !q || p.length !== q.length) return null;
  const names = query.getAll("t");
  const known = (choices, name) => (choices.includes(query.get(name)) ? query.get(name) : null);
  return {
    p,
    q,
    drafts: Math.round(drafts),
    rule: known(RULES, "rule"),
    curve: known(CURVES, "curve"),
    names: names.length === p.length ? names : null,
    origin: originIn(query),
  };
}
