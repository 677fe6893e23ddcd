/**
 * The attention mask of the round's target call: a row per token run, a column per token it may look back at.
 *
 * Tokens cached before the call are visible to every row and are one block on the left.
 */

import { element, setAttribute, setText, shownWidth, svg, visible } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { calledAt } from "../trace/records.js";

const DEFAULT_WIDTH = 300; // px of the drawing while it is hidden
const LEFT = 78; // px for the tokens of the rows
const OVER = 46; // px that a slanted token extends past the last column
const CACHED = 22; // px of the cached tokens, which are not to scale
const LETTER = 15; // px a row needs at least for its token to be written next to it

/** @typedef {import("../trace/records.js").Round} Round */

export class Mask {
  constructor(at) {
    this.root = element("section", "sp-panel sp-mask");
    this.root.appendChild(element("h3", "sp-panel-title", say("mask_label")));
    this.note = this.root.appendChild(element("p", "sp-quiet"));
    this.svg = this.root.appendChild(svg("svg", "sp-mask-grid", null, { role: "img" }));
    /** @type {Round | null} */
    this.round = null;
    this.stamp = null;
    this.room = DEFAULT_WIDTH; // px the drawing may take
    this.cell = 0; // px
    this.left = this.top = this.gap = 0;
    this.origin = 0; // px from the left to the first column
    this.total = { width: 0, height: 0 };
    /** @type {Element | null} */
    this.mark = null;
    const nodeAt = (event) => {
      if (!this.round || !this.cell) return null;
      const box = this.svg.getBoundingClientRect();
      const y = ((event.clientY - box.top) / box.height) * this.total.height - this.top;
      return this.round.fed[Math.floor(y / this.cell)] || null;
    };
    this.svg.addEventListener("pointermove", (event) => event.pointerType !== "touch" && at.point(nodeAt(event)));
    this.svg.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && at.point(null));
    this.svg.addEventListener("click", (event) => at.pick(nodeAt(event)));
  }

  clear() {
    this.show(null);
  }

  show(step) {
    const called = calledAt(step);
    const clientWidth = shownWidth(this.root) || DEFAULT_WIDTH;
    if (this.stamp === called && this.room === clientWidth && this.note.textContent) return;
    this.stamp = called;
    this.room = clientWidth;
    this.round = called?.call?.mask ? called : null;
    this.svg.replaceChildren();
    this.cell = 0;
    this.svg.style.display = this.round ? "" : "none";
    if (this.round) return this.draw(this.round);
    setText(this.note, called ? say("mask_missing") + " " + cached(called) : say("mask_none"));
  }

  draw(round) {
    const rows = round.fed.length;
    const caption = say("mask_caption", { rows }) + " " + cached(round);
    const named = this.measure(rows, round.columns.length);
    setAttribute(this.svg, "aria-label", caption);
    this.drawCells(round.call.mask);
    this.drawCached(round, rows);
    if (named) this.nameTokens(round);
    this.mark = this.svg.appendChild(svg("path", "sp-cell-marked"));
    setText(this.note, caption + ".");
  }

  /** Fits the grid into the room; gives whether tokens have room for their names. */
  measure(rows, columns) {
    const fitting = (beside) => (this.room - beside - CACHED - 4) / Math.max(columns, 1);
    const named = fitting(LEFT + OVER) >= LETTER;
    this.left = named ? LEFT : 8;
    this.top = named ? 66 : 8;
    this.cell = Math.max(2, Math.min(24, fitting(named ? LEFT + OVER : 12)));
    this.gap = this.cell > 6 ? 1.5 : this.cell > 3 ? 0.5 : 0;
    this.origin = this.left + CACHED + 4;
    const width = this.origin + columns * this.cell + (named ? OVER : 4);
    this.total = { width, height: this.top + rows * this.cell + 6 };
    setAttribute(this.svg, "viewBox", `0 0 ${width} ${this.total.height}`);
    setAttribute(this.svg, "width", width);
    setAttribute(this.svg, "height", this.total.height);
    return named;
  }

  drawCells(mask) {
    const { cell, gap, origin, top } = this;
    const side = (cell - gap).toFixed(1);
    const square = (x, y) =>
      `M${(origin + x * cell).toFixed(1)} ${(top + y * cell).toFixed(1)}h${side}v${side}h${(gap - cell).toFixed(1)}z`;
    const paths = { 0: "", 1: "" };
    mask.forEach((row, y) => {
      for (let x = 0; x < row.length; x++) paths[row[x] === "1" ? 1 : 0] += square(x, y);
    });
    this.svg.append(svg("path", "sp-cell-open", null, { d: paths[0] }), svg("path", "sp-cell", null, { d: paths[1] }));
  }

  /** The tokens cached before the call: one block, with their number. */
  drawCached(round, rows) {
    const { left, top, cell, gap } = this;
    const size = { x: left, y: top, width: CACHED - 2, height: Math.max(0, rows * cell - gap), rx: 3 };
    const number = {
      transform: `translate(${left + CACHED / 2 - 1} ${top + (rows * cell) / 2})rotate(-90)`,
      "text-anchor": "middle",
      "dominant-baseline": "central",
    };
    this.svg.append(
      svg("rect", "sp-cached", null, size, [svg("title", "", cached(round))]),
      svg("text", "sp-mask-count", "+" + earlier(round.call), number),
    );
  }

  nameTokens(round) {
    const { left, top, cell, origin } = this;
    const name = (node, attributes) =>
      this.svg.appendChild(
        svg("text", "sp-mask-label", visible(node.piece, 9), { "dominant-baseline": "central", ...attributes }),
      );
    round.fed.forEach((node, y) => name(node, { x: left - 5, y: top + (y + 0.5) * cell, "text-anchor": "end" }));
    round.columns.forEach((node, x) =>
      name(node, { transform: `translate(${origin + (x + 0.5) * cell} ${top - 5})rotate(-50)` }),
    );
  }

  /** Marks what the node may attend to. */
  highlight(node) {
    if (!this.round || !this.round.call?.mask || !this.mark) return;
    const y = node ? this.round.fed.indexOf(node) : -1;
    if (y < 0) return setAttribute(this.mark, "d", "");
    const row = this.round.call.mask[y];
    const { cell, origin, top } = this;
    const cells = Array.from(row, (flag, x) =>
      flag === "1" ? `M${origin + x * cell} ${top + y * cell}h${cell - 0.5}v${cell - 0.5}h${0.5 - cell}z` : "",
    );
    setAttribute(this.mark, "d", cells.join(""));
  }
}

const cached = (round) => say("mask_cached", { cached: earlier(round.call) });

// Cached tokens before the columns: a cached part of the live tail has columns of its own.
function earlier(call) {
  const fed = new Set(call.fed);
  return call.num_cached - call.columns.filter((node) => !fed.has(node)).length;
}
