/** The events of a run that goes on: its messages hold the newest chunks alone, numbered from `first`. */

export const parsed = (chunks) => chunks.flatMap((chunk) => JSON.parse(chunk));

export class LiveEvents {
  constructor() {
    /** @type {string | null} */
    this.run = null;
    this.numChunks = 0;
    /** @type {object[]} all of the run so far */
    this.all = [];
  }

  /** Those of a message that are new; chunks that were missed come with the last message. */
  take({ run, first, chunks }) {
    if (run !== this.run) Object.assign(this, { run, numChunks: 0, all: [] });
    if (first > this.numChunks) return [];
    const events = parsed(chunks.slice(this.numChunks - first));
    this.numChunks = Math.max(this.numChunks, first + chunks.length);
    this.all.push(...events);
    return events;
  }
}
