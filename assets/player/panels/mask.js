/**
 * The attention mask of the round's target call: a row per token run, a column per token it may look back at.
 *
 * Tokens cached before the call are visible to every row and stand as one block on the left.
 */

import { element, empty, setAttribute, setText, svg, visible } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

const ROOM = 300; // px of the drawing while nobody looks at it
const LEFT = 78; // px for the tokens of the rows
const OVER = 46; // px by which a slanting token reaches over the last column
const LETTER = 15; // px a row needs at least for its token to be written beside it

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
    this.room = ROOM; // px the drawing may take
    this.cell = 0; // px
    this.top = 0;
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
    const round = step && step.round;
    const called = round && round.call && step.kind !== "drafted";
    const stamp = called ? round : null;
    const room = this.root.clientWidth || ROOM;
    if (this.stamp === stamp && this.room === room && this.note.textContent) return;
    this.stamp = stamp;
    this.room = room;
    this.round = called && round.call.mask ? round : null;
    empty(this.svg);
    this.cell = 0;
    this.svg.style.display = this.round ? "" : "none";
    if (!called) return setText(this.note, say("mask_none"));
    if (!round.call.mask)
      return setText(this.note, say("mask_missing") + " " + say("mask_cached", { cached: earlier(round.call) }));
    this.draw(round);
  }

  draw(round) {
    const rows = round.fed.length;
    const columns = round.columns.length;
    const block = 22; // the cached tokens, not to scale
    const fitting = (beside) => (this.room - beside - block - 4) / Math.max(columns, 1);
    const few = fitting(LEFT + OVER) >= LETTER;
    const left = few ? LEFT : 8;
    this.top = few ? 66 : 8;
    this.cell = Math.max(2, Math.min(24, fitting(few ? LEFT + OVER : 12)));
    const cell = this.cell;
    const gap = cell > 6 ? 1.5 : cell > 3 ? 0.5 : 0;
    this.origin = left + block + 4;
    this.total = { width: this.origin + columns * cell + (few ? OVER : 4), height: this.top + rows * cell + 6 };
    setAttribute(this.svg, "viewBox", `0 0 ${this.total.width} ${this.total.height}`);
    setAttribute(this.svg, "width", this.total.width);
    setAttribute(this.svg, "height", this.total.height);
    const caption = say(rows === 1 ? "mask_caption_one" : "mask_caption", { rows });
    setAttribute(this.svg, "aria-label", caption + " " + say("mask_cached", { cached: earlier(round.call) }));

    const filled = [];
    const open = [];
    round.call.mask.forEach((row, y) => {
      for (let x = 0; x < row.length; x++)
        (row[x] === "1" ? filled : open).push(
          `M${(this.origin + x * cell).toFixed(1)} ${(this.top + y * cell).toFixed(1)}h${(cell - gap).toFixed(1)}v${(cell - gap).toFixed(1)}h${(gap - cell).toFixed(1)}z`,
        );
    });
    this.svg.append(
      svg("path", "sp-cell-open", null, { d: open.join("") }),
      svg("path", "sp-cell", null, { d: filled.join("") }),
      svg(
        "rect",
        "sp-cached",
        null,
        { x: left, y: this.top, width: block - 2, height: Math.max(0, rows * cell - gap), rx: 3 },
        [svg("title", "", say("mask_cached", { cached: earlier(round.call) }))],
      ),
    );
    const middle = this.top + (rows * cell) / 2;
    this.svg.appendChild(
      svg("text", "sp-mask-count", "+" + earlier(round.call), {
        transform: `translate(${left + block / 2 - 1} ${middle})rotate(-90)`,
        "text-anchor": "middle",
        "dominant-baseline": "central",
      }),
    );
    if (few) {
      round.fed.forEach((node, y) =>
        this.svg.appendChild(
          svg("text", "sp-mask-label", visible(node.piece, 9), {
            x: left - 5,
            y: this.top + (y + 0.5) * cell,
            "text-anchor": "end",
            "dominant-baseline": "central",
          }),
        ),
      );
      round.columns.forEach((node, x) =>
        this.svg.appendChild(
          svg("text", "sp-mask-label", visible(node.piece, 9), {
            transform: `translate(${this.origin + (x + 0.5) * cell} ${this.top - 5})rotate(-50)`,
            "dominant-baseline": "central",
          }),
        ),
      );
    }
    this.mark = this.svg.appendChild(svg("path", "sp-cell-marked"));
    setText(this.note, caption + " " + say("mask_cached", { cached: earlier(round.call) }) + ".");
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

// Cached tokens that stand before the columns: a cached part of the live tail has columns of its own.
function earlier(call) {
  const fed = new Set(call.fed);
  return call.cached - call.columns.filter((node) => !fed.has(node)).length;
}
