/**
 * Positions of the nodes of a round, and which of them fold: pure arithmetic, no page.
 *
 * Time runs to the right. A column per depth; the trunk (the tail of the committed text) ends at x = 0, the draft tree
 * begins there. Siblings keep their draw order from top to bottom. A whole round is laid out at once, so nothing moves
 * while its depths, verdicts and tokens appear. Letters keep their size: what has no room folds into tufts (fold.js).
 */

import { fold, levels, MATTERS } from "./fold.js";
import { leafRows, packedRows } from "./rows.js";

/**
 * Sizes in px: full chips where there is room for them, else compact ones. `row` and `gap` are [least, most].
 * @type {Record<string, Density>}
 */
export const DENSITY = {
  full: { name: "full", chip: 28, least: 46, row: [45, 74], font: 15, pad: 10, gap: [28, 150] },
  compact: { name: "compact", chip: 20, least: 26, row: [28, 44], font: 14, pad: 6, gap: [22, 130] },
};

// Tried in turn until the whole tree fits: a density, and how many letters of a token's text are shown.
const STYLES = /** @type {const} */ ([
  ["full", 14],
  ["full", 9],
  ["compact", 12],
  ["compact", 8],
  ["compact", 6],
]);
const FOLDING = STYLES.length - 2; // the style of a tree that does not fit
const WHOLE = [24, 18, 14, 11]; // letters that a style shows instead, where there is room
const MARGIN = 24;
const EDGE = 14; // px kept free above and below
const BRAID_GAP = 26; // px between two steps of the beams
const TRUNK_GAP = 5; // px between two words of one text
const EASY_GAP = 46; // px between columns before the trunk takes more room
const LARGEST = 1.7; // chips of 48 px, so that a small tree fills the stage
const WIDE = 1700; // px of a stage that may be larger still, as its letters are seen from further away

/**
 * @typedef {object} Item a node to be placed
 * @property {number} key
 * @property {number | null} parent
 * @property {number} depth
 * @property {string} piece
 * @property {boolean} [named]
 * @property {number} times how many draws or beams coincide here
 * @property {number} [rank] of a beam, 0 for others
 * @property {number | null} [row] of a beam in the braid, counted from its middle
 * @property {boolean} [frontier] of the trunk: the round starts here
 * @property {boolean} [aside] was not drafted (correction, bonus): hangs below its drafted siblings
 * @property {number} [matters] see fold.js
 * @property {number} [weight] see fold.js
 *
 * @typedef {{key: string, parent: number, depth: number, keys: number[], piece: string, tuft: true}} Tuft
 * @typedef {any} Part an Item or a Tuft
 * @typedef {{label: string, before: number, after: number, width: number}} Size
 * @typedef {Size & {x: number, y: number, depth: number}} Place
 * @typedef {Known<Size>} Sizes by key
 * @typedef {{depth: number, width: number, count: number}} Column
 * @typedef {{name: string, chip: number, least: number, row: number[], font: number, pad: number,
 *   gap: number[]}} Density
 * @typedef {{scale: number, width: number, half: number}} Room px at this scale, and half of its height
 * @typedef {{measure: (label: string, px: number) => number, shorten: (piece: string, letters: number) => string}} Pen
 * @typedef {{trunk: Item[], nodes: Item[], beams: number, opened: number | null}} Scene
 * @typedef {{last: number} | null} Folding
 */

/**
 * A map that is asked only for keys that it has.
 * @template T
 * @typedef {Omit<Map<any, T>, "get"> & {get: (key: any) => T}} Known
 */

/** A map by keys. @template T @param {(readonly [any, T])[]} entries @returns {Known<T>} */
const known = (entries) => /** @type {any} */ (new Map(entries));

/**
 * Lays out one round.
 *
 * @param {{trunk: Item[], nodes: Item[], beams?: number, opened?: number | null}} scene
 * @param {{width: number, height: number, least?: number}} room
 * @param {Pen} pen
 *
 * `trunk` and `nodes` are Items, parents before children; `beams` is how many texts live side by side in the run, 0
 * where there is one text; `opened` is the parent of an opened tuft. `room` is {width, height, least}: px, and the
 * scale below which nothing is drawn, usually 1. `pen` measures and shortens a text.
 * Returns {places: Map key -> Place, trunk, nodes, tufts, density, scale, x, y, box, fits}; x, y, scale place the
 * camera.
 */
