/**
 * The layout of a tree: each leaf has a row to itself, and a node is centred on its children.
 *
 * The twin of playground/views/tree_layout.py; tests/golden/tree_layout.json holds both to one picture.
 */

/**
 * @typedef {{rows: number[], depths: number[], leaves: number}} TreeLayout `rows` from 0, whole at a leaf; `depths`
 * from 0
 */

/**
 * @param {number[]} parents of each node, as indices; -1 at a root
 * @param {boolean[]} [aside] nodes that were not drafted: below their siblings, and not what a parent stands in the
 *   middle of
 * @returns {TreeLayout}
 */
export function treeLayout(parents, aside = []) {
  const below = parents.map(() => /** @type {number[]} */ ([]));
  const roots = /** @type {number[]} */ ([]);
  const drafted = parents.map((_, i) => i).filter((i) => !aside[i]);
  const others = parents.map((_, i) => i).filter((i) => aside[i]);
  for (const i of drafted.concat(others)) (below[parents[i]] ?? roots).push(i);

  const [rows, depths] = [parents.map(() => 0), parents.map(() => 0)];
  const order = [];
  let leaves = 0;
  for (const open = roots.reverse(); open.length;) {
    const i = /** @type {number} */ (open.pop());
    order.push(i);
    depths[i] = parents[i] < 0 ? 0 : depths[parents[i]] + 1;
    if (!below[i].length) rows[i] = leaves++;
    open.push(...below[i].slice().reverse());
  }
  for (const i of order.reverse()) {
    const middle = below[i].some((child) => !aside[child]) ? below[i].filter((child) => !aside[child]) : below[i];
    if (middle.length) rows[i] = (rows[middle[0]] + rows[middle[middle.length - 1]]) / 2;
  }
  return { rows, depths, leaves };
}
