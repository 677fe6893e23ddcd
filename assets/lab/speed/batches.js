/**
 * Batches measured here: a press runs them on the server until Stop, and what is measured is shown next to the
 * estimate.
 *
 *   const measured = new MeasuredBatches(ask, {length, changed, use})   .root   .points(draftLength)
 *   length()       draft length to measure
 *   changed()      called when there are new points
 *   use(results)   called when the reader wants the measured costs in the estimate
 *
 * The table "rows by step" shows one batch: in each row a sequence, in each column a call of the target, in each cell
 * how many drafts were accepted. A row is idle from its end to that of the longest.
 */

import { element, empty, pressButton, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { Measuring } from "../measuring.js";

export class MeasuredBatches {
  constructor(ask, { length, changed, use }) {
    this.measuring = new Measuring(ask, {
      title: say("batch_measure"),
      what: say("batch_what"),
      request: () => ({ type: "batches", draft_length: length() }),
      show: (known) => known.sizes && this.show(known),
    });
    this.changed = changed;
    /** @type {any} */
    this.results = null;
    this.use = pressButton("lab-chip", say("batch_use"), () => use(this.results), { hidden: "" });
    this.said = element("p", "sp-quiet");
    this.facts = element("ul", "lab-batch-facts");
    this.caption = element("p", "sp-quiet");
    this.head = element("tr");
    this.body = element("tbody");
    const table = element("table", "lab-batch-rows", [element("thead", "", [this.head]), this.body]);
    const region = { tabindex: 0, role: "region", "aria-label": say("batch_rows"), hidden: "" };
    this.box = element("div", "lab-table-box", [table], region);
    this.root = element("section", "sp-panel lab-measured-batches", [
      element("h2", "sp-panel-title", say("batch_title")),
      this.measuring.root,
      this.said,
      element("div", "lab-presets", [this.use]),
      this.facts,
      this.caption,
      this.box,
    ]);
  }

  show(results) {
    this.results = results;
    const { draft_length: length, repeats, all_repeats: all, rate } = results;
    setText(
      this.said,
      say(repeats < all ? "batch_so_far" : "batch_measured", { length, repeats, all, rate: decimal(rate, 2) }),
    );
    empty(this.facts);
    for (const fact of factsOf(results)) this.facts.append(element("li", "", fact));
    this.use.hidden = this.box.hidden = false;
    this.drawRows(results);
    this.changed();
  }

  drawRows({ rows }) {
    const steps = Math.max(...rows.map(({ accepted }) => accepted.length));
    const most = Math.max(1, ...rows.flatMap(({ accepted }) => accepted));
    setText(this.caption, say("batch_caption", { batch: rows.length, steps }));
    empty(this.head);
    empty(this.body);
    const heads = [say("batch_row"), ...Array.from({ length: steps }, (_, i) => String(i + 1)), say("batch_clock")];
    this.head.append(...heads.map((text) => element("th", "", text, { scope: "col" })));
    rows.forEach(({ accepted, clock_s }, i) => {
      const cells = Array.from({ length: steps }, (_, step) => cell(accepted[step], most));
      const clock = element("td", "lab-batch-clock", `${decimal(1000 * clock_s, 0)} ms`);
      this.body.append(element("tr", "", [element("th", "", String(i + 1), { scope: "row" }), ...cells, clock]));
    });
  }

  /** Points of the plot by batch size; none where the estimate is of another draft length. */
  points(length) {
    if (!this.results || this.results.draft_length !== length) return [];
    return this.results.sizes.map(({ size, ratio, low, high }) => ({
      x: size,
      y: ratio,
      low,
      high,
      kind: "measured",
      text: said({ size, ratio, low, high }),
    }));
  }
}

/** A step of a row: how many drafts were accepted; idle after its end. */
function cell(accepted, most) {
  if (accepted === undefined) return element("td", "lab-batch-idle", "–", { title: say("batch_idle") });
  const share = Math.round((100 * accepted) / most);
  return element("td", "lab-batch-step", String(accepted), { style: `--share: ${share}%` });
}

const said = ({ size, ratio, low, high }) =>
  say(low === null ? "batch_ratio_only" : "batch_ratio", {
    size,
    ratio: decimal(ratio, 2),
    low: decimal(low ?? 0, 2),
    high: decimal(high ?? 0, 2),
  });

/** Sentences: each size's ratio, where drafting pays and where not, and what the batch costs. */
function factsOf({ sizes, padding }) {
  const listed = (such) =>
    sizes
      .filter(such)
      .map(({ size }) => size)
      .join(", ");
  const verdicts = {
    batch_pays: listed(({ low }) => low !== null && low > 1),
    batch_loses: listed(({ high }) => high !== null && high < 1),
    batch_open: listed(({ low, high }) => low !== null && low <= 1 && high >= 1),
  };
  const last = sizes[sizes.length - 1];
  const cost = {
    batch: last.size,
    plain: decimal(1000 * last.plain_step_s, 1),
    drafted: decimal(1000 * last.drafted_step_s, 1),
    outside: decimal(100 * last.outside, 0),
    idle: decimal(100 * last.idle, 0),
    positions: decimal(100 * padding.positions, 0),
    seconds: decimal(padding.seconds, 2),
  };
  return [
    sizes.map(said).join("; "),
    ...Object.entries(verdicts)
      .filter(([, which]) => which)
      .map(([key, which]) => say(key, { sizes: which })),
    say("batch_step", cost),
    say("batch_padding", cost),
  ];
}
