/**
 * The buttons, the scrubber, the pace and the keys of a replay: they ask it for named actions.
 */

import { actionFor, helpDialog, iconButton, showPlaying } from "../../shared/buttons.js";
import { element, empty, pressButton, setAttribute, setText, svg } from "../../shared/elements.js";
import { inSeconds } from "../../shared/figures.js";
import { say, words } from "../../shared/words.js";
import { PACES } from "./clock.js";

export class Controls {
  /** `act` is a table of actions: toggle, back, forward, restart, to_end, goto(seconds), pace(slow), help. */
  constructor(act) {
    this.marks = svg("svg", "sr-marks", null, {
      preserveAspectRatio: "none",
      viewBox: "0 0 1000 14",
      height: 14,
      "aria-hidden": "true",
    });
    this.range = element("input", "sp-range", null, {
      type: "range",
      min: 0,
      max: 0,
      step: 1,
      value: 0,
      "aria-label": say("replay_position"),
    });
    this.range.addEventListener("input", () => act.goto(Number(this.range.value) / 1000));
    this.timeline = element("div", "sr-timeline", [this.marks, this.range]);

    this.play = iconButton("play", act.toggle, { className: "sp-play" });
    const moves = element("div", "sp-button-row", [
      iconButton("restart", act.restart),
      iconButton("back", act.back, { word: "replay_back", icon: "step_back" }),
      this.play,
      iconButton("forward", act.forward, { word: "replay_forward", icon: "step_forward" }),
      iconButton("to_end", act.to_end),
    ]);
    this.time = element("p", "sr-time");
    this.pace = element("select", "sp-speed sr-pace", null, {
      "aria-label": say("replay_slow"),
      title: say("replay_slow"),
    });
    for (const slow of PACES)
      this.pace.append(
        element("option", "", slow === 1 ? say("replay_slow_1") : say("replay_slow_n", { slow }), { value: slow }),
      );
    this.pace.addEventListener("change", () => act.pace(Number(this.pace.value)));
    const help = pressButton("sp-button sp-help-button", "?", act.help, {
      title: say("help"),
      "aria-label": say("help"),
    });
    const others = element("div", "sp-button-row sp-rest", [this.time, this.pace, help]);
    this.row = element("div", "sp-controls", null, { role: "group", "aria-label": say("controls_label") }, [
      moves,
      others,
    ]);
    this.root = element("div", "sr-controls", [this.timeline, this.row]);
    this.dialog = helpDialog(words.replay_keys, say("replay_keys_note"));
  }

  /** The lanes' finishes as marks above the scrubber. */
  mark(lanes, length) {
    empty(this.marks);
    this.range.max = String(Math.ceil(length * 1000));
    for (const lane of lanes) {
      if (!lane.run || !length) continue;
      const x = (1000 * lane.seconds) / length;
      const mark = svg("path", "sr-mark", null, { d: `M${x.toFixed(1)} 1V14` });
      mark.append(svg("title", "", say("replay_finish", { title: lane.data.title, seconds: inSeconds(lane.seconds) })));
      this.marks.append(mark);
    }
  }

  show(clock) {
    showPlaying(this.play, clock.playing);
    const sentence = say("replay_time", { now: inSeconds(clock.now), length: inSeconds(clock.length) });
    setText(this.time, sentence);
    this.range.value = clock.now >= clock.length ? this.range.max : String(Math.round(clock.now * 1000));
    this.range.style.setProperty("--sp-share", (clock.length ? (100 * clock.now) / clock.length : 0) + "%");
    setAttribute(this.range, "aria-valuetext", sentence);
    if (this.pace.value !== String(clock.slow)) this.pace.value = String(clock.slow);
    /** @type {NodeListOf<HTMLElement>} */
    const buttons = this.row.querySelectorAll(".sp-button[data-action]:not(.sp-play)");
    for (const button of buttons) {
      const back = /back|restart/.test(button.dataset.action || "");
      setAttribute(button, "aria-disabled", !clock.length || (back ? clock.now <= 0 : clock.now >= clock.length));
    }
  }
}

const KEYS = {
  " ": "toggle",
  k: "toggle",
  ",": "back",
  ".": "forward",
  ArrowLeft: "back",
  ArrowRight: "forward",
  Home: "restart",
  End: "to_end",
  "[": "slower",
  "]": "faster",
  "?": "help",
};

const SHIFTED = { ArrowLeft: "leap_back", ArrowRight: "leap_forward" };

/** The action a key asks for, or null. @param {KeyboardEvent} event */
export const actionOf = (event) => actionFor(event, KEYS, SHIFTED, "input, .sr-text");
