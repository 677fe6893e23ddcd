/** One sentence on what is seen, above the run. */

import "./words.js";
import { element, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

export class Lead {
  constructor() {
    this.root = element("p", "sp-lead");
  }

  /** @param {import("../trace/trace.js").Trace} trace */
  show(trace) {
    setText(this.root, trace.run ? say("lead_" + kindOf(trace)) : "");
  }
}

/** Kind of drafter: a draft model, another one, or none. @param {import("../trace/trace.js").Trace} trace */
function kindOf(trace) {
  if (trace.run?.draft) return "draft";
  return trace.rounds.some((round) => round.layers.length) ? "free" : "plain";
}
