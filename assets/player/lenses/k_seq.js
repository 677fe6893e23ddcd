/**
 * The lens of K-SEQ: p against rho q for the drawn and the likeliest tokens, and what the factor costs and gives.
 */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { alternativesAt } from "../trace/records.js";
import { addLens, childOf, drawsBelow, isAnswered, headingAt, workingOf, overlapAt } from "./lens.js";
import { signs } from "./picture.js";

/**
 * @import { Chance, Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 * @typedef {Scene["rows"][number]} Row
 */

const ROWS = 7;
const ROW = 28; // px
const HEAD = 24;
const COSTS = 3; // bars below the rows

addLens({
  id: "k_seq",
  kind: "k_seq",
  spot: (view) => view.node,
  key: [
    [signs.bar("sp-fill-p"), "legend_p"],
    [signs.bar("sp-fill-q"), "legend_q"],
    [
      (picture) => {
        picture.bar(1, 4, 13, 6, "sp-fill-q");
        picture.bar(14, 4, 11, 6, "sp-line-q sp-striped");
      },
      "lens_key_rho",
    ],
    [signs.badge("pending"), "lens_key_draw_pending"],
    [signs.badge("accepted"), "state_accepted"],
    [signs.badge("rejected"), "state_rejected"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return null;
    const beside = !picture.narrow && picture.width >= 700;
    const space = beside ? picture.width - 270 : picture.width;
    const rows = picture.rowsWithin(ROWS, ROW, HEAD + (beside ? 4 : 38 + COSTS * picture.chance));
    scene.rows.slice(0, rows).forEach((row, i) => paintRow(picture, view, scene, row, HEAD + i * ROW, space));
    paintHead(picture, scene, space);
    const foot = HEAD + rows * ROW + 4;
    const tall = paintCosts(picture, scene, beside ? space + 34 : 0, beside ? 0 : foot + 14, beside ? 236 : space);
    picture.end(beside ? foot : foot + 14 + tall);
    const values = { parent: quoted(view.node.piece), count: scene.draws.length };
    return { place: headingAt(view.round, view.node, scene.draws), sentence: tell(scene, values) };
  },
});

/** @param {View} view */
function sceneOf({ round, step, node }) {
  const draws = drawsBelow(round, step, node);
  if (!draws.length) return null;
  const called = isAnswered(round, step);
  const working = workingOf(round, "k_seq", node);
  if (called && !working) return null; // the walk did not come here
  const known = new Map(alternativesAt(round, node).map((entry) => [entry[0] ?? NaN, entry]));
  const drawn = Array.from(new Set(draws.map((draw) => draw.node.token)));
  const others = Array.from(known.keys()).filter((token) => !drawn.includes(token));
  const rows = drawn
    .concat(others)
    .slice(0, ROWS)
    .map((token) => {
      const own = draws.filter((draw) => draw.node.token === token);
      const verdict = own.map((draw) => draw.verdict).find((each) => each && each.p !== null);
      const [, p, q] = known.get(token) || [token, verdict ? verdict.p : null, null];
      return { token, p, q: own.length ? own[0].q : q, draws: own };
    });
  const factor = working ? working.factor : 1;
  // One scale for the node, whatever the step: bars do not change their length while p and the factor come in.
  const most = Math.max(1e-9, ...rows.map((row) => Math.max(row.p || 0, (row.q || 0) * factor)));
  return {
    draws,
    called,
    working: called ? working : null,
    rows: called ? rows : rows.filter((row) => row.draws.length),
    overlap: overlapAt(round, node),
    most,
  };
}

/** @param {Picture} picture @param {Scene} scene @param {number} space */
function paintHead(picture, { called }, space) {
  if (!called) return;
  picture.text(space - 96, 13, say("lens_k_seq_accept"), "sp-lens-small", "end");
  picture.text(space - 84, 13, say("lens_k_seq_draws"), "sp-lens-small");
}

/**
 * @param {Picture} picture @param {View} view @param {Scene} scene @param {Row} row @param {number} top
 * @param {number} space
 */
function paintRow(picture, view, { called, working, most }, row, top, space) {
  const { trace, round, step, node } = view;
  const { names } = picture;
  const width = space - names - 148;
  const factor = working ? working.factor : 1;
  const accept = working && row.q && typeof row.p === "number" ? Math.min(1, row.p / (factor * row.q)) : null;
  const label = say("lens_k_seq_item", {
    token: quoted(trace.piece(row.token)),
    p: probability(row.p),
    q: probability(row.q),
    rho_q: probability(typeof row.q === "number" ? factor * row.q : null),
    accept: probability(accept),
  });
  const middle = top + ROW / 2;
  const token = {
    node: childOf(round, step, node, row.token),
    piece: trace.piece(row.token),
    drawn: row.draws.length > 0,
  };
  picture.row({ ...token, label, middle, high: ROW, width: space }, () => {
    picture.bar(names, middle - 8, (width * (called ? row.p || 0 : 0)) / most, 8, "sp-fill-p");
    picture.bar(names, middle + 2, (width * (row.q || 0)) / most, 6, "sp-fill-q");
    if (factor > 1)
      picture.bar(
        names + (width * (row.q || 0)) / most,
        middle + 2,
        (width * (factor - 1) * (row.q || 0)) / most,
        6,
        "sp-line-q sp-striped",
      );
    if (called)
      picture.text(space - 96, middle + 4, row.draws.length ? probability(accept) : "", "sp-lens-strong", "end");
    row.draws.slice(0, 5).forEach((draw, i) => {
      const verdict = draw.verdict && draw.verdict.index < step.verdicts ? draw.verdict.outcome : "pending";
      picture.badge(verdict, space - 76 + 16 * i, middle, 0.85);
    });
  });
}

/**
 * The chance of one draw without the factor, of one with it, of any of them.
 * @param {Picture} picture @param {Scene} scene @param {number} left @param {number} top @param {number} width
 */
function paintCosts(picture, { working, overlap, draws }, left, top, width) {
  if (!working) return 0;
  /** @type {Chance} */
  const single = [say("lens_k_seq_single"), overlap, "sp-fill-q"];
  /** @type {Chance} */
  const all = [say("lens_k_seq_all", { count: draws.length }), working.all, "sp-fill-accepted"];
  /** @type {Chance} */
  const divided = [say("lens_k_seq_divided"), working.one, "sp-line-q sp-striped"];
  const rows = draws.length === 1 ? [single] : [single, divided, all];
  return picture.chances(say("lens_k_seq_costs"), rows, left, top, width);
}

/** @param {Scene} scene @param {Record<string, any>} values */
function tell({ working, draws }, values) {
  if (!working) return say("lens_drafted");
  if (draws.length === 1) return say("lens_k_seq_one", values);
  const numbers = {
    ...values,
    factor: decimal(working.factor, 2),
    one: probability(working.one),
    all: probability(working.all),
  };
  if (working.factor <= 1) return say("lens_k_seq_free", numbers);
  return say("lens_k_seq_told", numbers);
}
