/** Free places for labels beside what they name: pure arithmetic, no page. */

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box in px */

const STEP = 8; // px between two places that are tried
const APART = 6; // px at least between a label and anything else

/**
 * Box of a label at the free place nearest to its target; null where none is near enough.
 *
 * @param {{width: number, height: number}} size of the label
 * @param {Box} target
 * @param {Box[]} covered what the label may not cover
 * @param {{width: number, height: number}} area
 * @param {number} farthest px between label and target
 * @returns {Box | null}
 */
export function freeBox(size, target, covered, area, farthest) {
  /** @type {Box | null} */
  let best = null;
  let least = farthest;
  for (let top = APART; top + size.height <= area.height - APART; top += STEP)
    for (let left = APART; left + size.width <= area.width - APART; left += STEP) {
      const box = { left, top, right: left + size.width, bottom: top + size.height };
      const distance = between(box, target);
      if (distance < least && !covered.some((other) => between(box, other) < APART)) {
        best = box;
        least = distance;
      }
    }
  return best;
}

const NEARNESS = 60; // px² covered that a px less of distance is worth

/**
 * Box of a label that covers least of what is there, nothing of what it must not, and is near its target; null where
 * there is none.
 *
 * @param {{width: number, height: number}} size of the label
 * @param {Box} target
 * @param {Box[]} kept what the label must not cover
 * @param {Box[]} covered what it had better not
 * @param {{width: number, height: number}} area
 * @returns {Box | null}
 */
export function leastBox(size, target, kept, covered, area) {
  /** @type {Box | null} */
  let best = null;
  let least = Infinity;
  for (const top of offsetsWithin(size.height, area.height))
    for (const left of offsetsWithin(size.width, area.width)) {
      const box = { left, top, right: left + size.width, bottom: top + size.height };
      if (kept.some((other) => between(box, other) < APART)) continue;
      const cost = covered.reduce((sum, other) => sum + shared(box, other), NEARNESS * between(box, target));
      if (cost < least) [best, least] = [box, cost];
    }
  return best;
}

/** Offsets of a length in an area that are tried, the last at its very end. */
function offsetsWithin(length, area) {
  const last = area - length - APART;
  const offsets = [];
  for (let at = APART; at < last; at += STEP) offsets.push(at);
  return last < APART ? offsets : [...offsets, last];
}

/** Area that two boxes share. @param {Box} a @param {Box} b */
function shared(a, b) {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, across) * Math.max(0, down);
}

/** Distance of two boxes; 0 where they touch or cover each other. @param {Box} a @param {Box} b */
export function between(a, b) {
  const across = Math.max(0, a.left - b.right, b.left - a.right);
  const down = Math.max(0, a.top - b.bottom, b.top - a.bottom);
  return Math.hypot(across, down);
}

/**
 * The shortest line from a label to its target, as a path.
 * @param {Box} label
 * @param {Box} target
 */
export function leader(label, target) {
  const x = ends([label.left, label.right], [target.left, target.right]);
  const y = ends([label.top, label.bottom], [target.top, target.bottom]);
  return `M${x[0]} ${y[0]}L${x[1]} ${y[1]}`;
}

/** Nearest points of two intervals of an axis; the middle of their overlap. */
function ends([low, high], [from, to]) {
  if (high < from) return [high, from];
  if (to < low) return [low, to];
  const middle = Math.round((Math.max(low, from) + Math.min(high, to)) / 2);
  return [middle, middle];
}
