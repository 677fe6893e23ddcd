/**
 * Who would have been best at each position: a text of the target, with bars under every token, one for each drafter,
 * as high as the probability that one draft of it is accepted there. Below it the same by kind of text.
 *
 *   const p = mount(host, {ask});  p.show(value)   // what studies/positions.py says
 */

import { plainTable, tableLine } from "../../shared/tables/plain.js";
import { Asking } from "../asking.js";
import { queryOf } from "../address.js";
import { element, empty, fillPiece, quoted, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { BarChart } from "../../shared/plots/bars.js";
import { phrase, say } from "../../shared/words.js";

const REJECTS_FEWEST = "speculative_sampling"; // of all rules that test single drafts
const WEIGHED = 5; // tokens of the linear program in Khisti et al. 2025
const SIZES = [1, 2, 3, 4, 5, 10, 20, 50, 100, Infinity]; // the most tokens of each bar of the histogram
const percent = (rate) => Math.round(100 * rate) + " %";

export class Positions {
  constructor(host, { ask }) {
    this.value = null;
    this.asking = new Asking(ask);
    /** @type {number | null} the drafter whose best positions are shown alone */
    this.only = null;
    this.text = chooser(() => this.draw());
    this.rule = chooser(() => this.draw());
    this.names = element("ul", "sr-drafters");
    this.strip = element("ol", "sr-strip");
    this.kinds = element("div", "sp-table-box", null, {
      tabindex: 0,
      role: "region",
      "aria-label": say("positions_kind"),
    });
    this.recorded = element("p", "sp-quiet lab-source");
    this.numbers = element("div", "sp-table-box", null, {
      tabindex: 0,
      role: "region",
      "aria-label": say("positions_table"),
    });
    this.alphabet = new BarChart();
    this.alphabetSaid = element("p", "sp-quiet");
    const folded = element("details", "sp-chart-table", [element("summary", "", say("positions_table")), this.numbers]);
    const fields = [
      ["text", this.text],
      ["rule", this.rule],
    ].map(([name, field]) => element("label", "", say("positions_" + name) + " ", {}, [/** @type {Node} */ (field)]));
    this.full = element("div", "sr-positions-full", null, { hidden: "" }, [
      element("div", "sr-positions-fields", fields),
      this.names,
      this.strip,
      folded,
      element("h3", "sr-title", say("positions_kind")),
      element("p", "sp-quiet", say("positions_kind_caption")),
      this.kinds,
      element("p", "sp-quiet", say("positions_rejections_note")),
      element("h3", "sr-title", say("positions_alphabet")),
      this.alphabetSaid,
      this.alphabet.root,
      this.recorded,
    ]);
    this.root = element(
      "section",
      "spec-player spec-results spec-positions",
      null,
      { "aria-label": say("positions_title") },
      [
        element("h2", "sr-title", say("positions_title")),
        element("p", "sp-quiet", say("positions_how")),
        this.asking.root,
        this.full,
      ],
    );
    empty(host);
    host.appendChild(this.root);
    this.asking.want({ type: "positions" }, (value) => this.show(value));
  }

  query() {
    return queryOf("positions", {});
  }

  show(value) {
    this.value = { ...value, drafters: value.drafters.map(named) };
    this.full.hidden = false;
    setText(this.recorded, value.recorded);
    const options = value.texts.map(({ prompt }, i) =>
      element("option", "", say("positions_item", { number: i + 1, text: quoted(prompt) }), { value: i }),
    );
    const kinds = [...new Set(value.texts.map(({ kind }) => kind))];
    this.text.replaceChildren(
      ...kinds.map((kind) =>
        element(
          "optgroup",
          "",
          null,
          { label: say("positions_kinds_" + kind) },
          options.filter((_, i) => value.texts[i].kind === kind),
        ),
      ),
    );
    this.rule.replaceChildren(
      ...Object.keys(value.means).map((rule) => element("option", "", say("positions_" + rule), { value: rule })),
    );
    this.drawAlphabet();
    this.draw();
  }

  draw() {
    const { drafters, texts } = this.value;
    const { prompt, pieces, acceptance } = texts[Number(this.text.value)];
    const rates = drafters.map(({ word }) => acceptance[this.rule.value][word]);
    const best = pieces.map((_, at) => bestOf(rates.map((each) => each[at])));
    this.drawNames(rates, best);
    const tokens = pieces.map((piece, at) =>
      this.token(
        piece,
        rates.map((each) => each[at]),
        best[at],
      ),
    );
    this.strip.replaceChildren(element("li", "sr-strip-prompt sp-quiet", prompt), ...tokens);
    this.mark();
    const heads = [say("positions_token"), ...drafters.map(({ title }) => title)];
    this.numbers.replaceChildren(
      table(
        heads,
        pieces.map((piece, at) => [quoted(piece), ...rates.map((each) => percent(each[at]))]),
      ),
    );
    this.drawKinds();
  }

  drawNames(rates, best) {
    const items = this.value.drafters.map(({ title }, i) => {
      const count = best.filter((each) => each === i).length;
      const said = [
        say("positions_mean", { rate: percent(mean(rates[i])) }),
        say("positions_best", { count, all: best.length }),
        ...(this.rule.value === REJECTS_FEWEST ? [say("positions_rejections", { count: rejections(rates[i]) })] : []),
      ].join(", ");
      const button = element(
        "button",
        "sr-drafter",
        null,
        {
          type: "button",
          "aria-pressed": String(this.only === i),
          title: say("positions_only", { title }),
          "data-drafter": i,
        },
        [
          element("b", "", i + 1),
          element("i", "", null, { "aria-hidden": "true" }),
          element("span", "", title),
          element("span", "sp-quiet", said),
        ],
      );
      button.addEventListener("click", () => {
        this.only = this.only === i ? null : i;
        this.mark();
      });
      return element("li", "", [button]);
    });
    this.names.replaceChildren(...items);
  }

  token(piece, rates, best) {
    const titles = this.value.drafters.map(({ title }) => title);
    const sentence = say("positions_told", {
      piece: quoted(piece).slice(1, -1),
      rates: rates.map((rate, i) => say("positions_rate", { title: titles[i], rate: percent(rate) })).join(", "),
      best: titles[best],
    });
    const bars = rates.map((rate, i) =>
      element("i", i === best ? "sr-is-best" : "", null, {
        "data-drafter": i,
        style: `height: ${(100 * rate).toFixed(1)}%`,
      }),
    );
    const word = element("span", "sr-strip-piece");
    fillPiece(word, piece, (name, text) => element("span", name, text));
    return element("li", "sr-strip-token", null, { title: sentence, "data-best": best }, [
      word,
      element("span", "sr-strip-bars", null, { role: "img", "aria-label": sentence }, bars),
      element("b", "", best + 1, { "aria-hidden": "true" }),
    ]);
  }

  /** Highlight the positions of one drafter. */
  mark() {
    for (const button of this.names.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.drafter === String(this.only)));
    for (const token of this.strip.querySelectorAll(".sr-strip-token"))
      token.classList.toggle(
        "sr-is-other",
        this.only !== null && /** @type {HTMLElement} */ (token).dataset.best !== String(this.only),
      );
  }

  /** The effective alphabet of both models, over all texts: Khisti et al. 2025, Figures 5 to 7. */
  drawAlphabet() {
    const { texts, top_p } = this.value;
    const [target, draft] = ["target", "draft"].map((of) => texts.flatMap(({ alphabet }) => alphabet[of]));
    const few = (numbers) => percent(mean(numbers.map((n) => Number(n <= WEIGHED))));
    const about = { count: WEIGHED, top_p, target: few(target), draft: few(draft) };
    setText(this.alphabetSaid, say("positions_alphabet_said", about));
    const indices = SIZES.map((_, i) => i + 1);
    const kind = (name, look, numbers) => {
      const values = histogram(numbers);
      const said = values.map((rate, i) => `${name}, ${RANGES[i]}: ${percent(rate)}`);
      return { name, look, at: indices, values, said, low: [], high: [] };
    };
    this.alphabet.show(
      {
        axis: "depth",
        x: say("positions_alphabet_x"),
        y: say("positions_alphabet_y"),
        places: indices,
        kinds: [kind(say("word_target_model"), "target", target)],
        strokes: kind(say("word_draft_model"), "draft", draft),
        below: [],
        share: false,
        empty: "",
        labels: SIZES.map((most) => (most === Infinity ? "∞" : String(most))),
      },
      say("positions_alphabet"),
    );
  }

  drawKinds() {
    const { drafters, means } = this.value;
    const rows = Object.entries(means[this.rule.value]).map(([kind, of]) => {
      const rates = drafters.map(({ word }) => of[word]);
      const best = bestOf(rates);
      return [
        kind === "all" ? say("positions_all") : say("positions_kinds_" + kind),
        ...rates.map((rate, i) => percent(rate) + (i === best ? " ★" : "")),
      ];
    });
    this.kinds.replaceChildren(
      table([say("positions_kind_of"), ...drafters.map(({ title }, i) => `${i + 1} ${title}`)], rows),
    );
  }
}

