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
    const headline = trace.run ? headlineOf(trace) : "";
    if (this.said.textContent === headline) return;
    setText(this.said, headline);
    this.said.style.setProperty("--em", String(textWidth(headline, "700 100px sans-serif") / 100)); // letters as its line has room
  }
}

/** @param {import("../trace/trace.js").Trace} trace */
function headlineOf(trace) {
  const kind = kindOf(trace);
  if (kind === "plain") return say("lead_plain");
  return `${say("lead_" + kind)} ${say(trace.run?.lossless ? "lead_lossless" : "lead_lossy")}`;
}

/** Kind of drafter: a draft model, another one, or none. @param {import("../trace/trace.js").Trace} trace */
function kindOf(trace) {
  if (trace.run?.draft) return "draft";
  // until its end, a run may still draft
  const drafts = trace.finished || !trace.run?.tests ? trace.rounds.some((round) => round.layers.length) : true;
  return drafts ? "free" : "plain";
}
