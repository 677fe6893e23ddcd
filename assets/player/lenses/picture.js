/**
 * The drawing of a lens: an SVG as wide as its panel, drawn in px, so that its text keeps one size everywhere.
 *
 * Whatever represents a node is an item: it can be pointed at, focused and chosen, and says its numbers in words.
 */

import { setAttribute, svg, textWidth, visible } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { makeBadge } from "../stage/glyphs.js";

/**
 * @import { Text } from "../../shared/elements.js"
 * @import { TreeNode } from "../trace/records.js"
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {[name: string, value: number | null | undefined, look: string]} Chance a name, a value, the class of its bar
 * @typedef {{x: number, node: TreeNode | null | undefined, piece: string, label: string, className?: string}} Place
 */

const NARROW = 520; // px below which a lens draws for a phone
const LEAST_PLOT = 72; // px
const LEAST_ROWS = 3;
const LOW = 260; // px of a picture whose rows are lower: a phone's panel
const FONT = 12; // px of the labels; axes are a little smaller in the style sheet

export class Picture {
  /**
   * `high` is what the panel leaves for it, so that nothing is below the panel's edge.
   * @param {number} width @param {string} family @param {number} [high]
   */
  constructor(width, family, high = Infinity) {
    this.high = high;
    this.width = Math.max(240, Math.floor(width));
    this.narrow = this.width < NARROW;
    this.family = family;
    this.root = svg("svg", "sp-lens-picture", null, { role: "group" });
    /** @type {SVGElement} */
    this.into = this.root;
    this.nodes = new Map(); // key -> node of the items drawn
    this.height = 0;
  }

  /** Ends the drawing at this height. @param {number} height */
  end(height) {
    const tall = Math.ceil(height);
    setAttribute(this.root, "viewBox", `0 0 ${this.width} ${tall}`);
    setAttribute(this.root, "width", this.width);
    setAttribute(this.root, "height", tall);
    this.height = tall;
  }

  /**
   * Px of a plot that would have `wanted` of them, where the rest of the picture takes `others`.
   * @param {number} wanted @param {number} others
   */
  plotHeight(wanted, others) {
    return Math.round(Math.max(LEAST_PLOT, Math.min(wanted, this.high - others)));
  }

  /**
   * Rows of a list that would have `wanted` of them, where the rest of the picture takes `others`.
   * @param {number} wanted @param {number} row @param {number} others @param {number} [least]
   */
  rowsWithin(wanted, row, others, least = LEAST_ROWS) {
    return Math.max(least, Math.min(wanted, Math.floor((this.high - others) / row)));
  }

  // -- marks -----------------------------------------------------------------------------------------------------

  /**
   * @param {keyof SVGElementTagNameMap} name @param {string} look
   * @param {Record<string, any>} attributes @param {Text} [text]
   */
  mark(name, look, attributes, text) {
    return this.into.appendChild(svg(name, look, text, attributes));
  }

  /** @param {number} x @param {number} y @param {Text} string @param {string} [className] @param {string} [anchor] */
  text(x, y, string, className, anchor) {
    return this.mark(
      "text",
      "sp-lens-text " + (className || ""),
      { x: px(x), y: px(y), "text-anchor": anchor || "start" },
      string,
    );
  }

  /**
   * The longest of some wordings that has room in a column of a grid, else the last.
   * @param {{x: (column: number) => number}} grid @param {number} column @param {number} y @param {string[]} wordings
   * @param {string} className
   */
  brief(grid, column, y, wordings, className) {
    const x = grid.x(column);
    const width = Math.min(grid.x(column + 1), this.width) - x - 6;
    const shown = wordings.find((each) => this.measure(each) * (/strong/.test(className) ? 1.06 : 1) <= width);
    return this.text(x, y, shown ?? wordings[wordings.length - 1], className);
  }

