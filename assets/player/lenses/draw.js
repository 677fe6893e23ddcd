/**
 * A test on its token: the chip grows, q becomes a scale with p inside it, and the random number u falls onto it. Where
 * a round ends in a correction, what the rejections left of p slides together, and the correction drops out of it.
 */

import "../words.js";
import { element, quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { freeBox } from "../tour/placement.js";
import { hasResidual } from "../trace/records.js";

const LONGEST = 1200; // ms
const SHORTEST = 350; // ms: what is shorter stands still
const SHOWN = 5; // tokens of a residual
const FARTHEST = 130; // px from the chip
const NEAR = 0.001; // of p/q and the acceptance probability

/** @typedef {import("../trace/records.js").Step} Step */
/** @typedef {import("../trace/records.js").Verdict} Verdict */

export class Draw {
  /** @param {import("../stage/tree.js").Tree} tree */
  constructor(tree) {
    this.tree = tree;
    this.root = element("div", "sp-draw", null, { hidden: "", "aria-hidden": "true" }); // the caption says the same
    /** @type {Step | null} */
    this.step = null;
  }

  /**
   * @param {Step | null} step
   * @param {number} shownFor ms that the step is shown; 0 where nothing may move
   * @param {boolean} alone whether nothing else is written over the tree
   */
  show(step, shownFor, alone) {
    const isNew = step !== this.step;
    this.step = step;
    const drawing = step && (alone || step.kind === "verified") ? drawingOf(step) : null;
    this.root.hidden = !drawing || !this.tree.width || !this.tree.layout?.places.has(drawing.node.key);
    if (!drawing || this.root.hidden) return;
    this.root.replaceChildren(...drawing.parts);
    this.stand(drawing.node);
    const duration = Math.min(LONGEST, 0.85 * shownFor);
    if (isNew && duration >= SHORTEST) this.move(duration);
  }

  /** Stands beside the chip where the tree leaves an area free, else over it. */
  stand(node) {
    const { tree, root } = this;
    const boxes = tree.boxes();
    const chip = boxes.get(node.key);
    const { offsetWidth: width, offsetHeight: height } = root;
    const area = { width: tree.width, height: tree.height };
    const free = freeBox({ width, height }, chip, [...boxes.values()], area, FARTHEST);
    const within = (at, size, all) => Math.max(4, Math.min(all - size - 4, at));
    const left = free ? free.left : within((chip.left + chip.right - width) / 2, width, area.width);
    const top = free ? free.top : within((chip.top + chip.bottom - height) / 2, height, area.height);
    root.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    const origin = [(chip.left + chip.right) / 2 - left, (chip.top + chip.bottom) / 2 - top];
    root.style.transformOrigin = origin.map((px) => Math.round(px) + "px").join(" ");
  }

  /** The card grows out of the chip, then each part of it moves in its own time. */
  move(duration) {
    if (!this.root.animate) return;
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

/** The node of a step that drew something, and the parts of its card; null where nothing was drawn. */
export function drawingOf({ kind, round, verdict }) {
  if (kind === "verified" && verdict && verdict.coin !== null && verdict.accept !== null)
    return { node: verdict.node, parts: testParts(verdict) };
  const extra = kind === "committed" && round && !round.beams ? round.extras[0] : null;
  if (!extra || extra.origin !== "correction" || !extra.parent || !hasResidual(round, extra.parent)) return null;
  return { node: extra, parts: residualParts(round, extra) };
}

/** The scale of a test, u on it, and what that comes to. @param {Verdict} verdict */
function testParts(verdict) {
  const { node, outcome } = verdict;
  const [accept, u] = [verdict.accept ?? 0, verdict.coin ?? 0];
  const isRatio = isOfRatio(verdict);
  const reach = element("i", "sp-draw-reach");
  reach.style.width = percent(accept);
  const ball = element("i", "sp-draw-u sp-is-" + outcome, null, { "data-moves": "falls" });
  ball.style.left = percent(u);
  const ends = isRatio
    ? [`p ${probability(verdict.p)}`, `q ${probability(verdict.q)}`]
    : [`${say("accept_long")} ${probability(accept)}`, "1"];
  const values = { u: probability(u), accept: probability(accept) };
  const sentence = isRatio && accept >= 1 ? "draw_certain" : (isRatio ? "draw_ratio_" : "draw_") + side(u, accept);
  return [
    element("p", "sp-draw-head", null, {}, [
      element("b", "sp-draw-token", quoted(node.piece)),
      element("b", "sp-draw-verdict sp-is-" + outcome, say("state_" + outcome), { "data-moves": "appears" }),
    ]),
    element("div", "sp-draw-scale" + (isRatio ? " sp-draw-of-q" : ""), null, {}, [reach, ball]),
    element(
      "div",
      "sp-draw-ends",
      null,
      {},
      ends.map((end) => element("span", "", end)),
    ),
    element("p", "sp-draw-numbers", say(sentence, values)),
  ];
}

/** True where p/q alone gives the acceptance probability. @param {Verdict} verdict */
function isOfRatio({ p = null, q = null, accept }) {
  return p !== null && q !== null && q > 0 && Math.abs(Math.min(1, p / q) - (accept ?? 0)) < NEAR;
}

const side = (u, accept) => (u < accept ? "below" : "above");

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
    element("b", "sp-draw-title", say("draw_residual")),
    element(
      "div",
      "sp-draw-residual",
      null,
      { "data-moves": "together" },
      others > 0.002 ? [...pieces, remainder] : pieces,
    ),
    element("p", "sp-draw-numbers sp-is-correction", null, { "data-moves": "drops" }, [
      element("b", "", quoted(extra.piece)),
      element("span", "", own ? " " + probability(own.mass) : ""),
    ]),
  ];
}

const percent = (value) => (100 * Math.max(0, Math.min(1, value))).toFixed(1) + "%";
