/**
 * A round's tree in miniature: one small sign per token, no text.
 *
 * Signs differ in shape as well as in colour: a disc is accepted, a cross rejected, a ring not tested, a diamond the
 * correction, a star the bonus, a square the target's own token.
 */

import { drawing, setAttribute, svg } from "../../shared/elements.js";
import { treeLayout } from "../../shared/plots/tree_layout.js";

const WIDTH = 190;
const HEIGHT = 64;
const MARGIN = 7;
const COLUMN = 27; // px from one depth to the next at most
const ROW = 13;
const EMITTED = "acbp"; // letters of tokens that became text
const EXTRA = "cbp"; // of tokens that were not drafted

export const STATES = {
  r: "prompt",
  a: "accepted",
  x: "rejected",
  u: "not_tested",
  c: "correction",
  b: "bonus",
  p: "plain",
  o: "pending",
};

export class Miniature {
  constructor() {
    this.root = drawing("sr-tree", [0, 0, WIDTH, HEIGHT]);
    this.branches = this.root.appendChild(svg("path", "sr-branches"));
    this.path = this.root.appendChild(svg("path", "sr-path"));
    this.signs = {};
    for (const letter in STATES)
      this.signs[letter] = this.root.appendChild(svg("path", "sr-sign sr-sign-" + letter + " sp-is-" + STATES[letter]));
    this.layouts = new WeakMap();
    this.drawn = "";
  }

  /** Shows a round's tree; `judged` says whether its verdicts are known by now. */
  show(round, judged) {
    if (round === this.round && judged === this.judged) return;
    this.round = round;
    this.judged = judged;
    const lines = { branches: "", path: "" };
    const signs = Object.fromEntries(Object.keys(this.signs).map((letter) => [letter, ""]));
    if (round) {
      const { places, radius } = this.layout(round);
      places.forEach((place, i) => {
        const letter = round.states[i];
        if (!judged && EXTRA.includes(letter)) return; // nobody knows it yet
        const parent = places[round.parents[i]];
        if (parent)
          lines[judged && EMITTED.includes(letter) ? "path" : "branches"] +=
            `M${at(parent.x)} ${at(parent.y)}L${at(place.x)} ${at(place.y)}`;
        signs[judged || letter === "r" ? letter : "o"] += sign(
          judged ? letter : letter === "r" ? "r" : "o",
          place,
          radius,
        );
      });
    }
    for (const name in lines) setAttribute(this[name], "d", lines[name]);
    for (const letter in signs) setAttribute(this.signs[letter], "d", signs[letter]);
  }

  /** Px of a round's nodes, made once. */
  layout(round) {
    const known = this.layouts.get(round);
    if (known) return known;
    const aside = Array.from(round.states, (letter) => EXTRA.includes(letter));
    const { rows, depths, leaves } = treeLayout(round.parents, aside);
    const column = Math.min(COLUMN, (WIDTH - 2 * MARGIN) / Math.max(1, ...depths));
    const row = Math.min(ROW, (HEIGHT - 2 * MARGIN) / Math.max(1, leaves - 1));
    const top = (HEIGHT - row * (leaves - 1)) / 2;
    const layout = {
      places: rows.map((y, i) => ({ x: MARGIN + column * depths[i], y: top + row * y })),
      radius: Math.max(1.2, Math.min(4.2, 0.38 * Math.min(column, leaves > 1 ? row : ROW))),
    };
    this.layouts.set(round, layout);
    return layout;
  }
}

const at = (value) => Math.round(value * 10) / 10;

function sign(letter, { x, y }, r) {
  const [cx, cy] = [at(x), at(y)];
  const s = at(r);
  if (letter === "x")
    return (
      `M${at(cx - s)} ${at(cy - s)}L${at(cx + s)} ${at(cy + s)}` +
      `M${at(cx - s)} ${at(cy + s)}L${at(cx + s)} ${at(cy - s)}`
    );
  if (letter === "c")
    return polygon(
      cx,
      cy,
      [
        [0, -1.3],
        [1.3, 0],
        [0, 1.3],
        [-1.3, 0],
      ],
      r,
    );
  if (letter === "p")
    return polygon(
      cx,
      cy,
      [
        [-0.9, -0.9],
        [0.9, -0.9],
        [0.9, 0.9],
        [-0.9, 0.9],
      ],
      r,
    );
  if (letter === "b") return polygon(cx, cy, STAR, r);
  const c = letter === "r" ? at(0.8 * r) : s;
  return `M${at(cx - c)} ${cy}a${c} ${c} 0 1 0 ${2 * c} 0a${c} ${c} 0 1 0 ${-2 * c} 0Z`;
}

const STAR = Array.from({ length: 10 }, (_, i) => {
  const reach = i % 2 ? 0.62 : 1.5;
  return [reach * Math.sin((Math.PI * i) / 5), -reach * Math.cos((Math.PI * i) / 5)];
});

function polygon(cx, cy, corners, r) {
  return "M" + corners.map(([dx, dy]) => `${at(cx + dx * r)} ${at(cy + dy * r)}`).join("L") + "Z";
}
