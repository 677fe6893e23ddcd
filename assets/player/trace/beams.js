/**
 * Beams over the steps of the text: who stood at which rank, who lived on. The stage and a lens draw it as a braid.
 *
 * Ranks follow from the log-probabilities in the committed events: those of the beams at a round's end, and for the
 * steps inside a round the sums along each path that lived on.
 */

/**
 * @typedef {import("./records.js").TreeNode} TreeNode
 * @typedef {import("./records.js").Round} Round
 * @typedef {import("./trace.js").Trace} Trace
 *
 * @typedef {object} Beam
 * @property {TreeNode} node
 * @property {number} score log-probability of its text
 * @property {number} rank from 1
 * @property {number} times how many beams coincide here
 * @property {boolean} ended its text is complete, or it was cut off at the round's end
 *
 * @typedef {{depth: number, round: Round, step: number, beams: Beam[]}} BeamColumn a step of the text
 * @typedef {{count: number, columns: BeamColumn[], most: number}} Braid `most`: beams side by side
 */

/** @type {WeakMap<Trace, Braid>} */
const braids = new WeakMap();

/**
 * The steps of the text, each with its beams in order of rank.
 * @param {Trace} trace
 * @returns {Braid}
 */
export function braidOf(trace) {
  const known = braids.get(trace);
  if (known && known.count === trace.count) return known;
  /** @type {BeamColumn[]} */
  const columns = [];
  /** @type {Map<TreeNode | null, number>} node -> log-probability of its text */
  let scores = new Map();
  for (const round of trace.rounds) {
    if (!round.beams || !round.commit) continue;
    const { log_probs, frontier_log_probs } = round.commit;
    round.frontier.forEach((node) => scores.has(node) || scores.set(node, 0));
    round.committed.forEach((node, i) => scores.set(node, (scores.get(node.parent) ?? 0) + (log_probs[i] ?? 0)));
    const exact = frontier_log_probs || [];
    const next = round.next || [];
    next.forEach((node, i) => exact.length > i && scores.set(node, exact[i]));
    columns.push(...stepsOf(round, scores));
    scores = new Map(next.map((node) => [node, scores.get(node) ?? 0]));
  }
  const most = Math.max(1, ...columns.map((column) => column.beams.reduce((sum, beam) => sum + beam.times, 0)));
  const braid = { count: trace.count, columns, most };
  braids.set(trace, braid);
  return braid;
}

/**
 * One column per depth that the round has reached.
 * @param {Round} round
 * @param {Map<TreeNode | null, number>} scores
 */
function stepsOf(round, scores) {
  const depths = Array.from(new Set(round.committed.map((node) => node.depth))).sort((a, b) => a - b);
  const scoreOf = (/** @type {TreeNode} */ node) => scores.get(node) ?? 0;
  const next = round.next ?? [];
  return depths.map((depth, i) => {
    const last = i === depths.length - 1;
    const nodes = round.committed.filter((node) => node.depth === depth).sort((a, b) => scoreOf(b) - scoreOf(a));
    let rank = 0;
    const beams = nodes.map((node) => {
      const times = last ? Math.max(1, next.filter((other) => other === node).length) : 1;
      const beam = { node, score: scoreOf(node), rank: rank + 1, times, ended: last && !next.includes(node) };
      rank += times;
      return beam;
    });
    return { depth, round, step: commitStep(round), beams };
  });
}

// A round's commit is its last step, but for the run's end, which belongs to the last round, too.
/** @param {Round} round */
const commitStep = (round) => round.committed[0]?.word?.step ?? round.lastStep;
