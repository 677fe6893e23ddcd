/**
 * The lens of recursive rejection: how p shrinks at a node while its draws are rejected one after the other.
 *
 * A row per token, a column per test: what is left of p (above), what the draw was drawn from (below). Where a node has
 * one draw only, as in speculative sampling, the recorded alternatives hold it all.
 */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { alternativesAt } from "../trace/records.js";
import { addLens, childOf, drawsBelow, isAnswered, isOver, headingAt, testsSeen, workingOf } from "./lens.js";
import { signs } from "./picture.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View, Key } from "./lens.js"
 * @import { Round, TreeNode, Draw, Verdict, Maybe } from "../trace/records.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 * @typedef {{rest: number[], offer: number[] | null}} Column a test: what is left of p, and what the draw was drawn from
 * @typedef {{names: number, pitch: number, most: number, first: number, x: (i: number) => number}} Geometry
 * @typedef {{row: number, token: number, middle: number, pitch: number, most: number, room: number}} Cell
 */

const ROWS = 8;
const ROW = 26; // px
const HEAD = 44;
const LEAST = 62; // px of a column at least

addLens({
  id: "stages",
  suits: (trace) => trace.kinds.has("speculative") || trace.kinds.has("recursive"),
  spot: (view) => view.node,
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return null;
    paint(picture, view, scene);
    return { place: headingAt(view.round, view.node, scene.draws), sentence: tell(view, scene), key: keyOf(scene) };
  },
});

/** Rows, columns and tests at the node in question, as far as the step has come. @param {View} view */
function sceneOf({ round, step, node }) {
  const draws = drawsBelow(round, step, node);
  if (!draws.length) return null;
  const called = isAnswered(round, step);
  const tests = testsSeen(round, step, node);
  const working = workingOf(round, "recursive", node);
  const source = working ? fromWorking(working) : fromAlternatives(round, node, draws);
  const rejections = tests.filter((test) => test.outcome === "rejected").length;
  // Where the workings are missing, no column is better than a wrong one.
  const shown = called ? Math.min(1 + rejections, source.columns.length) : 1;
  const untested =
    !tests.length && (isOver(step) || draws.some((draw) => draw.verdict && draw.verdict.index < step.verdicts));
  return {
    ...source,
    draws,
    called,
    tests,
    shown,
    untested,
    missing: called && 1 + rejections > source.columns.length,
  };
}

/** @param {import("../trace/records.js").WorkingOf<"recursive">} working */
function fromWorking(working) {
  const columns = working.residuals.map((rest, i) => ({
    rest,
    offer: i < working.draws.length ? working.offers[Math.min(i, working.offers.length - 1)] : null,
  }));
  // Without replacement the next offer has no room for the token rejected before; else the draws have laws of their
  // own.
  const { offers, tokens, draws } = working;
  const offered = offers.length === 1 ? "one" : offers[1][tokens.indexOf(draws[0])] === 0 ? "distinct" : "own";
  return { tokens, columns, law: offered };
}

/** @param {Round} round @param {TreeNode} node @param {Draw[]} draws */
function fromAlternatives(round, node, draws) {
  const rows = alternativesAt(round, node).filter((entry) => typeof entry[2] === "number");
  /** @param {(number | null)[]} entry */
  const most = (entry) =>
    Math.max(...entry.slice(1).map((value) => value || 0)) +
    (draws.some((draw) => draw.node.token === entry[0]) ? 2 : 0);
  const few = rows
    .slice()
    .sort((a, b) => most(b) - most(a))
    .slice(0, ROWS)
    .sort((a, b) => (b[1] ?? 0) - (a[1] ?? 0));
  /** @param {number} at */
  const column = (at) => {
    const values = few.map((entry) => entry[at] || 0);
    return values.concat(Math.max(0, 1 - values.reduce((sum, value) => sum + value, 0)));
  };
  /** @type {Column[]} */
  const columns = few.length ? [{ rest: column(1), offer: column(2) }] : [];
  if (draws.length === 1 && few.some((entry) => entry.length > 3)) columns.push({ rest: column(3), offer: null });
  return { tokens: few.map((entry) => entry[0] ?? NaN), columns, law: "one" };
}

// -- the picture -------------------------------------------------------------------------------------------------

