/**
 * Acceptance by depth of the draft tree, as far as a run has come: the page's twin of playground/metrics/acceptance.py.
 */

const Z = 1.959964; // of a 95 % interval

/** Kind of a try, by what a rule tests. @type {Record<string, string>} */
const TRIES = { draws: "positions", "selected draws": "positions", layers: "tested", prefixes: "drafted" };

/** @typedef {import("./records.js").Round} Round */
/**
 * @typedef {object} Depth
 * @property {number} depth from 1, just below the frontier
 * @property {number} tries positions reached, tested draws or drafted ones, as the rule tests
 * @property {number} passed tries that were accepted
 * @property {number} overlaps sum of sum min(p, q) over the positions reached
 * @property {number} positions how many had one
 */

/** Kind of a run's tries: "positions", "tested", "drafted", or "" where the trace does not say. @param {any} run */
export const triesOf = (run) => TRIES[run?.tests] || "";

/**
 * @type {WeakMap<Round, Depth[]>} a round -> the depths of all rounds up to it: rounds come in order, and only new ones
 * are folded
 */
const folded = new WeakMap();

/**
 * Every drafted depth, over the rounds that were complete at a step. One that is under way would put drafts next to
 * verdicts that have not been given.
 * @param {any} trace
 * @param {import("./records.js").Step | null} step
 * @returns {Depth[]}
 */
export function acceptanceByDepth(trace, step) {
  const kind = triesOf(trace.run);
  /** @type {Depth[]} */
  let depths = [];
  for (const round of trace.rounds.slice(0, step ? step.totals.rounds : 0)) {
    if (!folded.has(round)) folded.set(round, withRound(depths, round, kind));
    depths = folded.get(round) ?? depths;
  }
  return depths;
}

/** @param {Depth} depth */
export const rateOf = ({ tries, passed }) => (tries ? passed / tries : null);

/** @param {Depth} depth */
export const overlapOf = ({ overlaps, positions }) => (positions ? overlaps / positions : null);

/**
 * The score interval of a rate, see playground/metrics/interval.py.
 * @param {Depth} depth
 * @returns {[number, number]}
 */
export function intervalOf({ tries, passed }) {
  const [share, spread] = [passed / tries, (Z * Z) / tries];
  const middle = (share + spread / 2) / (1 + spread);
  const half = (Z * Math.sqrt((share * (1 - share)) / tries + spread / (4 * tries))) / (1 + spread);
  return [Math.min(share, Math.max(0, middle - half)), Math.max(share, Math.min(1, middle + half))];
}

/**
 * @param {Depth[]} depths
 * @param {Round} round
 * @param {string} kind
 */
function withRound(depths, round, kind) {
  const sum = depths.map((each) => ({ ...each }));
  for (const { number, draws } of round.layers) {
    while (sum.length < number) sum.push({ depth: sum.length + 1, tries: 0, passed: 0, overlaps: 0, positions: 0 });
    const tested = draws.filter((draw) => draw.verdict && draw.verdict.outcome !== "not_tested");
    const accepted = tested.filter((draw) => draw.verdict?.outcome === "accepted");
    const parents = (/** @type {import("./records.js").Draw[]} */ some) =>
      new Set(some.map((draw) => draw.node.parent));
    /** @type {Record<string, number[]>} */
    const counted = {
      positions: [parents(tested).size, parents(accepted).size],
      tested: [tested.length, accepted.length],
      drafted: [draws.length, accepted.length],
    };
    const [tries, passed] = counted[kind] || [0, 0];
    const known = [...parents(tested)].map((parent) => round.call?.overlaps[(parent && round.rowOf.get(parent)) ?? -1]);
    const overlaps = known.filter((each) => typeof each === "number");
    const here = sum[number - 1];
    here.tries += tries;
    here.passed += passed;
    here.overlaps += overlaps.reduce((total, each) => total + each, 0);
    here.positions += overlaps.length;
  }
  return sum;
}
