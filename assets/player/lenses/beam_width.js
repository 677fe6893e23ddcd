/**
 * The lens of DSBD's widths: a ribbon over the layers with their draws in it, and for one layer the chances P(m, k) that
 * its width was chosen by.
 */
(function (player) {
  "use strict";

  const { say, quoted, probability } = player;

  const HIGH = 170; // px of both plots
  const TOP = 34;

  player.lens({
    id: "beam_width",
    title: "lens_beam_width",
    suits: (trace) => trace.kinds.has("beam_width"),
    spot: (view) => (view.round ? view.round.number + "/" + layerOf(view) : null),
    draw(picture, view) {
      const { round, step } = view;
      if (!round.layers.length) return null;
      const working = player.isAnswered(round, step) ? player.workingOf(round, "beam_width", layerOf(view)) : null;
      const beside = picture.width >= 700;
      const half = beside ? Math.floor(0.5 * picture.width) : picture.width;
      paintRibbon(picture, view, beside ? half - 24 : half);
      const foot = TOP + HIGH + 38;
      const chart = { from: beside ? half + 8 : 0, to: picture.width, top: beside ? TOP : foot + 34 };
      if (working) paintChances(picture, working, chart);
      picture.end(chart.top + HIGH + 40);
      return { place: say("round", { round: round.number }), sentence: tell(view, working), key: keyOf(working) };
    },
  });

  /** The layer in question: the marked node's, the judged one's, or the last that was reached. */
  function layerOf({ round, step, marked }) {
    if (!round) return null;
    const told = (layer) => player.workingOf(round, "beam_width", layer) && reached(round, layer, step);
    if (marked && marked.round === round.number && told(marked.layer)) return marked.layer;
    const layers = round.layers.map((layer) => layer.number).filter(told);
    return layers.length ? layers[layers.length - 1] : 1;
  }

  const verdictsOf = (round, layer) => (round.layers[layer - 1] ? round.layers[layer - 1].draws.map((draw) => draw.verdict).filter(Boolean) : []);

  /** A layer's width is known with the first of its verdicts, its outcome with the last. */
  const reached = (round, layer, step) => verdictsOf(round, layer).some((verdict) => verdict.index < step.verdicts);
  const isDone = (round, layer, step) => verdictsOf(round, layer).every((verdict) => verdict.index < step.verdicts);

  // -- the ribbon --------------------------------------------------------------------------------------------------

  const ORDER = ["accepted", "rejected", "pending", "unjudged"];

  function paintRibbon(picture, { round, step, trace }, width) {
    const columns = player.longestChain(trace) + 1;
    const most = Math.max(...trace.rounds.flatMap((each) => each.layers.map((layer) => layer.draws.length)), round.frontier.length, 1);
    const plot = new player.Plot(picture, { columns, to: width, top: TOP, height: HIGH, low: 0, high: most, ticks: [[0, "0"], [most, String(most)]], title: say("lens_beam_width_ribbon") });
    const widths = [[0, round.frontier.length]];
    for (const { number } of round.layers) {
      const working = player.workingOf(round, "beam_width", number);
      if (!working || !reached(round, number, step)) break;
      widths.push([number, working.width]);
    }
    const edge = widths.map(([place, value]) => [plot.x(place) - 0.32 * plot.pitch, plot.x(place) + 0.32 * plot.pitch, plot.y(value)]);
    const line = "M" + edge.map(([from, to, y]) => `${from} ${y}L${to} ${y}`).join("L");
    picture.path(`${line}L${edge[edge.length - 1][1]} ${plot.y(0)}L${edge[0][0]} ${plot.y(0)}Z`, "sp-lens-ribbon");
    picture.path(line, "sp-lens-ribbon-edge");
    round.frontier.forEach((node, i) => bead(picture, plot, node, "accepted", 0, i, most, say("lens_beam_width_beams")));
    round.layers.slice(0, step.layers).forEach((layer) => {
      const states = layer.draws.map((draw) => [draw.node, (player.seenVerdict(draw, step) || { outcome: "pending" }).outcome]);
      states.sort((a, b) => ORDER.indexOf(a[1]) - ORDER.indexOf(b[1]));
      states.forEach(([node, state], i) => bead(picture, plot, node, state, layer.number, i, most, say("state_" + state)));
    });
    const foot = TOP + HIGH + 18;
    picture.text(plot.x(0), foot, say("lens_beam_width_beams"), "sp-lens-small", "middle");
    round.layers.slice(0, step.layers).forEach((layer) => picture.text(plot.x(layer.number), foot, say("layer", { layer: layer.number }), "sp-lens-small", "middle"));
    widths.forEach(([place, value]) => picture.text(plot.x(place), foot + 17, say("lens_beam_width_wide", { width: value }), "sp-lens-strong", "middle"));
  }

  /** A beam or a draw in its column, from the foot up. */
  function bead(picture, plot, node, state, place, height, most, told) {
    const unit = HIGH / most;
    const y = plot.y(height + 0.5);
    const label = say("lens_beam_width_item", { token: quoted(node.piece), layer: place, state: told });
    const wide = Math.min(0.62 * plot.pitch, 96);
    picture.item(node, label, { x: plot.x(place) - wide / 2, y: y - unit / 2, width: wide, height: unit }, () => {
      const named = unit >= 15 && wide >= 56;
      if (place > 0) picture.badge(state, plot.x(place) - (named ? wide / 2 - 9 : 0), y, Math.max(0.35, Math.min(0.8, unit / 18)));
      if (named) picture.text(plot.x(place) - (place > 0 ? wide / 2 - 19 : wide / 2 - 6), y + 4, picture.fitted(node.piece, wide - 24, 11), "sp-lens-token sp-lens-tight");
      else if (place === 0) picture.dot(plot.x(place), y, Math.max(2, Math.min(4, unit / 4)), "sp-fill-ink");
    });
  }

  // -- the chances -------------------------------------------------------------------------------------------------

  function paintChances(picture, working, { from, to, top }) {
    const { probabilities, threshold, width, num_draws: draws } = working;
    const plot = new player.Plot(picture, { columns: draws + 1, from, to: to - (threshold === null || threshold === undefined ? 0 : 58), top, height: HIGH, low: 0, high: 1, ticks: [[0, "0"], [1, "1"]], title: say("lens_beam_width_chances", { layer: working.layer }) });
    plot.to = to;
    const atLeast = probabilities.map((_, k) => Math.min(1, probabilities.slice(k).reduce((sum, value) => sum + value, 0)));
    const every = Math.ceil(22 / plot.pitch); // labels of k must not meet
    probabilities.forEach((value, k) => {
      const label = say("lens_beam_width_bar", { k, value: probability(value), more: probability(atLeast[k]) });
      picture.item(null, label, { x: plot.x(k) - plot.pitch / 2, y: top, width: plot.pitch, height: HIGH }, () => plot.column(k, value, 0.6, "sp-lens-pmk" + (k === width ? " sp-lens-chosen" : "")));
      if (k % every === 0 || k === width) picture.text(plot.x(k), top + HIGH + 16, String(k), k === width ? "sp-lens-strong" : "sp-lens-small", "middle");
    });
    plot.trail(atLeast.map((value, k) => [k, value]), "sp-lens-trail");
    atLeast.forEach((value, k) => picture.dot(plot.x(k), plot.y(value), k === width ? 4.5 : 3, k === width ? "sp-fill-p" : "sp-lens-hollow"));
    if (threshold !== null && threshold !== undefined) plot.threshold(threshold, say("lens_beam_width_threshold", { value: threshold }));
    picture.text((plot.left + plot.right) / 2, top + HIGH + 34, say("lens_beam_width_k", { draws }), "sp-lens-small", "middle");
  }

  // -- the words ---------------------------------------------------------------------------------------------------

  function tell({ round, step }, working) {
    if (!player.isAnswered(round, step)) return say("lens_beam_width_drafted", { count: round.layers[step.layers - 1].draws.length, layer: step.layers });
    if (!working) return say("lens_nothing");
    const { layer, num_draws: draws, threshold, width, accepted, probabilities } = working;
    if (!draws) return say("lens_beam_width_empty", { layer });
    const found = working.reached;
    const chance = probability(probabilities.slice(found || 0).reduce((sum, value) => sum + value, 0));
    const values = { layer, draws, threshold, width, accepted, reached: found, next: found + 1, chance };
    let kind = "lens_beam_width_fixed";
    if (threshold !== null && threshold !== undefined && found !== null && found !== undefined)
      kind = found >= width ? (found === draws ? "lens_beam_width_told_all" : "lens_beam_width_told") : found ? "lens_beam_width_least" : "lens_beam_width_none";
    if (!isDone(round, layer, step) || !verdictsOf(round, layer).length) return say(kind, values);
    const outcome = accepted < width ? "lens_beam_width_short" : layer < round.layers.length ? "lens_beam_width_full" : "lens_beam_width_last";
    return say(kind, values) + say(outcome, values);
  }

  function keyOf(working) {
    const { signs } = player;
    const key = [
      [player.sign((picture) => { picture.rect(1, 3, 24, 11, "sp-lens-ribbon"); picture.path("M1 3H25", "sp-lens-ribbon-edge"); }), say("lens_key_width")],
      [signs.badge("accepted"), say("lens_key_layer_draws")],
      [player.sign((picture) => picture.rect(8, 1, 10, 13, "sp-lens-pmk", 2)), say("lens_key_pmk")],
      [signs.dot("sp-lens-hollow"), say("lens_key_at_least")],
    ];
    const threshold = working && working.threshold !== null && working.threshold !== undefined;
    return threshold ? key.concat([[signs.dashed("sp-lens-threshold"), say("lens_key_width_threshold")]]) : key;
  }
})((window.specPlayer = window.specPlayer || {}));
