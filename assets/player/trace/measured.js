/** The numbers of a run that was played here. */

const CHILDREN = 4; // of a node that are told apart

/**
 * A run's own numbers, all measured or counted, null where it has no finished round; prefill is in none of them.
 *
 *   alpha     acceptance per position: one of its drafts was accepted / it was reached; null where draws are not
 *             judged one by one
 *   passing   the same of the first children of a node, in draw order: accepted / judged, null where none was
 *   emitted   tokens per target call, the extra token included
 *   chain     whether every depth was one draw
 *   context   tokens of the text in the middle of the run
 *   levels, nodes     depths drafted and nodes fed to the target, per round
 *   token_s, draft_s, verify_s    seconds per emitted token, per drafted depth, per target call
 */
/**
 * @param {import("./trace.js").Trace} trace
 * @returns {import("../../shared/session.js").Run | null}
 */
export function measuredRun(trace) {
  const rounds = trace.rounds.filter((round) => round.commit);
  const totals = trace.totals;
  if (!trace.run || !rounds.length || !totals.tokens) return null;
  const sum = (/** @type {(round: any) => number} */ of) => rounds.reduce((total, round) => total + of(round), 0);
  const layers = sum((round) => round.layers.length);
  return {
    id: `${trace.run.created}/${trace.run.method}/${trace.run.seed}`,
    title: trace.run.title,
    method: trace.run.method,
    target: trace.run.target.name,
    alpha: totals.acceptance_per_position,
    passing: trace.run.tests === "draws" ? passing(rounds) : null,
    emitted: totals.block_efficiency,
    chain:
      trace.run.tests === "draws" &&
      layers > 0 &&
      rounds.every((round) => round.layers.every((layer) => layer.draws.length === 1)),
    beams: trace.run.reproduces.includes("beam"),
    length: Math.max(0, ...rounds.map((round) => round.layers.length)),
    levels: layers / rounds.length,
    nodes: sum((round) => round.fed.length) / rounds.length,
    tokens: totals.tokens,
    context: trace.run.prompt_ids.length + Math.round(totals.tokens / 2),
    token_s: totals.clock_s / totals.tokens,
    draft_s: layers ? sum((round) => round.commit.draft_s) / layers : null,
    verify_s: sum((round) => round.commit.verify_s) / rounds.length,
  };
}

/** @param {import("./records.js").Round[]} rounds */
function passing(rounds) {
  const judged = Array(CHILDREN).fill(0);
  const accepted = Array(CHILDREN).fill(0);
  for (const round of rounds) {
    const before = new Map(); // parent -> draws of it seen so far
    for (const layer of round.layers)
      for (const draw of layer.draws) {
        const index = before.get(draw.node.parent) || 0;
        before.set(draw.node.parent, index + 1);
        if (index >= CHILDREN || !draw.verdict || draw.verdict.outcome === "not_tested") continue;
        judged[index] += 1;
        if (draw.verdict.outcome === "accepted") accepted[index] += 1;
      }
  }
  return judged.map((count, i) => (count ? accepted[i] / count : null));
}
