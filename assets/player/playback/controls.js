/**
 * The buttons under the stage, the speed, the keys, and the small list of keys.
 *
 * Buttons and keys ask for the same named actions; the player decides what they do.
 */

import { actionFor, helpDialog, iconButton, showPlaying } from "../../shared/buttons.js";
import { element, pressButton, setAttribute } from "../../shared/elements.js";
import { openGlossary } from "../../shared/glossary/glossary.js";
import { say, words } from "../../shared/words.js";
import { SPEEDS } from "./playhead.js";

let numMenus = 0; // for ids of their own

export class Controls {
  /** `act` is a table of actions by name: toggle, step_back, ..., speed(number), live, help. */
  constructor(act) {
    this.act = act;
    this.root = element("div", "sp-controls", null, { role: "group", "aria-label": say("controls_label") });
    this.play = this.button("play", () => act.toggle(), "sp-play");
    const moves = element("div", "sp-button-row", [
      this.button("step_back", () => act.step_back()),
      this.play,
      this.button("step_forward", () => act.step_forward()),
      this.button("next_rejection", () => act.next_rejection(), "sp-to-rejection"),
    ]);
    this.live = pressButton("sp-live", say("live"), () => act.live(), {
      title: say("live_title"),
      "aria-pressed": "false",
      hidden: "",
    });
    moves.append(this.live);
    this.panel = this.button("panel", () => act.panel(), "sp-panel-button");
    this.more = this.button("more", () => this.open(this.more), "sp-more");
    this.speed = element("select", "sp-speed", null, { "aria-label": say("speed") });
    for (const speed of SPEEDS) this.speed.appendChild(element("option", "", speed + "×", { value: speed }));
    this.speed.addEventListener("change", () => act.speed(Number(this.speed.value)));
    this.home = element("a", "sp-home", say("home"), { href: "?", target: "_blank", rel: "noopener" });
    this.menu = this.menuOf(act);
    this.root.append(moves, element("div", "sp-button-row sp-rest", [this.panel, this.more]), this.menu);
    this.dialog = helpDialog(words.keys, say("keys_note"));
    const glossary = () => (this.dialog.close(), openGlossary());
    this.dialog.append(pressButton("sp-menu-row", say("glossary"), glossary, { "data-action": "glossary" }));
  }

  /** All that is not needed at every step. */
  menuOf(act) {
    const menu = element(
      "div",
      "sp-menu",
      null,
      { popover: "", role: "group", id: `sp-menu-${++numMenus}`, "aria-label": say("more") },
      [
        element("label", "sp-menu-row", say("speed"), {}, [this.speed]),
        this.item("tour", act.tour),
        this.item("present", act.present),
        this.item("take_away", act.take_away),
        this.item("help", act.help),
      ],
    );
    menu.addEventListener("click", (event) => {
      if (/** @type {Element} */ (event.target).closest("button")) menu.hidePopover();
    });
    return menu;
  }

  /** A line of the menu. */
  item(name, press) {
    return pressButton("sp-menu-row", say(name), () => press(), { "data-action": name });
  }

  /** Open the menu next to the button that was pressed. @param {HTMLElement} button */
  open(button) {
    const { menu } = this;
    menu.showPopover();
    const at = button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = menu;
    const below = at.bottom + 4 + height <= window.innerHeight;
    menu.style.left = Math.max(8, Math.min(at.right - width, window.innerWidth - width - 8)) + "px";
    menu.style.top = Math.max(8, below ? at.bottom + 4 : at.top - height - 4) + "px";
    /** @type {HTMLElement | null} */ (menu.querySelector("button"))?.focus({ preventScroll: true });
  }

  button(name, press, className) {
    return iconButton(name, press, { className });
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
  i: "panel",
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
