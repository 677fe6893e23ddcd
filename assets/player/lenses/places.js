/**
 * The lens of Sequoia: how likely the first, the second, ... child of a node is the accepted one, and how many such
 * children the planned tree has.
 */

import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { isNumber } from "../trace/checks.js";
import { addLens, isOver, workingOf } from "./lens.js";
import { signs } from "./picture.js";
import { ChainPlot } from "./plot.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"sequoia">} Working
 * @import { Picture } from "./picture.js"
 * @import { Round, Step } from "../trace/records.js"
 * @typedef {{place: number, count: number, tested: number}} Scene of a place
 */

const HIGH = 130; // px of the plot
const OTHERS = 76; // px of the rest
const MOST = 8; // places

addLens({
  id: "places",
  kind: "sequoia",
  key: [
    [signs.box("sp-lens-pmk sp-lens-chosen"), "lens_key_planned"],
    ["×n", "lens_key_children"],
    [signs.level("sp-lens-bar-level"), "lens_key_measured"],
  ],
  draw(picture, view) {
    const { round, step, trace } = view;
    const working = workingOf(round, "sequoia");
    if (!working || !working.acceptance.length || !round.layers.length) return null;
    const counts = countsOf(round, step);
    const columns = Math.min(MOST, Math.max(...trace.rounds.map((each) => countsOf(each, null).length), 1));
    const plot = new ChainPlot(picture, {
      columns,
      wanted: HIGH,
      others: OTHERS,
      ticks: [0, 1],
      title: say("lens_places_axis"),
    });
    const over = isOver(step);
    working.acceptance.slice(0, columns).forEach((_, position) => {
      const tested = over ? working.tested[position] || 0 : 0;
      paintPosition(picture, plot, working, { place: position, count: counts[position] || 0, tested });
    });
    picture.end(plot.foot + 42);
    const whole = step.kind !== "drafted" || step.layers === round.layers.length;
    return { sentence: tell(working, counts, whole) };
  },
});

/**
 * A child: its planned chance as a bar, what the tests have measured as a line, and how many the tree has.
 * @param {Picture} picture @param {import("./plot.js").ChainPlot} plot @param {Working} working @param {Scene} it
 */
function paintPosition(picture, plot, working, { place: position, count, tested }) {
  const chance = working.acceptance[position];
  const measured = tested ? measuredAt(working, position) : null;
  const label = say("lens_places_item", {
    place: position + 1,
    chance: probability(chance),
    count,
    tested,
    measured: probability(measured),
  });
  const x = plot.x(position);
  const foot = plot.foot;
  const name = say(picture.narrow ? "lens_places_place_short" : "lens_places_place", { place: position + 1 });
  picture.item(null, label, { x: x - plot.pitch / 2, y: plot.top, width: plot.pitch, height: plot.height + 44 }, () => {
    plot.column(position, chance, 0.5, "sp-lens-pmk sp-lens-chosen");
    picture.text(x, plot.y(chance) - 7, decimal(chance, 2), "sp-lens-small sp-lens-named", "middle");
    if (measured !== null) plot.level(position, measured, 0.8, "sp-lens-bar-level");
    picture.text(x, foot + 18, name, "sp-lens-strong", "middle");
    picture.text(x, foot + 35, "×" + count, "sp-lens-small", "middle");
  });
}

/** @param {Working} it @param {number[]} counts @param {boolean} whole */
function tell({ acceptance, expected }, counts, whole) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const [first, second] = [probability(acceptance[0]), probability(acceptance[1])];
  const values = { first, second, count: counts[0] || 0, total };
  return (
    say(acceptance.length > 1 ? "lens_places_told" : "lens_places_told_one", values) +
    (whole ? say("lens_places_counted", values) : "") +
    (isNumber(expected) ? say("lens_places_expected", { expected: decimal(expected, 2) }) : "")
  );
}

/**
 * Numbers of drafted nodes that are the first, second, ... child of their parent.
 * @param {Round} round @param {Step | null} step
 */
function countsOf(round, step) {
  /** @type {number[]} */
  const counts = [];
  const born = new Map();
  for (const layer of step ? round.layers.slice(0, step.layers) : round.layers)
    for (const draw of layer.draws) {
      const position = born.get(draw.node.parent) || 0;
      born.set(draw.node.parent, position + 1);
      counts[position] = (counts[position] || 0) + 1;
    }
  return counts;
}

/**
 * As the tests of the run so far have it: all children before it failed, and it passed.
 * @param {Working} it @param {number} position
 */
function measuredAt({ tested, passed }, position) {
  let missed = 1;
  for (let i = 0; i < position; i++) missed *= tested[i] ? 1 - passed[i] / tested[i] : 1;
  return Math.max(0, Math.min(1, (missed * passed[position]) / tested[position]));
}
