/**
 * The lens of importance selection: p, q and the law P of the selected token; and which of the draws is selected.
 */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, childOf, drawsBelow, isAnswered, headingAt, testsSeen, workingOf } from "./lens.js";
import { signs } from "./picture.js";

/**
 * @import { Chance, Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Step, Draw } from "../trace/records.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const ROWS = 8;
const ROW = 30; // px
const [DRAW, LOW_DRAW] = [30, 26]; // px of a draw
const HEAD = 10;
const MOST_DRAWS = 6;

addLens({
  id: "importance",
  kind: "importance",
  spot: (view) => view.node,
  key: [
    [signs.bar("sp-fill-p"), "legend_p"],
    [signs.bar("sp-fill-q"), "legend_q"],
    [signs.bar("sp-line-law sp-striped"), "lens_key_law"],
    [signs.bar("sp-fill-ink"), "lens_key_chance"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return null;
    const beside = picture.width >= 700;
    const space = beside ? picture.width - 330 : picture.width;
    const tokens = scene.working
      ? scene.working.tokens
      : Array.from(new Set(scene.draws.map((draw) => draw.node.token)));
    const draws = Math.min(MOST_DRAWS, scene.draws.length) * drawHeight(picture);
    const rows = picture.rowsWithin(ROWS, ROW, HEAD + (beside ? 6 : 44 + draws));
    tokens.slice(0, rows).forEach((token, i) => paintRow(picture, view, scene, token, i, space));
    const foot = HEAD + rows * ROW + 6;
    const left = beside ? space + 34 : 0;
    const width = beside ? 296 : space;
    const low = paintDraws(picture, view, scene, left, beside ? 0 : foot + 12, width);
    picture.end(Math.max(foot, low));
    return { place: headingAt(view.round, view.node, scene.draws), sentence: tell(view, scene) };
  },
});

/** @param {View} view */
function sceneOf({ round, step, node }) {
  const draws = drawsBelow(round, step, node);
  if (!draws.length) return null;
  const called = isAnswered(round, step);
  const working = workingOf(round, "importance", node);
  if (called && (!working || working.draws.length !== draws.length)) return null;
  const values = working
    ? [working.target, working.draft, working.distribution].flatMap((row) => row.slice(0, -1))
    : draws.map((draw) => draw.q || 0);
  const tested = testsSeen(round, step, node).length > 0;
  return { draws, working: called ? working : null, tested, most: Math.max(1e-9, ...values) };
}

/**
 * @param {Picture} picture @param {View} view @param {Scene} scene @param {number} token @param {number} row
 * @param {number} space
 */
function paintRow(picture, view, scene, token, row, space) {
  const { trace, round, step, node } = view;
  const { working, draws, most } = scene;
  const { names } = picture;
  const width = space - names - 52;
  const middle = HEAD + row * ROW + ROW / 2;
  const drawn = draws.find((draw) => draw.node.token === token);
  const [p, q] = working ? [working.target[row], working.draft[row]] : [null, drawn?.q ?? 0];
  const probabilities = working && draws.length > 1 ? working.distribution[row] : null;
  const label = say("lens_importance_item", {
    token: quoted(trace.piece(token)),
    p: probability(p),
    q: probability(q),
    law: probability(probabilities),
  });
  const named = { node: childOf(round, step, node, token), piece: trace.piece(token), drawn: Boolean(drawn) };
  picture.row({ ...named, label, middle, high: ROW, width: space }, () => {
    picture.bar(names, middle - 11, (width * (p || 0)) / most, 7, "sp-fill-p");
    picture.bar(names, middle - 3, (width * (q || 0)) / most, 5, "sp-fill-q");
    picture.bar(names, middle + 3, (width * (probabilities || 0)) / most, 7, "sp-line-law sp-striped");
    if (probabilities !== null)
      picture.text(
        names + (width * Math.max(p ?? 0, q, probabilities)) / most + 6,
        middle + 9,
        probability(probabilities),
        "sp-lens-small",
      );
  });
}

/** Px of a draw. @param {import("./picture.js").Picture} picture */
const drawHeight = (picture) => (picture.isLow ? LOW_DRAW : DRAW);

/**
 * The draws in draw order, each with its chance to be selected, and what was covered. Gives the lower end.
 * @param {Picture} picture @param {View} view @param {Scene} scene @param {number} left @param {number} top
 * @param {number} width
 */
function paintDraws(picture, view, { working, draws, tested }, left, top, width) {
  const { step } = view;
  picture.text(left, top + 13, say("lens_importance_chances"), "sp-lens-strong");
  const space = width - 150;
  const high = drawHeight(picture);
  draws.slice(0, MOST_DRAWS).forEach((draw, i) => {
    const middle = top + 24 + i * high + high / 2 - 4;
    const selected = working && tested && working.selected === i;
    const chance = working ? working.chances[i] : null;
    const label = say("lens_importance_draw", {
      draw: i + 1,
      token: quoted(draw.node.piece),
      chance: probability(chance),
      selected: selected ? say("lens_importance_is_selected") : "",
    });
    picture.item(draw.node, label, { x: left, y: middle - high / 2 + 1, width, height: high - 2 }, () => {
      if (selected)
        picture.rect(
          left + 0.5,
          middle - high / 2 + 1,
          width - 1,
          high - 2,
          "sp-lens-tested sp-is-" + outcomeOf(draw, step),
          6,
        );
      picture.text(left + 6, middle + 4, picture.fitted(draw.node.piece, 66), "sp-lens-token sp-lens-drawn");
      picture.rect(left + 76, middle - 4, space, 8, "sp-track", 3);
      picture.bar(left + 76, middle - 4, space * (chance || 0), 8, "sp-fill-ink");
      if (working) picture.text(left + 84 + space, middle + 4, probability(chance), "sp-lens-strong");
      if (selected) picture.badge(outcomeOf(draw, step), left + width - 12, middle, 0.85);
    });
  });
  const below = top + 24 + Math.min(MOST_DRAWS, draws.length) * high + 8;
  if (!working || below > picture.high - 2 * picture.chance) return below; // the sentence says what is covered
  /** @type {Chance[]} */
  const rows = [
    [say("lens_importance_covers_one"), working.one, "sp-fill-q"],
    [say("lens_importance_covers_all"), working.all, "sp-line-law sp-striped"],
  ];
  return (
    below +
    picture.chances(say("lens_importance_covers"), draws.length === 1 ? rows.slice(0, 1) : rows, left, below, width)
  );
}

/** @param {Draw} draw @param {Step} step */
const outcomeOf = (draw, step) =>
  draw.verdict && draw.verdict.index < step.verdicts ? draw.verdict.outcome : "pending";

/** @param {View} view @param {Scene} scene */
function tell({ round, step, node }, { working, draws }) {
  const values = { count: draws.length, parent: quoted(node.piece) };
  if (!working) return say("lens_drafted");
  if (draws.length === 1) return say("lens_k_seq_one", values);
  const selected = draws[working.selected];
  const test = testsSeen(round, step, node)[0];
  const numbers = {
    ...values,
    token: quoted(selected.node.piece),
    one: probability(working.one),
    all: probability(working.all),
  };
  return test
    ? say("lens_importance_told", { ...numbers, accept: probability(test.accept) })
    : say("lens_importance_weighed", numbers);
}