/** @param {Picture} picture @param {View} view @param {Scene} scene */
function paint(picture, view, scene) {
  const rows = picture.rowsWithin(ROWS, ROW, HEAD + 20);
  const { names } = picture;
  const planned = Math.max(2, scene.columns.length);
  const fit = Math.max(1, Math.floor((picture.width - names) / LEAST));
  const first = Math.max(0, scene.shown - fit); // with many tests, the last ones
  const pitch = Math.min(250, (picture.width - names) / Math.min(planned, fit));
  const values = scene.columns.flatMap((column) =>
    column.rest.slice(0, -1).concat(column.offer ? column.offer.slice(0, -1) : []),
  );
  const most = Math.max(1e-9, ...values, ...scene.draws.map((draw) => draw.q || 0));
  /** @type {Geometry} */
  const geometry = { names, pitch, most, first, x: (i) => names + (i - first) * pitch };

  for (let i = first; i < scene.shown; i++) paintHead(picture, view, scene, i, geometry);
  const tokens = scene.columns.length
    ? scene.tokens
    : Array.from(new Set(scene.draws.map((draw) => draw.node.token))).slice(0, ROWS);
  tokens.slice(0, rows).forEach((token, row) => paintRow(picture, view, scene, token, row, geometry));
  const foot = HEAD + rows * ROW + 12;
  if (scene.called && scene.columns.length) {
    picture.text(names - 8, foot, say("lens_others"), "sp-lens-small", "end");
    for (let i = first; i < scene.shown; i++)
      picture.text(geometry.x(i), foot, probability(last(scene.columns[i].rest)), "sp-lens-small");
  }
  picture.end(foot + 8);
}

/** @param {Picture} picture @param {View} view @param {Scene} scene @param {number} i @param {Geometry} geometry */
function paintHead(picture, view, scene, i, { x, pitch }) {
  const over = i === scene.columns.length - 1 && scene.columns[i] && !scene.columns[i].offer;
  picture.text(x(i), 13, say(over ? "lens_stages_left" : headWord(scene), { test: i + 1 }), "sp-lens-strong");
  const test = scene.tests[i];
  const correction = over && !test ? correctionAt(view) : null;
  if (test) paintTest(picture, test, x(i), pitch);
  else if (correction) paintCorrection(picture, correction, view.round.commit?.extra_prob, x(i), pitch);
  else if (scene.called && !over && !scene.untested) picture.text(x(i), 31, say("lens_stages_next"), "sp-lens-small");
}

/** @param {Scene} scene */
function headWord({ called, untested }) {
  if (untested) return "lens_stages_no_test";
  return called ? "lens_stages_test" : "lens_stages_draft";
}

/** @param {Picture} picture @param {Verdict} test @param {number} x @param {number} pitch */
function paintTest(picture, { outcome, accept, coin }, x, pitch) {
  picture.badge(outcome, x + 6, 27, 0.72);
  const word = pitch >= 150 ? "lens_stages_numbers" : "lens_stages_number";
  picture.text(x + 15, 31, say(word, { accept: probability(accept), coin: probability(coin) }), "sp-lens-small");
}

/** @param {Picture} picture @param {TreeNode} node @param {Maybe} chance @param {number} x @param {number} pitch */
function paintCorrection(picture, node, chance, x, pitch) {
  const label = say("lens_stages_drawn", { token: quoted(node.piece), chance: probability(chance) });
  picture.item(node, label, { x: x - 4, y: 18, width: pitch - 6, height: 22 }, () => {
    picture.badge("correction", x + 6, 27, 0.72);
    picture.text(x + 16, 31, picture.fitted(node.piece, pitch - 26), "sp-lens-token sp-lens-drawn");
  });
}

/**
 * @param {Picture} picture @param {View} view @param {Scene} scene @param {number} token @param {number} row
 * @param {Geometry} geometry
 */
function paintRow(picture, view, scene, token, row, { names, pitch, most, first, x }) {
  const { round, step, node, trace } = view;
  const drawn = scene.draws.find((draw) => draw.node.token === token);
  if (!scene.called && !drawn) return;
  const middle = HEAD + row * ROW + ROW / 2;
  const name = trace.piece(token);
  const numbers =
    scene.called && scene.columns.length
      ? scene.columns
          .slice(0, scene.shown)
          .map((column, i) => say(i ? "lens_say_r" : "lens_say_p", { value: probability(column.rest[row]), place: i }))
          .join(", ")
      : "";
  const q = scene.columns.length ? scene.columns[0].offer?.[row] : drawn ? drawn.q : null;
  const label = say("lens_stages_item", { token: quoted(name), numbers, q: probability(q) });
  const width = scene.called ? (scene.shown - first) * pitch : pitch;
  const named = { node: childOf(round, step, node, token), piece: name, drawn: Boolean(drawn) };
  picture.row({ ...named, label, middle, high: ROW, width: names + width - 4 }, () => {
    // number and verdict behind
    const cell = { row, token, middle, pitch, most, room: pitch - (pitch >= 120 ? 70 : 22) };
    if (scene.called && scene.columns.length)
      for (let i = first; i < scene.shown; i++) paintCell(picture, scene.columns[i], scene.tests[i], i, x(i), cell);
    else if (drawn) picture.bar(x(first), middle + 2, (cell.room * (drawn.q || 0)) / most, 5, "sp-fill-q");
  });
}

