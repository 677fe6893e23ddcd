/**
 * Two rows of shares, a slider and a number for each token. A row sums to 1: when one share is moved, the others keep
 * their proportions, so that the fields show the values that are used.
 *
 *   new Editor(changed, {drafts, most, presets})   .root
 *   .set({names, p, q, drafts})   .value() -> {names, p, q, drafts}
 *   changed(what)   what was changed: "drafts", "rows", or "example" where an example took their place
 *
 * `drafts` names the slider of the number of drafts, which goes up to `most`. A field shows three digits of a share
 * that came from elsewhere; what counts is the share as it came, until the reader changes the row.
 */

import { element, empty, pressButton, setText, visible } from "../shared/elements.js";
import { tableAround } from "../shared/tables/plain.js";
import { say } from "../shared/words.js";
import { PRESETS } from "./choices.js";

const MOST = 8;
const ROUNDED = 0.002; // what rounding elsewhere may leave of 1

export class Editor {
  constructor(changed, { drafts = say("drafts"), most = 6, presets: offered = PRESETS } = {}) {
    this.changed = changed;
    this.drafts = labelled(
      drafts,
      element("input", "lab-drafts sp-range", null, { type: "range", min: 1, max: most, step: 1 }),
    );
    this.drafts.input.addEventListener("input", () => this.tell("drafts"));
    this.rows = element("tbody");
    this.table = tableAround("lab-rows", [say("token"), say("target"), say("draft")], [this.rows]);
    this.add = chipButton("+", say("add"), () => this.resize(1));
    this.remove = chipButton("−", say("remove"), () => this.resize(-1));
    this.note = element("p", "sp-quiet lab-note");
    const presets = element("div", "lab-presets", null, { role: "group", "aria-label": say("presets") });
    for (const [key, p, q, count] of offered)
      presets.appendChild(
        chipButton(
          say(key),
          say(key),
          () => {
            this.set({ p, q, drafts: count });
            this.tell("example");
          },
          "lab-chip",
        ),
      );
    const size = element("div", "lab-size", [element("span", "", say("rows_tokens")), this.remove, this.add]);
    this.root = element("section", "sp-panel lab-editor", [presets, this.drafts.root, this.table, size, this.note]);
  }

  /** @param {{names?: string[], p: number[], q: number[], drafts?: number}} rows */
  set({ names, p, q, drafts }) {
    this.names = names || null;
    empty(this.rows);
    const [shares, offers] = [p, q].map(asShares);
    shares.forEach((_, i) => this.addRow(shares[i], offers[i]));
    if (drafts) this.drafts.input.value = drafts;
    this.showDrafts();
    this.fit();
  }

  addRow(p, q) {
    const i = this.rows.children.length;
    const name = this.names && this.names[i] !== undefined ? this.names[i] : String.fromCharCode(97 + i);
    const label = element("th", "lab-token", null, { scope: "row" });
    label.textContent = visible(name, 14);
    const cells = [
      ["p", p, say("target")],
      ["q", q, say("draft")],
    ].map(([row, value, title]) => {
      const slider = element("input", "sp-range lab-slider lab-" + row, null, {
        type: "range",
        min: 0,
        max: 1,
        step: 0.001,
        "aria-label": `${title}, ${name}`,
      });
      const number = element("input", "lab-number", null, {
        type: "number",
        min: 0,
        max: 1,
        step: 0.01,
        "aria-label": `${title}, ${name}`,
      });
      const cell = element("td", "", null, { "data-row": row }, [slider, number]);
      write(cell, value);
      slider.addEventListener("input", () => {
        write(cell, Number(slider.value));
        this.balance(row, cell);
      });
      number.addEventListener("input", () => {
        write(cell, Math.min(1, Math.max(0, Number(number.value) || 0)), number);
        this.balance(row, cell);
      });
      number.addEventListener("change", () => write(cell, share(cell)));
      return cell;
    });
    this.rows.appendChild(element("tr", "", [label, ...cells]));
  }

