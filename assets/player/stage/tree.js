/**
 * The stage: the tail of the text as a trunk, and the draft tree of the current round growing out of it.
 *
 * `show(step)` compares what should stand on the stage with what stands there, node by node (keyed by record), and lets
 * the difference glide. Nodes grow out of their parents; a new round glides left until its frontier ends the trunk.
 */

import { element, setAttribute, setText, svg, textWidth, visible } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { pathOf, stateOf } from "../trace/records.js";
import { Camera } from "./camera.js";
import { Chip } from "./chip.js";
import { DENSITY, edgePath, layOut } from "./layout.js";
import { Motion } from "./motion.js";

const TRUNK = 7; // chips of committed text at most
const FADED = 0.2; // opacity of branches the round did not keep

/** How many beams stand at a node: draws that coincide are beams of their own. */
const copies = (frontier, node) => frontier.filter((other) => other === node).length;

/** A beam's rank among several, from 1; 0 where there is one text, or for a node that is no beam. */
const rankOf = (frontier, node) => (frontier.some((other) => other !== frontier[0]) ? frontier.indexOf(node) + 1 : 0);

export class Tree {
  /** `at` are callbacks: point(node or null), pick(node). */
  constructor(at) {
    this.root = element("div", "sp-stage");
    this.svg = this.root.appendChild(svg("svg", "sp-svg", null, { role: "img", "aria-label": say("stage_label") }));
    this.world = this.svg.appendChild(svg("g", "sp-world"));
    this.edgeLayer = this.world.appendChild(svg("g", "sp-edges"));
    this.nodeLayer = this.world.appendChild(svg("g", "sp-nodes"));
    this.note = this.root.appendChild(element("div", "sp-stage-note"));
    this.drawn = new Map(); // key -> {node, chip, edge, thing, width, leaving}
    this.motion = new Motion(() => this.drawEdges());
    this.camera = new Camera(this.root, this.world, this.motion);
    this.width = 0;
    this.height = 0;
    this.named = new Set();
    this.step = null;
    this.trace = null;
    this.layouts = new WeakMap();
    this.listen(at);
  }