export function layOut({ trunk, nodes, beams = 0, opened = null }, { width, height, least = 1 }, pen) {
  const roomAt = (/** @type {number} */ scale) => ({ scale, width: width / scale, half: height / scale / 2 - EDGE });
  /** @param {number} style @param {number} scale @param {Folding} folding @param {number} [letters] */
  const plan = (style, scale, folding, letters = /** @type {number} */ (STYLES[style][1])) =>
    planned({ trunk, nodes, beams, opened }, roomAt(scale), pen, [STYLES[style][0], letters], folding);
  /** @param {number} style @param {number} scale @param {Folding} folding */
  const longest = (style, scale, folding) => {
    const attempt = plan(style, scale, folding);
    for (const letters of WHOLE.filter((each) => each > STYLES[style][1])) {
      const another = plan(style, scale, folding, letters);
      if (another.isBroadEnough && another.fits === attempt.fits) return another;
    }
    return attempt;
  };
  // Beams are to show many steps, so they grow only on a wide stage.
  const largest = LARGEST * Math.min(2, Math.max(1, width / WIDE));
  const most = least * (beams ? Math.min(largest, Math.max(1, width / 1000)) : largest);
  if (opened === null)
    for (let style = 0; style < STYLES.length; style++)
      for (let scale = most; scale > least - 0.05; scale -= 0.1 * least) {
        const attempt = longest(style, Math.max(scale, least), null);
        if (attempt.fits) return placed({ trunk, nodes, beams }, attempt);
      }
  const deepest = Math.max(0, ...nodes.map((node) => node.depth));
  // What was judged never gives way to the width: there the camera follows.
  const needed = Math.max(
    0,
    ...nodes.filter((node) => (node.matters ?? 0) > MATTERS.never_judged).map((node) => node.depth),
  );
  for (const style of [FOLDING, FOLDING + 1])
    for (let last = deepest; last >= needed; last--) {
      const attempt = longest(style, least, { last });
      if (attempt.fits) return placed({ trunk, nodes, beams }, attempt);
    }
  return placed({ trunk, nodes, beams }, longest(FOLDING, least, { last: needed }));
}

/**
 * Plan of one style for the round at one scale, and whether it fits.
 * @param {Scene} scene
 * @param {Room} room
 * @param {Pen} pen
 * @param {[string, number]} style
 * @param {Folding} folding
 */
function planned({ trunk, nodes, beams, opened }, room, pen, [name, letters], folding) {
  const density = DENSITY[name];
  const rows = Math.floor((2 * room.half) / density.row[0]);
  const folded = folding ? fold(/** @type {any} */ (nodes), { rows, opened, ...folding }) : new Map();
  const tree = treeOf(nodes, folded, opened);
  const sizes = sizesOf(trunk.concat(tree), density, letters, pen);
  const columns = columnsOf(tree, sizes);
  const filled = columns.reduce((sum, column) => sum + column.width, 0);
  const leastTrunk = beams ? 0.3 * room.width : Math.max(84, 0.13 * room.width);
  const tight = beams > 0 && 2 * room.half < beams * (density.chip + 6);
  const across = room.width - leastTrunk - MARGIN;
  const isBroadEnough = filled + columns.length * density.gap[0] <= across;
  const isWithin = !tight && columns.every((column) => column.count <= rows) && isBroadEnough;
  return { room, density, tree, sizes, columns, filled, leastTrunk, isBroadEnough, fits: isWithin };
}

/** @param {Omit<Scene, "opened">} scene @param {ReturnType<typeof planned>} plan */
function placed({ trunk, nodes, beams }, { room, density, tree, sizes, columns, filled, leastTrunk }) {
  const drafts = nodes.some((item) => !item.aside);
  const { width: trunkRoom, shown } = trunkWithin(trunk, {
    drafts,
    beams,
    sizes,
    room,
    filled,
    columns,
    least: leastTrunk,
  });
  const heights = heightsOf(shown, tree, density, beams, room.half);
  /** @type {Known<Place>} */
  const positions = new Map();
  for (const item of shown.concat(tree))
    positions.set(item.key, { x: 0, y: heights.get(item.key) || 0, depth: item.depth, ...sizes.get(item.key) });
  setColumns(shown, columns, positions, room.width - trunkRoom - MARGIN, density, beams ? BRAID_GAP : TRUNK_GAP);
  const box = boxOf(positions, beams ? shown.concat(tree) : tree.length ? tree : shown, density);
  return {
    places: positions,
    density,
    box,
    scale: room.scale,
    x: room.scale * trunkRoom,
    ...verticalCamera(box, room, tree.length, trunkRoom),
    trunk: /** @type {Part[]} */ (shown),
    nodes: tree.filter((item) => !item.tuft),
    tufts: /** @type {Tuft[]} */ (tree.filter((item) => item.tuft)),
  };
}

