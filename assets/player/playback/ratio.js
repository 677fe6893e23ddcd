/** Ratio of a run to plain decoding of the same prompt and seed: one number, and the two times it is made of. */

import { element, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { totalsOver } from "../trace/trace.js";

const FIRST_ROUND = 3; // earlier a ratio says nothing

export class Ratio {
  constructor() {
    this.number = element("b", "sp-ratio-number");
    this.said = element("span", "sp-ratio-said");
    this.root = element("p", "sp-ratio", null, { hidden: "" }, [this.number, this.said]);
    /** @type {number[] | null} seconds at which plain decoding had each token */
    this.plain = null;
    this.isFastest = false; // of several runs
  }

  /** @param {number[] | null} plain @param {boolean} [isFastest] */
  load(plain, isFastest = false) {
    this.plain = plain && plain.length ? plain : null;
    this.isFastest = isFastest;
    this.root.hidden = !this.plain;
  }

  /** @param {any} trace @param {any} step */
  show(trace, step) {
    const totals = totalsOver(trace, step);
    const isDue = totals && totals.tokens > 1 && (totals.rounds >= FIRST_ROUND || step.kind === "finished");
    const ratio = isDue ? compare(this.plain, totals) : null;
    setText(this.number, ratio ? decimal(ratio.ratio, 1) + "×" : "");
    setText(this.said, ratio ? say(this.isFastest ? "ratio_said_fastest" : "ratio_said", ratio) : "");
  }
}

/**
 * Milliseconds that a run and plain decoding took for the same number of tokens, and their quotient: all that the page
 * says about it comes from here. Null where no such run is kept, or no token is there.
 *
 * @param {number[] | null} plain seconds at which plain decoding had each token
 * @param {import("../trace/records.js").Totals | null} totals of the run
 */
export function compare(plain, totals) {
  if (!plain || !totals?.tokens || !(totals.clock_s > 0)) return null;
  const count = Math.min(plain.length, totals.tokens); // it may have ended sooner; then its rate counts
  const plainMs = Math.round((1000 * plain[count - 1] * totals.tokens) / count);
  const ms = Math.max(1, Math.round(1000 * totals.clock_s));
  return { tokens: totals.tokens, ms, plain_ms: plainMs, ratio: plainMs / ms };
}
