/**
 * Where the two rows are from, if from a run, and what became of the tokens that are not among them.
 *
 * Taking tokens together raises the shared mass: min(p1, q1) + min(p2, q2) <= min(p1 + p2, q1 + q2), equal only where p
 * and q lean the same way on both. A trace keeps the shared mass over the whole vocabulary, so two tokens that stand
 * for all others, one preferred by p and one by q, can share what the others share; see the player's position.js.
 */

import { element, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { brief, numberIn } from "../address.js";
import { shown } from "../choices.js";

const NEAR = 0.0001; // the trace has its probabilities to 4 digits

export class Origin {
  constructor() {
    this.root = element("p", "lab-limit lab-origin", null, { hidden: "" });
    this.from = null;
  }

  /**
   * `from`: {round, after} or {} when it came by a link; exact: shared mass over all tokens; lumped: how many tokens,
   * the last ones, are the rest.
   */
  set(from) {
    this.from = from && { ...from, edited: false };
    this.root.hidden = !from;
  }

  edit() {
    if (this.from) this.from.edited = true;
  }

  show(found, names) {
    if (!this.from) return;
    const { round, after, exact, lumped, several, edited } = this.from;
    const sentences = [round ? say("from_node", { round, after }) : say("from_link")];
    if (several) sentences.push(say("own_laws"));
    if (edited) sentences.push(say("edited"));
    else if (!lumped) sentences.push(say("not_lumped"));
    else sentences.push(...this.lumping(found, names, exact));
    setText(this.root, sentences.join(" "));
  }

  lumping(found, names, exact) {
    const last = names.length - 1;
    const here = found.overlap.reduce((sum, value) => sum + value, 0);
    const mass = (place) => ({ other: names[place], p: shown(found.target[place]), q: shown(found.draft[place]) });
    const apart = this.from.lumped > 1 ? mass(last - 1) : null;
    const sentences = [
      apart
        ? say("lumped_apart", {
            over: apart.other,
            p: apart.p,
            q: apart.q,
            under: mass(last).other,
            p2: mass(last).p,
            q2: mass(last).q,
          })
        : say("lumped", mass(last)),
    ];
    if (exact !== null && exact !== undefined)
      sentences.push(
        say(here - exact < NEAR ? "lumped_exact" : "lumped_more", {
          exact: shown(exact),
          here: shown(here),
        }),
      );
    if (found.num_drafts > 1)
      sentences.push(say(apart ? "lumped_apart_drafts" : "lumped_drafts", { other: names[last] }));
    return sentences;
  }

  query() {
    return this.from && !this.from.edited
      ? { exact: this.from.exact === null ? null : brief(this.from.exact), lumped: this.from.lumped }
      : {};
  }
}

/** The lab's state for a position that the player hands over. */
export const fromNode = ({ names, p, q, drafts, rule, exact, lumped, several, round, after }) => ({
  names,
  p,
  q,
  drafts,
  rule,
  origin: { exact, lumped, several, round, after },
});

export function originIn(query) {
  if (query.get("lumped") === null) return null;
  return { exact: numberIn(query, "exact", 0, 1, null), lumped: numberIn(query, "lumped", 0, 2, 0) };
}