/**
 * The open nodes and the tufts, parents before children; a tuft is between drafted siblings and what was not
 * drafted.
 * @param {Item[]} nodes
 * @param {Map<number, number[]>} tufts
 * @param {number | null} opened
 * @returns {Part[]}
 */
function treeOf(nodes, tufts, opened) {
  const hidden = new Set(Array.from(tufts.values()).flat());
  /** @type {Part[]} */
  const tree = nodes.filter((item) => !hidden.has(item.key));
  if (opened !== null && !tufts.has(opened) && nodes.some((item) => item.parent === opened)) tufts.set(opened, []);
  const depthOf = new Map(nodes.map((item) => [item.key, item.depth]));
  for (const [parent, keys] of tufts) {
    const depth = nodes.find((item) => item.parent === parent)?.depth;
    tree.push({
      key: "+" + parent,
      parent,
      depth,
      keys,
      piece: levels(keys.map((key) => depthOf.get(key))),
      times: 1,
      tuft: true,
    });
  }
  return tree;
}

/**
 * Label and width of everything: a chip holds rank, text and how often it was drawn.
 * @param {Part[]} items
 * @param {Density} density
 * @param {number} letters
 * @param {Pen} pen
 * @returns {Sizes}
 */
function sizesOf(items, density, letters, pen) {
  return known(
    items.map((item) => {
      const label = item.tuft ? item.piece : pen.shorten(item.piece, item.named ? 2 * letters : letters);
      const before = item.rank ? pen.measure("#" + item.rank, density.font) + 6 : 0;
      const after = item.tuft ? 5 : item.times > 1 ? pen.measure("×" + item.times, density.font) + 6 : 0;
      const text = pen.measure(label, density.font) + before + after + 2 * density.pad;
      return [
        item.key,
        { label, before, after, width: Math.max(text, item.frontier === undefined ? density.least : density.chip) },
      ];
    }),
  );
}

/** @param {Part[]} tree @param {Known<{width: number}>} sizes @returns {Column[]} */
function columnsOf(tree, sizes) {
  const columns = new Map();
  for (const item of tree) {
    const column = columns.get(item.depth) || { depth: item.depth, width: 0, count: 0 };
    columns.set(item.depth, {
      ...column,
      width: Math.max(column.width, sizes.get(item.key).width),
      count: column.count + 1,
    });
  }
  return Array.from(columns.values()).sort((a, b) => a.depth - b.depth);
}

/**
 * How much of the width the trunk has, and which of its items: of beams whole steps only, of a text what the edge cuts
 * off, too.
 * @param {Item[]} trunk
 * @param {{drafts: boolean, beams: number, sizes: Sizes, room: Room, filled: number, columns: Column[],
 *   least: number}} within
 */
function trunkWithin(trunk, { drafts, beams, sizes, room, filled, columns, least }) {
  const easy = room.width - MARGIN - filled - EASY_GAP * columns.length;
  const most = beams ? (drafts ? 0.4 : 1) * room.width : Math.min(Math.max(0.27 * room.width, 84), 280);
  const width = Math.max(least, Math.min(most, easy));
  if (!beams) return { width, shown: trunk };
  let used = MARGIN - BRAID_GAP;
  // the last one, from which all hangs, however wide
  const steps = columnsOf(trunk, sizes)
    .reverse()
    .filter((column, position) => (used += column.width + BRAID_GAP) <= width || position === 0);
  const first = steps.length ? steps[steps.length - 1].depth : Infinity;
  return {
    width: steps.reduce((sum, column) => sum + column.width + BRAID_GAP, MARGIN - BRAID_GAP),
    shown: trunk.filter((item) => item.depth >= first),
  };
}

