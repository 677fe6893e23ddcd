/**
 * Motion: things with a place and an opacity glide to where they are wanted.
 *
 * One animation frame loop for the whole stage. Each thing is {at, from, to, move}: `at` is where it is, and `move` is
 * called when that changes. A new target may come at any time; the thing turns from where it is. Duration 0 jumps.
 */

/**
 * @typedef {Record<string, number>} Numbers by name
 * @typedef {object} Thing
 * @property {Numbers} at
 * @property {Numbers} from
 * @property {Numbers} to
 * @property {number} delay
 * @property {(at: any) => void} move
 * @property {boolean} moved
 * @property {boolean} fresh
 * @property {(() => void) | null} done
 */

/** @param {number} t */
const ease = (t) => (t < 0 ? 0 : t >= 1 ? 1 : 1 - Math.pow(1 - t, 3));

export class Motion {
  /** @param {() => void} afterFrame */
  constructor(afterFrame) {
    /** @type {Set<Thing>} */
    this.things = new Set();
    this.afterFrame = afterFrame;
    this.started = 0;
    this.duration = 0;
    /** @type {number | null} */
    this.frame = null;
  }

  /**
   * A thing at `at` (numbers by name). `move(at)` draws it, there and then: nothing is painted before it has its place.
   * @param {Numbers} at
   * @param {(at: any) => void} move
   */
  add(at, move) {
    /** @type {Thing} */
    const thing = {
      at: { ...at },
      from: { ...at },
      to: { ...at },
      delay: 0,
      move,
      moved: true,
      fresh: true,
      done: null,
    };
    this.things.add(thing);
    move(thing.at);
    return thing;
  }

  /**
   * Sends a thing somewhere, optionally after a share of the duration; `done` is called on arrival.
   * @param {Thing} thing
   * @param {Numbers} to
   * @param {number} [delay]
   * @param {() => void} [done]
   */
  send(thing, to, delay, done) {
    thing.to = { ...thing.to, ...to };
    thing.delay = delay || 0;
    thing.done = done || null;
  }

  /** @param {Thing} thing */
  remove(thing) {
    this.things.delete(thing);
  }

  /**
   * Starts towards all targets. Calling it again restarts the clock from where everything is.
   * @param {number} duration
   */
  go(duration) {
    this.duration = duration;
    this.started = performance.now();
    for (const thing of this.things) thing.from = { ...thing.at };
    if (duration <= 0) {
      this.stop();
      this.draw(1);
    } else if (this.frame === null) {
      this.frame = requestAnimationFrame((now) => this.tick(now));
    }
  }

  /** @param {number} now */
  tick(now) {
    this.frame = null;
    const time = Math.min(1, Math.max(0, (now - this.started) / this.duration));
    this.draw(time);
    if (time < 1) this.frame = requestAnimationFrame((later) => this.tick(later));
  }

  /** @param {number} time */
  draw(time) {
    for (const thing of this.things) {
      const share = time >= 1 ? 1 : ease((time - thing.delay) / (1 - thing.delay));
      let moved = false;
      for (const name in thing.to) {
        const value = share === 1 ? thing.to[name] : thing.from[name] + (thing.to[name] - thing.from[name]) * share;
        if (value !== thing.at[name]) {
          thing.at[name] = value;
          moved = true;
        }
      }
      thing.moved = moved || thing.fresh;
      thing.fresh = false;
      if (thing.moved) thing.move(thing.at);
    }
    this.afterFrame();
    if (time >= 1)
      for (const thing of Array.from(this.things)) {
        const done = thing.done;
        thing.done = null;
        if (done) done();
      }
  }

  stop() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }
}
