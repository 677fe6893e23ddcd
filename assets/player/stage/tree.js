/**
 * The stage: the tail of the text as a trunk, and the draft tree of the current round growing out of it.
 *
 * `show(step)` compares what should be on the stage with what is there, node by node (keyed by record), and lets
 * the difference glide. Nodes grow out of their parents; a new round glides left until its frontier ends the trunk.
 */

import { element, setAttribute, svg, textWidth, visible } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { pathOf } from "../trace/records.js";
import { Camera } from "./camera.js";
import { Chip } from "./chip.js";
import { edgePath, layOut } from "./layout.js";
import { Motion } from "./motion.js";
import { isSeen, sceneOf, viewsAt } from "./scene.js";
import { Tuft } from "./tuft.js";
import { Tufts } from "./tufts.js";

/**
 * @typedef {import("../trace/records.js").TreeNode} TreeNode
 * @typedef {import("../trace/records.js").Step} Step
 * @typedef {import("../trace/records.js").Round} Round
 * @typedef {import("../trace/trace.js").Trace} Trace
 * @typedef {{point: (node: TreeNode | null) => void, pick: (node: TreeNode | null) => void}} At
 * @typedef {import("./tufts.js").Opened} Opened
 * @typedef {Map<number | string, import("./scene.js").View>} Views by key
 * @typedef {ReturnType<Tree["newLayout"]>} Layout
 * @typedef {Record<string, any>} Held what is drawn of a key
 */

/** @type {Set<number>} */
const NOTHING = new Set();
const ABOVE = 9; // px that a badge extends beyond its chip
const BELOW = 14; // px that the bars take under it

export class Tree {
  /** `at` are callbacks: point(node or null), pick(node). @param {At} at */
  constructor(at) {
    this.root = element("div", "sp-stage");
    this.svg = this.root.appendChild(svg("svg", "sp-svg", null, { role: "group", "aria-label": say("stage_label") }));
    this.world = this.svg.appendChild(svg("g", "sp-world"));
    this.edgeLayer = this.world.appendChild(svg("g", "sp-edges"));
    this.nodeLayer = this.world.appendChild(svg("g", "sp-nodes"));
    /** @type {Map<any, Held>} */
    this.drawn = new Map(); // key -> {key, parent, node, chip, edge, thing, width, leaving}
    this.motion = new Motion(() => this.drawEdges());
    this.camera = new Camera(this.root, this.svg, this.world, this.motion);
    this.origin = { x: 0, y: 0 }; // where the layout's 0 is in the world: the frontier stays, and the camera moves on
    this.width = 0;
    this.height = 0;
    this.least = 1; // scale of the letters
    this.family = "";
    /** @type {Step | null} */
    this.step = null;
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {WeakMap<object, Map<string, Layout>>} */
    this.layouts = new WeakMap(); // round -> its layouts, by what they are made of
    /** @type {Layout | null} */
    this.layout = null;
    this.tufts = new Tufts(this, at);
    this.listen(at);
  }

