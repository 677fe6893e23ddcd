/**
 * Three histograms of draws by three rules at one position of a run, next to the target's probabilities. The draws are
 * made here, by a generator with a fixed seed, from the exact distribution of each rule.
 */

import { element } from "../shared/elements.js";
import { probability } from "../shared/numbers.js";
import { say } from "../shared/words.js";

export const DRAWS = 5000;
export const WRONG = 1; // the place of the wrong rule
const DEVIATIONS = 3; // A count is within so many of its mean in 997 of 1,000 draws from p.
const NAMES = ["convict_first", "convict_second", "convict_third"];

/** @typedef {{piece: string, p: number, q: number}} Row */

/**
 * Probability of a token under each rule: speculative sampling, the same with corrections drawn from p where the
 * residual belongs, and sample and match.
 */
const RULES = [
  (/** @type {Row} */ { p }) => p,
  (/** @type {Row} */ { p, q }, /** @type {number} */ overlap) => Math.min(p, q) + (1 - overlap) * p,
  (/** @type {Row} */ { p }) => p,
];

/**
 * Shares of the tokens in the draws of each rule; all other tokens are the last.
 *
 * @param {{rows: Row[], overlap: number}} position
 * @returns {number[][]}
 */
export function shares({ rows, overlap }) {
  const random = generator(1);
  return RULES.map((rule) => {
    const counts = [...rows.map(() => 0), 0];
    for (let i = 0; i < DRAWS; i++) {
      let left = random();
      const at = rows.findIndex((row) => (left -= rule(row, overlap)) < 0);
      counts[at < 0 ? rows.length : at] += 1;
    }
    return counts.map((count) => count / DRAWS);
  });
}

/** Ends of the band around p that a lawful share keeps. @param {number} p */
export function band(p) {
  const deviation = Math.sqrt((p * (1 - p)) / DRAWS);
  return [Math.max(0, p - DEVIATIONS * deviation), Math.min(1, p + DEVIATIONS * deviation)];
}

/** The histograms, with what they show. @param {{rows: Row[], overlap: number}} position */
export function histograms(position) {
  const others = { piece: say("convict_others"), p: 1 - position.rows.reduce((sum, { p }) => sum + p, 0), q: 0 };
  const rows = [...position.rows, others];
  const drawn = shares(position);
  const most = Math.max(...drawn.flat(), ...rows.map(({ p }) => band(p)[1]));
  const figures = drawn.map((shown, rule) =>
    element("figure", "learn-histogram", [
      element("figcaption", "", say(NAMES[rule])),
      ...rows.map((row, i) => line(row, shown[i], most)),
    ]),
  );
  const note = element("p", "learn-quiet", say("convict_drawn", { count: DRAWS.toLocaleString("en") }));
  return element("div", "learn-histograms", [...figures, note]);
}

/** @param {Row} row @param {number} share @param {number} most */
function line({ piece, p }, share, most) {
  const [low, high] = band(p);
  const percent = (value) => `${(100 * value) / most}%`;
  const label = say("convict_line", { token: piece.trim(), share: probability(share), p: probability(p) });
  const part = (className, style) => element("span", className, "", { style });
  return element("div", "learn-bar-line", null, { role: "img", "aria-label": label, title: label }, [
    element("span", "learn-bar-name", piece.trim()),
    element("span", "learn-bar-track", [
      part("learn-bar", `width: ${percent(share)}`),
      part("learn-bar-band", `left: ${percent(low)}; width: ${percent(high - low)}`),
      part("learn-bar-p", `left: ${percent(p)}`),
    ]),
  ]);
}

/** Uniform numbers from a seed (mulberry32). @param {number} seed */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
