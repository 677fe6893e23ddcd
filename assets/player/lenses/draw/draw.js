/**
 * A test in the lane below the tree: q is a scale with p inside it, and the random number u falls onto it. Where a round
 * ends in a correction, what the rejections left of p slides together, and the correction drops out of it.
 */

import { isSettled } from "../../panels/narration.js";
import { element, quoted, setAttribute, setText, svg } from "../../../shared/elements.js";
import { precise, probability } from "../../../shared/numbers.js";
import { say } from "../../../shared/words.js";
import { alternativesAt, hasResidual } from "../../trace/records.js";
import { Future } from "./future.js";
import { Marker } from "./marker.js";

/** @import { Round, TreeNode } from "../../trace/records.js" */

const LONGEST = 1200; // ms
const SHORTEST = 350; // ms: what is shorter is not animated
const SHOWN = 5; // tokens of a residual
const EDGE = 12; // px between the card and its neighbour
const NEAR = 0.001; // of p/q and the acceptance probability

/** @typedef {import("../../trace/records.js").Step} Step */
/** @typedef {import("../../trace/records.js").Verdict} Verdict */

export class Draw {
  /** @param {any} player */
  constructor(player) {
    this.player = player;
    this.root = element("div", "sp-draw", null, { hidden: "" });
    this.line = svg("path", "sp-draw-line");
    this.lines = svg("svg", "sp-draw-lines", null, { "aria-hidden": "true" }, [this.line]);
    this.future = new Future(player);
    /** @type {Step | null} */
    this.step = null;
    /** @type {ReturnType<typeof drawingOf>} */
    this.drawing = null;
  }

  /**
   * @param {Step | null} step
   * @param {number} shownFor ms that the step is shown; 0 where nothing may move
   * @param {boolean} alone whether nothing else is written over the tree
   */
  show(step, shownFor, alone) {
    const isNew = step !== this.step;
    const before = isNew ? null : this.drawing;
    this.step = step;
    const hasCard = alone || step?.kind === "verified";
    const drawing = hasCard ? (before ?? this.placedDrawing()) : null;
    this.drawing = drawing;
    this.clear(drawing);
    if (!drawing || isNew) this.future.hide();
    if (!drawing) return;
    if (drawing !== before) this.put(drawing); // a marker that is held stays the same
    this.stand(drawing.node);
    if (isNew) this.move(Math.min(LONGEST, 0.85 * shownFor));
  }

  /** Marks that the lane holds a drawing, or a test, which needs no caption. @param {Draw["drawing"]} drawing */
  clear(drawing) {
    this.root.hidden = !drawing;
    this.lines.style.display = drawing ? "" : "none";
    this.player.root.classList.toggle("sp-tests", Boolean(drawing?.marker));
    this.root.parentElement?.classList.toggle("sp-lane-full", Boolean(drawing));
  }

  /** Drawing of the step, at its node in the tree. */
  placedDrawing() {
    const { tree } = this.player;
    const drawing = this.step && tree.width ? drawingOf(this.step) : null;
    return drawing && tree.layout?.places.has(drawing.node.key) ? drawing : null;
  }

  /** @param {NonNullable<ReturnType<typeof drawingOf>>} drawing */
  put({ parts, marker, tell }) {
    this.root.replaceChildren(...parts);
    if (!marker) return;
    marker.grabbed = () => this.player.playhead.leave();
    marker.moved = () => {
      tell();
      const { step } = this;
      if (!marker.isOver || !step?.round) return this.future.hide();
      this.future.show(step.round, marker.verdict);
    };
  }

