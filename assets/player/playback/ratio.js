/** Ratio of a run to plain decoding of the same prompt and seed: one number, and the times it is made of. */

import { element, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { totalsOver } from "../trace/trace.js";

const FIRST_ROUND = 3; // earlier a ratio says nothing
const EVEN = [0.95, 1.05]; // about as fast, of a single run of each; see metrics/quotient.py

export class Ratio {
  constructor() {
    this.number = element("b", "sp-ratio-number");
    this.said = element("span", "sp-ratio-said");
    this.root = element("p", "sp-ratio", null, { hidden: "" }, [this.number, this.said]);
    /** @type {number[] | null} seconds at which plain decoding had each token */
    this.plain = null;
    /** @type {number[] | null} seconds at the end of each round, in the median of several such runs */
    this.again = null;
    /** @type {import("../../page/messages.js").Beside | null} all runs of both, as wholes */
    this.beside = null;
  }

  /** @param {number[] | null} plain @param {number[] | null} [again] @param {Ratio["beside"]} [beside] */
  load(plain, again = null, beside = null) {
    this.plain = plain && plain.length ? plain : null;
    this.again = again;
    this.beside = beside;
    this.root.hidden = !this.plain;
  }

  /**
   * The ratio over these rounds of the run, and whether it is about as fast; over all of them by all runs.
   *
   * @param {import("../trace/records.js").Totals | null} totals
   */
  over(totals) {
    if (this.beside && this.beside.tokens === totals?.tokens) {
      return { ...this.beside, ratio: this.beside.plain_ms / this.beside.ms };
    }
    const clock_s = this.again?.[(totals?.rounds ?? 0) - 1];
    return compare(this.plain, totals && clock_s ? { ...totals, clock_s } : totals);
  }

  /** @param {any} trace @param {any} step */
  show(trace, step) {
    const totals = totalsOver(trace, step);
    const isDue = totals && totals.tokens > 1 && (totals.rounds >= FIRST_ROUND || step.kind === "finished");
    const ratio = isDue ? this.over(totals) : null;
    const isWhole = ratio !== null && "low" in ratio;
    setText(this.number, ratio ? decimal(ratio.ratio, isWhole ? 2 : 1) + "×" : "");
    setText(this.said, !ratio ? "" : isWhole ? rangeOf(/** @type {any} */ (ratio)) : say("ratio_said", ratio));
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
  const ratio = plainMs / ms;
  return { tokens: totals.tokens, ms, plain_ms: plainMs, ratio, even: EVEN[0] <= ratio && ratio <= EVEN[1] };
}

/** @param {import("../../page/messages.js").Beside} beside */
function rangeOf(beside) {
  return say(beside.even ? "ratio_said_even" : "ratio_said_range", {
    ...beside,
    ms: decimal(beside.ms, 0),
    plain_ms: decimal(beside.plain_ms, 0),
    low: decimal(beside.low, 2),
    high: decimal(beside.high, 2),
  });
}
