/**
 * The models at work: the draft model with its calls, the target model with its one, in the lane below the tree.
 *
 * Between the two are their calls as blocks, as wide as they took long: many small ones, then a large one. What works
 * at the step is lit, and the target's call sweeps over the stage. Without motion everything is drawn where it ends.
 */

import { element, setAttribute, setText } from "../../shared/elements.js";
import { milliseconds } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { calledAt } from "../trace/records.js";

const CALL = 900; // ms at most that the sweep takes
/** @typedef {import("../trace/records.js").Layer} Layer */

/** @type {Record<string, string>} */
const LIT = { drafted: "draft", scored: "target" }; // who works at a step

export class Cast {
  constructor() {
    this.draft = new Sign("draft");
    this.target = new Sign("target");
    this.blocks = element("span", "sp-calls", null, { role: "img" });
    this.root = element("div", "sp-cast", [this.draft.root, this.blocks, this.target.root]);
    this.sweep = element("div", "sp-sweep", null, { "aria-hidden": "true" });
    /** @type {import("../trace/records.js").Step | null} */
    this.step = null;
    this.stamp = "";
  }

  /**
   * `duration` is the step's glide in ms: 0 where nothing is to move.
   * @param {import("../trace/trace.js").Trace} trace
   * @param {import("../trace/records.js").Step | null} step
   * @param {number} duration
   */
  show(trace, step, duration) {
    const fresh = step !== this.step;
    this.step = step;
    this.showModels(trace, step && step.round ? step.round.layers.slice(0, step.layers) : [], calledAt(step));
    this.root.dataset.lit = LIT[step ? step.kind : ""] ?? "";
    if (fresh && duration > 0 && step && step.kind === "scored") this.cross(duration);
  }

  /**
   * `called` is the round, once its call is known.
   * @param {import("../trace/trace.js").Trace} trace
   * @param {Layer[]} layers
   * @param {import("../trace/records.js").Round | null} called
   */
  showModels(trace, layers, called) {
    const drafts = trace.run ? Boolean(trace.run.draft) : true;
    const call = secondsOf(called);
    const commit = called?.commit;
    const seconds = commit ? commit.draft_s : layers.reduce((sum, layer) => sum + layer.seconds, 0);
    this.draft.show(
      say(drafts ? "cast_draft" : layers.length ? "cast_drafter" : "cast_no_draft"),
      callsSaid(commit?.draft_work || [], layers.length),
      seconds,
    );
    this.target.show(say("cast_target"), call === null ? "" : counted("cast_call", "cast_calls", 1), call);
    this.draft.root.classList.toggle("sp-idle", !drafts && !layers.length);
    this.showBlocks(layers, call, called ? seconds : null);
  }

  /**
   * A block per drafted layer and one of the call; the draft's time that no layer has is added to the last.
   * @param {Layer[]} layers
   * @param {number | null} call
   * @param {number | null} drafted
   */
  showBlocks(layers, call, drafted) {
    const remainingS =
      drafted === null ? 0 : Math.max(0, drafted - layers.reduce((sum, layer) => sum + layer.seconds, 0));
    const widths = layers.map((layer, i) => layer.seconds + (i === layers.length - 1 ? remainingS : 0));
    const stamp = widths.concat(call ?? -1).join();
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const blocks = widths.map((seconds) => block("draft", seconds));
    if (call !== null) blocks.push(block("target", call));
    this.blocks.replaceChildren(...blocks);
    setAttribute(this.blocks, "aria-label", blocks.map((each) => each.title).join(", ") || say("cast_nothing"));
  }

  /** The target reads everything at once: a light goes over the stage. @param {number} duration */
  cross(duration) {
    if (!this.sweep.animate) return;
    this.sweep.animate(
      [
        { transform: "translateX(-40%)", opacity: 0 },
        { opacity: 1, offset: 0.25 },
        { opacity: 1, offset: 0.7 },
        { transform: "translateX(250%)", opacity: 0 },
      ],
      { duration: Math.min(CALL, 1.8 * duration), easing: "ease-in-out" },
    );
  }
}

class Sign {
  /** @param {string} who */
  constructor(who) {
    this.root = element("span", "sp-sign sp-sign-" + who);
    this.name = element("b");
    this.told = element("span", "sp-sign-told");
    this.time = element("span", "sp-sign-time");
    const lamp = element("i", "sp-sign-lamp", null, { "aria-hidden": "true" });
    this.root.append(lamp, this.name, element("span", "", [this.told, this.time]));
    this.root.title = say("cast_round");
  }

  /**
   * "draft model 4 calls · 2.2 ms"; a phone has no room for the time.
   * @param {string} name
   * @param {string} calls
   * @param {number | null} seconds
   */
  show(name, calls, seconds) {
    setText(this.name, name);
    setText(this.told, calls);
    setText(this.time, calls ? " · " + milliseconds(seconds ?? 0) : "");
  }
}

/** Seconds of a round's call. @param {import("../trace/records.js").Round | null} called */
const secondsOf = (called) => called?.call?.seconds ?? null;

/** @param {string} one @param {string} many @param {number} count */
const counted = (one, many, count) => say(count === 1 ? one : many, { count });

/** The drafter's calls, once they are counted, or the depths so far. @param {number[]} work @param {number} depths */
function callsSaid(work, depths) {
  const calls = work.reduce((sum, count, i) => sum + (i % 3 === 0 ? count : 0), 0);
  if (calls) return counted("cast_call", "cast_calls", calls);
  return depths ? counted("cast_layer", "cast_layers", depths) : "";
}

/** @param {string} who @param {number} seconds */
function block(who, seconds) {
  const one = element("i", "sp-call-" + who, null, { title: say("cast_block_" + who, { ms: milliseconds(seconds) }) });
  one.style.flexGrow = String(Math.max(1e-5, seconds) * 1000);
  return one;
}
