/**
 * Who is at work: the draft model with its calls, the target model with its one, and the coin that decides between them.
 *
 * Above the tree, with the times measured in this round. Between the two models stand their calls as blocks, as wide as
 * they took long: many small ones, then a large one. What works at the step is lit; the target's call sweeps over the
 * stage, and the coin falls to its place. Without motion everything stands where it ends.
 */

import { element, setAttribute, setText } from "../../shared/elements.js";
import { milliseconds, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";

const FALL = 620; // ms at most that the coin takes
const CALL = 900; // ms at most that the sweep takes

export class Cast {
  constructor() {
    this.draft = new Sign("draft");
    this.target = new Sign("target");
    this.blocks = element("span", "sp-calls", null, { role: "img" });
    this.coin = element("span", "sp-sign sp-sign-coin");
    this.track = element("span", "sp-coin-way");
    this.reach = this.track.appendChild(element("i", "sp-coin-reach"));
    this.dot = this.track.appendChild(element("i", "sp-coin-face"));
    this.told = element("span", "sp-sign-told");
    this.coin.append(element("b", "", say("coin")), this.track, this.told);
    this.root = element("div", "sp-cast", null, {}, [this.draft.root, this.blocks, this.target.root, this.coin]);
    this.sweep = element("div", "sp-sweep", null, { "aria-hidden": "true" });
    this.step = null;
  }

  /** `duration` is the step's glide in ms: 0 where nothing is to move. */
  show(trace, step, duration) {
    const fresh = step !== this.step;
    this.step = step;
    const round = step && step.round;
    const drafting = Boolean(step) && step.kind === "drafted";
    const called = Boolean(round && round.call) && !drafting;
    this.showModels(trace, step, round, called);
    this.root.dataset.lit = !step
      ? ""
      : drafting
        ? "draft"
        : step.kind === "scored"
          ? "target"
          : step.kind === "judged"
            ? "coin"
            : "";
    this.showCoin(step && step.kind === "judged" ? step.verdict : null, fresh ? duration : 0);
    if (fresh && duration > 0 && step && step.kind === "scored") this.cross(duration);
  }

  showModels(trace, step, round, called) {
    const layers = round ? round.layers.slice(0, step.layers) : [];
    const drafts = trace.run ? trace.run.draft !== null && trace.run.draft !== undefined : true;
    const work = called && round.commit && round.commit.draft_work ? round.commit.draft_work : [];
    const calls = work.reduce((sum, count, i) => sum + (i % 3 === 0 ? count : 0), 0);
    const seconds =
      called && round.commit ? round.commit.draft_s : layers.reduce((sum, layer) => sum + layer.seconds, 0);
    const many = calls
      ? say(calls === 1 ? "cast_call" : "cast_calls", { count: calls })
      : say(layers.length === 1 ? "cast_layer" : "cast_layers", { count: layers.length });
    this.draft.show(
      drafts || layers.length ? say(drafts ? "cast_draft" : "cast_drafter") : say("cast_no_draft"),
      layers.length || calls ? many + " · " + milliseconds(seconds) : "",
    );
    this.target.show(
      say("cast_target"),
      called ? say("cast_call", { count: 1 }) + " · " + milliseconds(round.call.seconds) : "",
    );
    this.draft.root.classList.toggle("sp-idle", !drafts && !layers.length);
    this.showBlocks(layers, called ? round.call.seconds : null, called ? seconds : null);
  }

  /** A block per drafted layer and one of the call; the draft's time that no layer has stands with the last. */
  showBlocks(layers, call, drafted) {
    const rest = drafted === null ? 0 : Math.max(0, drafted - layers.reduce((sum, layer) => sum + layer.seconds, 0));
    const widths = layers.map((layer, i) => layer.seconds + (i === layers.length - 1 ? rest : 0));
    const stamp = widths.concat(call ?? -1).join();
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const blocks = widths.map((seconds) => block("draft", seconds));
    if (call !== null) blocks.push(block("target", call));
    this.blocks.replaceChildren(...blocks);
    setAttribute(this.blocks, "aria-label", blocks.map((each) => each.title).join(", ") || say("cast_nothing"));
  }

  showCoin(verdict, duration) {
    const known = Boolean(verdict) && verdict.coin !== null && verdict.accept !== null;
    this.coin.classList.toggle("sp-idle", !known);
    this.coin.classList.toggle("sp-is-accepted", known && verdict.outcome === "accepted");
    this.coin.classList.toggle("sp-is-rejected", known && verdict.outcome === "rejected");
    setText(
      this.told,
      known
        ? say(verdict.coin < verdict.accept ? "cast_coin_below" : "cast_coin_above", {
            coin: probability(verdict.coin),
            accept: probability(verdict.accept),
          })
        : "",
    );
    this.coin.title = known ? say("coin_line") : "";
    const place = (value) => (100 * Math.max(0, Math.min(1, value))).toFixed(1) + "%";
    this.reach.style.width = known ? place(verdict.accept) : "0";
    this.dot.style.left = known ? place(verdict.coin) : "100%";
    if (known && duration > 0 && this.dot.animate)
      this.dot.animate(
        [
          { left: "100%", top: "-14px" },
          { left: place(verdict.coin), top: "-9px", offset: 0.6 },
          { left: place(verdict.coin), top: "50%" },
        ],
        { duration: Math.min(FALL, 1.3 * duration), easing: "cubic-bezier(.3,.1,.3,1)" },
      );
  }

  /** The target reads everything at once: a light goes over the stage. */
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
  constructor(who) {
    this.root = element("span", "sp-sign sp-sign-" + who);
    this.name = element("b");
    this.told = element("span", "sp-sign-told");
    this.root.append(element("i", "sp-sign-lamp", null, { "aria-hidden": "true" }), this.name, this.told);
  }

  show(name, told) {
    setText(this.name, name);
    setText(this.told, told);
  }
}

function block(who, seconds) {
  const one = element("i", "sp-call-" + who, null, { title: say("cast_block_" + who, { ms: milliseconds(seconds) }) });
  one.style.flexGrow = String(Math.max(1e-5, seconds) * 1000);
  return one;
}