  /**
   * @param {number} x @param {number} y @param {number} width @param {number} height @param {string} className
   * @param {number} [radius]
   */
  rect(x, y, width, height, className, radius) {
    return this.mark("rect", className, {
      x: px(x),
      y: px(y),
      width: px(Math.max(0, width)),
      height: px(Math.max(0, height)),
      rx: radius || 0,
    });
  }

  /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} className */
  line(x1, y1, x2, y2, className) {
    return this.mark("line", className, { x1: px(x1), y1: px(y1), x2: px(x2), y2: px(y2) });
  }

  /** @param {string} d @param {string} className */
  path(d, className) {
    return this.mark("path", className, { d });
  }

  /** @param {number} x @param {number} y @param {number} radius @param {string} className */
  dot(x, y, radius, className) {
    return this.mark("circle", className, { cx: px(x), cy: px(y), r: radius });
  }

  /**
   * A bar from the left. Stripes are a dashed line as thick as the bar: they need no pattern with an id of its own.
   * @param {number} x @param {number} y @param {number} width @param {number} height @param {string} className
   */
  bar(x, y, width, height, className) {
    if (!(width > 0)) return null;
    if (!/sp-striped/.test(className))
      return this.rect(x, y, Math.max(1, width), height, className, Math.min(2, height / 2));
    const bar = this.line(x, y + height / 2, x + Math.max(1, width), y + height / 2, className);
    setAttribute(bar, "stroke-width", height);
    return bar;
  }

  /**
   * The glyph of a state in its disc.
   * @param {string | null | undefined} state @param {number} x @param {number} y @param {number} [scale]
   */
  badge(state, x, y, scale) {
    const badge = this.into.appendChild(makeBadge(state ?? ""));
    setAttribute(badge, "transform", `translate(${px(x)} ${px(y)})scale(${scale || 0.8})`);
    return badge;
  }

  /** True where rows are lower. */
  get isLow() {
    return this.high < LOW;
  }

  /** Px of one of `chances`: in a low picture the bar is a line below its name. */
  get chance() {
    return this.isLow ? LOW_CHANCE : CHANCE;
  }

  /**
   * Chances as bars from 0 to 1, one below the other: rows are [name, value, class of the bar]. Gives the height.
   * @param {string} title @param {Chance[]} rows @param {number} left @param {number} top @param {number} width
   */
  chances(title, rows, left, top, width) {
    const known = rows.filter(([, value]) => value !== null && value !== undefined);
    if (title) this.text(left, top + 13, title, "sp-lens-strong");
    const head = title ? 20 : 0;
    if (this.isLow) {
      known.forEach((row, i) => this.lowChance(row, left, top + head + LOW_CHANCE * i, width));
      return head + LOW_CHANCE * known.length;
    }
    known.forEach(([name, value, className], i) => {
      const y = top + head + 14 + CHANCE * i;
      this.text(left, y, name, "sp-lens-small");
      this.rect(left, y + 6, width - 46, 8, "sp-track", 3);
      this.bar(left, y + 6, (width - 46) * Math.min(1, value ?? 0), 8, className);
      this.text(left + width, y + 14, probability(value), "sp-lens-strong", "end");
    });
    return head + CHANCE * known.length;
  }

  /** @param {Chance} it @param {number} left @param {number} top @param {number} width */
  lowChance([name, value, className], left, top, width) {
    this.text(left, top + 13, name, "sp-lens-small");
    this.text(left + width, top + 13, probability(value), "sp-lens-strong", "end");
    this.rect(left, top + 16, width, 4, "sp-track", 2);
    this.bar(left, top + 16, width * Math.min(1, value ?? 0), 4, className);
  }

  /** Width in px of the tokens' names at the left of rows. */
  get names() {
    return this.narrow ? 76 : 112;
  }

  /**
   * A row of bars: its token, stronger where it was drafted, and from `names` on what `draw` adds.
   *
   * @param {{node: ?TreeNode, label: string, piece: string, drawn: boolean, middle: number, high: number, width: number}} row
   * @param {() => void} draw
   */
  row({ node, label, piece, drawn, middle, high, width }, draw) {
    this.item(node, label, { x: 0, y: middle - high / 2 + 1, width, height: high - 2 }, () => {
      const look = "sp-lens-token" + (drawn ? " sp-lens-drawn" : "");
      this.text(this.names - 8, middle + 4, this.fitted(piece, this.names - 14), look, "end");
      draw();
    });
  }

  // -- words -----------------------------------------------------------------------------------------------------

  /** @param {string} string @param {number} [size] */
  measure(string, size) {
    return textWidth(string, `500 ${size || FONT}px ${this.family}`);
  }

  /** A token's text, as much of it as fits. @param {string} piece @param {number} width @param {number} [size] */
  fitted(piece, width, size) {
    for (let letters = 16; letters > 1; letters--) {
      const label = visible(piece, letters);
      if (this.measure(label, size) <= width) return label;
    }
    return visible(piece, 1);
  }

  // -- items -----------------------------------------------------------------------------------------------------

  /**
   * A part of the picture that represents a node: `label` says it in words, `box` is what can be hit. Without a node it
   * is only described.
   * @param {TreeNode | null | undefined} node @param {string} label @param {Box} box @param {() => unknown} draw
   */
  item(node, label, box, draw) {
    const attributes = node
      ? { "data-key": node.key, role: "button", tabindex: -1, "aria-label": label }
      : { role: "img", "aria-label": label };
    if (node) this.nodes.set(node.key, node);
    const outer = this.into;
    this.into = outer.appendChild(svg("g", node ? "sp-lens-item" : "sp-lens-fact", null, attributes));
    this.rect(box.x, box.y, box.width, box.height, "sp-lens-hit", 5);
    draw();
    const group = this.into;
    this.into = outer;
    return group;
  }

  /**
   * Labels of tokens below a chart, one per place; written aslant where they would meet. `places` are {x, node, piece,
   * label}.
   * @param {Place[]} places @param {number} y @param {number} pitch
   */
  tokensBelow(places, y, pitch) {
    const space = pitch - 6;
    const aslant = places.some((at) => this.measure(visible(at.piece, 8)) > space);
    for (const at of places) {
      const box = { x: at.x - pitch / 2 + 1, y: y, width: pitch - 2, height: aslant ? 54 : 24 };
      this.item(at.node, at.label, box, () => {
        const label = aslant ? visible(at.piece, 8) : this.fitted(at.piece, space);
        const text = this.text(0, 0, label, "sp-lens-token " + (at.className || ""), aslant ? "end" : "middle");
        setAttribute(
          text,
          "transform",
          aslant ? `translate(${px(at.x + 4)} ${px(y + 12)})rotate(-48)` : `translate(${px(at.x)} ${px(y + 16)})`,
        );
      });
    }
    return aslant ? 58 : 26;
  }
}

const [CHANCE, LOW_CHANCE] = [36, 22]; // px of one of `chances`

/** @param {number} value */
const px = (value) => Math.round(10 * value) / 10;

/** A small picture of a mark for the key of a lens, 26 x 14 px. @param {(picture: Picture) => unknown} draw */
export function sign(draw) {
  const picture = new Picture(26, "sans-serif");
  picture.width = 26;
  draw(picture);
  picture.end(14);
  picture.root.setAttribute("class", "sp-lens-sign");
  picture.root.setAttribute("aria-hidden", "true");
  picture.root.removeAttribute("role");
  return picture.root;
}

/** Signs that several lenses share, each as its drawing. @type {Record<string, (look: string) => (picture: Picture) => unknown>} */
export const signs = {
  bar: (look) => (picture) => picture.bar(1, 4, 24, 6, look),
  box: (look) => (picture) => picture.rect(8, 1, 10, 12, look, 2),
  dashed: (look) => (picture) => picture.line(1, 7, 25, 7, look),
  level: (look) => (picture) => picture.line(3, 7, 23, 7, look),
  badge: (state) => (picture) => picture.badge(state, 13, 7, 0.85),
  dot: (look) => (picture) => picture.dot(13, 7, 4.5, look),
};
