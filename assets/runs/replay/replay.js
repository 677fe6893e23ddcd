/**
 * The race replayed: every lane at the same time of one clock.
 *
 *   const r = new Replay({watch(label), choose(place), ended()});
 *   r.load(value of the race); r.goto(seconds); r.state()
 *
 * The clocks are those of the measured runs. Only the pace is the reader's.
 */

import { element, empty, legible, setText } from "../../shared/elements.js";
import { inSeconds } from "../../shared/figures.js";
import { say } from "../../shared/words.js";
import { ordinal } from "../result.js";
import { Axis } from "./axis.js";
import { Clock, PACES } from "./clock.js";
import { actionOf, Controls } from "./controls.js";
import { Lane } from "./lane.js";

const LONGEST_PROMPT = 60; // letters of a prompt in the menu

export class Replay {
  /** `ended()` is called whenever the clock is at its end. */
  constructor({ watch, choose, ended }) {
    this.watch = watch;
    this.atEnd = ended;
    /** @type {Lane[]} */
    this.lanes = [];
    /** @type {Set<Lane>} */
    this.ended = new Set();
    /** @type {number[]} when rounds end, of all lanes */
    this.clocks = [];
    this.actions = this.makeActions();
    this.clock = new Clock({
      moved: () => this.show(),
      changed: () => this.controls && this.controls.show(this.clock),
    });
    this.controls = new Controls(this.actions);
    this.axis = new Axis();
    this.list = element("ol", "sr-lanes");
    this.budget = 0; // tokens at the finish line
    /** @type {number | null} seconds at which the first lane ended, where all lanes have the same number of tokens */
    this.finish = null;
    this.remark = element("p", "sp-quiet", null, { hidden: "" });
    this.note = element("p", "sp-quiet", say("replay_note"));
    this.spoken = element("div", "sp-visually-hidden", null, { "aria-live": "polite" });
    this.prompt = element("select", "sp-speed sr-prompts", null, { "aria-label": say("replay_prompt") });
    this.prompt.addEventListener("change", () => choose(Number(this.prompt.value)));
    this.chooser = element("label", "sr-chooser", null, { hidden: "" }, [
      element("span", "", say("replay_prompt")),
      this.prompt,
    ]);
    const head = element("div", "sr-head", [
      element("h2", "sr-title", say("replay_title")),
      this.axis.key,
      this.chooser,
    ]);
    this.root = element(
      "section",
      "sr-replay",
      null,
      { tabindex: 0, role: "group", "aria-label": say("replay_label") },
      [head, this.controls.root, this.axis.root, this.list, this.remark, this.note, this.controls.dialog, this.spoken],
    );
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {import("../../page/messages.js").RaceValue} value */
  load({ lanes, prompts, place, lanes_note, standings }) {
    setText(this.note, [say("replay_note"), lanes_note].filter(Boolean).join(" "));
    empty(this.list);
    this.ended.clear();
    this.lanes = lanes.map((data) => new Lane(data, prompts[place], this.watch && (() => this.watch(data.label))));
    for (const lane of this.lanes) this.list.appendChild(lane.root);
    this.givePlaces(standings);
    this.nameprompts(prompts, place);
    this.budget = Math.max(0, ...this.lanes.map((lane) => lane.tokens));
    this.axis.show(this.budget);
    this.clocks = Array.from(new Set(this.lanes.flatMap((lane) => lane.clocks))).sort((a, b) => a - b);
    const length = this.clocks[this.clocks.length - 1] || 0;
    this.clock.reset(length);
    this.controls.mark(this.lanes, length);
    // With reduced motion the race rests at its end, and only the reader moves it.
    if (this.clock.still.matches) this.clock.now = length;
    this.show();
    this.controls.show(this.clock);
  }

  /** Places are fair only where all have written the same number of tokens. */
  givePlaces(standings) {
    const running = this.lanes.filter((lane) => lane.run);
    const even = new Set(running.map((lane) => lane.tokens)).size === 1 && running.length > 1;
    const order = running.slice().sort((a, b) => a.seconds - b.seconds);
    this.finish = even ? order[0].seconds : null;
    for (const lane of running)
      lane.dressFlag(
        even ? order.findIndex((other) => other.seconds === lane.seconds) + 1 : null,
        this.finish,
        standings,
      );
    this.remark.hidden = even || running.length === 1;
    setText(this.remark, say(running.length ? "replay_uneven" : "replay_none"));
  }

  nameprompts(prompts, place) {
    this.chooser.hidden = prompts.length < 2;
    empty(this.prompt);
    prompts.forEach((text, i) => {
      const line = Array.from(legible(text).replace(/\s+/g, " "));
      const short = line.length > LONGEST_PROMPT ? line.slice(0, LONGEST_PROMPT - 1).join("") + "…" : line.join("");
      this.prompt.append(
        element("option", "", say("replay_prompt_item", { number: i + 1, text: short }), { value: i }),
      );
    });
    this.prompt.value = String(place);
  }

  play() {
    if (!this.clock.still.matches) this.clock.start();
  }

  pause() {
    this.clock.leave();
  }

  goto(seconds) {
    this.clock.goto(seconds);
  }

  show() {
    const before = this.ended;
    this.ended = new Set(this.lanes.filter((lane) => lane.show(this.clock.now, this.budget)));
    this.tell(this.lanes.filter((lane) => lane.run && this.ended.has(lane) && !before.has(lane)));
    if (this.controls) this.controls.show(this.clock);
    if (this.clock.now >= this.clock.length) this.atEnd();
  }

  /**
   * Says who has just come in, all of them where one frame is late; a reader who seeks hears nothing, for they know
   * where they go.
   */
  tell(lanes) {
    if (!this.clock.playing || !lanes.length) return;
    const sentences = lanes
      .sort((a, b) => a.seconds - b.seconds)
      .map((lane) => {
        const values = { title: lane.data.title, tokens: lane.tokens, seconds: inSeconds(lane.seconds) };
        return lane.place
          ? say("lane_told_place", { ...values, place: ordinal(lane.place) })
          : say("lane_told", values);
      });
    if (this.lanes.every((lane) => !lane.run || this.ended.has(lane))) sentences.push(say("all_told"));
    setText(this.spoken, sentences.join(" "));
  }

  makeActions() {
    const clock = () => this.clock;
    const pace = (by) =>
      clock().setPace(PACES[Math.max(0, Math.min(PACES.length - 1, PACES.indexOf(clock().slow) + by))]);
    const leap = (share) => clock().goto(clock().now + share * clock().length);
    return {
      toggle: () => clock().toggle(),
      restart: () => clock().goto(0),
      to_end: () => clock().goto(clock().length),
      back: () => clock().goto(this.clocks.filter((at) => at < clock().now - 1e-9).pop() ?? 0),
      forward: () => clock().goto(this.clocks.find((at) => at > clock().now + 1e-9) ?? clock().length),
      leap_back: () => leap(-0.1),
      leap_forward: () => leap(0.1),
      slower: () => pace(1),
      faster: () => pace(-1),
      goto: (seconds) => clock().goto(seconds),
      pace: (slow) => clock().setPace(slow),
      help: () => this.controls.dialog.open || this.controls.dialog.showModal(),
    };
  }

  key(event) {
    const action = actionOf(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    this.actions[action]();
  }

  /** For the page around. */
  state() {
    const { now, length, playing, slow } = this.clock;
    return {
      now,
      length,
      playing,
      slow,
      lanes: this.lanes.map((lane) => ({
        label: lane.data.label,
        rounds: Math.max(0, lane.shown),
        tokens: lane.shown > 0 ? lane.totals[lane.shown - 1] : 0,
        clocks: lane.clocks,
        place: lane.place,
      })),
    };
  }
}
