/**
 * Questions to the server while one drags: one is under way, and always the newest one is asked next.
 *
 *   const asking = new Asking(ask)   .root: where a refusal is said
 *   asking.want(request, show, refused)   show(answer), or refused() where it is a refusal
 *   asking.later(request, show)     the same after a moment of rest: for answers that take long
 *   asking.answer(request, flow)    a promise of the answer, null where it was refused
 *   asking.tell(flow, sentence)     each flow of questions has a refusal of its own; an empty one takes it back
 */

import { element, setText } from "../shared/elements.js";
import { say } from "../shared/words.js";

const DEBOUNCE_MS = 160;

/** @typedef {import("../page/messages.js").Question} Question */

export class Asking {
  /** @param {(request: Question) => Promise<any>} ask gives the answer to the question, or a refusal */
  constructor(ask) {
    this.ask = ask;
    this.root = element("p", "sp-error", null, { role: "alert", hidden: "" });
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {Record<string, string>} */
    this.refusals = {};
    this.busy = false;
    /** @type {{request: Question, show: (found: any) => void, refused: () => void, at: number} | null} */
    this.wanted = null;
  }

  tell(flow, sentence) {
    this.refusals[flow] = sentence;
    const refusal = Object.values(this.refusals).find(Boolean) || "";
    this.root.hidden = !refusal;
    setText(this.root, refusal);
  }

  /** @param {Question} request */
  want(request, show, refused = () => {}) {
    this.wanted = { request, show, refused, at: performance.now() };
    if (!this.busy) this.next();
  }

  /** @param {Question} request */
  later(request, show) {
    const mine = (this.newest = {}); // what was wanted before is dropped, also if its answer is under way
    const askNow = async () => {
      const answer = await this.answer(request, "later", () => mine === this.newest);
      if (answer && mine === this.newest) show(answer);
    };
    clearTimeout(this.timer);
    this.timer = setTimeout(askNow, DEBOUNCE_MS);
  }

  async next() {
    this.busy = true;
    while (this.wanted) {
      const { request, show, refused, at } = this.wanted;
      this.wanted = null;
      const answer = await this.answer(request, "wanted");
      if (!answer) {
        refused();
        continue;
      }
      show(answer);
      this.drawnAfter = performance.now() - at; // for measurements
    }
    this.busy = false;
  }

  /** @param {Question} request */
  async answer(request, flow = "asked", isWanted = () => true) {
    let answer;
    try {
      // a refusal comes as nothing
      answer = (await this.ask(request)) ?? { error: say("failed", { reason: say("failed_empty") }) };
    } catch (problem) {
      answer = { error: say("failed", { reason: problem?.message || say("failed_offline") }) };
    }
    if (isWanted()) this.tell(flow, answer.error || "");
    return answer.error ? null : answer;
  }
}

/**
 * A file's bytes as text, for a question that sends the file.
 * @param {File} file
 * @returns {Promise<string>}
 */
export function inBase64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(String(reader.result).replace(/^[^,]*,/, "")));
    reader.addEventListener("error", () => failed(reader.error));
    reader.readAsDataURL(file);
  });
}
