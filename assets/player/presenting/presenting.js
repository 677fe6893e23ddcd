/**
 * Presenting: the stage with its text, and the rule where the panel is open, fill the screen, in letters that the last
 * row can read.
 *
 * The player covers the whole window by its style alone, and also asks the browser for the whole screen: where this is
 * refused, as in many frames, nothing else changes. Escape brings back what was there; the step stays, as a reader who
 * went on through the run does not want to be sent back. What the page around tells next to the stage, as a lesson
 * does, comes along.
 */

import { iconButton, keyOf } from "../../shared/buttons.js";
import { element } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { DENSITY } from "../stage/layout.js";
import { ColourKey } from "../stage/legend.js";

const LETTERS = 24; // px at least
const LEAST = LETTERS / DENSITY.compact.font; // the scale at which the stage's smallest letters are as large
const PANEL = "rule";
const HINT_MS = 3000; // how long the keys are told

/** Keys that a presenter's remote control sends, and keys that mean something else here. */
const KEYS = { PageDown: "step_forward", PageUp: "step_back", b: "blank", ".": "blank", Escape: "present" };
const ELSEWHERE = ["open_in_lab", "tour"]; // what is below, or is not there

export class Presenting {
  /** @param {any} player @param {HTMLElement | null} beside the text next to the stage */
  constructor(player, beside) {
    this.player = player;
    this.beside = beside;
    this.on = false;
    this.whole = false; // whether the browser gave the whole screen
    /** @type {(() => void) | null} brings back what was there */
    this.back = null;
    this.leave = iconButton("present", () => this.toggle(), {
      className: "sp-leave",
      word: "present_end",
      icon: "close",
    });
    this.key = new ColourKey();
    this.hint = element("p", "sp-present-keys", say("present_keys"), { hidden: "" });
    this.cover = element("div", "sp-cover", null, { hidden: "", role: "img", "aria-label": say("blanked") });
    this.cover.addEventListener("click", () => this.blank(false));
    document.addEventListener("fullscreenchange", () => {
      // The browser takes Escape for itself there, and no key is heard.
      if (this.on && this.whole && !document.fullscreenElement) this.toggle();
      this.whole = document.fullscreenElement === player.root;
    });
  }

  toggle() {
    if (this.on) this.end();
    else this.begin();
    this.player.tell();
  }

  begin() {
    const { player } = this;
    const { root, side, trace, tree, pinned } = player;
    const shown = side.shown;
    const wide = root.classList.contains("sp-wide");
    const focus = /** @type {HTMLElement | null} */ (document.activeElement);
    const { beside } = this;
    const home = beside?.parentElement;
    const [left, top] = [window.scrollX, window.scrollY];
    this.back = () => {
      if (beside) home?.prepend(beside);
      root.classList.toggle("sp-wide", wide);
      side.setWide(wide);
      tree.enlarge(1);
      if (!root.classList.contains("sp-closed")) side.open(shown);
      if (player.trace === trace && player.pinned !== pinned) player.keep(pinned); // a node of that run
      focus?.focus({ preventScroll: true });
      window.scrollTo(left, top);
    };
    this.on = true;
    root.classList.add("sp-presenting");
    root.classList.toggle("sp-beside", beside !== null);
    if (beside) root.append(beside);
    this.hint.hidden = false;
    setTimeout(() => (this.hint.hidden = true), HINT_MS);
    root.classList.remove("sp-wide");
    this.key.show(trace);
    tree.enlarge(LEAST);
    if (!root.classList.contains("sp-closed")) side.open(PANEL);
    player.measure();
    player.text.follow(); // its newest line, at the new size
    root.focus({ preventScroll: true });
    // Refused outside a press and in frames; then the window is filled, which is as good as it gets.
    root.requestFullscreen?.().catch(() => {});
  }

  end() {
    const { player } = this;
    this.on = false;
    this.blank(false);
    if (document.fullscreenElement === player.root) document.exitFullscreen().catch(() => {});
    player.root.classList.remove("sp-presenting", "sp-beside");
    this.back?.();
    this.back = null;
    player.measure();
    player.text.follow();
  }

  /** The screen goes dark, so that those who listen look at who speaks. */
  blank(wanted = this.cover.hidden) {
    this.cover.hidden = !wanted;
  }

  /** Action of a key while presenting, where it means something else than `usual`. */
  actionOf(event, usual) {
    if (!this.on || event.ctrlKey || event.metaKey || event.altKey) return usual;
    const own = KEYS[keyOf(event)];
    const inDialog = event.target instanceof Element && event.target.closest("dialog");
    if (own && !inDialog) return own;
    return ELSEWHERE.includes(usual) ? null : usual;
  }
}
