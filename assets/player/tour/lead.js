/** The headline above the run: what speculative decoding does, and whether this method keeps the distribution. */

import { element, setText, textWidth } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

export class Lead {
  constructor() {
    this.said = element("span");
    this.root = element("h2", "sp-lead", [this.said]);
  }

  /** @param {import("../trace/trace.js").Trace} trace */
  show(trace) {
    this.write(trace.run ? headlineOf(trace) : "");
  }

  /** Letters are as large as the line has room for; what has none at the smallest takes further lines. */
  write(/** @type {string} */ headline) {
    if (this.said.textContent === headline) return;
    setText(this.said, headline);
    const { fontFamily } = getComputedStyle(this.root);
    this.said.style.setProperty("--em", String(textWidth(headline, `700 100px ${fontFamily}`) / 100));
  }
}

/** @param {import("../trace/trace.js").Trace} trace */
function headlineOf(trace) {
  const kind = kindOf(trace);
  if (kind === "plain") return say("lead_plain");
  return `${say("lead_" + kind)} ${say(promiseOf(/** @type {any} */ (trace.run)))}`;
}

/** The very text at temperature 0, where one is the likeliest; else the target's probabilities of every text. */
const promiseOf = ({ lossless, sampling }) =>
  lossless ? (sampling.temperature ? "lead_sampled" : "lead_lossless") : "lead_lossy";

/** Kind of drafter: a draft model, another one, or none. @param {import("../trace/trace.js").Trace} trace */
function kindOf(trace) {
  if (trace.run?.draft) return "draft";
  // until its end, a run may still draft
  const drafts = trace.finished || !trace.run?.tests ? trace.rounds.some((round) => round.layers.length) : true;
  return drafts ? "free" : "plain";
}
