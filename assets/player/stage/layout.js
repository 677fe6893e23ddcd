/**
 * Where the nodes of a round stand: pure arithmetic, no page.
 *
 * Time runs to the right. A column per depth; the trunk (the tail of the committed text) ends at x = 0, the draft tree
 * begins there. Siblings keep their draw order from top to bottom. A whole round is laid out at once, so nothing moves
 * while its layers, verdicts and tokens appear.
 */

/** Sizes in px by density: full chips, compact chips, dots. */
export const DENSITY = {
  full: { name: "full", chip: 30, least: 46, row: 62, font: 13, letters: 14, pad: 11, gap: [20, 84] },
  compact: { name: "compact", chip: 19, least: 24, row: 30, font: 11, letters: 11, pad: 7, gap: [18, 130] },
  dots: { name: "dots", chip: 19, least: 8, row: 0, font: 11, letters: 11, pad: 7, gap: [20, 200] },
};

const TRUNK_GAP = 5;
const MARGIN = 26;
// Below this scale text cannot be read, and the camera follows instead; sooner where the stage is narrow.
const SMALLEST = { wide: 0.6, narrow: 0.9 };
const NARROW = 480; // px
const LARGEST = 1.3; // a short chain may fill the stage, within reason
const DOTS_FROM = 150; // nodes in a round

/**
 * Lays out one round.
 *
 * `trunk` and `nodes` are lists of {key, parent, depth, label, aside}, parents before children; `aside` marks tokens
 * that were not drafted (correction, bonus), which hang below their drafted siblings.
 * `room` is {width, height}, `measure(label, px)` the width of a text.
 * Returns {places: Map key -> {x, y, width, depth}, density, scale, x, y, box, radius}; x, y, scale place the camera.
 */
export function layOut(trunk, nodes, room, measure) {
  const children = new Map(nodes.concat(trunk).map((item) => [item.key, []]));
  for (const item of nodes) if (children.has(item.parent)) children.get(item.parent).push(item);
  const leaves = nodes.filter((item) => children.get(item.key).length === 0).length;
  const density = densityFor(nodes.length, leaves, room.height);
  const trunkRoom = Math.min(Math.max(0.27 * room.width, 84), 280);
  const places = new Map();

  for (const item of trunk.concat(nodes)) {
    const text = measure(item.label, density.font) + 2 * density.pad;
    const inTree = item.depth > trunk[trunk.length - 1].depth;
    const width = !inTree ? Math.max(text, density.chip) : density.name === "dots" ? density.least : Math.max(text, density.least);
    places.set(item.key, { x: 0, y: 0, width, depth: item.depth });
  }
  const row = density.row || Math.max(1.5, (room.height - 2 * MARGIN) / Math.max(leaves, 1));
  setRows(trunk, children, places, row, density);
  const items = nodes.length ? nodes : trunk;
  // What the height asks for comes first: a tree made smaller for its height has more room across.
  const across = (room.width - trunkRoom - MARGIN) / scaleFor(boxOf(places, items, density), room, trunkRoom, density);
  setColumns(trunk, nodes, places, across, density);
  const box = boxOf(places, items, density);
  const scale = scaleFor(box, room, trunkRoom, density);
  return { places, density, scale, x: trunkRoom, ...verticalCamera(box, room, scale, leaves, trunkRoom), box, radius: Math.max(1.3, Math.min(4.5, 0.42 * row)) };
}

function densityFor(count, leaves, height) {
  if (count > DOTS_FROM) return DENSITY.dots;
  return leaves * DENSITY.full.row * 0.7 <= height ? DENSITY.full : DENSITY.compact;
}

/** Leaves take one row each; a node stands in the middle of its drafted children, so that a chain stays straight. */
function setRows(trunk, children, places, row, density) {
  let next = 0;
  const visit = (item) => {
    const below = children.get(item.key);
    below.forEach(visit);
    const drafted = below.filter((child) => !child.aside);
    const middle = drafted.length ? drafted : below;
    const place = places.get(item.key);
    place.y = below.length ? (places.get(middle[0].key).y + places.get(middle[middle.length - 1].key).y) / 2 : row * next++;
  };
  const frontier = inTreeOrder(trunk);
  frontier.forEach((item) => {
    // Beams need a row each even before anything hangs below them.
    if (children.get(item.key).length === 0) places.get(item.key).y = Math.max(row, density.chip + 8) * next++;
    else visit(item);
  });
  const origin = frontier.length ? (places.get(frontier[0].key).y + places.get(frontier[frontier.length - 1].key).y) / 2 : 0;
  places.forEach((place) => (place.y -= origin));
  // Up the trunk: each ancestor stands in the middle of its trunk children (one, unless beams part here).
  for (let i = trunk.length - 1; i >= 0; i--) {
    const below = trunk.filter((item) => item.parent === trunk[i].key);
    if (below.length && !trunk[i].frontier)
      places.get(trunk[i].key).y = below.reduce((sum, item) => sum + places.get(item.key).y, 0) / below.length;
  }
}