  listen(at) {
    const nodeAt = (event) => {
      const group = event.target.closest ? event.target.closest(".sp-node") : null;
      const held = group && this.drawn.get(Number(group.dataset.key));
      return held ? held.node : null;
    };
    this.svg.addEventListener("pointerover", (event) => event.pointerType !== "touch" && at.point(nodeAt(event)));
    this.svg.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && at.point(null));
    this.svg.addEventListener("click", (event) => !this.camera.dragged && at.pick(nodeAt(event)));
  }

  /** The room the stage has; a changed width lays everything out again without a glide. */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.root.style.height = height + "px";
    this.layouts = new WeakMap();
    if (this.step) this.show(this.trace, this.step, 0);
  }

  clear() {
    for (const held of this.drawn.values()) this.discard(held);
    this.drawn.clear();
    this.layouts = new WeakMap();
    this.step = null;
    this.trace = null;
  }

  // -- what should be there ----------------------------------------------------------------------------------

  /** The layout of a step's round, made once for each round as far as it is known. */
  layoutOf(trace, step) {
    const round = step.round || trace.rounds[0] || null;
    const owner = round || trace;
    const stamp = round ? round.nodes.length + round.extras.length : 0;
    const kept = this.layouts.get(owner);
    if (kept && kept.stamp === stamp) return kept;
    const compact = round && round.nodes.length > 24;
    const limit = compact ? DENSITY.compact.letters : DENSITY.full.letters;
    const item = (node, more) => ({
      key: node.key, parent: node.parent ? node.parent.key : null, depth: node.depth,
      label: visible(node.piece, limit), node, ...more,
    });
    const frontier = round ? round.frontier : trace.frontier;
    const trunk = new Map();
    for (const leaf of frontier)
      pathOf(leaf).slice(0, TRUNK).forEach((node) => trunk.set(node.key, item(node, { frontier: frontier.includes(node) })));
    const tail = Array.from(trunk.values()).sort((a, b) => a.depth - b.depth);
    const nodes = round ? round.nodes.map((node) => item(node, {})).concat(round.extras.map((node) => item(node, { aside: true }))) : [];
    this.family = getComputedStyle(this.root).fontFamily || "sans-serif";
    const measure = (label, px) => textWidth(label, `500 ${px}px ${this.family}`);
    const room = { width: this.width || 800, height: this.height || 300 };
    const layout = { stamp, trunk: tail, nodes, ...layOut(tail, nodes, room, measure) };
    this.layouts.set(owner, layout);
    return layout;
  }

  /** The nodes to be seen at a step: key -> the view a chip is told. */
  viewsAt(step, layout) {
    const views = new Map();
    const round = step.round;
    const over = step.kind === "committed" || step.kind === "finished";
    const kept = new Set(over && round ? round.committed : []);
    const base = { density: layout.density, radius: layout.radius, p: null, q: null, draws: 0, faded: false, trunk: false, frontier: false, asked: false, named: false, rank: 0 };
    for (const item of layout.trunk) {
      const width = layout.places.get(item.key).width;
      const state = item.node.kind === "prompt" ? "prompt" : item.node.origin || "accepted";
      const asked = item.frontier && round && round.call && step.kind !== "drafted" && !over;
      views.set(item.key, { ...base, state, width, label: item.label, trunk: true, frontier: item.frontier, asked, draws: round ? copies(round.frontier, item.node) : 0, rank: round ? rankOf(round.frontier, item.node) : 0 });
    }
    if (!round) return views;
    for (const item of layout.nodes) {
      const node = item.node;
      const drafted = node.kind === "draft";
      if (drafted ? !node.draws.some((draw) => draw.layer <= round.layers[step.layers - 1]?.number) : !over) continue;
      const first = node.draws[0] || null;
      const seen = node.draws.map((draw) => draw.verdict).find((verdict) => verdict && verdict.index < step.verdicts && verdict.p !== null);
      const named = this.named.has(node.key);
      const dot = layout.density.name === "dots" && !named;
      views.set(item.key, {
        ...base,
        state: stateOf(node, step),
        width: dot ? 2 * layout.radius : named ? this.widthOf(item.label, layout.density) : layout.places.get(item.key).width,
        label: item.label,
        q: first ? first.q : null,
        p: seen ? seen.p : drafted ? null : node.word && node.origin !== "correction" ? node.word.extraProb : null,
        draws: Math.max(node.draws.length, over && round.beams ? copies(round.next, node) : 0),
        faded: over && !kept.has(node),
        named,
      });
    }
    return views;
  }

  // -- from what is there to what should be --------------------------------------------------------------------

  show(trace, step, duration) {
    this.trace = trace;
    const before = this.step;
    this.step = step;
    const layout = this.layoutOf(trace, step);
    const views = this.viewsAt(step, layout);
    const turned = !before || before.round !== step.round;
    const shift = this.shiftTo(layout, views);

    for (const [key, held] of this.drawn)
      if (!views.has(key)) this.leave(held, shift, turned);
    for (const item of layout.trunk.concat(layout.nodes)) {
      const view = views.get(item.key);
      if (view) this.place(item, view, layout, turned && before ? 0.35 : 0);
    }
    setAttribute(this.world, "data-density", layout.density.name);
    setText(this.note, layout.density.name === "dots" && step.layers > 0 ? say("many_nodes", { count: layout.nodes.length }) : "");
    this.camera.aim(layout, this.focusBox(step, layout, views), { width: this.width || 800, height: this.height || 300 }, turned);
    this.motion.go(duration);
  }

  /** How far the surviving frontier will travel: nodes that leave travel with it. */
  shiftTo(layout, views) {
    for (const item of layout.trunk.slice().reverse()) {
      const held = this.drawn.get(item.key);
      if (held && views.has(item.key)) {
        const place = layout.places.get(item.key);
        return { x: place.x - held.thing.at.x, y: place.y - held.thing.at.y };
      }
    }
    return { x: 0, y: 0 };
  }

  place(item, view, layout, delay) {
    const place = layout.places.get(item.key);
    let held = this.drawn.get(item.key);
    if (!held) {
      const above = this.drawn.get(item.parent);
      // It grows out of its parent.
      const from = above ? { x: above.thing.at.x + above.width * 0.5, y: above.thing.at.y } : { x: place.x - 30, y: place.y };
      held = this.enter(item, view.trunk ? { x: place.x - 30, y: place.y } : from);
      if (view.trunk) delay = 0;
    } else delay = 0;
    held.width = view.width;
    held.leaving = false;
    held.view = view;
    held.chip.show(view);
    this.dressEdge(held, view);
    this.motion.send(held.thing, { x: place.x, y: place.y, opacity: view.faded ? FADED : 1 }, delay);
  }

  enter(item, from) {
    const chip = new Chip(item.node);
    /** @type {any} */
    const held = { node: item.node, chip, width: 0, leaving: false, edge: null };
    this.nodeLayer.appendChild(chip.root);
    if (item.parent !== null) held.edge = this.edgeLayer.appendChild(svg("path", "sp-edge"));
    held.thing = this.motion.add({ ...from, opacity: 0 }, (at) => {
      chip.root.setAttribute("transform", `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`);
      chip.root.setAttribute("opacity", at.opacity.toFixed(2));
    });
    this.drawn.set(item.key, held);
    return held;
  }

  leave(held, shift, turned) {
    if (held.leaving && !turned) return;
    held.leaving = true;
    const { x, y } = held.thing.at;
    this.motion.send(held.thing, turned ? { x: x + shift.x, y: y + shift.y, opacity: 0 } : { opacity: 0 }, 0, () => {
      if (!held.leaving) return;
      this.discard(held);
      this.drawn.delete(held.node.key);
    });
  }

  discard(held) {
    this.motion.remove(held.thing);
    held.chip.root.remove();
    if (held.edge) held.edge.remove();
  }

  dressEdge(held, view) {
    if (!held.edge) return;
    const trunk = view.trunk ? " sp-trunk" : "";
    setAttribute(held.edge, "class", "sp-edge sp-is-" + view.state + trunk);
    setAttribute(held.edge, "stroke-width", view.trunk || view.q === null ? 1.6 : (1 + 4.5 * view.q).toFixed(1));
    held.thing.fresh = true;
  }

  /** Edges follow their ends; only those of which an end has moved are drawn again. */
  drawEdges() {
    for (const held of this.drawn.values()) {
      if (!held.edge) continue;
      const above = this.drawn.get(held.node.parent.key);
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

  /** What the reader should have in view: the layer just drafted, the node judged, the tokens committed. */
  focusBox(step, layout, views) {
    let nodes = layout.nodes.filter((item) => views.has(item.key)).map((item) => item.node);
    if (step.kind === "drafted" && step.round) nodes = step.round.layers[step.layers - 1].draws.map((draw) => draw.node);
    if (step.verdict) nodes = [step.verdict.node];
    if (step.kind === "committed" || step.kind === "finished") nodes = step.round ? step.round.committed : [];
    const places = nodes.map((node) => layout.places.get(node.key)).filter(Boolean);
    if (!places.length) return { left: -40, right: 40, top: 0, bottom: 0 };
    return {
      left: Math.min(...places.map((place) => place.x)),
      right: Math.max(...places.map((place) => place.x + place.width)),
      top: Math.min(...places.map((place) => place.y)),
      bottom: Math.max(...places.map((place) => place.y)),
    };
  }

  /** Marks the node pointed at and the path above it; in a crowd of dots the path gets its texts. */
  highlight(node) {
    const path = new Set(node ? pathOf(node).map((above) => above.key) : []);
    for (const [key, held] of this.drawn) {
      held.chip.root.classList.toggle("sp-on-path", path.has(key));
      held.chip.root.classList.toggle("sp-pointed", Boolean(node) && key === node.key);
      if (held.edge) held.edge.classList.toggle("sp-on-path", path.has(key) && path.has(held.node.parent.key));
    }
    this.nameDots(path);
  }

  /** In a crowd of dots only the path pointed at and the accepted tokens carry their texts. */
  nameDots(path) {
    if (this.world.dataset.density !== "dots") return;
    const wanted = new Set();
    for (const [key, held] of this.drawn) if (!held.view.trunk && (path.has(key) || held.view.state === "accepted")) wanted.add(key);
    this.named = wanted;
    for (const [key, held] of this.drawn) {
      const named = wanted.has(key);
      if (held.view.trunk || held.view.named === named) continue;
      held.view = { ...held.view, named, width: named ? this.widthOf(held.view.label, held.view.density) : 2 * held.view.radius };
      held.width = held.view.width;
      held.chip.show(held.view);
      held.thing.moved = true;
      if (named) this.nodeLayer.appendChild(held.chip.root); // above the dots
    }
    this.drawEdges();
  }

  widthOf(label, density) {
    return textWidth(label, `500 ${density.font}px ${this.family}`) + 2 * density.pad;
  }
}
