/** Seconds that the page takes for a message, for the server: where they are many, and have changed by half. */

const SLOW_S = 0.15;

export class Pace {
  constructor() {
    this.known = 0; // seconds, as the server knows them
  }

  /** Another run begins. */
  reset() {
    this.known = 0;
  }

  /** True where the server is to know of this. @param {number} seconds */
  isNews(seconds) {
    if (Math.max(seconds, this.known) < SLOW_S || (seconds < 2 * this.known && this.known < 2 * seconds)) return false;
    this.known = seconds;
    return true;
  }
}
