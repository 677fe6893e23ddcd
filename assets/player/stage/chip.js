/**
 * One token on the stage: a chip with its text, the bars of p and q, and a badge for its state.
 *
 * A chip is made once per node and then only told what changed. It knows nothing of its position.
 */

import { empty, setAttribute, setText, svg } from "../../shared/elements.js";
import { makeBadge, outline, setBadge } from "./glyphs.js";

/**
 * @typedef {{name: string, chip: number, font: number, pad: number}} Density of layout.js
 * @typedef {object} View of a chip; its flags are those of FLAGS
 * @property {Density} density
 * @property {string} state
 * @property {number} width
 * @property {string} label
 * @property {number} left
 * @property {number} right
 * @property {number | null} p
 * @property {number | null} q
 * @property {number} times
 * @property {number} rank
 * @property {boolean} [trunk]
 */

/** @type {Record<string, string>} */
const FLAGS = {
  trunk: "sp-trunk",
  frontier: "sp-frontier",
  asked: "sp-asked",
  faded: "sp-faded",
  thrown: "sp-thrown",
  best: "sp-best",
  judged: "sp-judged-now",
};
/**
 * Px of the bars in each density.
 * @type {Record<string, {inset: number, height: number, below: number, between: number}>}
 */
const BARS = {
  full: { inset: 4, height: 4, below: 3.5, between: 1.5 },
  compact: { inset: 3, height: 2, below: 2, between: 0.8 },
};

export class Chip {
  /** @param {import("../trace/records.js").TreeNode} node */
  constructor(node) {
    this.root = svg("g", "sp-node", null, { "data-key": node.key, "data-id": node.id });
    this.shape = this.root.appendChild(svg("path", "sp-shape"));
    this.text = this.root.appendChild(svg("text", "sp-piece", null, { "dominant-baseline": "central" }));
    /** @type {SVGElement | null} */
    this.bars = null;
    /** @type {SVGElement | null} */
    this.badge = null;
    /** @type {SVGElement | null} */
    this.times = null;
    /** @type {SVGElement | null} */
    this.rank = null;
    this.drawn = "";
    /** @type {string | null} */
    this.label = null;
  }

  /** Redraws only when something differs from last time. @param {View} view */
  show(view) {
    const { density, state, width } = view;
    const signature = JSON.stringify({ ...view, density: density.name });
    if (signature === this.drawn) return;
    this.drawn = signature;
    const flags = Object.keys(FLAGS)
      .filter((flag) => /** @type {Record<string, any>} */ (view)[flag])
      .map((flag) => FLAGS[flag]);
    setAttribute(this.root, "class", ["sp-node", "sp-is-" + state, "sp-density-" + density.name, ...flags].join(" "));
    setAttribute(this.shape, "d", outline(state, width, density.chip));
    this.showText(view);
    this.showBars(view);
    this.showBadge(view);
    this.times = this.showBeside(
      this.times,
      "sp-times",
      view.times > 1 ? "×" + view.times : "",
      width - density.pad,
      "end",
      density,
    );
    this.rank = this.showBeside(this.rank, "sp-rank", view.rank ? "#" + view.rank : "", density.pad, "start", density);
  }

  /** @param {View} view */
  showText({ label, left, right, width, density }) {
    setAttribute(this.text, "x", (width + left - right) / 2);
    setAttribute(this.text, "font-size", density.font);
    if (this.label === label) return;
    this.label = label;
    empty(this.text);
    // The marks of white space are quieter than the token, so the label is cut at them.
    for (const part of label.split(/([·⏎␍⇥∅]+)/)) {
      if (part === "") continue;
      this.text.appendChild(svg("tspan", /[·⏎␍⇥∅]/.test(part) ? "sp-mark" : "", part));
    }
  }

  /**
   * A text inside the chip next to the token: a beam's rank, or how often the token was drawn. Gives its element, if
   * any.
   * @param {SVGElement | null} held
   * @param {string} className
   * @param {string} text
   * @param {number} x
   * @param {string} anchor
   * @param {Density} density
   */
  showBeside(held, className, text, x, anchor, density) {
    if (!text) {
      if (held) held.remove();
      return null;
    }
    const shown =
      held ||
      this.root.appendChild(svg("text", className, null, { "text-anchor": anchor, "dominant-baseline": "central" }));
    setText(shown, text);
    setAttribute(shown, "x", x);
    setAttribute(shown, "font-size", density.font);
    return shown;
  }

  /** @param {View} view */
  showBars({ trunk, p, q, width, density }) {
    if (trunk || (p === null && q === null)) {
      if (this.bars) this.bars.remove();
      this.bars = null;
      return;
    }
    const { inset, height, below, between } = BARS[density.name];
    if (!this.bars) {
      this.bars = this.root.appendChild(svg("g", "sp-bars"));
      for (const name of ["sp-track", "sp-bar-p", "sp-track", "sp-bar-q"])
        this.bars.appendChild(svg("rect", name, null, { rx: height / 2 }));
    }
    const inner = width - 2 * inset;
    const first = density.chip / 2 + below;
    const [trackP, barP, trackQ, barQ] = /** @type {Iterable<SVGElement>} */ (
      /** @type {unknown} */ (this.bars.children)
    );
    [trackP, barP, trackQ, barQ].forEach((bar, i) => {
      setAttribute(bar, "x", inset);
      setAttribute(bar, "y", first + (i < 2 ? 0 : height + between));
      setAttribute(bar, "height", height);
    });
    trackQ.style.display = q === null ? "none" : ""; // a token nobody drafted has no q
    for (const track of [trackP, trackQ]) setAttribute(track, "width", inner);
    setAttribute(barP, "width", Math.round(10 * inner * (p || 0)) / 10);
    setAttribute(barQ, "width", Math.round(10 * inner * (q || 0)) / 10);
  }

  /** @param {View} view */
  showBadge({ trunk, state, density }) {
    if (trunk || state === "scored") {
      if (this.badge) this.badge.remove();
      this.badge = null;
      return;
    }
    if (!this.badge) this.badge = this.root.appendChild(makeBadge(state));
    else setBadge(this.badge, state);
    setAttribute(
      this.badge,
      "transform",
      density.name === "compact"
        ? `translate(0 ${-density.chip / 2 + 1})scale(.68)`
        : `translate(1 ${-density.chip / 2})`,
    );
  }
}
