/**
 * Why a draw was accepted, rejected or not tested: one sentence per code of a trace's `reasons`.
 *
 * The sentences are in languages/en.json, which playground/trace/reasons.py reads too. A code may be several, joined
 * by "+". A test that passed and one that failed have one sentence, as the outcome is shown next to it.
 */

import { say, words } from "../../shared/words.js";

/**
 * The reason as sentences; of a code that no entry is for, its own words.
 *
 * @param {string} code
 * @param {Record<string, number>} [values] of the places in the sentence
 */
export function reasonSentence(code, values = {}) {
  const shown = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(3))]));
  return code
    .split("+")
    .map((each) => each.replace(/^not_(?=below)/, ""))
    .map((each) => (`why_${each}` in words ? say(`why_${each}`, shown) : each.replaceAll("_", " ")))
    .filter(Boolean)
    .join(" ");
}