/** Share of the numbers in each bar of the histogram of `SIZES`. */
function histogram(numbers) {
  const inside = SIZES.map((most, i) => numbers.filter((n) => n <= most && n > (SIZES[i - 1] ?? 0)).length);
  return inside.map((count) => count / (numbers.length || 1));
}

/** "1", "6–10", "> 100": the range of each bar. */
const RANGES = SIZES.map((most, i) => {
  const least = (SIZES[i - 1] ?? 0) + 1;
  if (most === Infinity) return `> ${least - 1}`;
  return least === most ? String(most) : `${least}–${most}`;
});

/** A drafter with its title in the reader's language, as the menu of drafters has it. */
const named = ({ word, title }) => ({
  word,
  title: phrase(word === "draft" ? "draft_model" : `drafter_${word}`, title),
});

/** Expected rejections in a text: Σ 1 − the overlap of p and q. */
const rejections = (overlaps) =>
  decimal(
    overlaps.reduce((sum, each) => sum + 1 - each, 0),
    1,
  );

const mean = (rates) => rates.reduce((sum, each) => sum + each, 0) / (rates.length || 1);

/** Index of the largest; of equal ones the first. */
const bestOf = (rates) => rates.indexOf(Math.max(...rates));

function chooser(changed) {
  const select = element("select");
  select.addEventListener("change", changed);
  return select;
}

const table = (heads, rows) =>
  plainTable(
    "sp-table",
    heads,
    rows.map(([name, ...cells]) => tableLine(name, cells)),
  );

export const mount = (host, wishes) => new Positions(host, wishes);
