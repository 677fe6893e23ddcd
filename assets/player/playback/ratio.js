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
    /** @type {number[] | null} seconds at the end of each round, in the fastest of several such runs */
    this.again = null;
  }

  /** @param {number[] | null} plain @param {number[] | null} [again] */
  load(plain, again = null) {
    this.plain = plain && plain.length ? plain : null;
    this.again = again;
    this.root.hidden = !this.plain;
  }

  /** The ratio over these rounds of the run. @param {import("../trace/records.js").Totals | null} totals */
  over(totals) {
    const clock_s = this.again?.[(totals?.rounds ?? 0) - 1];
    return compare(this.plain, totals && clock_s ? { ...totals, clock_s } : totals);
  }

  /** @param {any} trace @param {any} step */
  show(trace, step) {
    const totals = totalsOver(trace, step);
    const isDue = totals && totals.tokens > 1 && (totals.rounds >= FIRST_ROUND || step.kind === "finished");
    const ratio = isDue ? this.over(totals) : null;
    setText(this.number, ratio ? decimal(ratio.ratio, 1) + "×" : "");
    setText(this.said, ratio ? say(this.again ? "ratio_said_fastest" : "ratio_said", ratio) : "");
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
