/**
 * The lens of SuffixDecoding: every earlier place of the text's end, one below the other, with what followed there.
 */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { pathOf, stateOf } from "../trace/records.js";
import { addLens, isOver, workingOf, keptDrafts, isDrafted } from "./lens.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Step, TreeNode } from "../trace/records.js"
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const ROW = 32;
const HEAD = 30; // px above the rows
const BADGE = 24; // px of a column that its badge takes
const LEAST = 64; // px of a column
const WIDEST = 104;
const MOST_MATCHED = 4; // columns of a match; of a longer one its end

addLens({
  id: "suffix",
  kind: "suffix",
  key: [
    [(picture) => picture.rect(1, 1, 24, 12, "sp-lens-match", 4), "lens_key_suffix_match"],
    ["a", "lens_key_suffix_drawn"],
  ],
  draw(picture, view) {
    const scene = sceneOf(view, Math.floor(picture.width / LEAST));
    if (!scene) return { sentence: say(view.round.layers.length ? "lens_suffix_model" : "lens_lookup_none") };
    paint(picture, scene, view.step);
    return { sentence: tell(view, scene) };
  },
});

/**
 * Rows of the text: the end of the match, and what came after it, with the drafted node wherever it was copied.
 * @param {View} view @param {number} fit
 */
function sceneOf({ round, step }, fit) {
  const working = workingOf(round, "suffix");
  const text = pathOf(round.frontier[0]).reverse();
  if (!working || !working.indices.length || working.indices.some((index) => index >= text.length)) return null;
  const matched = Math.min(working.length, MOST_MATCHED, Math.max(1, Math.floor(fit / 3)));
  const followed = Math.min(round.layers.length, fit - matched);
  const value = new Map(working.nodes.map((node, i) => [node, working.values[i]]));
  const rows = working.indices.map((index) => {
    /** @type {TreeNode | null} */
    let above = round.frontier[0];
    const after = text.slice(index, index + followed).map((node) => {
      const drawn = above && round.nodes.find((each) => each.parent === above && each.token === node.token);
      above = drawn || null;
      return { node, drawn: above };
    });
    return { match: text.slice(index - matched, index), after, now: false };
  });
  const now = isOver(step) ? round.committed.slice(0, followed).map((node) => ({ node, drawn: node })) : [];
  return {
    working,
    value,
    matched,
    followed,
    last: text[text.length - 1],
    rows: [...rows, { match: text.slice(-matched), after: now, now: true }],
  };
}

/** @param {Picture} picture @param {Scene} scene @param {Step} step */
function paint(picture, scene, step) {
  const { rows, matched, followed } = scene;
  const pitch = Math.min(WIDEST, picture.width / (matched + followed));
  /** @param {number} column */
  const middle = (column) => (column + 0.5) * pitch;
  picture.rect(2, HEAD, matched * pitch - 4, rows.length * ROW, "sp-lens-match", 7);
  picture.text((matched * pitch) / 2, HEAD - 10, say("lens_lookup_same"), "sp-lens-quiet", "middle");
  picture.text(matched * pitch + 8, HEAD - 10, say("lens_suffix_after"), "sp-lens-quiet");
  rows.forEach((row, i) => {
    const y = HEAD + (i + 0.5) * ROW;
    if (row.now) picture.line(0, y - ROW / 2, picture.width, y - ROW / 2, "sp-lens-grid");
    row.match.forEach((node, column) => token(picture, node, middle(column), y, pitch, row.now ? "sp-lens-drawn" : ""));
    row.after.forEach(({ node, drawn }, column) => {
      const shown = drawn && (row.now || isDrafted(drawn, step)) ? drawn : null;
      const share = shown ? scene.value.get(shown) : undefined;
      token(
        picture,
        shown || node,
        middle(matched + column),
        y,
        pitch - (shown ? BADGE : 0),
        shown ? "sp-lens-drawn" : "",
        share,
      );
      const state = shown ? stateOf(shown, step) : "pending";
      if (state !== "pending" && state !== "scored")
        picture.badge(state, middle(matched + column) + pitch / 2 - 12, y, 0.8);
    });
  });
  picture.end(HEAD + rows.length * ROW + 4);
}

/**
 * @param {Picture} picture @param {TreeNode} node @param {number} x @param {number} y @param {number} width
 * @param {string} className @param {number} [share]
 */
function token(picture, node, x, y, width, className, share) {
  const values = {
    token: quoted(node.piece),
    position: node.depth + 1,
    share: share === undefined ? "" : probability(share),
  };
  const label = say(share === undefined ? "lens_lookup_item" : "lens_suffix_item", values);
  picture.item(node, label, { x: x - width / 2 + 2, y: y - 14, width: width - 4, height: 28 }, () =>
    picture.text(x, y + 5, picture.fitted(node.piece, width - 8), "sp-lens-token " + className, "middle"),
  );
}

/** @param {View} view @param {Scene} scene */
function tell({ round, step }, { working, last, rows }) {
  const values = {
    count: working.length,
    token: quoted(last.piece),
    places: working.num_indices,
    shown: rows.length - 1,
    nodes: working.nodes.length,
    score: decimal(working.score, 2),
  };
  if (isOver(step)) {
    const accepted = keptDrafts(round);
    return say("lens_lookup_over", { copied: values.nodes, kept: accepted });
  }
  const said = say("lens_suffix_found", values);
  return rows.length - 1 < working.num_indices ? `${said} ${say("lens_suffix_more", values)}` : said;
}
