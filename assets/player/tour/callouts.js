/**
 * Three callouts in the picture of a round: its drafts, the verification, what it keeps. They are where the tree
 * leaves room, each from its own step on, and go for good at the reader's first touch.
 */

import { element, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { freeBox, leader } from "./placement.js";

const FARTHEST = 70; // px from what a callout names
const KINDS = /** @type {const} */ (["drafts", "verification", "keeps"]);

/** @typedef {import("./placement.js").Box} Box */

export class Callouts {
  /** @param {import("../stage/tree.js").Tree} tree */
  constructor(tree) {
    this.tree = tree;
    this.offered = false; // for the run on the stage
    this.touched = false; // by the reader
    this.lines = svg("svg", "sp-callout-lines");
    this.labels = KINDS.map((kind) => element("span", "sp-callout sp-callout-" + kind));
    this.root = element("div", "sp-callouts", null, { hidden: "", "aria-hidden": "true" }, [
      this.lines,
      ...this.labels,
    ]);
    for (const gesture of ["pointerdown", "keydown"])
      document.addEventListener(gesture, () => this.end(), { capture: true, once: true });
  }

  /** The reader's first touch. */
  end() {
    this.touched = true;
    this.root.hidden = true;
  }

  /** True where none is to be seen with this run. */
  get isOver() {
    return this.touched || !this.offered;
  }

  /** @param {boolean} offered */
  offer(offered) {
    this.offered = offered;
    this.root.hidden = true;
  }

  /** @param {import("../trace/records.js").Step | null} step */
  show(step) {
    const layout = this.tree.layout;
    const round = step?.round;
    this.root.hidden = this.touched || !this.offered || !layout || !round?.layers.length || !this.tree.width;
    if (this.root.hidden || !round) return;
    const leaders = this.standing(layout, round);
    const many = step.kind === "committed" || step.kind === "finished" ? 3 : step.kind === "drafted" ? 1 : 2;
    this.labels.forEach((label, i) => label.classList.toggle("sp-callout-on", i < many && leaders[i] !== null));
    this.lines.replaceChildren(
      ...leaders.flatMap((path, i) => (path && i < many ? [svg("path", "sp-callout-line", null, { d: path })] : [])),
    );
  }

  /** Put the labels at their final positions; for each the line to what it names, or null where it has no room. */
  standing(layout, round) {
    const { width, height } = this.tree;
    const boxes = this.tree.boxes();
    const covered = [...boxes.values(), ...this.edges(layout)];
    const named = [round.layers[0].draws[0].node, lowest(layout, round), round.committed[round.committed.length - 1]];
    const counts = [round.nodes.length, 0, round.committed.length];
    return this.labels.map((label, i) => {
      setText(label, say("callout_" + KINDS[i] + (counts[i] === 1 ? "_one" : ""), { count: counts[i] }));
      const target = named[i] && boxes.get(named[i].key);
      if (!target) return null;
      const size = { width: label.offsetWidth, height: label.offsetHeight };
      if (!size.width) return null; // not laid out, so nothing says where it has room
      const box = freeBox(size, target, covered, { width, height }, FARTHEST);
      if (!box) return null;
      covered.push(box);
      label.style.transform = `translate(${Math.round(box.left)}px, ${Math.round(box.top)}px)`;
      return leader(box, target);
    });
  }

  /** Points of the edges. @returns {Box[]} */
  edges(layout) {
    return layout.nodes.concat(layout.tufts).flatMap((item) => {
      const [above, here] = [layout.places.get(item.parent), layout.places.get(item.key)];
      if (!above) return [];
      return [0.2, 0.35, 0.5, 0.65, 0.8].map((share) => {
        const bent = share * share * (3 - 2 * share);
        const from = above.x + above.width;
        const [x, y] = this.tree.at(from + share * (here.x - from), above.y + bent * (here.y - above.y));
        return { left: x, right: x, top: y, bottom: y };
      });
    });
  }
}

/** The lowest node of the last drafted depth that has a place. */
function lowest(layout, round) {
  const nodes = round.layers[round.layers.length - 1].draws.map((draw) => draw.node);
  const y = (node) => layout.places.get(node.key)?.y ?? -Infinity;
  return nodes.reduce((best, node) => (y(node) > y(best) ? node : best), nodes[0]);
}