/** The frontier from top to bottom: beams that share more of their past stand closer, so that no lines cross. */
function inTreeOrder(trunk) {
  const above = new Map(trunk.map((item) => [item.key, item.parent]));
  const lineage = (key) => (above.has(key) ? lineage(above.get(key)).concat(key) : []);
  const lines = new Map(trunk.filter((item) => item.frontier).map((item) => [item, lineage(item.key)]));
  const compare = (a, b) => {
    const [one, other] = [lines.get(a), lines.get(b)];
    const i = one.findIndex((key, at) => key !== other[at]);
    return i < 0 ? one.length - other.length : one[i] - (other[i] ?? -1);
  };
  return Array.from(lines.keys()).sort(compare);
}

/** Each column is as wide as its widest chip; the gaps take what is left, within bounds. */
function setColumns(trunk, nodes, places, available, density) {
  const last = Math.max(0, ...trunk.map((item) => item.depth));
  const widths = new Map();
  for (const item of trunk.concat(nodes))
    widths.set(item.depth, Math.max(widths.get(item.depth) || 0, places.get(item.key).width));
  const depths = Array.from(widths.keys()).sort((a, b) => a - b);
  const drafted = depths.filter((depth) => depth > last);
  const filled = drafted.reduce((sum, depth) => sum + widths.get(depth), 0);
  const [least, most] = density.gap;
  const gap = Math.max(least, Math.min(most, (available - filled) / Math.max(drafted.length, 1)));

  const left = new Map();
  let x = 0;
  for (const depth of depths.filter((each) => each <= last).reverse()) {
    x -= widths.get(depth);
    left.set(depth, x);
    x -= TRUNK_GAP;
  }
  x = 0;
  for (const depth of drafted) {
    left.set(depth, x + gap);
    x += gap + widths.get(depth);
  }
  places.forEach((place) => {
    // Trunk chips lean on the next one like words of a sentence; the tree starts each column at its left edge.
    place.x = left.get(place.depth) + (place.depth <= last ? widths.get(place.depth) - place.width : 0);
  });
}

function boxOf(places, items, density) {
  const box = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const item of items) {
    const place = places.get(item.key);
    box.right = Math.max(box.right, place.x + place.width);
    box.top = Math.min(box.top, place.y - density.chip / 2);
    box.bottom = Math.max(box.bottom, place.y + density.chip / 2 + (density.name === "full" ? 12 : 0));
  }
  return box;
}

// Steps of a tenth: a camera that zooms a little at every round is seasick.
function scaleFor(box, room, trunkRoom, density) {
  const across = (room.width - trunkRoom - MARGIN) / Math.max(box.right, 1);
  const down = (room.height - 2 * MARGIN) / Math.max(box.bottom - box.top, 1);
  const fit = Math.min(density.name === "dots" ? 1 : LARGEST, across, down);
  return Math.max(room.width < NARROW ? SMALLEST.narrow : SMALLEST.wide, Math.floor(fit * 10) / 10);
}

/** The frontier stands at one height in every round, unless the tree then leaves the stage. */
function verticalCamera(box, room, scale, leaves, trunkRoom) {
  const wanted = room.height * (leaves <= 2 ? 0.42 : 0.5);
  const top = MARGIN - scale * box.top;
  const bottom = room.height - MARGIN - scale * box.bottom;
  const fits = top <= bottom;
  return { y: fits ? Math.min(Math.max(wanted, top), bottom) : (top + bottom) / 2, fits: fits && trunkRoom + scale * box.right <= room.width };
}

/** The line from a node's right edge to its child's left edge. */
export function edgePath(fromX, fromY, toX, toY) {
  const bend = Math.max(6, 0.5 * (toX - fromX));
  const [a, b, c, d] = [fromX, fromY, toX, toY].map((value) => Math.round(value * 10) / 10);
  return b === d ? `M${a} ${b}H${c}` : `M${a} ${b}C${a + bend} ${b} ${c - bend} ${d} ${c} ${d}`;
}
