/**
 * A ribbon over the depths of a drafted forest: how many beams each depth may keep, and its draws inside, the accepted
 * ones lowest. The lenses of DSBD and of AtSpeed (relaxed) draw it next to what is their own.
 */

import { quoted } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { ChainPlot, longestChain, seenVerdict } from "./plot.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View, Key } from "./lens.js"
 * @import { Round, Step, TreeNode } from "../trace/records.js"
 */

const LOW = 420; // px of a picture
const LOWEST = 220; // px of one next to which another lens is folded

/**
 * Top and height of a plot, px: a low panel has room for two low ones.
 * @param {import("./picture.js").Picture} picture
 */
export function plotSize({ high }) {
  if (high >= LOW) return { top: 34, height: 170 };
  return { top: 26, height: high < LOWEST ? 52 : 72 };
}

const ORDER = ["accepted", "rejected", "pending", "not_tested"];

/**
 * The depth in question: the marked node's, or the last that was reached.
 * @param {View} view @param {"beam_width" | "relaxed"} kind
 */
export function layerAt({ round, step, marked }, kind) {
  if (!round) return null;
  /** @param {number | null} layer */
  const isReachedAt = (layer) => layer !== null && workingOf(round, kind, layer) && isReached(round, layer, step);
  if (marked && marked.round === round.number && isReachedAt(marked.layer)) return marked.layer;
  const layers = round.layers.map((layer) => layer.number).filter(isReachedAt);
  return layers.length ? layers[layers.length - 1] : 1;
}

/** @param {Round} round @param {number} layer */
const verdictsOf = (round, layer) => (round.layers[layer - 1]?.draws ?? []).flatMap((draw) => draw.verdict ?? []);

// A depth's width is known with the first of its verdicts, its outcome with the last.
/** @param {Round} round @param {number} layer @param {Step} step */
const isReached = (round, layer, step) => verdictsOf(round, layer).some((verdict) => verdict.index < step.verdicts);

/** @param {Round} round @param {number} layer @param {Step} step */
export function isLayerDone(round, layer, step) {
  const verdicts = verdictsOf(round, layer);
  return verdicts.length > 0 && verdicts.every((verdict) => verdict.index < step.verdicts);
}

/**
 * Draws the ribbon, `width` px wide, from the workings of a kind that have a depth and a width. Gives its lower end.
 * @param {Picture} picture @param {View} view @param {"beam_width" | "relaxed"} kind @param {number} width
 */
export function paintRibbon(picture, { round, step, trace }, kind, width) {
  const { top, height } = plotSize(picture);
  const columns = longestChain(trace) + 1;
  const most = Math.max(
    ...trace.rounds.flatMap((each) => each.layers.map((layer) => layer.draws.length)),
    round.frontier.length,
    1,
  );
  const plot = new ChainPlot(picture, {
    columns,
    to: width,
    top,
    height,
    high: most,
    ticks: [0, most],
    title: say("lens_ribbon_title"),
  });
  const widths = [[0, round.frontier.length]];
  for (const { number } of round.layers) {
    const working = workingOf(round, kind, number);
    if (!working || !isReached(round, number, step)) break;
    widths.push([number, working.width]);
  }
  const edge = widths.map(([place, value]) => [
    plot.x(place) - 0.32 * plot.pitch,
    plot.x(place) + 0.32 * plot.pitch,
    plot.y(value),
  ]);
  const line = "M" + edge.map(([from, to, y]) => `${from} ${y}L${to} ${y}`).join("L");
  picture.path(`${line}L${edge[edge.length - 1][1]} ${plot.y(0)}L${edge[0][0]} ${plot.y(0)}Z`, "sp-lens-ribbon");
  picture.path(line, "sp-lens-ribbon-edge");
  round.frontier.forEach((node, i) =>
    bead(picture, plot, node, "accepted", 0, i, height / most, say("lens_ribbon_beams")),
  );
  round.layers.slice(0, step.layers).forEach((layer) => {
    const states = layer.draws.map((draw) => ({
      node: draw.node,
      state: seenVerdict(draw, step)?.outcome ?? "pending",
    }));
    states.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
    states.forEach(({ node, state }, i) =>
      bead(picture, plot, node, state, layer.number, i, height / most, say("state_" + state)),
    );
  });
  const foot = top + height + 18;
  picture.text(plot.x(0), foot, say("lens_ribbon_beams"), "sp-lens-small", "middle");
  const depths = round.layers.slice(0, step.layers).map(({ number }) => number);
  const named = depths.map((number) => say("layer", { layer: number }));
  const isNarrow = named.some((name) => picture.measure(name) + 6 > plot.pitch); // there the numbers alone
  depths.forEach((number, i) =>
    picture.text(plot.x(number), foot, isNarrow ? String(number) : named[i], "sp-lens-small", "middle"),
  );
  widths.forEach(([place, value]) =>
    picture.text(plot.x(place), foot + 17, say("lens_ribbon_width", { width: value }), "sp-lens-strong", "middle"),
  );
  return foot + 20;
}

/**
 * A beam or a draw in its column, from the foot up.
 * @param {Picture} picture @param {import("./plot.js").ChainPlot} plot @param {TreeNode} node @param {string} state
 * @param {number} place @param {number} above @param {number} unit @param {string} described
 */
function bead(picture, plot, node, state, place, above, unit, described) {
  const y = plot.y(above + 0.5);
  const label = say("lens_ribbon_item", { token: quoted(node.piece), layer: place, state: described });
  const wide = Math.min(0.62 * plot.pitch, 96);
  picture.item(node, label, { x: plot.x(place) - wide / 2, y: y - unit / 2, width: wide, height: unit }, () => {
    const named = unit >= 15 && wide >= 56;
    if (place > 0)
      picture.badge(state, plot.x(place) - (named ? wide / 2 - 9 : 0), y, Math.max(0.35, Math.min(0.8, unit / 18)));
    if (named)
      picture.text(
        plot.x(place) - (place > 0 ? wide / 2 - 19 : wide / 2 - 6),
        y + 4,
        picture.fitted(node.piece, wide - 24, 11),
        "sp-lens-token sp-lens-tight",
      );
    else if (place === 0) picture.dot(plot.x(place), y, Math.max(2, Math.min(4, unit / 4)), "sp-fill-ink");
  });
}

/** @returns {Key} */
export const ribbonKey = () => [
  [
    (picture) => {
      picture.rect(1, 3, 24, 11, "sp-lens-ribbon");
      picture.path("M1 3H25", "sp-lens-ribbon-edge");
    },
    "lens_key_width",
  ],
  [signs.badge("accepted"), "lens_key_layer_draws"],
];