  /**
   * Place it in the lane below the depth of the chip, with a thread up to it and what would follow next to it.
   * @param {TreeNode} node
   */
  stand(node) {
    const { tree } = this.player;
    const chip = tree.boxes().get(node.key);
    const lane = this.root.parentElement;
    const middle = Math.max(0, Math.min(tree.width, (chip.left + chip.right) / 2));
    const { offsetWidth: width } = this.root;
    const across = lane?.clientWidth ?? tree.width;
    const left = Math.max(EDGE, Math.min(across - width - EDGE, middle - width / 2));
    this.root.style.left = Math.round(left) + "px";
    this.root.style.transformOrigin = `${Math.round(middle - left)}px 0`;
    const foot = Math.min(tree.height, chip.bottom);
    setAttribute(this.line, "d", `M${Math.round(middle)} ${Math.round(foot)}V${Math.round(tree.height)}`);
    this.future.stand(left, left + width, across);
  }

  /** The card grows out of its thread, then each part of it moves in its own time. @param {number} duration */
  move(duration) {
    if (!this.root.animate || duration < SHORTEST) return;
    this.root.animate(
      [
        { scale: 0.3, opacity: 0 },
        { scale: 1, opacity: 1 },
      ],
      {
        duration: 0.25 * duration,
        easing: "ease-out",
      },
    );
    const parts = /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll("[data-moves]"));
    for (const part of parts) part.animate(...MOVES[part.dataset.moves ?? ""](part, duration));
  }
}

/** @type {Record<string, (part: HTMLElement, duration: number) => [Keyframe[], KeyframeAnimationOptions]>} */
const MOVES = {
  falls: (_, duration) => [
    [
      { translate: "0 -58px", opacity: 0, backgroundColor: "var(--sp-ink)" },
      { translate: "0 -50px", opacity: 1, offset: 0.1 },
      { translate: "0 0", backgroundColor: "var(--sp-ink)", offset: 0.75 },
      { translate: "0 -7px", offset: 0.86 },
      { translate: "0 0" },
    ],
    { duration: 0.6 * duration, delay: 0.2 * duration, fill: "backwards", easing: "cubic-bezier(.5,0,.7,1)" },
  ],
  appears: (_, duration) => [
    [{ opacity: 0 }, { opacity: 1 }],
    { duration: 0.15 * duration, delay: 0.8 * duration, fill: "backwards" },
  ],
  together: (_, duration) => [
    [{ gap: "16px" }, { gap: "1px" }],
    { duration: 0.4 * duration, delay: 0.2 * duration, fill: "backwards", easing: "ease-in-out" },
  ],
  drops: (_, duration) => [
    [
      { translate: "0 -30px", opacity: 0 },
      { translate: "0 0", opacity: 1 },
    ],
    { duration: 0.35 * duration, delay: 0.62 * duration, fill: "backwards", easing: "cubic-bezier(.4,0,.5,1.4)" },
  ],
};

/**
 * The node of a step that drew something, and the parts of its card; null where nothing was drawn. Where that was a test,
 * its marker, and a function that says what the marker's value leads to.
 * @returns {{node: import("../../trace/records.js").TreeNode, parts: HTMLElement[], marker: Marker | null, tell: () => void}
 *   | null}
 * @param {Step} it
 */
export function drawingOf({ kind, round, verdict }) {
  if (kind === "verified" && verdict) return verifiedBy(verdict);
  const extra = kind === "committed" && round && !round.beams ? round.extras[0] : null;
  if (!round || !extra || extra.origin !== "correction" || !extra.parent || !hasResidual(round, extra.parent))
    return null;
  return { node: extra, parts: residualParts(round, extra), marker: null, tell() {} };
}

/** @param {Verdict} verdict */
function verifiedBy(verdict) {
  if (isSettled(verdict)) return settledBy(verdict);
  return verdict.coin !== null && verdict.accept !== null ? testOf(verdict) : null;
}

/** The verdict of a target that knows one token alone, as at temperature 0: no random number decides. */
function settledBy(/** @type {Verdict} */ { node, outcome, p }) {
  const parts = [
    element("p", "sp-draw-head", null, { "aria-hidden": "true" }, [
      element("b", "sp-draw-token", quoted(node.piece)),
      element("b", "sp-draw-verdict sp-is-" + outcome, say("state_" + outcome), { "data-moves": "appears" }),
    ]),
    element("p", "sp-draw-numbers", say(p ? "draw_writes" : "draw_writes_not"), { "aria-hidden": "true" }),
  ];
  return { node, parts, marker: null, tell() {} };
}

