/**
 * Bit for bit: greedy texts beside plain decoding's, letter by letter, and the two logits behind the first difference.
 *
 *   new Greedy(ask)   .root
 *
 * Two cards, one for each kind of products, show what was recorded until the reader measures here.
 */

import { element, legible } from "../../shared/elements.js";
import { plainTable, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";
import { choicesOf, selectBox } from "../editor.js";
import { Measuring } from "../measuring.js";

const PRODUCTS = ["own", "torch"];
const WORDS = { own: "", torch: " --dtype bfloat16" }; // They end the command that recorded it.
const CALLS = ["plain", "speculative"];
const DIGITS = 7; // A logit is written with all that float32 has.

export class Greedy {
  constructor(ask) {
    /** @type {any} its values are those of the question */
    this.products = selectBox(say("greedy_products"), choicesOf("greedy_", PRODUCTS), () => {});
    /** @type {any} */
    this.pair = selectBox(say("greedy_models"), [], () => {});
    /** @type {Record<string, HTMLElement>} */
    this.cards = Object.fromEntries(PRODUCTS.map((each) => [each, element("section", "lab-greedy-card")]));
    this.measuring = new Measuring(ask, {
      title: say("greedy_start"),
      what: say("greedy_what"),
      request: () => {
        this.measured = this.products.value;
        return { type: "greedy", pair: this.pair.value, products: this.measured };
      },
      show: (known) => this.show(this.measured, known, say("greedy_here")),
    });
    const fields = [
      [say("greedy_models"), this.pair],
      [say("greedy_products"), this.products],
    ].map(([name, box]) => element("label", "lab-named", [element("span", "", name), box]));
    this.root = element("section", "sp-panel lab-greedy", [
      element("h2", "sp-panel-title", say("greedy_title")),
      element("p", "", say("greedy_about")),
      element("div", "lab-findings", Object.values(this.cards)),
      element("div", "lab-asked", fields),
      this.measuring.root,
    ]);
    this.measuring.asking.answer({ type: "greedy_recorded" }).then((found) => found && this.build(found));
  }

  build({ recorded, pairs }) {
    for (const pair of pairs)
      this.pair.append(element("option", "", say(`greedy_${pair.replace("-", "_")}`), { value: pair }));
    for (const products of PRODUCTS) {
      const { machine, on, target } = recorded[products];
      const source = say("greedy_recorded", {
        machine: machine.processor,
        on,
        format: target.dtype,
        words: WORDS[products],
      });
      this.show(products, recorded[products], source);
    }
  }

  show(products, known, source) {
    const { done, letters, letters_differ: differ, texts_differ: differing, first } = known;
    const count = (number) => number.toLocaleString("en");
    const numbers = { prompts: done, letters: count(letters), differ: count(differ) };
    const parts = [
      element("h3", "lab-finding-title", say(`greedy_${products}`)),
      element("p", "lab-greedy-count", say("greedy_count", numbers)),
      first ? difference(first, products, differing) : element("p", "", say("greedy_same")),
      element("p", "sp-quiet", source),
    ];
    this.cards[products].replaceChildren(...parts);
    this.cards[products].dataset.caught = String(Boolean(first));
  }
}

/** The two texts up to the first letter that differs, and the logits of the two tokens in either call. */
function difference(first, products, differing) {
  const lines = CALLS.map((call) =>
    tableLine(
      say(`greedy_${call}`, { rows: first.rows[call] }),
      first.logits[call].map((logit, token) => {
        const isWritten = call === CALLS[token];
        return element("td", isWritten ? "lab-greedy-written" : "", shortest(logit) + (isWritten ? " ✓" : ""));
      }),
    ),
  );
  const heads = ["", ...CALLS.map((call) => `“${legible(first.pieces[call])}”`)];
  const texts = CALLS.map((call) =>
    element("p", "lab-greedy-text", [
      element("span", "sp-quiet", say(`greedy_writes_${call}`)),
      `…${legible(first.before)}`,
      element("mark", "", legible(first.pieces[call])),
    ]),
  );
  const step = 2 ** (Math.floor(Math.log2(Math.abs(first.logits.plain[0]))) - 7); // bfloat16 has 8 significant bits
  return element("div", "", [
    element(
      "p",
      "",
      say("greedy_where", {
        texts: differing,
        letter: first.letter,
        token: first.token,
        prompt: legible(first.prompt),
      }),
    ),
    ...texts,
    plainTable("lab-greedy-logits", heads, lines),
    element("p", "sp-quiet", say(products === "torch" ? "greedy_step" : "greedy_moved", { step })),
  ]);
}

const shortest = (value) => String(Number(value.toPrecision(DIGITS)));
