/**
 * A tour of five stops on the run that is on the stage: it goes to a step, lights what is meant, and says what happens.
 *
 * It is under the tree, and nothing is locked: a reader who steps on from there leaves the tour open.
 */

import { element, pressButton, setAttribute, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { stopsOf } from "./stops.js";

export class Tour {
  /** @param {any} player */
  constructor(player) {
    this.player = player;
    /** @type {import("./stops.js").Stop[]} */
    this.stops = [];
    this.at = 0;
    this.place = element("p", "sp-tour-place");
    this.title = element("h3", "sp-tour-title");
    this.text = element("p", "sp-tour-text");
    this.back = this.button("sp-tour-back", say("tour_back"), () => this.visit(this.at - 1));
    this.next = this.button("sp-tour-next", "", () =>
      this.at + 1 < this.stops.length ? this.visit(this.at + 1) : this.close(),
    );
    const close = this.button("sp-tour-close", "×", () => this.close());
    close.setAttribute("aria-label", say("tour_close"));
    const head = element("div", "sp-tour-head", [this.title, this.place]);
    const said = element("div", "", null, { "aria-live": "polite" }, [head, this.text]);
    const moves = element("div", "sp-tour-moves", [this.back, this.next, close]);
    this.root = element("section", "sp-tour", null, { "aria-label": say("tour"), hidden: "" }, [said, moves]);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  button(name, text, press) {
    return pressButton(name, text, press);
  }

  /** From the first stop; a run without any has no tour. */
  open() {
    this.stops = stopsOf(this.player.trace);
    if (!this.stops.length) return;
    this.cameFrom = document.activeElement;
    this.root.hidden = false;
    this.visit(0);
    this.root.parentElement?.scrollIntoView({ block: "nearest" });
    this.next.focus({ preventScroll: true });
  }

  visit(place) {
    const stop = this.stops[place];
    if (!stop) return;
    this.at = place;
    this.player.goto(stop.step);
    setText(this.place, say("tour_place", { place: place + 1, count: this.stops.length }));
    setText(this.title, say("tour_" + stop.name + "_title"));
    setText(this.text, stop.text);
    setText(this.next, say(place + 1 < this.stops.length ? "tour_next" : "tour_done"));
    setAttribute(this.back, "aria-disabled", place === 0);
    this.light(stop.part);
  }

  close() {
    if (this.root.hidden) return;
    const inside = this.root.contains(document.activeElement);
    this.root.hidden = true;
    this.light("");
    if (inside && this.cameFrom instanceof HTMLElement) this.cameFrom.focus({ preventScroll: true });
  }

  /** Lights one part of the player. */
  light(part) {
    for (const lit of this.player.root.querySelectorAll(".sp-tour-lit")) lit.classList.remove("sp-tour-lit");
    if (part) this.player.root.querySelector(part)?.classList.add("sp-tour-lit");
  }
}