/** The scale of a test, u on it, and what that comes to. @param {Verdict} verdict */
function testOf(verdict) {
  const accept = verdict.accept ?? 0;
  const isRatio = isOfRatio(verdict);
  const marker = new Marker(verdict, isRatio ? "sp-draw-of-q" : "");
  const ends = isRatio
    ? [`p ${precise(verdict.p)}`, `q ${precise(verdict.q)}`]
    : [`${say("accept_long")} ${probability(accept)}`, "1"];
  const outcome = element("b", "", "", { "data-moves": "appears" });
  const numbers = element("p", "sp-draw-numbers", "", { "aria-hidden": "true" }); // the caption says the same
  const tell = () => {
    setAttribute(outcome, "class", "sp-draw-verdict sp-is-" + marker.outcome + (marker.isOver ? " sp-draw-if" : ""));
    setText(outcome, say((marker.isOver ? "draw_would_" : "state_") + marker.outcome));
    const sentence = isRatio && accept >= 1 ? "draw_certain" : (isRatio ? "draw_ratio_" : "draw_") + side(marker);
    setText(numbers, say(sentence, { u: probability(marker.u), accept: probability(accept) }));
  };
  tell();
  const parts = [
    element("p", "sp-draw-head", null, { "aria-hidden": "true" }, [
      element("b", "sp-draw-token", quoted(verdict.node.piece)),
      outcome,
    ]),
    marker.scale,
    element(
      "div",
      "sp-draw-ends",
      null,
      { "aria-hidden": "true" },
      ends.map((end) => element("span", "", end)),
    ),
    numbers,
  ];
  return { node: verdict.node, parts, marker, tell };
}

/** True where p/q alone gives the acceptance probability, and q is of a draw. @param {Verdict} verdict */
function isOfRatio({ p = null, q = null, accept }) {
  return p !== null && q !== null && q > 0 && q < 1 && Math.abs(Math.min(1, p / q) - (accept ?? 0)) < NEAR;
}

/** @param {Marker} marker */
const side = ({ outcome }) => (outcome === "accepted" ? "below" : "above");

/**
 * Pieces of the residual below a node, with the correction that was drawn from it.
 * @param {Round} round @param {TreeNode} extra
 */
function residualParts(round, extra) {
  const residual = (extra.parent ? alternativesAt(round, extra.parent) : [])
    .map((entry) => ({ token: entry[0], mass: entry[3] ?? 0 }))
    .filter(({ mass }) => mass > 0)
    .sort((a, b) => b.mass - a.mass);
  const shown = residual.filter(({ token }, i) => i < SHOWN || token === extra.token);
  const others = Math.max(0, 1 - shown.reduce((sum, { mass }) => sum + mass, 0));
  const pieces = shown.map(({ token, mass }) => {
    const piece = element("i", "sp-draw-mass" + (token === extra.token ? " sp-draw-this" : ""));
    piece.style.flexGrow = String(Math.max(0.004, mass));
    return piece;
  });
  const remainder = element("i", "sp-draw-mass sp-draw-others");
  remainder.style.flexGrow = String(others);
  const own = shown.find(({ token }) => token === extra.token);
  return [
    element("b", "sp-draw-title", say("draw_residual"), { "aria-hidden": "true" }),
    element(
      "div",
      "sp-draw-residual",
      null,
      { "data-moves": "together" },
      others > 0.002 ? [...pieces, remainder] : pieces,
    ),
    element("p", "sp-draw-numbers sp-is-correction", null, { "data-moves": "drops", "aria-hidden": "true" }, [
      element("b", "", quoted(extra.piece)),
      element("span", "", own ? " " + probability(own.mass) : ""),
    ]),
  ];
}
