/** Sequoia's best tree as it is: the root above, children in draw order, dark where a round is likely to pass. */

import { element, empty, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { shown } from "../words.js";

const STEP = 40; // px between levels
const EDGE = 16;

export class BestTree {
  constructor() {
    this.title = element("h3", "sp-panel-title");
    this.box = element("div", "lab-plot lab-tree");
    this.note = element("p", "sp-quiet");
    this.root = element("section", "sp-panel", null, {}, [this.title, this.box, this.note]);
    if (window.ResizeObserver)
      new ResizeObserver(() => this.found && this.box.clientWidth !== this.width && this.show(this.found)).observe(
        this.box,
      );
  }

  show(found) {
    this.found = found;
    this.width = this.box.clientWidth;
    const { parents, places, chances } = found.tree;
    setText(this.title, say("tree_title", { nodes: parents.length }));
    setText(
      this.note,
      parents.length
        ? say("tree_note", { vector: found.vector.map((value) => shown(value, 3)).join(", ") })
        : say("tree_empty"),
    );
    empty(this.box);
    if (!parents.length) return;
    const width = Math.max(260, this.width || 480);
    const { x, level } = layout(parents);
    const leaves = Math.max(...x) || 1;
    const at = (i) =>
      i < 0
        ? [EDGE + ((width - 2 * EDGE) * x[parents.length]) / leaves, EDGE]
        : [EDGE + ((width - 2 * EDGE) * x[i]) / leaves, EDGE + STEP * level[i]];
    const height = 2 * EDGE + STEP * Math.max(...level);
    const picture = svg("svg", "", null, {
      width,
      height,
      role: "img",
      "aria-label": say("tree_title", { nodes: parents.length }),
    });
    const radius = Math.max(3, Math.min(9, (width - 2 * EDGE) / leaves / 2.4));
    parents.forEach((parent, i) => {
      const [[x1, y1], [x2, y2]] = [at(parent), at(i)];
      picture.appendChild(
        svg("path", "lab-edge", null, {
          d: `M${x1} ${y1}L${x2} ${y2}`,
          style: `stroke-width:${(1 + 5 * chances[i]).toFixed(2)};opacity:${opacity(chances[i])}`,
        }),
      );
    });
    parents.forEach((_, i) => {
      const [cx, cy] = at(i);
      const text = say("tree_node", { level: level[i], place: places[i] + 1, chance: shown(chances[i]) });
      picture.append(
        svg("circle", "lab-node-back", null, { cx, cy, r: radius }),
        svg("circle", "lab-node", null, { cx, cy, r: radius, style: `fill-opacity:${opacity(chances[i])}` }, [
          svg("title", "", text),
        ]),
      );
    });
    const [cx, cy] = at(-1);
    picture.appendChild(
      svg("rect", "lab-root", null, { x: cx - radius, y: cy - radius, width: 2 * radius, height: 2 * radius }, [
        svg("title", "", "root"),
      ]),
    );
    this.box.appendChild(picture);
  }
}

const opacity = (chance) => (0.18 + 0.82 * Math.min(1, chance)).toFixed(2);

/** Places of the nodes, the root last: leaves side by side, a parent above the middle of its children. */
function layout(parents) {
  const children = Array.from({ length: parents.length + 1 }, () => /** @type {number[]} */ ([]));
  parents.forEach((parent, i) => children[parent < 0 ? parents.length : parent].push(i));
  const x = Array(parents.length + 1).fill(0);
  const level = Array(parents.length).fill(1);
  parents.forEach((parent, i) => {
    level[i] = parent < 0 ? 1 : level[parent] + 1;
  });
  let next = 0;
  const place = (i) => {
    children[i].forEach(place);
    x[i] = children[i].length ? (x[children[i][0]] + x[children[i][children[i].length - 1]]) / 2 : next++;
  };
  place(parents.length);
  return { x: next === 1 ? x.map(() => 0.5) : x, level };
}
