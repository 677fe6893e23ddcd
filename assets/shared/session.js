/**
 * What was measured on this page since it was opened, a line per run: the Lab draws it next to its formulas.
 *
 *   session.add(run)   session.runs   session.heard(f)
 */

const MOST = 60; // runs kept, the newest
/** @type {Set<() => void>} */
const listeners = new Set();

/**
 * A run's own numbers, or a race's line for a method: all measured or counted.
 *
 * @typedef {object} Run
 * @property {string} id
 * @property {string} title
 * @property {string} [method]
 * @property {string} [target] the target model's name
 * @property {boolean} [race] whether it is a line of a race
 * @property {number | null} alpha acceptance per position, null where the rule judges none; of a chain, alpha
 * @property {(number | null)[] | null} [passing] of the first children of a node in draw order: accepted / judged
 * @property {number | null} emitted tokens per target call, the extra token included
 * @property {number | null} [speed_up] a race's own
 * @property {boolean} chain whether every depth was one draw, tested by itself
 * @property {boolean} beams
 * @property {number | null} length the most depths of a round
 * @property {number | null} levels depths drafted per round
 * @property {number | null} nodes fed to the target per round
 * @property {number} [tokens]
 * @property {number} [context] tokens of the text in the middle of the run
 * @property {number} [token_s] seconds per emitted token
 * @property {number | null} [step_s] of plain decoding
 * @property {number | null} draft_s seconds per drafted depth
 * @property {number | null} verify_s seconds per target call
 */

export const session = {
  /** @type {Run[]} */
  runs: [],
  /** @param {Run | null} run */
  add(run) {
    if (!run) return;
    this.runs = [...this.runs.filter((each) => each.id !== run.id), run].slice(-MOST);
    listeners.forEach((listener) => listener());
  },
  /** @param {() => void} listener */
  heard: (listener) => listeners.add(listener),
};
