/**
 * Folding: which nodes of a round a stage has room for, and which share a tuft, "+38 · 40". Pure arithmetic.
 *
 * A column is a depth of the tree, and a tuft takes a place in it like a node. Every node with folded children has one
 * tuft; it represents them and all below them, so open nodes and tufts always add up to the whole tree.
 */

const LEVELS = 3; // depths that a tuft names one by one

/**
 * How many nodes a tuft holds, depth by depth as "+37 · 40", or in all where they have many depths.
 * @param {unknown[]} depths
 */
export function levels(depths) {
  const counts = new Map();
  for (const depth of depths) counts.set(depth, (counts.get(depth) || 0) + 1);
  const numbers = counts.size > LEVELS ? [depths.length] : Array.from(counts.values());
  return depths.length ? "+" + numbers.join(" · ") : "–";
}

/** Weights of a node for who looks at the round; a node matters as much as any below it. */
export const MATTERS = { never_judged: 0, judged: 1, wanted: 2, kept: 3 };

/**
 * @typedef {object} Foldable
 * @property {number} key
 * @property {number | null} parent
 * @property {number} depth
 * @property {number} matters of MATTERS; what is kept never folds
 * @property {number} weight between equals the lightest folds first, and the later of two alike
 *
 * @typedef {{worth: number, weight: number, order: number, size: number, below: Measured[], node: Foldable}} Measured
 * @typedef {{tuft: boolean, able: Measured[]}} Family siblings: whether they have a tuft, and which of them may fold
 * @typedef {{tufts: Map<number, number[]>, over: number, overfull: number}} Folded
 * @typedef {Map<number | null, Measured[]>} Families by the key of the parent
 */

/**
 * Folds until no column holds more than `rows` nodes and tufts, and nothing untested is deeper than `last`.
 *
 * @param {Foldable[]} nodes parents before children
 * @param {{rows: number, last?: number, opened?: number | null}} room `opened` is the parent of an opened tuft: the
 *   sign that closes it keeps its place
 * @returns {Map<number, number[]>} parent key -> keys of the nodes its tuft represents, in the order given
 */
export function fold(nodes, { rows, last = Infinity, opened = null }) {
  const wanted = nodes.filter((node) => node.matters === MATTERS.wanted);
  const missing = (/** @type {Folded} */ { tufts }) =>
    wanted.filter((node) => Array.from(tufts.values()).some((keys) => keys.includes(node.key))).length;
  const isBetter = (/** @type {Folded} */ one, /** @type {Folded} */ other) =>
    missing(one) < missing(other) || (missing(one) === missing(other) && one.over < other.over);
  let best = foldedTo(nodes, { rows, last, opened });
  // For the nodes of an opened tuft, and for a column that what is kept overfills, the columns before give way, too, by
  // as little as helps.
  const later = wanted.length ? Math.min(...wanted.map((node) => node.depth)) : best.overfull;
  for (let fewer = 1; fewer < rows && (missing(best) > 0 || best.over > 0); fewer++) {
    const other = foldedTo(nodes, { rows, last, opened, later, fewer });
    if (isBetter(other, best)) best = other;
  }
  return best.tufts;
}

/**
 * Columns before `later` hold `fewer` than the others. `over`: by how many places columns are overfull; `overfull`: the
 * deepest that is, or -1.
 * @param {Foldable[]} nodes
 * @param {{rows: number, last: number, opened: number | null, later?: number, fewer?: number}} room
 * @returns {Folded}
 */
