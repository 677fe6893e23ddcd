/**
 * One position of a run as the Lab takes it: the target's p and the draft's q over at most eight tokens.
 *
 *   player.position(trace, node)  -> {names, p, q, drafts, rule, exact, round, after, lumped} or {why: a sentence}
 *
 * A trace holds the likeliest tokens of both models at a position, not the whole vocabulary. The token itself and the
 * six others with most of p and q are taken as they stand in the trace; what is left of either row becomes one token.
 */
(function (player) {
  "use strict";

  const { say } = player;
  const MOST = 8; // tokens of the Lab
  const SHARED = 0.0005; // what the trace's rounding may leave of a row that is all there
  const RULES = { specinfer: "spec_infer", rsd_c: "recursive", rsd_s: "recursive", sequoia: "recursive", spectr: "k_seq", importance_sampling: "importance" };

  player.position = function (trace, node) {
    const round = node && trace.roundOf(node);
    const parent = node && node.parent;
    if (!round || !parent || !round.call) return { why: say("lab_not_judged") };
    const row = round.rowOf.get(parent);
    const rows = row === undefined ? [] : round.call.alternatives[row];
    if (!rows.length) return { why: say("lab_not_judged") };
    if (rows.some(([, , q]) => q === null || q === undefined)) return { why: say("lab_no_q") };
    const draws = round.layers.flatMap((layer) => layer.draws).filter((draw) => draw.node.parent === parent);
    const weight = ([token, p, q]) => p + q + (token === node.token ? 2 : 0); // the token itself is always among them
    const ranked = [...rows].sort((a, b) => weight(b) - weight(a));
    const left = (kept, column) => Math.max(0, 1 - kept.reduce((sum, entry) => sum + entry[column], 0));
    const whole = rows.length <= MOST && left(rows, 1) < SHARED && left(rows, 2) < SHARED;
    const kept = whole ? ranked : ranked.slice(0, MOST - 1);
    const lumped = whole ? [] : [[null, left(kept, 1), left(kept, 2)]];
    const tokens = [...kept, ...lumped];
    const chosen = draws.length > 1 && draws.every((draw) => draw.q === 1); // each was certain: no law that draws came from
    return {
      names: tokens.map(([token]) => (token === null ? say("lab_other") : player.visible(trace.piece(token), 14))),
      p: tokens.map((entry) => entry[1]),
      q: tokens.map((entry) => entry[2]),
      drafts: chosen ? 1 : Math.min(6, Math.max(1, draws.length)),
      rule: RULES[trace.run.method] || null,
      exact: round.call.overlaps[row],
      lumped: !whole,
      round: round.number,
      after: player.visible(parent.piece, 24),
    };
  };
})((window.specPlayer = window.specPlayer || {}));
