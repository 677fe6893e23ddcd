/** Free places for labels next to what they name: pure arithmetic, no page. */

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
