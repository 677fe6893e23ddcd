/**
 * The lens of a block drafter: one draft call, and of each position q without and with the Markov bias of the token
 * before, and its survival, the predicted probability that all tokens up to it are accepted.
 *
 * Rows and survival are known with the call, before a token is drawn; the biases follow token by token.
 */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { stateOf } from "../trace/records.js";
import { addLens, isOver, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { ChainPlot } from "./plot.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"block_draft">} Working
 * @import { Picture } from "./picture.js"
 * @import { View, Key } from "./lens.js"
 * @import { Round } from "../trace/records.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const HIGH = 150; // px of the plot
const OTHERS = 140; // px of the rest
const SHARE = 0.3; // of a column's width: each of its two bars
const WIDEST = 26; // px of a bar

addLens({
  id: "block_draft",
  kind: "block_draft",
  draw(picture, view) {
    const working = workingOf(view.round, "block_draft");
    if (!working) return null;
    const scene = sceneOf(view, working);
    paint(picture, view, scene);
    return { sentence: describe(view, scene), key: keyOf(scene) };
  },
});

/** @param {View} view @param {Working} working */
function sceneOf({ round, step }, working) {
  /** @type {number[]} */
  const survival = [];
  for (const share of working.confidences)
    survival.push(Math.min(1, share) * (survival.length ? survival[survival.length - 1] : 1));
  const isBiased = working.nodes.some((_, i) => working.biased[i] !== working.base[i]);
  const drafted = step.kind === "drafted" ? Math.min(step.layers, working.nodes.length) : working.nodes.length;
  const before = [round.frontier[0], ...working.nodes].map((node) => node && node.piece);
  return { ...working, survival, isBiased, drafted, before };
}

/** @param {Picture} picture @param {View} view @param {Scene} scene */
function paint(picture, { trace, step }, { nodes, base, biased, isBiased, survival, least_survival: least, drafted }) {
  const plot = new ChainPlot(picture, {
    columns: Math.max(...trace.rounds.map(rowsOf)),
    top: 46,
    wanted: HIGH,
    others: OTHERS,
  });
  picture.text(0, 14, say("lens_block_draft_axis"), "sp-lens-strong"); // above the verdict on a bar as high as the plot
  const foot = plot.foot;
  const width = Math.max(4, Math.min(WIDEST, SHARE * plot.pitch));
  /** @param {number} left @param {number} value @param {string} className */
  const bar = (left, value, className) => picture.rect(left, plot.y(value), width, foot - plot.y(value), className, 2);
  nodes.slice(0, drafted).forEach((_, i) => {
    if (isBiased) bar(plot.x(i) - width - 1, base[i], "sp-lens-hollow-q");
    bar(isBiased ? plot.x(i) + 1 : plot.x(i) - width / 2, biased[i], "sp-fill-q");
  });
  if (least !== null) plot.threshold(least, String(least));
  plot.trail(
    survival.map((share, i) => [i, share]),
    "sp-lens-trail",
  );
  survival.forEach((share, i) => picture.dot(plot.x(i), plot.y(share), 4, "sp-fill-ink"));
  const boxes = nodes.slice(0, drafted).map((node, i) => {
    const state = stateOf(node, step);
    const high = plot.y(Math.max(base[i], biased[i], survival[i]));
    if (state !== "pending" && state !== "scored") picture.badge(state, plot.x(i), high - 13, 0.8);
    const label = say(isBiased ? "lens_block_draft_item" : "lens_block_draft_item_base", {
      position: i + 1,
      token: quoted(node.piece),
      base: probability(base[i]),
      biased: probability(biased[i]),
      survival: probability(survival[i]),
    });
    return { node, label };
  });
  plot.end(boxes);
}

/** Rows of a round's call. @param {Round} round */
const rowsOf = (round) => workingOf(round, "block_draft")?.confidences.length ?? 1;

/** @param {View} view @param {Scene} scene */
function describe({ step }, { nodes, base, biased, isBiased, confidences, survival, drafted, before }) {
  const count = confidences.length;
  if (step.kind === "drafted" && drafted < nodes.length) {
    const at = drafted - 1;
    return say(isBiased && at > 0 ? "lens_block_draft_growing" : "lens_block_draft_first", {
      count,
      position: drafted,
      token: quoted(nodes[at].piece),
      before: quoted(before[at]),
      base: probability(base[at]),
      biased: probability(biased[at]),
    });
  }
  const values = {
    count,
    drafted: nodes.length,
    base: probability(mean(base)),
    biased: probability(mean(biased)),
    survive: decimal(sum(survival.slice(0, nodes.length)), 1),
    accepted: nodes.filter((node) => stateOf(node, step) === "accepted").length,
  };
  if (isOver(step)) return say("lens_block_draft_over", values);
  return say(isBiased ? "lens_block_draft_scored" : "lens_block_draft_scored_base", values);
}

/** @param {number[]} shares */
const sum = (shares) => shares.reduce((total, share) => total + share, 0);
/** @param {number[]} shares */
const mean = (shares) => sum(shares) / shares.length;

/** @param {Scene} scene @returns {Key} */
function keyOf({ isBiased, least_survival: least }) {
  const filled = signs.box("sp-fill-q");
  /** @param {Picture} picture */
  const survives = (picture) => {
    picture.line(2, 4, 24, 10, "sp-lens-trail");
    picture.dot(13, 7, 4, "sp-fill-ink");
  };
  /** @type {Key} */
  const key = isBiased ? [[signs.box("sp-lens-hollow-q"), "lens_key_block_base"]] : [];
  key.push([filled, isBiased ? "lens_key_block_biased" : "lens_key_block_base"]);
  key.push([survives, "lens_key_block_survival"]);
  if (least !== null) key.push([signs.dashed("sp-lens-threshold"), "lens_key_block_threshold"]);
  return key;
}
