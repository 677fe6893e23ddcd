/** Sequoia's best tree as it is: the root above, children in draw order, dark where a round is likely to pass. */

import { onNewWidth } from "../../shared/plots/axes.js";
import { element, empty, setText, svg } from "../../shared/elements.js";
import { treeLayout } from "../../shared/plots/tree_layout.js";
import { say } from "../../shared/words.js";
import { shown } from "../choices.js";

const STEP = 40; // px between levels
const EDGE = 16;

export class BestTree {
  constructor() {
    this.title = element("h2", "sp-panel-title");
    this.box = element("div", "lab-plot lab-tree");
    this.note = element("p", "sp-quiet");
    this.root = element("section", "sp-panel", [this.title, this.box, this.note]);
    onNewWidth(this.box, () => this.found && this.show(this.found));
  }

  show(found) {
    this.found = found;
    const { parents } = found.tree;
    setText(this.title, say("tree_title", { nodes: parents.length }));
    setText(
      this.note,
      parents.length
        ? say("tree_note", { vector: found.vector.map((value) => shown(value, 3)).join(", ") })
        : say("tree_empty"),
    );
    empty(this.box);
    if (!parents.length) return;
    this.box.appendChild(this.draw(found.tree, Math.max(260, this.box.clientWidth || 480)));
  }

  draw({ parents, places, chances }, width) {
    const { rows, depths, leaves } = treeLayout([-1, ...parents.map((parent) => parent + 1)]); // the root first
    const across = leaves > 1 ? (width - 2 * EDGE) / (leaves - 1) : width - 2 * EDGE;
    const x = rows.map((row) => EDGE + across * (leaves > 1 ? row : 0.5));
    const y = depths.map((depth) => EDGE + STEP * depth);
    const height = EDGE + Math.max(...y);
    const label = say("tree_title", { nodes: parents.length });
    const picture = svg("svg", "", null, { width, height, role: "img", "aria-label": label });
    const radius = Math.max(3, Math.min(9, across / 2.4));
    parents.forEach((parent, i) => {
      const d = `M${x[parent + 1]} ${y[parent + 1]}L${x[i + 1]} ${y[i + 1]}`;
      const style = `stroke-width:${(1 + 5 * chances[i]).toFixed(2)};opacity:${opacity(chances[i])}`;
      picture.appendChild(svg("path", "lab-edge", null, { d, style }));
    });
    parents.forEach((_, i) => {
      const [cx, cy] = [x[i + 1], y[i + 1]];
      const text = say("tree_node", { level: depths[i + 1], place: places[i] + 1, chance: shown(chances[i]) });
      const style = `fill-opacity:${opacity(chances[i])}`;
      picture.append(
        svg("circle", "lab-node-back", null, { cx, cy, r: radius }),
        svg("circle", "lab-node", null, { cx, cy, r: radius, style }, [svg("title", "", text)]),
      );
    });
    const root = { x: x[0] - radius, y: y[0] - radius, width: 2 * radius, height: 2 * radius };
    picture.appendChild(svg("rect", "lab-root", null, root, [svg("title", "", say("tree_root"))]));
    return picture;
  }
}

const opacity = (chance) => (0.18 + 0.82 * Math.min(1, chance)).toFixed(2);
