/**
 * Two rows on one recorded clock, where plain decoding of the same prompt and seed is kept beside a run: above, a tick
 * for each token that it wrote; below, a block for each round of this run, its draft calls and its one target call
 * inside. The number tells how many tokens this run has for each of plain decoding's, at the cursor.
 */

import { onNewWidth, scaleOf } from "../../shared/plots/axes.js";
import { element, empty, setAttribute, setText, svg } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { totalsOver } from "../trace/trace.js";

const ROW = 17; // px
const GAP = 5;
const HEIGHT = 2 * ROW + GAP;

export class Clocks {
  constructor() {
    this.picture = svg("svg", "sp-clocks-rows", null, { height: HEIGHT, "aria-hidden": "true" });
    this.box = element("div", "sp-clocks-box", null, {}, [this.picture]);
    this.ratio = element("b", "sp-clocks-ratio");
    this.said = element("span", "sp-quiet");
    const names = element("div", "sp-clocks-names", null, { "aria-hidden": "true" }, [
      element("span", "", say("clocks_plain")),
      element("span", "", say("clocks_run")),
    ]);
    const number = element("p", "sp-clocks-number", null, {}, [this.ratio, this.said]);
    this.root = element("section", "sp-clocks", null, { hidden: "", "aria-label": say("clocks_label") }, [
      names,
      this.box,
      number,
    ]);
    /** @type {number[] | null} seconds at which plain decoding had each token */
    this.plain = null;
    this.trace = null;
    this.step = null;
    this.drawn = 0; // rounds
    /** @type {Element[]} */
    this.ticks = [];
    /** @type {Element[]} */
    this.blocks = [];
    onNewWidth(this.box, () => this.draw());
  }

  /** @param {number[] | null} plain */
  load(plain) {
    this.plain = plain && plain.length ? plain : null;
    this.trace = null;
    this.root.hidden = !this.plain;
  }

  /** @param {any} trace @param {any} step */
  show(trace, step) {
    if (!this.plain) return;
    if (trace !== this.trace || trace.rounds.length !== this.drawn) {
      this.trace = trace;
      this.draw();
    }
    const totals = totalsOver(trace, step);
    const [now, tokens] = totals ? [totals.clock_s, totals.tokens] : [0, 0];
    const had = hadBy(this.plain, now);
    setText(this.ratio, decimal(ratioToPlain(this.plain, totals), 1) + "×");
    this.ratio.hidden = !totals;
    const key = tokens === 1 ? "clocks_said_one" : "clocks_said";
    setText(this.said, totals ? say(key, { tokens, plain: Math.floor(had) }) : say("clocks_start"));
    this.step = step;
    this.mark(now, totals ? totals.rounds : 0);
  }

  /** Dims the tokens and rounds that are still ahead at this moment. */
  mark(now, rounds) {
    this.ticks.forEach((tick, i) => tick.classList.toggle("sp-clocks-ahead", (this.plain?.[i] ?? 0) > now));
    this.blocks.forEach((round, i) => round.classList.toggle("sp-clocks-ahead", i >= rounds));
  }

  draw() {
    empty(this.picture);
    this.ticks = [];
    this.blocks = [];
    const width = this.box.clientWidth;
    if (!this.plain || !this.trace || !width) return;
    const { rounds } = this.trace;
    this.drawn = rounds.length;
    const over = rounds.filter((round) => round.commit);
    const last = Math.max(this.plain[this.plain.length - 1], over.length ? over[over.length - 1].commit.clock_s : 0);
    const x = scaleOf({ low: 0, high: last }, 0, width - 1);
    setAttribute(this.picture, "width", width);
    this.ticks = this.plain.map((time) =>
      svg("path", "sp-clocks-tick", null, { d: `M${x(time).toFixed(1)} 1V${ROW - 1}` }),
    );
    this.blocks = over.map((round, i) => block(round, i ? over[i - 1].commit.clock_s : 0, x));
    this.picture.append(...this.ticks, ...this.blocks);
    const totals = totalsOver(this.trace, this.step);
    this.mark(totals ? totals.clock_s : 0, totals ? totals.rounds : 0);
  }
}

/**
 * Tokens of a run for each that plain decoding had in the same time; null where no such run is kept, or none had any.
 * @param {number[] | null} plain
 * @param {import("../trace/records.js").Totals | null} totals
 */
export function ratioToPlain(plain, totals) {
  const had = plain && totals ? hadBy(plain, totals.clock_s) : 0;
  return had && totals ? totals.tokens / had : null;
}

/**
 * Tokens that were there by then, a part of the next one included, so that at the end the ratio is that of the times.
 * @param {number[]} times at which each was there
 * @param {number} now
 */
export function hadBy(times, now) {
  const whole = times.filter((time) => time <= now).length;
  const [before, after] = [whole ? times[whole - 1] : 0, times[whole]];
  return whole + (after === undefined ? 0 : (now - before) / (after - before));
}

/** A round: its draft calls, then its target call, in the width of its time; what is left is sampling and the tests. */
function block(round, start, x) {
  const { clock_s: end, draft_s: draft, verify_s: verify } = round.commit;
  const [top, from, to] = [ROW + GAP, x(start), x(end)];
  const part = (name, left, right) =>
    svg("rect", name, null, { x: left.toFixed(1), y: top, width: Math.max(0, right - left).toFixed(1), height: ROW });
  const startS = Math.max(start, end - draft - verify);
  return svg("g", "sp-clocks-round", null, {}, [
    part("sp-clocks-rest", from, Math.max(from, to - 1)),
    part("sp-clocks-draft", x(startS), x(startS + draft)),
    part(
      "sp-clocks-target",
      x(startS + draft),
      Math.max(x(startS + draft), Math.min(x(startS + draft + verify), to - 1)),
    ),
  ]);
}