  /** @param {At} at */
  listen(at) {
    const nodeAt = (/** @type {Event} */ event) => {
      const group = event.target instanceof Element ? event.target.closest(".sp-node") : null;
      const held = group && this.drawn.get(Number(group.getAttribute("data-key")));
      return held ? held.node : null;
    };
    const other = (/** @type {Event} */ event) =>
      this.camera.dragged ||
      this.camera.button.contains(/** @type {Node} */ (event.target)) ||
      this.tufts.parentAt(event) !== null;
    this.root.addEventListener("pointerover", (event) => event.pointerType !== "touch" && at.point(nodeAt(event)));
    this.root.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && at.point(null));
    this.root.addEventListener("click", (event) => !other(event) && at.pick(nodeAt(event)));
  }

  /**
   * The room the stage has; when that changes everything is laid out again without a glide.
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.forget();
    this.again(0);
  }

  /** Letters are drawn at least so much larger. @param {number} least */
  enlarge(least) {
    this.least = least;
    this.forget();
    this.again(0);
  }

  clear() {
    for (const held of this.drawn.values()) this.discard(held);
    this.drawn.clear();
    this.tufts.forget();
    this.forget();
    this.step = null;
    this.trace = null;
  }

  /** It is not needed any more. */
  remove() {
    this.clear();
    this.tufts.remove();
  }

  forget() {
    this.layouts = new WeakMap();
    this.family = "";
  }

  // -- what should be there ----------------------------------------------------------------------------------

  /**
   * The layout of a step's round, made once for each round as far as it is known, and for each opened tuft.
   * @param {Trace} trace
   * @param {Step} step
   * @returns {Layout}
   */
  layoutOf(trace, step) {
    const round = step.round || trace.rounds[0] || null;
    const opened = this.tufts.opened;
    const stamp = stampOf(trace, round, opened);
    const cached = this.layouts.get(round || trace) || new Map();
    this.layouts.set(round || trace, cached);
    if (!cached.has(stamp)) cached.set(stamp, this.newLayout(sceneOf(trace, round, opened?.keys ?? NOTHING), opened));
    return /** @type {Layout} */ (cached.get(stamp));
  }

  /** @param {ReturnType<typeof sceneOf>} scene @param {Opened | null} opened */
  newLayout(scene, opened) {
    this.family = this.family || getComputedStyle(this.root).fontFamily || "sans-serif";
    const pen = {
      measure: (/** @type {string} */ label, /** @type {number} */ px) =>
        textWidth(label, `600 ${px}px ${this.family}`),
      shorten: visible,
    };
    return {
      ...layOut({ ...scene, opened: opened ? opened.parent : null }, this.room, pen),
      beams: scene.beams,
      records: new Map(scene.trunk.concat(scene.nodes).map((item) => [item.key, item.node])),
    };
  }

  get room() {
    return { width: this.width || 800, height: this.height || 300, least: this.least };
  }

  // -- from what is there to what should be --------------------------------------------------------------------

  /** @param {Trace} trace @param {Step} step @param {number} duration */
  show(trace, step, duration) {
    const before = this.step;
    this.trace = trace;
    this.step = step;
    this.tufts.follow(step);
    const layout = this.layoutOf(trace, step);
    const opened = this.tufts.opened;
    this.layout = layout;
    const views = viewsAt(trace, step, layout, opened ? opened.parent : null);
    const turned = !before || before.round !== step.round;
    if (turned) this.origin = this.originFor(layout, views);

    for (const [key, held] of this.drawn) if (!views.has(key)) this.leave(held, turned);
    for (const item of layout.trunk.concat(layout.nodes, layout.tufts)) {
      const view = views.get(item.key);
      if (view) this.place(item, view, layout, turned && before ? 0.35 : 0);
    }
    this.root.classList.toggle("sp-braided", layout.beams > 0);
    this.root.classList.toggle("sp-judging", step.kind === "verified");
    this.camera.aim(layout, this.focusBox(step, layout, views), this.room, this.origin, turned);
    this.motion.go(duration);
  }

  /**
   * The frontier that was on the stage already keeps its position in the world.
   * @param {Layout} layout
   * @param {Views} views
   */
  originFor(layout, views) {
    for (const item of layout.trunk.slice().reverse()) {
      const held = this.drawn.get(item.key);
      if (!held || !views.has(item.key)) continue;
      const position = layout.places.get(item.key);
      return { x: Math.round(held.thing.at.x - position.x), y: Math.round(held.thing.at.y - position.y) };
    }
    return { x: 0, y: 0 };
  }

  /** @param {any} item @param {import("./scene.js").View} view @param {Layout} layout @param {number} delay */
  place(item, view, layout, delay) {
    const { x, y } = layout.places.get(item.key);
    const position = { x: x + this.origin.x, y: y + this.origin.y };
    const known = this.drawn.get(item.key);
    const above = view.trunk ? undefined : this.drawn.get(item.parent);
    // It grows out of its parent.
    const from = above
      ? { x: above.thing.at.x + above.width * 0.5, y: above.thing.at.y }
      : { x: position.x - 30, y: position.y };
    const held = known ?? this.enter(item, from);
    if (known || view.trunk) delay = 0;
    held.width = view.width;
    held.leaving = false;
    held.chip.root.style.pointerEvents = "";
    held.view = view;
    held.chip.show(view);
    this.dressEdge(held, view);
    this.motion.send(held.thing, { x: position.x, y: position.y, opacity: 1 }, delay);
  }

  /** @param {any} item @param {import("./camera.js").Point} from @returns {Held} */
  enter(item, from) {
    const chip = item.tuft ? new Tuft(item.parent) : new Chip(item.node);
    /** @type {any} */
    const held = {
      key: item.key,
      parent: item.parent,
      node: item.node || null,
      chip,
      width: 0,
      leaving: false,
      edge: null,
    };
    this.nodeLayer.appendChild(chip.root);
    if (item.parent !== null) held.edge = this.edgeLayer.appendChild(svg("path", "sp-edge"));
    held.thing = this.motion.add({ ...from, opacity: 0 }, (at) => {
      chip.root.setAttribute("transform", `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`);
      chip.root.setAttribute("opacity", at.opacity.toFixed(2));
    });
    this.drawn.set(item.key, held);
    return held;
  }

  /** @param {Held} held @param {boolean} turned */
  leave(held, turned) {
    if (held.leaving && !turned) return;
    held.leaving = true;
    held.chip.root.style.pointerEvents = "none";
    this.motion.send(held.thing, { opacity: 0 }, 0, () => {
      if (!held.leaving) return;
      this.discard(held);
      this.drawn.delete(held.key);
    });
  }

  /** @param {Held} held */
  discard(held) {
    this.motion.remove(held.thing);
    this.tufts.leave(held.chip.root);
    held.chip.root.remove();
    if (held.edge) held.edge.remove();
  }

  /** @param {Held} held @param {import("./scene.js").View} view */
  dressEdge(held, view) {
    if (!held.edge) return;
    const flags =
      (view.trunk ? " sp-trunk" : "") +
      (view.best ? " sp-best" : "") +
      (view.faded ? " sp-faded" : "") +
      (view.judged ? " sp-judged-now" : "");
    setAttribute(held.edge, "class", "sp-edge sp-is-" + view.state + flags);
    setAttribute(held.edge, "stroke-width", view.trunk || view.q === null ? 1.6 : (1 + 4.5 * view.q).toFixed(1));
    held.thing.fresh = true;
  }

  /** Edges follow their ends; only those of which an end has moved are drawn again. */
  drawEdges() {
    for (const held of this.drawn.values()) {
      if (!held.edge) continue;
      const above = this.drawn.get(held.parent);
      if (!above) {
        setAttribute(held.edge, "opacity", 0);
        continue;
      }
      if (!held.thing.moved && !above.thing.moved) continue;
      const start = above.thing.at.x + above.width;
      held.edge.setAttribute("d", edgePath(start, above.thing.at.y, held.thing.at.x, held.thing.at.y));
      held.edge.setAttribute("opacity", Math.min(held.thing.at.opacity, above.thing.at.opacity).toFixed(2));
    }
  }

  /** Px of the stage where a point of the layout is once the camera rests. @param {number} x @param {number} y */
  at(x, y) {
    const { to } = this.camera.thing;
    return [to.x + to.scale * (x + this.origin.x), to.y + to.scale * (y + this.origin.y)];
  }

  /** Boxes of all chips with their badges and bars, in px of the stage, by the keys of their nodes. */
  boxes() {
    if (!this.layout) return new Map();
    const { places: positions, density, trunk, nodes, tufts } = this.layout;
    const half = density.chip / 2;
    return new Map(
      trunk.concat(nodes, tufts).map(({ key }) => {
        const { x, y, width } = positions.get(key);
        const [left, top] = this.at(x, y - half - ABOVE);
        const [right, bottom] = this.at(x + width, y + half + BELOW);
        return [key, { left, top, right, bottom }];
      }),
    );
  }

  /**
   * Box that the reader should have in view: the depth just drafted, the node tested, the tokens committed.
   * @param {Step} step
   * @param {Layout} layout
   * @param {Views} views
   */
  focusBox(step, layout, views) {
    let nodes = layout.nodes.filter((item) => views.has(item.key)).map((item) => item.node);
    if (step.kind === "drafted" && step.round)
      nodes = step.round.layers[step.layers - 1].draws.map((draw) => draw.node);
    if (step.verdict) nodes = [step.verdict.node];
    if (step.kind === "committed" || step.kind === "finished") nodes = step.round ? step.round.committed : [];
    const positions = nodes.map((node) => layout.places.get(node.key)).filter(Boolean);
    if (!positions.length) return { left: -40, right: 40, top: 0, bottom: 0 };
    return {
      left: Math.min(...positions.map((position) => position.x)),
      right: Math.max(...positions.map((position) => position.x + position.width)),
      top: Math.min(...positions.map((position) => position.y)),
      bottom: Math.max(...positions.map((position) => position.y)),
    };
  }

  /**
   * Marks the node pointed at and the path above it; a tuft that it is folded into opens.
   * @param {TreeNode | null} node
   */
  highlight(node) {
    const path = new Set(node ? pathOf(node).map((above) => above.key) : []);
    for (const [key, held] of this.drawn) {
      held.chip.root.classList.toggle("sp-on-path", path.has(key));
      held.chip.root.classList.toggle("sp-pointed", key === node?.key);
      if (held.edge) held.edge.classList.toggle("sp-on-path", path.has(key) && path.has(held.parent));
    }
    this.tufts.mark(
      node && this.step && this.step.round && node.round === this.step.round.number && isSeen(node, this.step)
        ? node
        : null,
    );
  }

  /** Marks what another outcome would have emitted. @param {Set<number>} keys of nodes */
  markOther(keys) {
    for (const [key, held] of this.drawn) {
      held.chip.root.classList.toggle("sp-otherwise", keys.has(key));
      if (held.edge) held.edge.classList.toggle("sp-otherwise", keys.has(key));
    }
  }

  /** Lays the same step out again: a tuft has opened or closed. @param {number} duration */
  again(duration) {
    if (this.step && this.trace) this.show(this.trace, this.step, duration);
  }
}

/**
 * Stamp of a layout: the round as far as it is known, and the opened tuft.
 * @param {Trace} trace
 * @param {Round | null} round
 * @param {Opened | null} opened
 */
function stampOf(trace, round, opened) {
  const known = round ? [round.nodes.length, round.extras.length, round.verdicts.length] : [];
  const beams = trace.rounds.length && trace.rounds[0].beams ? trace.count : "";
  return [...known, beams, ...(opened ? [opened.parent, Array.from(opened.keys).join()] : ["", ""])].join("/");
}
