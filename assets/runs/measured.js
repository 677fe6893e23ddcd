/** Measurements of a race, a line per method, for charts elsewhere on the page; see shared/session.js. */

/**
 * Runs as `measuredRun` has them; times are of the lane that is replayed, on the prompt shown.
 * @param {import("../page/messages.js").RaceValue} value
 */
export function measuredRuns(value) {
  const lanes = new Map(value.lanes.map((lane) => [lane.label, lane.run]));
  const plain = lanes.get("autoregressive");
  const step = plain && plain.tokens ? plain.seconds / plain.tokens : null;
  return value.standings.rows
    .filter((row) => !row.failed && row.cells.block_efficiency)
    .map((row) => {
      const of = (name) => row.cells[name].value;
      const nodes = of("verified_nodes");
      const shape = shapeOf(lanes.get(row.label));
      return {
        id: `${value.race}/${row.label}`,
        title: row.title,
        race: true,
        alpha: of("acceptance_per_position"),
        emitted: of("block_efficiency"),
        speed_up: of("speed_up"),
        // and the root; beams have several
        nodes: nodes === null || shape.beams ? null : nodes + 1,
        step_s: step,
        ...shape,
        chain: shape.chain && row.tests === "draws",
      };
    });
}

/**
 * Depth and width of the rounds of a lane's run, and their seconds.
 * @param {import("../page/messages.js").LaneRun | null | undefined} run
 */
function shapeOf(run) {
  if (!run || !run.rounds.length)
    return { chain: false, beams: false, levels: null, length: null, draft_s: null, verify_s: null };
  let levels = 0;
  let longest = 0;
  let chain = true;
  let beams = false;
  let draft = 0;
  for (const { parents, states, draft_s } of run.rounds) {
    const depth = [];
    const children = new Map();
    parents.forEach((parent, i) => {
      depth.push(parent < 0 ? 0 : depth[parent] + (/[axu]/.test(states[i]) ? 1 : 0));
      if (parent >= 0 && /[axu]/.test(states[i])) children.set(parent, (children.get(parent) || 0) + 1);
    });
    beams = beams || parents.filter((parent) => parent < 0).length > 1;
    chain = chain && [...children.values()].every((count) => count === 1);
    const deep = Math.max(0, ...depth);
    levels += deep;
    longest = Math.max(longest, deep);
    draft += draft_s;
  }
  const rounds = run.rounds.length;
  return {
    chain: chain && levels > 0 && !beams,
    beams,
    levels: levels / rounds,
    length: longest,
    draft_s: levels ? draft / levels : null,
    verify_s: (run.seconds - draft) / rounds, // and what is outside both models: a lane does not tell them apart
  };
}
