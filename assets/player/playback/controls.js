/**
 * The buttons under the stage, the speed, the keys, and the small list of keys.
 *
 * Buttons and keys ask for the same named actions; the player decides what they do.
 */

import { actionFor, helpDialog, iconButton, showPlaying } from "../../shared/buttons.js";
import { element, setAttribute } from "../../shared/elements.js";
import { openGlossary } from "../../shared/glossary/glossary.js";
import { say, words } from "../../shared/words.js";
import { SPEEDS } from "./playhead.js";

export class Controls {
  /** `act` is a table of actions by name: toggle, step_back, ..., speed(number), live, help. */
  constructor(act) {
    this.act = act;
    this.root = element("div", "sp-controls", null, { role: "group", "aria-label": say("controls_label") });
    this.play = this.button("play", () => act.toggle(), "sp-play");
    const moves = element("div", "sp-button-row");
    moves.append(
      this.button("restart", () => act.restart()),
      this.button("round_back", () => act.round_back()),
      this.button("step_back", () => act.step_back()),
      this.play,
      this.button("step_forward", () => act.step_forward()),
      this.button("round_forward", () => act.round_forward()),
      this.button("to_end", () => act.to_end()),
    );
    this.speed = element("select", "sp-speed", null, { "aria-label": say("speed"), title: say("speed") });
    for (const speed of SPEEDS) this.speed.appendChild(element("option", "", speed + "×", { value: speed }));
    this.speed.addEventListener("change", () => act.speed(Number(this.speed.value)));
    this.live = element("button", "sp-live", say("live"), {
      type: "button",
      title: say("live_title"),
      "aria-pressed": "false",
      hidden: "",
    });
    this.live.addEventListener("click", () => act.live());
    this.help = element("button", "sp-button sp-help-button", "?", {
      type: "button",
      title: say("help"),
      "aria-label": say("help"),
    });
    this.help.addEventListener("click", () => act.help());
    const glossary = element("button", "sp-button sp-words-button", say("glossary"), {
      type: "button",
      title: say("glossary_title"),
      "aria-keyshortcuts": "G",
    });
    glossary.addEventListener("click", () => openGlossary());
    const tour = element("button", "sp-button sp-tour-button", say("tour"), {
      type: "button",
      title: say("tour_title"),
    });
    tour.addEventListener("click", () => act.tour());
    const others = element("div", "sp-button-row sp-rest");
    this.links = [this.button("copy_link", () => act.copy_link()), this.button("copy_frame", () => act.copy_frame())];
    for (const each of this.links) each.hidden = true;
    const whole = this.button("present", () => act.present());
    others.append(
      this.button("next_rejection", () => act.next_rejection(), "sp-to-rejection"),
      this.live,
      this.speed,
      ...this.links,
      whole,
      tour,
      glossary,
      this.help,
    );
    this.root.append(moves, others);
    this.dialog = helpDialog(words.keys, say("keys_note"));
  }

  button(name, press, className) {
    return iconButton(name, press, { className });
  }

  /** The page around can link to what is seen. */
  offerLinks() {
    for (const each of this.links) each.hidden = false;
  }

  show(playhead) {
    showPlaying(this.play, playhead.playing);
    const speed = String(playhead.speed);
    if (this.speed.value !== speed) this.speed.value = speed;
    this.live.hidden = !playhead.live;
    this.live.setAttribute("aria-pressed", String(playhead.following));
    const at = playhead.cursor;
    const nothing = playhead.steps.length < 2;
    /** @type {NodeListOf<HTMLElement>} */
    const buttons = this.root.querySelectorAll(".sp-button[data-action]:not(.sp-play)");
    for (const button of buttons) {
      const back = /back|restart/.test(button.dataset.action || "");
      const forward = /forward|to_end|rejection/.test(button.dataset.action || "");
      // aria-disabled and not disabled: a button that loses focus while it is pressed loses the keyboard reader.
      setAttribute(button, "aria-disabled", nothing || (back && at === 0) || (forward && at >= playhead.last));
    }
  }
}

const KEYS = {
  " ": "toggle",
  k: "toggle",
  ",": "step_back",
  ".": "step_forward",
  n: "next_rejection",
  ArrowLeft: "step_back",
  ArrowRight: "step_forward",
  Home: "restart",
  End: "to_end",
  "[": "slower",
  "]": "faster",
  "?": "help",
  Escape: "release",
  l: "open_in_lab",
  w: "widen",
  t: "tour",
  c: "copy_link",
  f: "present",
  s: "take_away",
  x: "flip",
  1: "view",
  2: "view",
  3: "view",
  4: "view",
  5: "view",
  6: "view",
  7: "view",
};

const SHIFTED = { ArrowLeft: "round_back", ArrowRight: "round_forward", c: "copy_frame" };

/** The action a key asks for, or null. @param {KeyboardEvent} event */
export const actionOf = (event) => actionFor(event, KEYS, SHIFTED, "input");
