/**
 * The lens of MTJD: how many texts the search for a block weighs and keeps at every step, and what its best is worth.
 */

import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isOver, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { ChainPlot } from "./plot.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"joint_search">} Working
 * @import { Picture } from "./picture.js"
 * @import { Round, Step } from "../trace/records.js"
 * @import { Trace } from "../trace/trace.js"
 */

const HIGH = 120; // px of the plot
const OTHERS = 76; // px of the rest

addLens({
  id: "joint_search",
  kind: "joint_search",
  key: [
    [signs.box("sp-lens-hollow-p"), "lens_key_weighed"],
    [signs.box("sp-fill-p"), "lens_key_kept_texts"],
    ["p", "lens_key_joint_best"],
  ],
  draw(picture, view) {
    const { trace, round, step } = view;
    const block = blockOf(trace, round, step);
    const working = workingOf(round, "joint_search");
    if (!working) return null;
    const columns = Math.min(
      16,
      Math.max(2, ...trace.rounds.map((each) => (workingOf(each, "joint_search") || { length: 0 }).length)),
    );
    const weighed = trace.rounds.map(
      (each) => (workingOf(each, "joint_search") || { num_candidates: 1 }).num_candidates,
    );
    const high = Math.pow(10, Math.ceil(Math.log10(Math.max(10, ...weighed))));
    const plot = new ChainPlot(picture, {
      columns,
      wanted: HIGH,
      others: OTHERS,
      low: 0.8,
      high,
      log: true,
      title: say("lens_joint_search_axis"),
    });
    for (let column = 0; column < Math.min(columns, working.length); column++)
      paintStep(picture, plot, column, block[column]);
    picture.end(plot.foot + 42);
    return { sentence: tell(block, working, isOver(step)) };
  },
});

/**
 * The steps of the round's block so far, this round's own once it is over.
 * @param {Trace} trace @param {Round} round @param {Step} step
 */
function blockOf(trace, round, step) {
  const block = [];
  for (let i = trace.rounds.indexOf(round); i >= 0; i--) {
    const working = workingOf(trace.rounds[i], "joint_search");
    if (!working) break;
    if (trace.rounds[i] !== round || isOver(step)) block[working.depth - 1] = working;
    if (working.depth <= 1) break;
  }
  return block;
}

/**
 * @param {Picture} picture @param {import("./plot.js").ChainPlot} plot
 * @param {number} column @param {Working} working
 */
function paintStep(picture, plot, column, working) {
  const foot = plot.foot;
  picture.text(
    plot.x(column),
    foot + 16,
    say("lens_joint_search_step", { step: column + 1 }),
    working ? "sp-lens-strong" : "sp-lens-small",
    "middle",
  );
  if (!working) return;
  const values = {
    step: column + 1,
    weighed: working.num_candidates,
    kept: working.width,
    chance: probability(Math.exp(working.log_prob)),
  };
  picture.item(
    null,
    say("lens_joint_search_item", values),
    { x: plot.x(column) - plot.pitch / 2, y: plot.top, width: plot.pitch, height: plot.height + 36 },
    () => {
      plot.column(column, working.num_candidates, 0.55, "sp-lens-hollow-p");
      plot.column(column, working.width, 0.55, "sp-fill-p");
      picture.text(
        plot.x(column),
        foot + 33,
        say(plot.pitch >= 70 ? "lens_joint_search_best" : "lens_joint_search_best_short", values),
        "sp-lens-small",
        "middle",
      );
    },
  );
}

/** @param {Working[]} block @param {Working} working @param {boolean} over */
function tell(block, working, over) {
  const done = over ? working : block[working.depth - 2];
  if (!done) return say("lens_joint_search_begins", { length: working.length });
  const values = {
    step: done.depth,
    length: done.length,
    weighed: done.num_candidates,
    kept: done.width,
    chance: probability(Math.exp(done.log_prob)),
  };
  const last = done.depth === done.length;
  if (!last) return say("lens_joint_search_told", values);
  const end = done.drawn
    ? "lens_joint_search_drawn"
    : done.exact
      ? "lens_joint_search_exact"
      : "lens_joint_search_beam";
  return say("lens_joint_search_decided", values) + " " + say(end);
}
