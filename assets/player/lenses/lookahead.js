/**
 * The lens of lookahead decoding: the window, a row for each trajectory, and n-grams of the pool after the last token.
 */

import { quoted } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { stateOf } from "../trace/records.js";
import { addLens, isAnswered, isOver, workingOf, isDrafted } from "./lens.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Step, TreeNode } from "../trace/records.js"
 * @typedef {{row: number, pitch: number, left: number, top: number}} Grid
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const WIDE = 560; // px from which window and pool are side by side
const GAP = 28; // px between them
const [LOWEST, HIGHEST] = [21, 28]; // px of a row
const HEAD = 28; // px above the rows
const AHEAD = 32; // px of "+1"
const WIDEST = 104; // px of a column
const BADGE = 20; // px of a column that its badge takes

addLens({
  id: "lookahead",
  kind: "lookahead",
  key: [
    ["+1", "lens_key_lookahead_place"],
    [(picture) => picture.rect(1, 1, 24, 12, "sp-lens-match", 4), "lens_key_lookahead_ngram"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return view.round.layers.length ? null : { sentence: say("lens_lookahead_none") };
    const isWide = picture.width >= WIDE;
    const width = isWide ? (picture.width - GAP) / 2 : picture.width;
    const [above, below] = [scene.trajectories.length, scene.candidates.length];
    const rows = isWide ? Math.max(above, below) : above + below;
    const heads = isWide ? HEAD : 2 * HEAD + 6;
    const row = Math.max(LOWEST, Math.min(HIGHEST, (picture.high - heads) / rows));
    const grid = { row, pitch: Math.min(WIDEST, (width - AHEAD) / scene.ngram) };
    paintWindow(picture, view, scene, { ...grid, left: 0, top: 0 });
    const [left, top] = isWide ? [width + GAP, 0] : [0, HEAD + above * row + 6];
    paintPool(picture, view, scene, { ...grid, left, top });
    picture.end(heads + rows * row + 2);
    return { sentence: tell(view, scene) };
  },
});

/** The nodes of each candidate, and those of each trajectory with the call's prediction. @param {View} view */
function sceneOf({ round, trace }) {
  const working = workingOf(round, "lookahead");
  if (!working) return null;
  let end = 0;
  const paths = working.lengths.map((length) => working.nodes.slice(end, (end += length)));
  const candidates = paths.slice(0, paths.length - working.tokens.length);
  const trajectories = paths.slice(candidates.length).map((nodes, i) => ({
    nodes,
    prediction: trace.piece(working.tokens[i]),
    isWhole: nodes.length + 1 === working.ngram,
  }));
  return { candidates, trajectories, ngram: working.ngram, total: working.num_ngrams, last: round.frontier[0] };
}

/** @param {Picture} picture @param {View} view @param {Scene} scene @param {Grid} grid */
function paintWindow(picture, { round, step }, { trajectories, last }, grid) {
  picture.text(grid.left, grid.top + 14, say("lens_lookahead_window"), "sp-lens-strong");
  trajectories.forEach(({ nodes, prediction, isWhole }, i) => {
    const middle = grid.top + HEAD + (i + 0.5) * grid.row;
    const isPredicted = isAnswered(round, step);
    const first = isWhole ? 0 : nodes.length;
    const [x, width] = [grid.left + AHEAD + first * grid.pitch, (nodes.length + 1 - first) * grid.pitch];
    if (isPredicted) picture.rect(x, middle - grid.row / 2 + 1, width - 2, grid.row - 2, "sp-lens-match", 6);
    picture.text(grid.left, middle + 4, `+${nodes[0].depth - last.depth}`, "sp-lens-small");
    nodes.forEach((node, column) => cell(picture, step, node, grid, i, column));
    if (isPredicted) predictionCell(picture, prediction, grid, i, nodes.length);
  });
}

/** @param {Picture} picture @param {View} view @param {Scene} scene @param {Grid} grid */
function paintPool(picture, { step }, { candidates, last }, grid) {
  const token = quoted(last.piece);
  const head = candidates.length ? "lens_lookahead_pool" : "lens_lookahead_empty";
  picture.text(grid.left, grid.top + 14, say(head, { token }), "sp-lens-strong");
  candidates.forEach((nodes, i) =>
    [last, ...nodes].forEach((node, column) => cell(picture, step, node, grid, i, column)),
  );
}

/** @param {Grid} grid @param {number} line @param {number} column */
function boxOf({ left, top, row, pitch }, line, column) {
  const x = left + AHEAD + column * pitch;
  return { x, y: top + HEAD + line * row + 2, width: pitch - 2, height: row - 4 };
}

/**
 * @param {Picture} picture @param {Step} step @param {TreeNode} node @param {Grid} grid @param {number} line
 * @param {number} column
 */
function cell(picture, step, node, grid, line, column) {
  if (node.kind !== "prompt" && !isDrafted(node, step)) return;
  const box = boxOf(grid, line, column);
  const state = stateOf(node, step);
  const isTold = node !== step.round?.frontier[0] && state !== "pending" && state !== "scored";
  const look = node === step.round?.frontier[0] ? "" : "sp-lens-drawn";
  picture.item(node, say("lens_lookup_item", { token: quoted(node.piece), position: node.depth + 1 }), box, () => {
    const shown = picture.fitted(node.piece, box.width - 6 - (isTold ? BADGE : 0));
    picture.text(box.x + 5, box.y + box.height / 2 + 4, shown, "sp-lens-token " + look);
  });
  if (isTold) picture.badge(state, box.x + box.width - BADGE / 2, box.y + box.height / 2, 0.72);
}

/** @param {Picture} picture @param {string} piece @param {Grid} grid @param {number} line @param {number} column */
function predictionCell(picture, piece, grid, line, column) {
  const box = boxOf(grid, line, column);
  picture.item(null, say("lens_lookahead_predicted", { token: quoted(piece) }), box, () =>
    picture.text(
      box.x + 5,
      box.y + box.height / 2 + 4,
      picture.fitted(piece, box.width - 6),
      "sp-lens-token sp-lens-drawn",
    ),
  );
}

/** @param {View} view @param {Scene} scene */
function tell({ round, step }, { candidates, trajectories, ngram, total, last }) {
  const accepted = round.committed.filter((_, i) => round.commit?.origins[i] === "accepted");
  const values = {
    candidates: candidates.length,
    total,
    token: quoted(last.piece),
    ngram,
    fresh: trajectories.filter((each) => each.isWhole).length,
    kept: accepted.length,
    pooled: accepted.filter((node) => candidates.flat().includes(node)).length,
  };
  if (isOver(step)) return say("lens_lookahead_over", values);
  return say(isAnswered(round, step) ? "lens_lookahead_scored" : "lens_lookahead_drafted", values);
}
