/** The headline above the run: what speculative decoding does, and whether this method keeps the distribution. */

import { element, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

export class Lead {
  constructor() {
    this.root = element("p", "sp-lead");
  }

  /** @param {import("../trace/trace.js").Trace} trace */
  show(trace) {
    setText(this.root, trace.run ? headlineOf(trace) : "");
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
  return trace.rounds.some((round) => round.layers.length) ? "free" : "plain";
}
