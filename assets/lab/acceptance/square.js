/** Acceptance at every pair of rows of two tokens: a square for each scheme, and a press that takes a pair. */

import { element, empty, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { shown } from "../choices.js";

const RAMP = [
  [0, 34, 78],
  [64, 77, 107],
  [125, 124, 120],
  [186, 174, 106],
  [254, 232, 56],
]; // of 0 to 1: dark to bright in any sight

export class Square {
  /** @param {(p: number[], q: number[]) => void} onPick */
  constructor(onPick) {
    this.onPick = onPick;
    this.said = element("p", "lab-square-said sp-quiet", say("square_hint"), { role: "status" });
    this.row = element("div", "lab-squares");
    this.root = element("div", "", [this.row, scale(), this.said]);
  }

  /**
   * @param {{size: number, schemes: Record<string, number[]>}} square
   * @param {{target: number[], draft: number[]}} rows those that the lab shows: a ring where they are of two tokens
   */
  show({ size, schemes }, rows) {
    empty(this.row);
    for (const [scheme, values] of Object.entries(schemes)) {
      const average = shown(values.reduce((sum, value) => sum + value, 0) / values.length, 3);
      const name = say(`line_${scheme}`);
      const picture = svg("svg", "lab-square", null, {
        viewBox: "0 0 1 1",
        role: "img",
        "aria-label": `${name}: ${say("square_average", { value: average })}`,
      });
      picture.append(svg("image", "", null, { href: painted(values, size), width: 1, height: 1 }));
      if (rows.target.length === 2) picture.append(ring(rows, size));
      const at = (event) => cellAt(event, picture, size);
      picture.addEventListener("pointermove", (event) => this.tell(name, values, at(event), size));
      picture.addEventListener("pointerleave", () => setText(this.said, say("square_hint")));
      picture.addEventListener("click", (event) => {
        const [p, q] = at(event).map((index) => valueOf(index, size));
        this.onPick([p, 1 - p], [q, 1 - q]);
      });
      const caption = element("figcaption", "", [
        element("b", "", name),
        element("span", "sp-quiet", say("square_average", { value: average })),
      ]);
      this.row.append(element("figure", "", [caption, picture]));
    }
  }

  /** @param {string} name @param {number[]} values @param {number[]} cell indices of p and q @param {number} size */
  tell(name, values, [p, q], size) {
    const numbers = { p: shown(valueOf(p, size), 3), q: shown(valueOf(q, size), 3) };
    setText(this.said, say("square_at", { name, value: shown(values[p * size + q], 3), ...numbers }));
  }
}

/** A probability by its place on an axis, whose ends 0 and 1 are left out. */
const valueOf = (index, size) => (index + 1) / (size + 1);

/** The cell under a pointer: the indices of p, upwards, and of q, to the right. */
function cellAt({ clientX, clientY }, picture, size) {
  const { left, bottom, width, height } = picture.getBoundingClientRect();
  const step = (share) => Math.min(size - 1, Math.max(0, Math.floor(share * size)));
  return [step((bottom - clientY) / height), step((clientX - left) / width)];
}

function ring({ target, draft }, size) {
  const [p, q] = [target, draft].map(([first, second]) => ((first / (first + second)) * (size + 1) - 0.5) / size);
  return svg("circle", "lab-square-here", null, { cx: q, cy: 1 - p, r: 0.035 });
}

/** An image of the values, p upwards. @param {number[]} values @param {number} size */
function painted(values, size) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  values.forEach((value, i) => {
    pen.fillStyle = colour(value);
    pen.fillRect(i % size, size - 1 - Math.floor(i / size), 1, 1);
  });
  return canvas.toDataURL();
}

/** @param {number} value from 0 to 1 */
function colour(value) {
  const position = Math.min(1, Math.max(0, value)) * (RAMP.length - 1);
  const below = Math.min(RAMP.length - 2, Math.floor(position));
  const between = RAMP[below].map((low, i) => Math.round(low + (position - below) * (RAMP[below + 1][i] - low)));
  return `rgb(${between.join()})`;
}

function scale() {
  const bar = element("i", "lab-square-bar", null, {
    style: `background: linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(colour).join()})`,
  });
  return element("div", "lab-square-scale sp-quiet", null, { "aria-hidden": "true" }, ["0", bar, "1"]);
}
