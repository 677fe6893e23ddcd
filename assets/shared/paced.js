/**
 * Drawing of what changes faster than it can be drawn: a page that only draws hears no key and no press of Stop.
 *
 *   const paced = new Paced(() => charts.set(value));
 *   paced.want();   // at once, or the newest value once the page has paused
 */

const PAUSE = 3; // times that the last drawing took, until the next

export class Paced {
  /** @param {() => void} draw */
  constructor(draw) {
    this.draw = draw;
    this.pausesUntil = 0; // ms of the page's clock
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
  }

  want() {
    const wait = this.pausesUntil - performance.now();
    if (wait <= 0) this.now();
    else this.timer ??= setTimeout(() => this.now(), wait);
  }

  now() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const began = performance.now();
    const pause = () => (this.pausesUntil = performance.now() + PAUSE * (performance.now() - began));
    this.draw();
    pause();
    requestAnimationFrame(() => setTimeout(pause)); // what is drawn is laid out and painted in the next frame
  }
}
