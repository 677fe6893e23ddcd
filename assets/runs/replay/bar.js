/**
 * A lane's bar: a cell per token and a block per call of the target, coloured by the token's origin, on the axis of
 * tokens that all lanes share. Tokens of the target's own carry a sign too: a diamond the correction, a dot the bonus.
 */

import { setAttribute, svg } from "../../shared/elements.js";

export const HEIGHT = 28; // px
const PENDING = "o"; // drafted, not verified yet
export const ORIGINS = { a: "accepted", c: "correction", b: "bonus", p: "plain" };

/** @typedef {{letter: string, round: number}} Cell a token's origin, and the index of the call that emitted it */

/**
 * Cells of the text after the first `done` rounds.
 * @param {import("../../page/messages.js").LaneRound[]} rounds
 * @returns {Cell[]}
 */
export function cellsBy(rounds, done) {
  /** @type {Cell[]} */
  const cells = [];
  rounds.slice(0, done).forEach(({ num_kept, words }, round) => {
    cells.splice(num_kept);
    for (const [, letter] of words) cells.push({ letter, round });
  });
  return cells;
}

/**
 * Paths of cells, by the letter of their origin; letters of cells after `late` rounds are capitals.
 * @param {Cell[]} cells
 * @param {{width: number, height?: number, late?: number}} size px of a token, px of the bar
 * @returns {Record<string, string>}
 */
export function paths(cells, { width, height = HEIGHT, late = Infinity }) {
  /** @type {Record<string, string>} */
  const drawn = {};
  cells.forEach(({ letter, round }, i) => {
    const ends = cells[i + 1]?.round !== round;
    const gap = ends ? Math.min(3, 0.3 * width) : Math.min(1, 0.1 * width);
    const name = round >= late ? letter.toUpperCase() : letter;
    drawn[name] = (drawn[name] || "") + cell(letter, i * width, width - gap, height);
  });
  return drawn;
}

/** A rectangle, with the sign of its origin as a hole where there is room for it. */
function cell(letter, x, width, height) {
  const [left, w, middle] = [round(x), round(width), round(x + width / 2)];
  const box = `M${left} 0h${w}v${height}h-${w}Z`;
  const r = round(Math.min(4, 0.32 * width));
  if (width < 5 || !"cb".includes(letter)) return box;
  const y = height / 2;
  return letter === "b"
    ? `${box}M${round(middle - r)} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`
    : `${box}M${middle} ${y - 1.4 * r}l${-r} ${1.4 * r}l${r} ${1.4 * r}l${r} ${-1.4 * r}Z`;
}

const round = (value) => Math.round(10 * value) / 10;

export class Bar {
  constructor() {
    this.root = svg("svg", "sr-track", null, { height: HEIGHT, width: "100%", "aria-hidden": "true" });
    /** @type {Record<string, SVGElement>} */
    this.parts = {};
    for (const [letter, origin] of Object.entries(ORIGINS)) {
      for (const each of [letter, letter.toUpperCase()]) {
        const late = each === letter ? "" : " sr-is-late";
        this.parts[each] = svg("path", `sr-cells sp-is-${origin}${late}`, null, { "fill-rule": "evenodd" });
      }
    }
    this.parts[PENDING] = svg("path", "sr-pending sp-is-pending");
    this.root.append(...Object.values(this.parts));
    this.last = () => {};
    new ResizeObserver(() => this.last()).observe(this.root);
  }

  /**
   * @param {Cell[]} cells
   * @param {{budget: number, pending?: number, late?: number}} scale `pending` is how many positions are drafted ahead
   */
  show(cells, { budget, pending = 0, late }) {
    this.last = () => {
      const width = this.root.clientWidth / (budget || 1);
      const drawn = paths(cells, { width, late });
      const ahead = Math.max(0, Math.min(pending, budget - cells.length));
      drawn[PENDING] = Array.from({ length: ahead }, (_, i) =>
        cell(PENDING, (cells.length + i) * width + 1, Math.max(0.5, width - 3), HEIGHT - 2),
      ).join("");
      for (const letter in this.parts) setAttribute(this.parts[letter], "d", drawn[letter] || "");
    };
    this.last();
  }
}

/** Positions that a round drafts ahead of the text: the depth of its tree. */
export function draftedAhead({ parents, states }) {
  /** @type {number[]} */
  const depth = [];
  parents.forEach((parent, i) => {
    depth.push(parent < 0 ? 0 : depth[parent] + ("axu".includes(states[i]) ? 1 : 0));
  });
  return Math.max(0, ...depth);
}
