/**
 * The lens of Sequoia: how often a first, second, ... child is accepted, as the round's tree was planned for it, and as
 * the run's own tests have it so far.
 */
(function (player) {
  "use strict";

  const { say, probability } = player;

  const HIGH = 150; // px of the plot
  const LEAST = 40; // px of a column
  const LOW = 0.001; // of the axis

  player.lens({
    id: "vector",
    title: "lens_vector",
    suits: (trace) => trace.kinds.has("sequoia"),
    spot: (view) => view.round,
    draw(picture, view) {
      const working = player.workingOf(view.round, "sequoia");
      if (!working || !working.acceptance.length) return null;
      const columns = Math.min(working.acceptance.length, Math.max(1, Math.floor((picture.width - 48) / LEAST)));
      const plot = new player.Plot(picture, {
        columns, top: 30, height: HIGH, low: LOW, high: 1, log: true, ticks: player.decades(LOW, 1), title: say("lens_vector_axis"),
      });
      const seen = seenTests(view);
      paint(picture, plot, working.acceptance.slice(0, columns), seen);
      return { place: say("round", { round: view.round.number }), sentence: tell(view, working, seen), key: keyOf() };
    },
  });

  /** The tests up to this step: those of the round itself are known at its end. */
  function seenTests({ trace, round, step }) {
    const known = player.isOver(step) ? round : trace.rounds[trace.rounds.indexOf(round) - 1];
    const working = known && player.workingOf(known, "sequoia");
    if (!working) return { found: [], tested: [] };
    let left = 1;
    const found = working.tested.map((count, k) => {
      const passing = count ? working.passed[k] / count : NaN;
      const chance = left * passing;
      left *= 1 - passing;
      return chance;
    });
    return { found, tested: working.tested };
  }

  const known = (value) => (Number.isFinite(value) ? value : null);

  function paint(picture, plot, acceptance, { found, tested }) {
    const foot = plot.top + HIGH;
    acceptance.forEach((planned, k) => {
      const chance = known(found[k]);
      const label = say("lens_vector_item", { k: k + 1, planned: probability(planned), found: probability(chance), tested: tested[k] || 0 });
      picture.item(null, label, { x: plot.x(k) - plot.pitch / 2, y: plot.top, width: plot.pitch, height: HIGH + 38 }, () => {
        plot.column(k, planned, 0.5, "sp-lens-pmk");
        if (chance !== null) picture.dot(plot.x(k), plot.y(chance), 4, chance < LOW ? "sp-lens-hollow" : "sp-fill-p");
        picture.text(plot.x(k), foot + 17, say("lens_vector_place", { k: k + 1 }), "sp-lens-small", "middle");
        if (tested[k]) picture.text(plot.x(k), foot + 33, String(tested[k]), "sp-lens-small", "middle");
      });
    });
    if (tested.length) picture.text(plot.left - 7, foot + 33, say("lens_vector_tests"), "sp-lens-small", "end");
    picture.end(foot + 40);
  }

  function tell({ round, step }, working, { found }) {
    const values = { expected: player.decimal(working.expected, 2), first: probability(working.acceptance[0]) };
    if (!player.isOver(step) || known(found[0]) === null) return say("lens_vector_planned", values);
    return say("lens_vector_over", { ...values, emitted: round.committed.length, found: probability(found[0]) });
  }

  function keyOf() {
    return [
      [player.sign((picture) => picture.rect(8, 1, 10, 13, "sp-lens-pmk", 2)), say("lens_key_planned")],
      [player.signs.dot("sp-fill-p"), say("lens_key_found")],
      [player.signs.dot("sp-lens-hollow"), say("lens_key_found_none")],
    ];
  }
})((window.specPlayer = window.specPlayer || {}));