/** @param {Item[]} trunk @param {Part[]} tree @param {Density} density @param {number} beams @param {number} half */
function heightsOf(trunk, tree, density, beams, half) {
  const roots = trunk.filter((item) => item.frontier);
  /** @type {Known<Part[]>} */
  const children = known(roots.concat(tree).map((item) => [item.key, []]));
  const last = (/** @type {Part} */ item) => (item.tuft ? 1 : item.aside ? 2 : 0);
  for (const item of tree.slice().sort((a, b) => last(a) - last(b)))
    if (children.has(item.parent)) children.get(item.parent).push(item);
  const [least, most] = density.row;
  const leaves = roots.concat(tree).filter((item) => children.get(item.key).length === 0).length;
  const fullest = Math.max(
    1,
    ...columnsOf(tree, known(tree.map((item) => [item.key, { width: 0 }]))).map((column) => column.count),
  );
  const pitch = (/** @type {number} */ count) => Math.max(least, Math.min(most, (2 * half) / count));
  const onRank = new Map();
  if (beams) {
    const row = Math.min(most, (2 * half) / beams);
    for (const item of trunk.concat(tree)) if (typeof item.row === "number") onRank.set(item.key, item.row * row);
  }
  const roomy = onRank.size === 0 && leaves * least <= 2 * half;
  const heights = known([
    ...(roomy
      ? leafRows(roots, children, pitch(leaves))
      : packedRows(roots, children, onRank, pitch(fullest), half - least / 2)),
  ]);
  for (const [key, y] of onRank) heights.set(key, y);
  // Up the trunk: an ancestor without a rank is centred on its trunk children.
  for (const item of trunk.slice().reverse()) {
    if (heights.has(item.key)) continue;
    const below = trunk
      .filter((other) => other.parent === item.key && !onRank.has(other.key))
      .map((other) => heights.get(other.key));
    heights.set(item.key, below.length ? below.reduce((sum, y) => sum + y, 0) / below.length : 0);
  }
  return heights;
}

/**
 * Each column is as wide as its widest chip; the gaps take what is left, within bounds.
 * @param {Item[]} trunk
 * @param {Column[]} columns
 * @param {Known<Place>} positions
 * @param {number} available
 * @param {Density} density
 * @param {number} trunkGap
 */
function setColumns(trunk, columns, positions, available, density, trunkGap) {
  /** @type {Known<{x: number, width: number}>} */
  const left = new Map();
  const [least, most] = density.gap;
  const filled = columns.reduce((sum, column) => sum + column.width, 0);
  const gap = Math.max(least, Math.min(most, (available - filled) / Math.max(columns.length, 1)));
  let x = 0;
  for (const column of columnsOf(trunk, positions).reverse()) {
    x -= column.width;
    left.set(column.depth, { x, width: trunkGap === TRUNK_GAP ? column.width : 0 });
    x -= trunkGap;
  }
  x = 0;
  for (const column of columns) {
    left.set(column.depth, { x: x + gap, width: 0 });
    x += gap + column.width;
  }
  // Words of one text lean on the next one; beams and the tree start each column at its left edge.
  for (const position of positions.values()) {
    const column = left.get(position.depth);
    position.x = column.x + Math.max(0, column.width - position.width);
  }
}

/** @param {Known<Place>} positions @param {Part[]} items @param {Density} density */
function boxOf(positions, items, density) {
  const box = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const item of items) {
    const position = positions.get(item.key);
    box.right = Math.max(box.right, position.x + position.width);
    box.top = Math.min(box.top, position.y - density.chip / 2);
    box.bottom = Math.max(box.bottom, position.y + density.chip / 2 + (density.name === "full" ? 13 : 7));
  }
  return box;
}

/**
 * The frontier has one height in every round, unless the tree then leaves the stage.
 * @param {import("./camera.js").Box} box
 * @param {Room} room
 * @param {number} count
 * @param {number} trunkRoom
 */
function verticalCamera(box, { scale, half, width }, count, trunkRoom) {
  const height = 2 * (half + EDGE);
  const wanted = height * (count <= 2 ? 0.42 : 0.5);
  const top = EDGE / 2 - box.top;
  const bottom = height - EDGE / 2 - box.bottom;
  const isWithin = top <= bottom;
  const y = isWithin ? Math.min(Math.max(wanted, top), bottom) : (top + bottom) / 2;
  return { y: scale * y, fits: isWithin && trunkRoom + box.right <= width };
}

/**
 * The line from a node's right edge to its child's left edge.
 * @param {number} fromX
 * @param {number} fromY
 * @param {number} toX
 * @param {number} toY
 */
export function edgePath(fromX, fromY, toX, toY) {
  const bend = Math.max(6, 0.5 * (toX - fromX));
  const [a, b, c, d] = [fromX, fromY, toX, toY].map((value) => Math.round(value * 10) / 10);
  return b === d ? `M${a} ${b}H${c}` : `M${a} ${b}C${a + bend} ${b} ${c - bend} ${d} ${c} ${d}`;
}
