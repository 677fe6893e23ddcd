/**
 * The lens of DSBD's widths: a ribbon over the depths with their draws in it, and for one depth the chances P(m, k)
 * that its width was chosen by.
 */

import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isAnswered, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { ChainPlot } from "./plot.js";
import { isLayerDone, layerAt, paintRibbon, plotSize, ribbonKey } from "./ribbon.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"beam_width">} Working
 * @import { Picture } from "./picture.js"
 * @import { View, Key } from "./lens.js"
 */

addLens({
  id: "beam_width",
  kind: "beam_width",
  spot: (view) => (view.round ? view.round.number + "/" + layerAt(view, "beam_width") : null),
  draw(picture, view) {
    const { round, step } = view;
    if (!round.layers.length) return null;
    const working = isAnswered(round, step) ? workingOf(round, "beam_width", layerAt(view, "beam_width")) : null;
    const beside = picture.width >= 700;
    const half = beside ? Math.floor(0.5 * picture.width) : picture.width;
    const foot = paintRibbon(picture, view, "beam_width", beside ? half - 24 : half);
    const { top, height } = plotSize(picture);
    const chart = { from: beside ? half + 8 : 0, to: picture.width, top: beside ? top : foot + top, height };
    if (working) paintChances(picture, working, chart);
    picture.end(chart.top + height + 22);
    return { sentence: tell(view, working), key: keyOf(working) };
  },
});

// -- the chances -------------------------------------------------------------------------------------------------

/**
 * @param {Picture} picture @param {Working} working
 * @param {{from: number, to: number, top: number, height: number}} it
 */
function paintChances(picture, working, { from, to, top, height }) {
  const { probabilities, threshold, width, num_draws: draws } = working;
  const plot = new ChainPlot(picture, {
    columns: draws + 1,
    from,
    to: to - (threshold === null || threshold === undefined ? 0 : 58),
    top,
    height,
    ticks: [0, 1],
    title: say("lens_beam_width_chances", { layer: working.depth, draws }),
  });
  plot.to = to;
  const atLeast = probabilities.map((_, k) =>
    Math.min(
      1,
      probabilities.slice(k).reduce((sum, value) => sum + value, 0),
    ),
  );
  const every = Math.ceil(22 / plot.pitch); // labels of k must not meet
  probabilities.forEach((value, k) => {
    const label = say("lens_beam_width_bar", { k, value: probability(value), more: probability(atLeast[k]) });
    picture.item(null, label, { x: plot.x(k) - plot.pitch / 2, y: top, width: plot.pitch, height }, () =>
      plot.column(k, value, 0.6, "sp-lens-pmk" + (k === width ? " sp-lens-chosen" : "")),
    );
    if (k % every === 0 || k === width)
      picture.text(plot.x(k), top + height + 16, String(k), k === width ? "sp-lens-strong" : "sp-lens-small", "middle");
  });
  plot.trail(
    atLeast.map((value, k) => [k, value]),
    "sp-lens-trail",
  );
  atLeast.forEach((value, k) =>
    picture.dot(plot.x(k), plot.y(value), k === width ? 4.5 : 3, k === width ? "sp-fill-p" : "sp-lens-hollow"),
  );
  if (threshold !== null && threshold !== undefined)
    plot.threshold(threshold, say("lens_beam_width_threshold", { value: threshold }));
}

// -- the words ---------------------------------------------------------------------------------------------------

/** @param {View} view @param {Working | null} working */
function tell({ round, step }, working) {
  if (!isAnswered(round, step)) return say("lens_drafted");
  if (!working) return say("lens_nothing");
  const { depth: layer, num_draws: draws, threshold = null, width, accepted, probabilities } = working;
  if (!draws) return say("lens_beam_width_empty", { layer });
  const chance = probability(probabilities.slice(working.reached || 0).reduce((sum, value) => sum + value, 0));
  const reached = working.reached ?? null;
  const values = { layer, draws, threshold, width, accepted, reached, next: (reached ?? 0) + 1, chance };
  const said = say(threshold === null || reached === null ? "lens_beam_width_fixed" : chosenBy(working), values);
  return said + (isLayerDone(round, layer, step) ? say("lens_beam_width_accepted", values) : "");
}

/** Word of how a threshold chose the width. @param {Working} it */
function chosenBy({ reached, width, num_draws: draws }) {
  if ((reached ?? 0) < width) return reached ? "lens_beam_width_least" : "lens_beam_width_none";
  return reached === draws ? "lens_beam_width_told_all" : "lens_beam_width_told";
}

/** @param {Working | null} working @returns {Key} */
function keyOf(working) {
  /** @type {Key} */
  const key = [
    ...ribbonKey(),
    [signs.box("sp-lens-pmk"), "lens_key_pmk"],
    [signs.dot("sp-lens-hollow"), "lens_key_at_least"],
  ];
  const threshold = working && working.threshold !== null && working.threshold !== undefined;
  return threshold ? key.concat([[signs.dashed("sp-lens-threshold"), "lens_key_width_threshold"]]) : key;
}
