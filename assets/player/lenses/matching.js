/**
 * The lens of sample and match: the line that the target's coin falls on, the draft's share of p first; and what is
 * lost by not asking for q.
 */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import {
  addLens,
  childOf,
  drawsBelow,
  isAnswered,
  isOver,
  headingAt,
  testsSeen,
  workingOf,
  overlapAt,
} from "./lens.js";
import { signs } from "./picture.js";
import { seenVerdict } from "./plot.js";

/**
 * @import { Chance, Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Step, Draw } from "../trace/records.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 * @typedef {Scene["rows"][number]} Row
 */

const ROWS = 5;
const ROW = 26; // px
const LINE = 26; // px from the top
const THICK = 16; // px
const HEAD = 74;
const COSTS = 3; // bars below the rows

addLens({
  id: "matching",
  kind: "matching",
  spot: (view) => view.node,
  key: [
    [
      (picture) => {
        picture.rect(1, 3, 24, 8, "sp-track", 3);
        picture.bar(1, 3, 14, 8, "sp-fill-p");
      },
      "lens_key_line",
    ],
    [signs.dot("sp-coin-dot sp-is-accepted"), "lens_key_line_coin"],
    [signs.bar("sp-fill-p"), "legend_p"],
    [signs.bar("sp-fill-q"), "legend_q"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return null;
    const beside = !picture.narrow && picture.width >= 700;
    const space = beside ? picture.width - 290 : picture.width;
    const rows = picture.rowsWithin(ROWS, ROW, HEAD + (beside ? 4 : 38 + COSTS * picture.chance), 2);
    paintLine(picture, scene, space);
    scene.rows.slice(0, rows).forEach((row, i) => paintRow(picture, view, scene, row, HEAD + i * ROW, space));
    const foot = HEAD + rows * ROW + 4;
    const tall = paintCosts(picture, scene, beside ? space + 34 : 0, beside ? 0 : foot + 14, beside ? 256 : space);
    picture.end(beside ? foot : foot + 14 + tall);
    return { place: headingAt(view.round, view.node, scene.draws), sentence: tell(view, scene) };
  },
});

/** @param {View} view */
function sceneOf({ round, step, node }) {
  const draws = drawsBelow(round, step, node);
  if (!draws.length) return null;
  const called = isAnswered(round, step);
  const [draw] = draws;
  const working = workingOf(round, "matching", node);
  const [test] = testsSeen(round, step, node);
  const rows = working ? rowsOf(working) : [{ token: draw.node.token, p: draw.verdict?.p ?? null, q: draw.q }];
  const most = Math.max(1e-9, ...rows.map((row) => Math.max(row.p || 0, row.q || 0)));
  const p = (rows.find((row) => row.token === draw.node.token) || rows[0]).p;
  return {
    draw,
    draws,
    called,
    test,
    most,
    p,
    untested: !test && isPast(draw, step),
    working: called ? working : null,
    overlap: called ? overlapAt(round, node) : null,
    rows: called ? rows : rows.filter((row) => row.token === draw.node.token),
  };
}

/** @param {Draw} draw @param {Step} step */
const isPast = (draw, step) => isOver(step) || seenVerdict(draw, step) !== null;

/** @param {import("../trace/records.js").WorkingOf<"matching">} working */
const rowsOf = ({ tokens, target, draft }) =>
  tokens.slice(0, ROWS).map((token, i) => ({ token, p: target[i], q: draft[i] }));

/**
 * The line from 0 to 1: the draft's share, then everything else; the coin where it fell.
 * @param {Picture} picture @param {Scene} scene @param {number} space
 */
function paintLine(picture, { draw, called, test, p }, space) {
  picture.rect(0, LINE, space, THICK, "sp-track", 4);
  if (called && p !== null) {
    picture.bar(0, LINE, space * Math.min(1, p), THICK, "sp-fill-p");
    picture.text(0, LINE - 8, `${picture.fitted(draw.node.piece, space / 2)} ${probability(p)}`, "sp-lens-strong");
    picture.text(
      space,
      LINE - 8,
      `${say("lens_matching_other")} ${probability(Math.max(0, 1 - p))}`,
      "sp-lens-small",
      "end",
    );
  }
  if (test && typeof test.coin === "number")
    picture.dot(space * test.coin, LINE + THICK / 2, 6, "sp-coin-dot sp-is-" + test.outcome);
  picture.text(0, LINE + THICK + 15, "0", "sp-lens-small");
  picture.text(space, LINE + THICK + 15, "1", "sp-lens-small", "end");
}

/**
 * @param {Picture} picture @param {View} view @param {Scene} scene @param {Row} row @param {number} top
 * @param {number} space
 */
function paintRow(picture, { trace, round, step, node }, { draw, called, most }, row, top, space) {
  const { names } = picture;
  const width = space - names - 60;
  const own = row.token === draw.node.token;
  const label = say("lens_matching_item", {
    token: quoted(trace.piece(row.token)),
    p: probability(called ? row.p : null),
    q: probability(row.q),
  });
  const middle = top + ROW / 2;
  const token = { node: childOf(round, step, node, row.token), piece: trace.piece(row.token), drawn: own };
  picture.row({ ...token, label, middle, high: ROW, width: space }, () => {
    if (called) picture.bar(names, middle - 8, (width * (row.p || 0)) / most, 8, "sp-fill-p");
    picture.bar(names, middle + 2, (width * (row.q || 0)) / most, 6, "sp-fill-q");
    if (called) picture.text(space, middle + 4, probability(row.p), own ? "sp-lens-strong" : "sp-lens-small", "end");
  });
}

/**
 * Chances of this draft, of any draft, and of any draft by a rule that asks for q.
 * @param {Picture} picture @param {Scene} scene @param {number} left @param {number} top @param {number} width
 */
function paintCosts(picture, { working, p, overlap }, left, top, width) {
  if (!working) return 0;
  const certain = working.draft.some((q) => q === 1); // then any draft is this one
  /** @type {Chance[]} */
  const rows = [
    [say("lens_matching_one"), p, "sp-fill-p"],
    [say("lens_matching_any"), certain ? null : working.chance, "sp-fill-accepted"],
    [say("lens_matching_best"), certain ? null : overlap, "sp-fill-q"],
  ];
  const fit = Math.max(1, Math.floor((picture.high - top - 20) / picture.chance));
  return picture.chances(say("lens_matching_costs"), rows.slice(0, fit), left, top, width);
}

/** @param {View} view @param {Scene} scene */
function tell({ round, step, node }, { draw, called, test, untested, p }) {
  const values = { token: quoted(draw.node.piece), parent: quoted(node.piece), p: probability(p) };
  if (!called) return say("lens_drafted");
  if (untested) return say("lens_matching_untested", values);
  if (!test)
    return say(
      round.frontier.includes(node) || testsSeen(round, step).some((each) => each.node === node)
        ? "lens_matching_scored"
        : "lens_matching_maybe",
      values,
    );
  return say(test.outcome === "accepted" ? "lens_matching_accepted" : "lens_matching_rejected", {
    ...values,
    coin: decimal(test.coin, 2),
  });
}
