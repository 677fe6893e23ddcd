/**
 * The lens of AtSpeed (relaxed): the draws of each depth against the beams wanted, how likely a depth is to be filled,
 * and how far its beams are from the target's distribution.
 */

import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isAnswered, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { isLayerDone, layerAt, paintRibbon, ribbonKey } from "./ribbon.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"relaxed">} Working
 * @import { Chance, Picture } from "./picture.js"
 * @import { View, Key } from "./lens.js"
 */

addLens({
  id: "relaxed",
  kind: "relaxed",
  spot: (view) => (view.round ? view.round.number + "/" + layerAt(view, "relaxed") : null),
  draw(picture, view) {
    const { round, step } = view;
    if (!round.layers.length) return null;
    const working = isAnswered(round, step) ? workingOf(round, "relaxed", layerAt(view, "relaxed")) : null;
    const beside = picture.width >= 700;
    const half = beside ? Math.floor(0.56 * picture.width) : picture.width;
    const foot = paintRibbon(picture, view, "relaxed", beside ? half - 24 : half);
    const low = working
      ? paintChances(
          picture,
          working,
          beside ? half + 8 : 0,
          beside ? 11 : foot + (picture.isLow ? 6 : 14),
          picture.width - (beside ? half + 8 : 0),
        )
      : 0;
    picture.end(Math.max(foot, low) + 4);
    return { sentence: tell(view, working), key: keyOf(working) };
  },
});

/** @param {Picture} picture @param {Working} working @param {number} left @param {number} top @param {number} width */
function paintChances(picture, working, left, top, width) {
  const values = { draws: working.num_draws, width: working.width };
  /** @type {Chance[]} */
  const rows = [
    [say("lens_relaxed_rate"), working.rate, "sp-fill-accepted"],
    [say("lens_relaxed_whole", values), working.whole, "sp-fill-p"],
    [say("lens_relaxed_share"), working.share, "sp-fill-ink"],
    [say("lens_relaxed_distance"), working.distance, "sp-fill-rejected"],
  ];
  const title = picture.isLow ? "" : say("lens_relaxed_chances", { layer: working.depth }); // the sentence says it
  return top + picture.chances(title, rows, left, top, width);
}

/** @param {View} view @param {Working | null} working */
function tell({ round, step }, working) {
  if (!isAnswered(round, step)) return say("lens_drafted");
  if (!working) return say("lens_nothing");
  const { depth: layer, num_draws: draws, width, accepted } = working;
  if (!draws) return say("lens_beam_width_empty", { layer });
  const values = {
    layer,
    draws,
    width,
    accepted,
    rate: probability(working.rate),
    whole: probability(working.whole),
    distance: probability(working.distance),
  };
  const parts = [say("lens_relaxed_told", values)];
  if (working.distance !== null && working.distance !== undefined)
    parts.push(say(working.distance > 0.0005 ? "lens_relaxed_away" : "lens_relaxed_exact", values));
  if (isLayerDone(round, layer, step)) parts.push(say("lens_beam_width_accepted", values).trim());
  return parts.join(" ");
}

/** @param {Working | null} working @returns {Key} */
function keyOf(working) {
  /** @type {Key} */
  const key = ribbonKey();
  const known = working && working.distance !== null && working.distance !== undefined;
  return known ? key.concat([[signs.bar("sp-fill-rejected"), "lens_key_distance"]]) : key;
}
