/**
 * A measurement of the server that goes on while one watches: a button that begins it, Stop, a bar, and a sentence.
 *
 *   const measuring = new Measuring(ask, {title, what, request, show})   .root
 *   title, what   of the button, and the sentence before it is pressed
 *   request()     the question that begins the measurement
 *   show(known)   called whenever more is known
 */

import { element, pressButton, setText } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { Asking } from "./asking.js";

const POLL_MS = 300;
const GOING = ["starting", "running", "paused"];

/** @typedef {import("../page/messages.js").Question} Question */

export class Measuring {
  /**
   * @param {(request: Question) => Promise<any>} ask
   * @param {{title: string, what: string, request: () => Question, show: (known: any) => void}} about
   */
  constructor(ask, { title, what, request, show }) {
    this.asking = new Asking(ask);
    this.request = request;
    this.show = show;
    this.start = pressButton("lab-chip lab-start", title, () => this.begin());
    this.stop = pressButton("lab-chip", say("measuring_stop"), () => this.end());
    this.bar = element("progress", "race-bar lab-progress", null, { "aria-label": say("measuring_bar") });
    this.status = element("p", "sp-quiet", what, { role: "status" });
    this.root = element("div", "lab-measuring", [
      element("div", "lab-presets", [this.start, this.stop]),
      this.bar,
      this.asking.root,
      this.status,
    ]);
    this.fit("idle");
  }

  async begin() {
    this.isUnwanted = false; // pressed before the server had said what it is called
    this.fit("starting");
    let known = await this.asking.answer(this.request());
    while (known) {
      this.id = known.id;
      this.fit(known.state, known);
      if (known.error) this.asking.tell("asked", known.error);
      if (known.done) this.show(known);
      if (!GOING.includes(known.state)) return;
      if (this.isUnwanted) await this.end();
      await new Promise((rested) => setTimeout(rested, POLL_MS));
      known = await this.asking.answer({ type: "follow", id: this.id });
    }
    this.fit("failed");
  }

  async end() {
    this.isUnwanted = !this.id;
    if (this.id) await this.asking.answer({ type: "stop", id: this.id });
  }

  /** @param {string} state @param {{done?: number, total?: number}} [known] */
  fit(state, { done = 0, total = 0 } = {}) {
    const going = GOING.includes(state);
    this.start.disabled = going;
    this.stop.disabled = !going;
    this.bar.hidden = !going;
    if (total) Object.assign(this.bar, { max: total, value: done });
    else this.bar.removeAttribute("value");
    if (state !== "idle") setText(this.status, say(`measuring_${state}`, { done, total }));
    if (!going) this.id = null;
  }
}