function foldedTo(nodes, { rows, last, opened, later = 0, fewer = 0 }) {
  const families = familiesOf(nodes);
  const depths = Array.from(new Set(nodes.map((node) => node.depth))).sort((a, b) => a - b);
  /** @type {Set<number>} */
  const folded = new Set(); // keys, of the uppermost nodes that are folded
  /** @type {Set<number | null>} */
  const removed = new Set(); // keys, of all
  let over = 0;
  let overfull = -1;
  for (const depth of depths) {
    const column = columnOf(families, depth, removed, opened);
    if (depth > last) for (const family of column) hide(family, family.able.filter(isNeverJudged).length, folded);
    const open = nodes.filter(
      (node) => node.depth === depth && !removed.has(node.parent) && !folded.has(node.key),
    ).length;
    const most = depth < later ? rows - fewer : rows;
    const used = foldColumn(column, column.filter((family) => family.tuft).length + open, most, folded);
    if (used > rows) overfull = depth;
    over += Math.max(0, used - rows);
    for (const node of nodes) if (removed.has(node.parent) || folded.has(node.key)) removed.add(node.key);
  }
  return { tufts: tuftsOf(nodes, folded, removed), over, overfull };
}

/**
 * The families at a depth: whether each has a tuft, and its nodes that may fold, those that fold first in front.
 * @param {Families} families
 * @param {number} depth
 * @param {Set<number | null>} removed
 * @param {number | null} opened
 * @returns {Family[]}
 */
const columnOf = (families, depth, removed, opened) =>
  Array.from(families.entries())
    .filter(([parent, children]) => children[0].node.depth === depth && !removed.has(parent))
    .map(([parent, children]) => ({
      tuft: parent === opened,
      able: children.filter((one) => one.worth < MATTERS.kept).sort(lightestFirst),
    }));

/** @param {Measured} one */
const isNeverJudged = (one) => one.worth === MATTERS.never_judged;

/** @param {Family} family @param {number} count @param {Set<number>} folded */
function hide(family, count, folded) {
  for (const one of family.able.splice(0, count)) folded.add(one.node.key);
  family.tuft = true;
}

/**
 * Folds until a column takes no more than `most` places, or nothing is left to fold; gives how many it then takes.
 * @param {Family[]} column
 * @param {number} used
 * @param {number} most
 * @param {Set<number>} folded
 */
function foldColumn(column, used, most, folded) {
  for (; used > most; used -= 1) {
    // The first fold of a family gives a tuft for two nodes, each further one a place.
    const able = column.filter((family) => family.able.length >= (family.tuft ? 1 : 2));
    if (!able.length) break;
    const next = (/** @type {Family} */ family) => family.able[family.tuft ? 0 : 1];
    const family = able.reduce((best, each) => (lightestFirst(next(each), next(best)) < 0 ? each : best));
    hide(family, family.tuft ? 1 : 2, folded);
  }
  return used;
}

/** @param {Measured} a @param {Measured} b */
const lightestFirst = (a, b) => a.worth - b.worth || a.weight - b.weight || b.order - a.order;

/** The children of each parent, with what their subtrees hold. @param {Foldable[]} nodes @returns {Families} */
function familiesOf(nodes) {
  /** @type {Map<number | null, Measured>} */
  const measured = new Map(
    nodes.map((node, order) => [
      node.key,
      { worth: node.matters, weight: node.weight, order, size: 1, below: [], node },
    ]),
  );
  /** @type {Families} */
  const families = new Map();
  for (const one of Array.from(measured.values()).reverse()) {
    const above = measured.get(one.node.parent);
    if (above) above.worth = Math.max(above.worth, one.worth);
  }
  for (const one of measured.values()) {
    if (!families.has(one.node.parent)) families.set(one.node.parent, []);
    families.get(one.node.parent)?.push(one);
  }
  return families;
}

/**
 * @param {Foldable[]} nodes
 * @param {Set<number>} folded
 * @param {Set<number | null>} removed
 * @returns {Map<number, number[]>}
 */
function tuftsOf(nodes, folded, removed) {
  const tufts = new Map();
  const holder = new Map(); // key -> parent whose tuft it is in
  for (const { key, parent } of nodes) {
    if (!removed.has(key)) continue;
    holder.set(key, folded.has(key) ? parent : holder.get(parent));
    const at = holder.get(key);
    tufts.set(at, (tufts.get(at) || []).concat(key));
  }
  return tufts;
}
