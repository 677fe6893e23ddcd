/**
 * A test on its token: the chip grows, q becomes a scale with p inside it, and the random number u falls onto it. Where
 * a round ends in a correction, what the rejections left of p slides together, and the correction drops out of it.
 */

import "./words.js";
import { element, quoted, setAttribute, setText, svg } from "../../../shared/elements.js";
import { probability } from "../../../shared/numbers.js";
import { say } from "../../../shared/words.js";
import { between, freeBox, leader, leastBox } from "../../tour/placement.js";
import { hasResidual } from "../../trace/records.js";
import { Future } from "./future.js";
import { Marker } from "./marker.js";

const LONGEST = 1200; // ms
const SHORTEST = 350; // ms: what is shorter stands still
const SHOWN = 5; // tokens of a residual
const FARTHEST = 130; // px from the chip
const SHORT = 12; // px that need no line between card and chip
const NEAR = 0.001; // of p/q and the acceptance probability

/** @typedef {import("../../trace/records.js").Step} Step */
/** @typedef {import("../../trace/records.js").Verdict} Verdict */
/** @typedef {import("../../tour/placement.js").Box} Box */

export class Draw {
  /** @param {any} player */
  constructor(player) {
    this.player = player;
    this.root = element("div", "sp-draw", null, { hidden: "" });
    this.line = svg("path", "sp-draw-line");
    this.lines = svg("svg", "sp-draw-lines", null, { "aria-hidden": "true" }, [this.line]);
    this.future = new Future(player);
    this.future.resized = () => this.standFuture();
    /** @type {Step | null} */
    this.step = null;
    /** @type {ReturnType<typeof drawingOf>} */
    this.drawing = null;
    /** @type {Box | null} of the card */
    this.box = null;
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
    this.root.hidden = !drawing;
    this.lines.style.display = drawing ? "" : "none";
    if (!drawing || isNew) this.future.hide();
    if (!drawing) return;
    if (drawing !== before) this.put(drawing); // a marker that is held stays the same
    this.stand(drawing.node);
    if (isNew) this.move(Math.min(LONGEST, 0.85 * shownFor));
  }

  /** Drawing of the step, where its node stands in the tree. */
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
      this.standFuture();
    };
  }

  /** Stands beside the chip where the tree leaves an area free, else over what matters least; never over the chip. */
  stand(node) {
    const { tree } = this.player;
    const boxes = tree.boxes();
    const chip = boxes.get(node.key);
    const size = { width: this.root.offsetWidth, height: this.root.offsetHeight };
    const area = { width: tree.width, height: tree.height };
    const above = boxes.get(node.parent?.key);
    const accepted = this.acceptedNodes().flatMap((each) => boxes.get(each.key) ?? []);
    // some count again: the chip hangs on the one, and the others are becoming text
    const all = [...boxes.values(), ...(above ? [above] : []), ...accepted, ...accepted];
    const within = (at, length, most) => Math.max(4, Math.min(most - length - 4, at));
    const over = () => {
      const left = within((chip.left + chip.right - size.width) / 2, size.width, area.width);
      const top = within((chip.top + chip.bottom - size.height) / 2, size.height, area.height);
      return { left, top, right: left + size.width, bottom: top + size.height };
    };
    const box = freeBox(size, chip, all, area, FARTHEST) ?? leastBox(size, chip, [chip], all, area) ?? over();
    this.box = box;
    shift(this.root, box);
    setAttribute(this.line, "d", between(box, chip) > SHORT ? leader(box, chip) : "");
    const origin = [(chip.left + chip.right) / 2 - box.left, (chip.top + chip.bottom) / 2 - box.top];
    this.root.style.transformOrigin = origin.map((px) => Math.round(px) + "px").join(" ");
    this.standFuture();
  }

  /** Nodes of the round that have been accepted by this step. */
  acceptedNodes() {
    const { round, verdicts = 0 } = this.step ?? {};
    const isAccepted = ({ index, outcome }) => index < verdicts && outcome === "accepted";
    return round ? round.verdicts.filter(isAccepted).map(({ node }) => node) : [];
  }

  /** The other outcome stands in the scene where it covers least, and neither card nor chip. */
  standFuture() {
    const { root } = this.future;
    if (root.hidden || !this.drawing || !this.box) return;
    const { tree } = this.player;
    const { offsetTop: down, parentElement: scene } = tree.root;
    const lower = ({ left, top, right, bottom }) => ({ left, top: top + down, right, bottom: bottom + down });
    const boxes = tree.boxes();
    const [card, chip] = [lower(this.box), lower(boxes.get(this.drawing.node.key))];
    const size = { width: root.offsetWidth, height: root.offsetHeight };
    const area = { width: scene?.clientWidth ?? 0, height: scene?.clientHeight ?? 0 };
    const head = { left: 0, top: 0, right: area.width, bottom: down };
    const all = [...[...boxes.values()].map(lower), head];
    shift(root, leastBox(size, card, [card, chip], all, area) ?? leastBox(size, card, [card], all, area) ?? head);
  }

  /** The card grows out of the chip, then each part of it moves in its own time. */
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

/** @param {HTMLElement} root @param {{left: number, top: number}} box */
function shift(root, { left, top }) {
  root.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

/**
 * The node of a step that drew something, and the parts of its card; null where nothing was drawn. Where that was a test,
 * its marker, and a function that says what comes of where the marker stands.
 * @returns {{node: import("../../trace/records.js").TreeNode, parts: HTMLElement[], marker: Marker | null, tell: () => void}
 *   | null}
 */
export function drawingOf({ kind, round, verdict }) {
  if (kind === "verified" && verdict && verdict.coin !== null && verdict.accept !== null) return testOf(verdict);
  const extra = kind === "committed" && round && !round.beams ? round.extras[0] : null;
  if (!extra || extra.origin !== "correction" || !extra.parent || !hasResidual(round, extra.parent)) return null;
  return { node: extra, parts: residualParts(round, extra), marker: null, tell() {} };
}

/** The scale of a test, u on it, and what that comes to. @param {Verdict} verdict */
function testOf(verdict) {
  const accept = verdict.accept ?? 0;
  const isRatio = isOfRatio(verdict);
  const marker = new Marker(verdict, isRatio ? "sp-draw-of-q" : "");
  const ends = isRatio
    ? [`p ${probability(verdict.p)}`, `q ${probability(verdict.q)}`]
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

/** Pieces of the residual below a node, with the correction that was drawn from it. */
function residualParts(round, extra) {
  const row = round.rowOf.get(extra.parent);
  const residual = round.call.alternatives[row]
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
