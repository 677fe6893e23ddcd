/**
 * A plot over the places of a chain: a column per drafted token, an axis with few ticks, thresholds as dashed lines.
 */

import { decades, scaleOf, trail } from "../../shared/plots/axes.js";

/**
 * @import { Picture, Place } from "./picture.js"
 * @import { Round, Step, Draw, Maybe } from "../trace/records.js"
 * @import { Trace } from "../trace/trace.js"
 */

const AXIS = 40; // px at the left
const WIDEST = 128; // px of a column at most

export class ChainPlot {
  /**
   * `columns` is how many there may be in the run, so that they keep their width; `wanted` is the height, of which the
   * plot has less where the `others` px of the picture need them; `ticks` are values of an axis that is not logarithmic.
   * @param {Picture} picture
   * @param {{columns: number, height?: number, wanted?: number, others?: number, from?: number, to?: number, top?: number,
   *   low?: number, high?: number, log?: boolean, ticks?: number[], title?: string}} given
   */
  constructor(picture, given) {
    const usual = { from: 0, to: picture.width, top: 30, low: 0, high: 1, log: false, ticks: [0, 0.5, 1], title: "" };
    const { columns, from, to, top, low, high, log, ticks, title, ...rest } = { ...usual, ...given };
    const height = rest.height ?? picture.plotHeight(rest.wanted ?? 0, rest.others ?? 0);
    this.picture = picture;
    this.to = to;
    this.top = top;
    this.height = height;
    this.foot = top + height;
    this.low = low;
    this.high = high;
    this.scale = scaleOf({ low, high, log }, this.foot, top);
    this.left = from + AXIS;
    this.pitch = Math.min(WIDEST, (to - this.left - 8) / Math.max(1, columns));
    this.right = this.left + this.pitch * columns;
    if (title) picture.text(from, top - 10, title, "sp-lens-strong");
    /** @type {any[][]} */
    const marks = log ? decades({ low, high }, { most: 5 }) : ticks.map((value) => [value, String(value)]);
    for (const [value, label] of marks) {
      picture.line(this.left, this.y(value), this.right, this.y(value), "sp-lens-grid");
      picture.text(this.left - 7, this.y(value) + 4, label, "sp-lens-small", "end");
    }
  }

  /** @param {number} place */
  x(place) {
    return this.left + (place + 0.5) * this.pitch;
  }

  /** Values beyond the axis are drawn at its ends. @param {Maybe} value */
  y(value) {
    return this.scale(Math.max(this.low, Math.min(this.high, value ?? 0)));
  }

  /** @param {number} value @param {string} label @param {string} [className] */
  threshold(value, label, className) {
    const y = this.y(value);
    this.picture.line(this.left, y, this.right, y, "sp-lens-threshold " + (className || ""));
    const space = this.to - this.right;
    if (space > this.picture.measure(label, 11) + 8)
      this.picture.text(this.right + 6, y + 4, label, "sp-lens-small sp-lens-named");
    else this.picture.text(this.right, y - 4, label, "sp-lens-small sp-lens-named", "end");
  }

  /**
   * A column from the foot of the plot.
   * @param {number} place @param {Maybe} value @param {number} share @param {string} className
   */
  column(place, value, share, className) {
    const width = Math.max(4, Math.min(30, share * this.pitch));
    return this.picture.rect(this.x(place) - width / 2, this.y(value), width, this.foot - this.y(value), className, 2);
  }

  /**
   * A short level line over one place.
   * @param {number} place @param {Maybe} value @param {number} share @param {string} className
   */
  level(place, value, share, className) {
    const half = Math.max(4, Math.min(22, (share * this.pitch) / 2));
    return this.picture.line(this.x(place) - half, this.y(value), this.x(place) + half, this.y(value), className);
  }

  /**
   * Ends the picture with the tokens of the columns: {node, label}, or another `piece`, `x` or `className`.
   * @param {(Partial<Place> & {label: string})[]} tokens @param {number} [gap]
   */
  end(tokens, gap = 6) {
    const boxes = tokens.map((token, i) => ({
      x: this.x(i),
      node: null,
      piece: token.node?.piece ?? "",
      className: "sp-lens-drawn",
      ...token,
    }));
    this.picture.end(this.foot + gap + this.picture.tokensBelow(boxes, this.foot + gap, this.pitch));
  }

  /** @param {(readonly number[])[]} points @param {string} className */
  trail(points, className) {
    if (points.length > 1)
      this.picture.path(trail(points.map(([place, value]) => [this.x(place), this.y(value)])), className);
  }
}

/** The drafted chain of a round: one draw per depth. @param {Round} round */
export const chainOf = (round) => round.layers.map((layer) => layer.draws[0]).filter(Boolean);

/** The most depths any round of the trace has drafted. @param {Trace} trace */
export const longestChain = (trace) => trace.rounds.reduce((most, round) => Math.max(most, round.layers.length), 1);

/** The verdict on a draw, once the step has reached it. @param {Draw} draw @param {Step} step */
export const seenVerdict = (draw, step) => (draw.verdict && draw.verdict.index < step.verdicts ? draw.verdict : null);