/**
 * A token at a test: what is left of its p, the part that its draw covers apart, and what the draw was drawn from.
 * @param {Picture} picture @param {Column} column @param {Verdict} test @param {number} i @param {number} x
 * @param {Cell} cell
 */
function paintCell(picture, { rest, offer }, test, i, x, { row, token, middle, pitch, most, room }) {
  const tested = test && test.node.token === token;
  if (tested) picture.rect(x - 5, middle - ROW / 2 + 1, pitch - 8, ROW - 2, "sp-lens-tested sp-is-" + test.outcome, 5);
  /** @param {number} value */
  const wide = (value) => (room * value) / most;
  const offered = offer ? offer[row] : 0;
  const isChosen = !offer || offer.every((q) => q === 0 || q === 1); // without chance: no bar of q
  const covered = wide(Math.min(rest[row], offered));
  const kind = i ? "sp-fill-rest sp-striped" : "sp-fill-p";
  picture.bar(x, middle - 8, covered, 8, kind + " sp-lens-covered");
  picture.bar(x + covered, middle - 8, wide(rest[row]) - covered, 8, kind);
  if (!isChosen) picture.bar(x, middle + 2, wide(offered), 5, "sp-fill-q");
  const end = x + wide(isChosen ? rest[row] : Math.max(rest[row], offered));
  if (pitch >= 120) picture.text(end + 5, middle + 4, probability(rest[row]), "sp-lens-small");
  if (tested) picture.badge(test.outcome, x + pitch - 22, middle, 0.72);
}

/** The correction drawn below the node, once the round is over. @param {Pick<View, "round" | "step" | "node">} view */
function correctionAt({ round, step, node }) {
  if (!isOver(step) || last(round.commit?.origins ?? []) !== "correction") return null;
  return last(round.committed).parent === node ? last(round.committed) : null;
}

// -- the words ---------------------------------------------------------------------------------------------------

/** @param {any[]} list */
const last = (list) => list[list.length - 1];

/** @param {View} view @param {Scene} scene */
function tell({ round, step, node }, scene) {
  const parent = quoted(node.piece);
  const test = last(scene.tests);
  if (!scene.called) return say("lens_drafted");
  const first = round.frontier.includes(node) ? "lens_stages_scored" : "lens_stages_maybe";
  if (!test)
    return say(scene.untested ? "lens_stages_untested" : first, { parent, token: quoted(scene.draws[0].node.piece) });
  const values = {
    token: quoted(test.node.piece),
    accept: probability(test.accept),
    coin: probability(test.coin),
    parent,
    count: scene.tests.length,
  };
  const correction = correctionAt({ round, step, node });
  if (scene.missing) return say("lens_stages_missing");
  if (correction)
    return say("lens_stages_correction", {
      ...values,
      token: quoted(correction.piece),
      chance: probability(round.commit?.extra_prob),
    });
  if (test.outcome === "accepted")
    return say(scene.tests.length === 1 ? "lens_stages_accepted" : "lens_stages_accepted_late", values);
  return say(scene.draws.length > scene.tests.length ? "lens_stages_rejected" : "lens_stages_rejected_last", values);
}

/** @param {Scene} scene @returns {Key} */
function keyOf({ law }) {
  return [
    [signs.bar("sp-fill-p"), "legend_p"],
    [signs.bar("sp-fill-q"), { one: "legend_q", distinct: "lens_key_q_distinct" }[law] ?? "lens_key_q_own"],
    [
      (picture) => {
        picture.bar(1, 3, 14, 8, "sp-fill-p sp-lens-covered");
        picture.bar(15, 3, 10, 8, "sp-fill-p");
      },
      "lens_key_excess",
    ],
    [signs.bar("sp-fill-rest sp-striped"), "lens_key_rest"],
    [(picture) => picture.rect(2, 1, 22, 12, "sp-lens-tested sp-is-rejected", 3), "lens_key_tested"],
  ];
}
