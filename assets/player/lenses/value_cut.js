/**
 * The lens of the dynamic tree: candidates by falling value, those that were kept and those behind the cut.
 */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { stateOf } from "../trace/records.js";
import { addLens, isOver, workingOf, isDrafted } from "./lens.js";
import { signs } from "./picture.js";
import { ChainPlot } from "./plot.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"dynamic_tree">} Working
 * @import { Picture } from "./picture.js"
 * @import { View, Key } from "./lens.js"
 * @import { Round, Step } from "../trace/records.js"
 * @import { Trace } from "../trace/trace.js"
 * @typedef {{node: import("../trace/records.js").TreeNode | null, piece: string, value: number, rank: number}} Candidate
 */

const HIGH = 150; // px of the plot
const OTHERS = 130; // px of the rest
const LEAST = 21; // px of a column
const CUT = 8; // candidates behind the cut at most

addLens({
  id: "value_cut",
  kind: "dynamic_tree",
  draw(picture, view) {
    const { round, step, trace } = view;
    const working = workingOf(round, "dynamic_tree");
    if (!working || !working.nodes.length) return null;
    const fit = Math.max(6, Math.floor((picture.width - 48) / LEAST));
    const { kept: ranked, cut, skipped } = fitting(working, fit, trace);
    const smallest = Math.max(1e-6, Math.min(0.5, ...working.values.concat(working.cut).filter((value) => value > 0)));
    const low = Math.pow(10, Math.floor(Math.log10(smallest)));
    const columns = Math.min(fit, Math.max(...trace.rounds.map((each) => columnsOf(each, fit))));
    const plot = new ChainPlot(picture, {
      columns,
      wanted: HIGH,
      others: OTHERS,
      low,
      log: true,
      title: say("lens_value_axis"),
    });
    paint(picture, plot, step, ranked, cut);
    return { sentence: tell(view, working), key: keyOf(skipped) };
  },
});

/** @param {Round} round @param {number} fit */
const columnsOf = (round, fit) => {
  const working = workingOf(round, "dynamic_tree");
  return working ? Math.min(fit, working.nodes.length + Math.min(CUT, working.cut.length)) : 1;
};

/**
 * As many candidates as there is room for: the best, those next to the cut, and the first behind it.
 * @param {Working} working @param {number} fit @param {Trace} trace
 */
function fitting(working, fit, trace) {
  /** @type {Candidate[]} */
  const ranked = working.nodes.map((node, i) => ({ node, piece: node.piece, value: working.values[i], rank: i + 1 }));
  const cut = working.cut.map((value, i) => ({
    node: null,
    piece: trace.piece(working.tokens[i]),
    value,
    rank: ranked.length + i + 1,
  }));
  const behind = cut.slice(0, Math.min(CUT, Math.max(2, Math.floor(fit / 4))));
  const space = fit - behind.length;
  if (ranked.length <= space) return { kept: ranked, cut: behind, skipped: 0 };
  const best = Math.ceil((space - 1) / 2);
  const skipped = ranked.length - (space - 1);
  return { kept: [...ranked.slice(0, best), null, ...ranked.slice(best + skipped)], cut: behind, skipped };
}

/**
 * @param {Picture} picture @param {import("./plot.js").ChainPlot} plot @param {Step} step
 * @param {(Candidate | null)[]} ranked @param {Candidate[]} cut
 */
function paint(picture, plot, step, ranked, cut) {
  const foot = plot.foot;
  const isWhole = step.kind !== "drafted" || step.round?.layers.length === step.layers;
  /** @type {any[]} */
  const boxes = [];
  ranked.concat(cut).forEach((each, i) => {
    const x = plot.x(i);
    if (each === null) {
      picture.text(x, foot - 8, "…", "sp-lens-small", "middle");
      return;
    }
    if (!isWhole && !(each.node && isDrafted(each.node, step))) return;
    plot.column(i, each.value, 0.5, each.node ? "sp-fill-q" : "sp-lens-hollow-q");
    const state = each.node ? stateOf(each.node, step) : "pending";
    if (state !== "pending" && state !== "scored") picture.badge(state, x, plot.y(each.value) - 9, 0.72);
    boxes.push({
      x,
      node: each.node,
      piece: each.piece,
      className: each.node ? "sp-lens-drawn" : "sp-lens-struck",
      label: say(each.node ? "lens_value_item" : "lens_value_item_cut", {
        rank: each.rank,
        token: quoted(each.piece),
        value: probability(each.value),
      }),
    });
  });
  if (cut.length) {
    const x = plot.left + ranked.length * plot.pitch;
    picture.line(x, plot.top - 4, x, foot + 6, "sp-lens-threshold");
  }
  plot.end(boxes);
}

/** @param {View} view @param {Working} working */
function tell({ round, step }, working) {
  const values = {
    kept: working.nodes.length,
    cut: working.num_cut,
    all: working.nodes.length + working.num_cut,
    value: probability(working.values[working.values.length - 1]),
    levels: round.layers.length,
  };
  if (step.kind === "drafted" && step.layers < round.layers.length) return say("lens_drafted");
  if (!isOver(step)) return say(working.num_cut ? "lens_value_cut_told" : "lens_value_whole", values);
  const accepted = round.verdicts
    .filter((verdict) => verdict.outcome === "accepted")
    .map((verdict) => working.nodes.indexOf(verdict.node) + 1);
  if (!accepted.length) return say("lens_value_over_none", values);
  return say("lens_value_over", {
    ...values,
    count: accepted.length,
    ranks: accepted.filter((rank) => rank > 0).join(", "),
  });
}

/** @param {number} skipped @returns {Key} */
function keyOf(skipped) {
  /** @type {Key} */
  const key = [
    [signs.box("sp-fill-q"), "lens_key_kept_candidate"],
    [signs.box("sp-lens-hollow-q"), "lens_key_cut_candidate"],
    [signs.dashed("sp-lens-threshold"), "lens_key_cut"],
  ];
  return skipped ? key.concat([["…", "lens_key_skipped"]]) : key;
}