  cells(row) {
    return Array.from(
      this.rows.children,
      (line) => /** @type {HTMLElement} */ (line.querySelector(`[data-row="${row}"]`)),
    );
  }

  /** The other shares of a row make room for the one that was moved, in their proportions; evenly where all are 0. */
  balance(row, moved) {
    const others = this.cells(row).filter((cell) => cell !== moved);
    const [sum, left] = [others.reduce((all, cell) => all + share(cell), 0), 1 - share(moved)];
    if (sum > 0 || left < 1)
      others.forEach((cell) => write(cell, sum > 0 ? (share(cell) * left) / sum : left / others.length));
    this.tell("rows");
  }

  resize(step) {
    const now = this.rows.children.length;
    if (step > 0 && now < MOST) this.addRow(0.1, 0.1);
    if (step < 0 && now > 2) this.rows.lastElementChild?.remove();
    for (const row of ["p", "q"]) {
      const cells = this.cells(row);
      const shares = asShares(cells.map(share));
      cells.forEach((cell, i) => write(cell, shares[i]));
    }
    this.fit();
    this.tell("rows");
  }

  fit() {
    const now = this.rows.children.length;
    this.add.disabled = now >= MOST;
    this.remove.disabled = now <= 2;
  }

  showDrafts() {
    setText(this.drafts.output, this.drafts.input.value);
  }

  tell(what) {
    this.showDrafts();
    this.changed(what);
  }

  value() {
    const numbers = (row) => this.cells(row).map(share);
    const names = Array.from(this.rows.children, (line) => line.children[0].textContent);
    return { names, p: numbers("p"), q: numbers("q"), drafts: Number(this.drafts.input.value) };
  }

  /** Marks the tokens of the set that limits. */
  mark(found) {
    setText(this.note, say("sums"));
    const limiting = new Set(found.limit ? found.limit.tokens : []);
    Array.from(this.rows.children).forEach((line, i) => line.classList.toggle("lab-limits", limiting.has(i)));
  }
}

const share = (cell) => Number(cell.dataset.share);

/** A share into its slider and its field; not into the one that is being typed in. */
function write(cell, value, typed) {
  const [slider, number] = cell.children;
  cell.dataset.share = value;
  slider.value = value;
  slider.style.setProperty("--sp-share", (100 * value).toFixed(1) + "%");
  if (number !== typed) number.value = Number(value).toFixed(3);
}

/** Weights as shares; those that sum to 1 but for rounding stay as they came, and so do those that sum to nothing. */
function asShares(weights) {
  const finite = weights.map((value) => (Number.isFinite(Number(value)) && Number(value) > 0 ? Number(value) : 0));
  const sum = finite.reduce((all, value) => all + value, 0);
  return sum > 0 && Math.abs(sum - 1) > ROUNDED ? finite.map((value) => value / sum) : finite;
}

/** A labelled control with its value next to it: {root, input, output}. */
export function labelled(name, input) {
  const output = element("output", "lab-output");
  const root = element("label", "lab-field", [element("span", "", name), input, output]);
  return { root, input, output };
}

export function chipButton(text, title, pressed, className) {
  return pressButton(className || "lab-step", text, pressed, { title, "aria-label": title });
}

/** Names and what they mean, folded: also for a finger, which has no tooltips. */
export function helps(title, named) {
  const list = element("dl", "lab-helps");
  for (const [name, help] of named) list.append(element("dt", "", name), element("dd", "", help));
  return element("details", "lab-more", [element("summary", "", title), list]);
}

/** Choices of a select: each value with the word under its key, which begins with `prefix`. */
export const choicesOf = (prefix, values) => values.map((value) => [value, say(prefix + value)]);

export function selectBox(name, choices, changed) {
  const select = element("select", "lab-select", null, { "aria-label": name });
  for (const [value, title] of choices) select.appendChild(element("option", "", title, { value }));
  select.addEventListener("change", () => changed(select.value));
  return select;
}
