/** Caption of the step: a line over the tree, and what a screen reader hears of a round. */

import { element, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { tellRound, tellStep } from "./narration.js";

const SPOKEN_EVERY = 1800; // ms between two sentences of the live region while playing

export class Caption {
  constructor() {
    this.place = element("span", "sp-place");
    this.sentence = element("span", "sp-sentence");
    this.root = element("p", "sp-caption", [this.place, this.sentence]);
    this.spoken = element("div", "sp-visually-hidden", null, { "aria-live": "polite" });
    this.spokenAt = 0;
    this.said = null;
  }

  show(trace, step, { playing, live }) {
    const sentence = step ? tellStep(trace, step) : "";
    setText(this.place, step ? headingOf(trace, step, live) : "");
    setText(this.sentence, sentence);
    this.root.title = sentence; // it may be cut off
    if (!step || (step.kind !== "committed" && step.kind !== "finished") || step === this.said) return;
    const now = performance.now();
    if (playing && step.kind === "committed" && now - this.spokenAt < SPOKEN_EVERY) return;
    this.said = step;
    this.spokenAt = now;
    setText(this.spoken, step.kind === "committed" ? tellRound(step.round) : sentence);
  }
}

export function headingOf(trace, step, live) {
  if (step.kind === "start") return say("start");
  if (step.kind === "finished") return say("end");
  const round = step.round.number;
  return live ? say("round", { round }) : say("round_of", { round, rounds: trace.rounds.length });
}
