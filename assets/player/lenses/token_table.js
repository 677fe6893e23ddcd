/**
 * The lens of Token Recycling: the table of the likeliest tokens after each token, as the run fills it, and the draft
 * that is read from it. Until a round is over it shows the table that was read, then the rows that its call has written.
 */

import { quoted } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { stateOf } from "../trace/records.js";
import { addLens, isOver, workingOf } from "./lens.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Round, Step, TreeNode } from "../trace/records.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const HEAD = 26; // px above the rows
const ROW = 27;
const FILLED = 62; // px of the bars below
const BAR = 34; // px of the highest
const MOST_ROWS = 10;
const NARROWEST = 54; // px of a column
const WIDEST = 112;
const BADGE = 20; // px of a column that its badge takes

addLens({
  id: "token_table",
  kind: "token_table",
  key: [
    ["a", "lens_key_token_table_drawn"],
    [(picture) => picture.rect(1, 1, 24, 12, "sp-lens-match", 4), "lens_key_token_table_fresh"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view);
    if (!scene) return null;
    const rows = paintRows(picture, view, scene);
    paintFilled(picture, scene, HEAD + rows * ROW);
    return { sentence: tell(view, scene) };
  },
});

/**
 * The rows that are known at this step, those of the round first, and how many there were round by round.
 * @param {View} view
 */
function sceneOf({ trace, round, step }) {
  const working = workingOf(round, "token_table");
  if (!working) return null;
  /** @type {Map<number, {token: number, next: number[], isFresh: boolean}>} */
  const table = new Map();
  const sizes = [];
  let fresh = 0;
  for (const each of trace.rounds.slice(0, trace.rounds.indexOf(round) + 1)) {
    const { size, width, nodes, tokens } = workingOf(each, "token_table") ?? {
      size: 0,
      width: 0,
      nodes: [],
      tokens: [],
    };
    sizes.push(size);
    if (each === round && !isOver(step)) break;
    nodes.forEach(({ token }, i) => {
      if (each === round && !table.has(token)) fresh += 1;
      table.delete(token); // the latest are last
      table.set(token, { token, next: tokens.slice(i * width, (i + 1) * width), isFresh: each === round });
    });
  }
  if (isOver(step)) sizes.push(working.size + fresh);
  const used = [round.frontier[0], ...round.nodes].map((node) => node.token);
  const first = [...new Set(used)].map((token) => table.get(token)).filter((row) => row !== undefined);
  const others = [...table.values()].reverse().filter((row) => !first.includes(row));
  return { rows: [...first, ...others], sizes, fresh, working, width: working.width };
}

/** @param {Picture} picture @param {View} view @param {Scene} scene */
function paintRows(picture, { trace, round, step }, { rows, width }) {
  const columns = Math.min(width, Math.max(1, Math.floor(picture.width / NARROWEST) - 1));
  const pitch = Math.min(WIDEST, picture.width / (columns + 1));
  const most = Math.max(3, Math.min(MOST_ROWS, Math.floor((picture.high - HEAD - FILLED) / ROW)));
  if (rows.length) {
    picture.text(0, 14, say("lens_token_table_token"), "sp-lens-quiet");
    picture.text(pitch + 8, 14, say("lens_token_table_next"), "sp-lens-quiet");
  }
  const shown = rows.slice(0, most);
  shown.forEach((row, i) => {
    const y = HEAD + i * ROW;
    if (row.isFresh) picture.rect(0, y + 1, (columns + 1) * pitch - 2, ROW - 2, "sp-lens-match", 6);
    const piece = trace.piece(row.token);
    const next = row.next.map((token) => quoted(trace.piece(token))).join(", ");
    const label = say("lens_token_table_row", { token: quoted(piece), next });
    const own = round.frontier[0].token === row.token ? round.frontier[0] : null;
    cell(picture, own, label, { piece, x: 0, y, pitch, look: "sp-lens-strong" });
    row.next.slice(0, columns).forEach((token, column) => {
      const drawn = drawnAt(round, step, row.token, token);
      const text = trace.piece(token);
      const at = { piece: text, x: (column + 1) * pitch, y, pitch, look: drawn ? "sp-lens-drawn" : "" };
      cell(picture, drawn, quoted(text), at, (drawn && stateOf(drawn, step)) || "pending");
    });
  });
  return shown.length;
}

/**
 * The draft that hangs by this step below a node of this token.
 * @param {Round} round @param {Step} step @param {number} above @param {number} token
 */
const drawnAt = (round, step, above, token) =>
  round.nodes.find(
    (node) =>
      node.token === token &&
      node.parent?.token === above &&
      node.layer &&
      (node.layer <= step.layers || step.kind !== "drafted"),
  ) ?? null;

/**
 * @param {Picture} picture @param {TreeNode | null} node @param {string} label
 * @param {{piece: string, x: number, y: number, pitch: number, look: string}} at @param {string} [state]
 */
function cell(picture, node, label, { piece, x, y, pitch, look }, state = "pending") {
  const isTold = state !== "pending" && state !== "scored";
  const box = { x: x + 2, y: y + 2, width: pitch - 4, height: ROW - 4 };
  picture.item(node, label, box, () => {
    const shown = picture.fitted(piece, box.width - 10 - (isTold ? BADGE : 0));
    picture.text(box.x + 5, y + ROW / 2 + 5, shown, "sp-lens-token " + look);
  });
  if (isTold) picture.badge(state, x + pitch - BADGE / 2 - 4, y + ROW / 2, 0.72);
}

/** Draws the number of rows, round by round. @param {Picture} picture @param {Scene} scene @param {number} top */
function paintFilled(picture, { sizes }, top) {
  const most = Math.max(1, ...sizes);
  const pitch = Math.min(14, picture.width / sizes.length);
  const bottom = top + FILLED - 4;
  picture.text(0, top + 18, say("lens_token_table_filled", { size: sizes[sizes.length - 1] }), "sp-lens-quiet");
  sizes.forEach((size, i) => {
    const height = (BAR * size) / most;
    picture.rect(i * pitch, bottom - height, Math.max(1, pitch - 2), height, "sp-lens-match", 1);
  });
  picture.line(0, bottom, picture.width, bottom, "sp-lens-grid");
  picture.end(top + FILLED);
}

/** @param {View} view @param {Scene} scene */
function tell({ round, step }, { rows, fresh, working }) {
  const drafted = round.nodes.filter((node) => node.layer);
  const values = {
    size: working.size,
    token: quoted(round.frontier[0].piece),
    count: drafted.length,
    kept: round.commit ? round.commit.origins.filter((origin) => origin === "accepted").length : 0,
    written: rows.filter((row) => row.isFresh).length,
    fresh,
  };
  if (isOver(step)) return say("lens_token_table_over", values);
  return say(drafted.length ? "lens_token_table_drafted" : "lens_token_table_none", values);
}
