/**
 * The playhead: which step is shown, and how it moves with time.
 *
 * It knows steps only by their kind. While a live run is followed it sets its own pace: slow enough to see the first
 * rounds, then fast enough to be done soon after the run is. Any wish of the reader ends the following.
 */

import { isSettled } from "../panels/narration.js";

/** @typedef {import("../trace/records.js").Step} Step */

// ms at speed 1; little at the start, as who opens the page waits for the first movement
export const PAUSE = {
  start: 150,
  drafted: 360,
  scored: 540,
  verified: 640,
  not_tested: 420,
  committed: 1050,
  finished: 0,
};
const REST_OF_DRAW = 1300; // ms of a test in those rounds
const ROUNDS_SLOW = 2;
const ROUNDS_SHOWN = 3;
const DEPTHS_SHOWN = 2;
export const GLIDE = 460; // ms a movement takes at most
const LIVE_SLOWEST = 3;
const LIVE_FASTEST = 24;
const LIVE_ROUNDS_SLOW = 2;
const LIVE_CATCH_UP = 12000; // ms in which to show what has arrived

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

export class Playhead {
  /** `moved(step, duration)` is called when the cursor moves, `changed()` when playing, speed or following change. */
  constructor({ moved, changed }) {
    this.moved = moved;
    this.changed = changed;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    /** @type {number | null} */
    this.frame = null;
    this.speed = 1;
    /** @type {Step[]} */
    this.steps = [];
    this.cursor = 0;
    this.playing = false;
    this.following = false; // a live run, until the reader changes it
    this.live = false;
    this.spent = 0; // ms of the step's rest
    this.time = 0; // of the last frame
    this.brisk = LIVE_SLOWEST;
  }

  reset(steps) {
    this.steps = steps;
    this.cursor = 0;
    this.playing = false;
    this.following = false;
    this.live = false;
    this.spent = 0;
    this.brisk = LIVE_SLOWEST;
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  get last() {
    return Math.max(0, this.steps.length - 1);
  }

  // -- wishes of the reader ----------------------------------------------------------------------------------

  goto(step) {
    this.leave();
    this.jump(step);
  }

  toggle() {
    if (this.playing) return this.leave();
    if (this.cursor >= this.last && !this.live) this.jump(0);
    this.start();
  }

  setSpeed(speed) {
    this.following = false;
    this.speed = speed;
    this.changed();
  }

  /** Stops playing and following. */
  leave() {
    this.playing = false;
    this.following = false;
    this.changed();
  }

  follow() {
    this.following = true;
    this.jump(this.last);
    this.start();
  }

  // -- movement ------------------------------------------------------------------------------------------------

  start() {
    this.playing = true;
    this.spent = 0;
    this.time = performance.now();
    this.changed();
    if (this.frame === null) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  jump(step) {
    const to = Math.max(0, Math.min(this.last, Math.round(step)));
    const near = Math.abs(to - this.cursor) <= 1;
    this.cursor = to;
    this.spent = 0;
    this.moved(to, this.glide(near ? GLIDE : 0));
  }

  /** New steps have come. */
  grown() {
    if (this.following && this.still.matches) return this.jump(this.last);
    if (this.playing && this.frame === null) this.start();
  }

  tick(now) {
    this.frame = null;
    if (!this.playing) return;
    // A hidden page gets no frames; it should not race through what it missed.
    this.spent += Math.min(100, now - this.time) * this.pace();
    this.time = now;
    const from = this.cursor;
    while (this.cursor < this.last && this.spent >= this.rest(this.cursor)) {
      this.spent -= this.rest(this.cursor);
      this.cursor += 1;
    }
    if (this.cursor !== from) this.moved(this.cursor, this.glide((0.85 * this.rest(this.cursor)) / this.pace()));
    if (this.cursor >= this.last) {
      this.spent = 0;
      if (!this.live) {
        this.leave();
        return;
      }
    }
    this.frame = requestAnimationFrame((later) => this.tick(later));
  }

  /**
   * ms at speed 1 that a step is shown: a test whose random number falls for longer in the first rounds, a depth that
   * is one of many alike for less, and rounds that show nothing new at twice the pace.
   */
  rest(step) {
    const { kind, round } = this.steps[step];
    const usual = PAUSE[kind] || 0;
    if (!round) return usual;
    if (round.number <= ROUNDS_SLOW && isDrawn(this.steps[step])) return REST_OF_DRAW;
    return usual * (isOneOfMany(this.steps[step]) ? 0.2 : 1) * (round.number > ROUNDS_SHOWN ? 0.5 : 1);
  }

  /** Milliseconds for which the step at the cursor will be shown; 0 under reduced motion. */
  shownFor() {
    if (this.still.matches || !this.steps.length) return 0;
    return this.playing ? this.rest(this.cursor) / this.pace() : REST_OF_DRAW;
  }

  glide(duration) {
    if (this.still.matches) return 0;
    return duration < 40 ? 0 : Math.min(GLIDE, duration);
  }

  pace() {
    if (!this.following) return this.speed;
    const round = this.steps[this.cursor] && this.steps[this.cursor].round;
    if (!round || round.number <= LIVE_ROUNDS_SLOW) return LIVE_SLOWEST;
    const ahead = (this.last - this.cursor) * PAUSE.verified;
    // It never slows down again: the less is left, the longer the end would take.
    this.brisk = Math.max(this.brisk, Math.min(LIVE_FASTEST, ahead / LIVE_CATCH_UP));
    return this.brisk;
  }
}

/** True of a test that a random number decides. @param {Step} step */
const isDrawn = ({ kind, verdict }) =>
  kind === "verified" && verdict !== null && verdict.coin !== null && !isSettled(verdict);

/** True of a deep draft or of a test far down that nothing decides but the target. @param {Step} step */
const isOneOfMany = ({ kind, layers, verdict }) =>
  kind === "drafted"
    ? layers > DEPTHS_SHOWN
    : kind === "verified" && verdict !== null && isSettled(verdict) && (verdict.node.layer ?? 0) > DEPTHS_SHOWN;
