/**
 * The clock of a replay: recorded seconds, shown slower by a factor.
 *
 * It moves by what the browser's own clock says has passed, so that a slow page skips frames and is never late.
 */

const WANTED = 8; // seconds that a replay should take

export const PACES = [1, 2, 5, 10, 15, 20, 30, 50, 100, 200];

export class Clock {
  /** `moved()` is called when the time changes, `changed()` when playing or the pace does. */
  constructor({ moved, changed }) {
    this.moved = moved;
    this.changed = changed;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    /** @type {number | null} */
    this.frame = null;
    this.length = 0; // recorded seconds
    this.now = 0;
    this.playing = false;
    this.seen = 0; // the browser's time of the last frame
    this.slow = 1;
  }

  /** A new race of this many recorded seconds, at its start. */
  reset(length) {
    this.length = length;
    this.now = 0;
    this.playing = false;
    const miss = (slow) => Math.abs(Math.log((slow * (length || 1)) / WANTED));
    this.slow = PACES.reduce((best, slow) => (miss(slow) < miss(best) ? slow : best));
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  goto(seconds) {
    this.leave();
    this.jump(seconds);
  }

  jump(seconds) {
    this.now = Math.max(0, Math.min(this.length, seconds));
    this.moved();
  }

  toggle() {
    if (this.playing) return this.leave();
    if (this.now >= this.length) this.jump(0);
    this.start();
  }

  start() {
    if (!this.length) return;
    this.playing = true;
    this.seen = performance.now();
    this.changed();
    if (this.frame === null) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  leave() {
    this.playing = false;
    this.changed();
  }

  setPace(slow) {
    this.slow = slow;
    this.changed();
  }

  tick(now) {
    this.frame = null;
    if (!this.playing) return;
    // A hidden page gets no frames; it should not race through what it missed.
    const passed = Math.min(250, Math.max(0, now - this.seen)) / 1000;
    this.seen = Math.max(now, this.seen);
    this.jump(this.now + passed / this.slow);
    if (this.now >= this.length) this.leave();
    else this.frame = requestAnimationFrame((later) => this.tick(later));
  }
}
