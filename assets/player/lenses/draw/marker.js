/**
 * Marker of the random number u on the scale of its test. Where the test could have gone either way it is dragged, or
 * moved by the arrow keys; a ring stays where the recorded u fell.
 */

import { element, quoted, setAttribute } from "../../../shared/elements.js";
import { probability } from "../../../shared/numbers.js";
import { say } from "../../../shared/words.js";

const STEP = 0.01; // of an arrow key
const STRIDE = 0.1; // of Page up and Page down
const LAST = 0.999; // u is below 1

/** @typedef {import("../../trace/records.js").Verdict} Verdict */

export class Marker {
  /** @param {Verdict} verdict @param {string} look classes of the scale */
  constructor(verdict, look) {
    this.verdict = verdict;
    this.recorded = verdict.coin ?? 0;
    this.accept = verdict.accept ?? 0;
    this.u = this.recorded;
    this.grabbed = () => {}; // the reader takes hold of it
    this.moved = () => {}; // it has another value
    const reach = element("i", "sp-draw-reach");
    reach.style.width = percent(this.accept);
    this.root = element("i", "sp-draw-u sp-is-" + verdict.outcome, null, { "data-moves": "falls" });
    this.root.style.left = percent(this.u);
    this.ring = element("i", "sp-draw-recorded", null, { hidden: "" });
    this.ring.style.left = percent(this.u);
    this.scale = element("div", "sp-draw-scale " + look, [reach, this.root, this.ring]);
    if (hasEdge(verdict)) this.offer(look);
  }

  /** Outcome of the test, if u were the marker's value. @returns {"accepted" | "rejected"} */
  get outcome() {
    return this.u < this.accept ? "accepted" : "rejected";
  }

  get isOver() {
    return this.outcome !== this.verdict.outcome;
  }

  /** The reader can move it. @param {string} look */
  offer(look) {
    const about = {
      role: "slider",
      tabindex: 0,
      title: say("draw_marker_title"),
      "aria-label": say("draw_marker", { token: quoted(this.verdict.node.piece) }),
      "aria-valuemin": 0,
      "aria-valuemax": 1,
    };
    for (const [name, value] of Object.entries(about)) this.root.setAttribute(name, String(value));
    this.scale.setAttribute("class", "sp-draw-scale sp-draw-open " + look);
    this.tell();
    this.scale.addEventListener("pointerdown", (event) => this.grab(event));
    this.scale.addEventListener("click", (event) => event.stopPropagation());
    this.root.addEventListener("keydown", (event) => this.press(event));
  }

  /** @param {PointerEvent} down */
  grab(down) {
    if (down.button !== 0) return;
    down.stopPropagation(); // the stage below would be dragged
    down.preventDefault();
    this.root.focus({ preventScroll: true });
    this.grabbed();
    this.scale.setPointerCapture(down.pointerId);
    const { left, width } = this.scale.getBoundingClientRect();
    const follow = (/** @type {PointerEvent} */ event) => this.move((event.clientX - left) / Math.max(1, width));
    const end = () => {
      this.scale.removeEventListener("pointermove", follow);
      for (const type of ["pointerup", "pointercancel"]) this.scale.removeEventListener(type, end);
    };
    this.scale.addEventListener("pointermove", follow);
    for (const type of ["pointerup", "pointercancel"]) this.scale.addEventListener(type, end);
    follow(down);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = {
      ArrowLeft: this.u - STEP,
      ArrowDown: this.u - STEP,
      ArrowRight: this.u + STEP,
      ArrowUp: this.u + STEP,
      PageDown: this.u - STRIDE,
      PageUp: this.u + STRIDE,
      Home: 0,
      End: LAST,
      Escape: this.recorded,
    }[event.key];
    if (to === undefined || (event.key === "Escape" && this.u === this.recorded)) return;
    event.preventDefault();
    event.stopPropagation();
    this.grabbed();
    this.move(to);
  }

  /** @param {number} u */
  move(u) {
    this.u = Math.max(0, Math.min(LAST, u));
    this.root.style.left = percent(this.u);
    this.ring.hidden = this.u === this.recorded;
    setAttribute(this.root, "class", "sp-draw-u sp-is-" + this.outcome);
    this.tell();
    this.moved();
  }

  tell() {
    setAttribute(this.root, "aria-valuenow", this.u.toFixed(3));
    const outcome = say((this.isOver ? "draw_would_" : "state_") + this.outcome);
    setAttribute(this.root, "aria-valuetext", say("draw_marker_value", { u: probability(this.u), outcome }));
  }
}

/** True where some u accepts and some rejects. @param {Verdict} verdict */
function hasEdge({ accept, coin, outcome }) {
  const [edge, u] = [accept ?? 0, coin ?? 0];
  return edge > 0 && edge < 1 && u < edge === (outcome === "accepted");
}

/** @param {number} value */
const percent = (value) => (100 * Math.max(0, Math.min(1, value))).toFixed(1) + "%";
