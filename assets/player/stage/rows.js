/**
 * Heights of the parts of a round: pure arithmetic. Heights are in px, downwards.
 *
 * Where there is room each leaf has a row to itself, and a node is centred on its drafted children. Where
 * there is not, every column is packed by itself, as near to parents and children as its neighbours let it be.
 */

import { treeLayout } from "../../shared/plots/tree_layout.js";

/** @typedef {{key: any, parent: any, aside?: boolean}} Item a part with its key, and that of the part before it */
/** @typedef {Pick<Map<any, Item[]>, "get">} Children by the key of their parent */

const SWEEPS = 12; // down and up the columns; positions change by less than a px after about eight

/**
 * Leaves take one row each; `roots` (items) are centred on what was drafted below them, the first lot around 0.
 * @returns {Map<any, number>} key -> y
 * @param {Item[]} roots
 * @param {Children} children
 * @param {number} pitch
 */
export function leafRows(roots, children, pitch) {
  /** @type {Item[]} */
  const items = [];
  /** @type {number[]} */
  const parents = [];
  const add = (/** @type {Item} */ item, /** @type {number} */ parent) => {
    const i = items.push(item) - 1;
    parents.push(parent);
    for (const child of children.get(item.key) || []) add(child, i);
  };
  for (const root of roots) add(root, -1);
  const { rows } = treeLayout(
    parents,
    items.map((item) => Boolean(item.aside)),
  );
  const heads = rows.filter((_, i) => parents[i] < 0);
  const middle = heads.length ? (heads[0] + heads[heads.length - 1]) / 2 : 0;
  return new Map(items.map((item, i) => [item.key, pitch * (rows[i] - middle)]));
}

/**
 * Packs the columns below `roots`, whose heights are given, into -half .. half, with `pitch` between neighbours.
 * @returns {Map<any, number>} key -> y, of the roots, too
 * @param {Item[]} roots
 * @param {Children} children
 * @param {Map<any, number>} given
 * @param {number} pitch
 * @param {number} half
 */
export function packedRows(roots, children, given, pitch, half) {
  const heights = new Map(roots.map((item) => [item.key, given.get(item.key) || 0]));
  const heightOf = (/** @type {any} */ key) => heights.get(key) ?? 0;
  /** @type {Item[][]} */
  const columns = [];
  for (let column = roots; column.length;) {
    column = column.flatMap((item) => children.get(item.key) || []);
    if (column.length) columns.push(column);
  }
  for (const column of columns) settle(column, (item) => heightOf(item.parent));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const upwards = sweep % 2 === 0;
    for (const column of upwards ? Array.from(columns).reverse() : columns)
      settle(column, (item) => {
        const below = children.get(item.key) || [];
        const parent = heightOf(item.parent);
        return below.length ? (parent + 2 * mean(below.map((child) => heightOf(child.key)))) / 3 : parent;
      });
  }
  return heights;

  /** @param {Item[]} column @param {(item: Item) => number} wish */
  function settle(column, wish) {
    separated(column.map(wish), pitch, half).forEach((y, i) => heights.set(column[i].key, y));
  }
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * The heights nearest to the wanted ones, in their order, `pitch` apart and within -half .. half: isotonic regression
 * by pooling neighbours (Ayer et al. 1955). Too many for the room keep their distance and overflow it on both sides.
 * @param {number[]} wishes
 * @param {number} pitch
 * @param {number} half
 */
function separated(wishes, pitch, half) {
  /** @type {{sum: number, count: number}[]} */
  const blocks = [];
  wishes.forEach((wish, i) => {
    let block = { sum: wish - i * pitch, count: 1 };
    while (
      blocks.length &&
      blocks[blocks.length - 1].sum / blocks[blocks.length - 1].count >= block.sum / block.count
    ) {
      const above = /** @type {{sum: number, count: number}} */ (blocks.pop());
      block = { sum: above.sum + block.sum, count: above.count + block.count };
    }
    blocks.push(block);
  });
  const long = (wishes.length - 1) * pitch;
  const low = Math.min(-half, -long / 2);
  const high = Math.max(half - long, -long / 2);
  const offsets = blocks.flatMap(({ sum, count }) => Array(count).fill(Math.max(low, Math.min(high, sum / count))));
  return offsets.map((offset, i) => offset + i * pitch);
}
