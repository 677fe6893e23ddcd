/**
 * The lens of traversal verification: the paths in the order of their tests, from the leaves up, each with its chance
 * and its coin.
 */

import { quoted, visible } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { pathOf } from "../trace/records.js";
import { addLens, isAnswered, isOver } from "./lens.js";
import { signs } from "./picture.js";
import { seenVerdict } from "./plot.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Round, TreeNode, Verdict } from "../trace/records.js"
 */

const ROW = 26; // px
const MOST = 10; // rows; where there are more paths, those around the last one tested

addLens({
  id: "traversal",
  kind: "traversal",
  key: [
    [signs.bar("sp-lens-chance sp-is-rejected"), "lens_key_path_chance"],
    [signs.dot("sp-coin-dot sp-is-accepted"), "lens_key_path_coin"],
  ],
  draw(picture, view) {
    const { round, step, trace } = view;
    if (!round.nodes.length) return null;
    const order = inOrder(round);
    const tests = testsOf(round).filter((verdict) => verdict.index < step.verdicts);
    const fit = picture.rowsWithin(MOST, ROW, 24);
    const first = Math.max(0, Math.min(order.length - fit, tests.length - fit + 2));
    const most = Math.min(
      fit,
      trace.rounds.reduce((high, each) => Math.max(high, each.nodes.length), 1),
    );
    const words = picture.narrow ? 136 : Math.min(340, 0.42 * picture.width);
    const path = say("lens_traversal_path");
    const isShort = picture.measure(path) > words - 36;
    picture.text(28, 13, isShort ? say("lens_traversal_path_short") : path, "sp-lens-small");
    picture.text(words, 13, say("lens_traversal_chance"), "sp-lens-small");
    if (isAnswered(round, step))
      order
        .slice(first, first + fit)
        .forEach((node, i) => paintRow(picture, view, node, first + i + 1, 22 + i * ROW, words));
    picture.end(24 + most * ROW);
    return { sentence: tell(view, tests) };
  },
});

/** @param {Round} round */
const testsOf = (round) => round.verdicts.filter((verdict) => verdict.coin !== null && verdict.accept !== null);

/**
 * The drafted nodes in the order of the tests: below a node first, its children in draw order, then the node itself.
 * @param {Round} round
 */
function inOrder(round) {
  const below = new Map();
  for (const node of round.nodes) below.set(node.parent, (below.get(node.parent) || []).concat(node));
  /** @param {TreeNode} node */
  const descend = (node) =>
    (below.get(node) || []).flatMap(descend).concat(node.round === round.number && node.kind === "draft" ? node : []);
  return round.frontier.flatMap(descend);
}

/** The tokens from below the frontier down to the node. @param {TreeNode} node */
function pathTo(node) {
  const path = pathOf(node).filter((above) => above.kind === "draft" && above.round === node.round);
  return path
    .reverse()
    .map((above) => visible(above.piece, 12))
    .join("");
}

/**
 * @param {Picture} picture @param {View} view @param {TreeNode} node @param {number} number @param {number} top
 * @param {number} words
 */
function paintRow(picture, { step }, node, number, top, words) {
  const middle = top + ROW / 2;
  const path = pathTo(node);
  const verdict = seenVerdict(node.draws[0], step);
  const tested = verdict && verdict.coin !== null && verdict.accept !== null ? verdict : null;
  const values = {
    number,
    path: path.replace(/·/g, " ").trim(),
    accept: probability(tested && tested.accept),
    coin: probability(tested && tested.coin),
  };
  const space = picture.width - words - 62;
  picture.item(
    node,
    say(tested ? "lens_traversal_item" : "lens_traversal_item_untested", values),
    { x: 0, y: top + 1, width: picture.width, height: ROW - 2 },
    () => {
      picture.text(20, middle + 4, String(number), "sp-lens-small", "end");
      picture.text(
        28,
        middle + 4,
        shortened(picture, path, words - 38),
        "sp-lens-token" + (verdict && verdict.outcome !== "not_tested" ? " sp-lens-drawn" : ""),
      );
      if (tested) {
        picture.rect(words, middle - 4, space, 8, "sp-track", 3);
        picture.bar(
          words,
          middle - 4,
          space * Math.min(1, tested.accept ?? 0),
          8,
          "sp-lens-chance sp-is-" + tested.outcome,
        );
        picture.dot(words + space * (tested.coin ?? 0), middle, 4.5, "sp-coin-dot sp-is-" + tested.outcome);
        picture.text(picture.width - 22, middle + 4, probability(tested.accept), "sp-lens-small", "end");
      } else if (verdict && verdict.outcome === "accepted")
        picture.text(words, middle + 4, say("lens_traversal_kept"), "sp-lens-small");
      picture.badge(verdict ? verdict.outcome : "pending", picture.width - 9, middle, 0.8);
    },
  );
}

/**
 * The end of a path says where it leads, so the beginning gives way.
 * @param {Picture} picture @param {string} path @param {number} width
 */
function shortened(picture, path, width) {
  let letters = Array.from(path);
  while (letters.length > 2 && picture.measure("…" + letters.join("")) > width) letters = letters.slice(1);
  return letters.length < Array.from(path).length ? "…" + letters.join("") : path;
}

/** @param {View} view @param {Verdict[]} tests */
function tell({ round, step }, tests) {
  if (!isAnswered(round, step)) return say("lens_drafted");
  const verdict = tests[tests.length - 1];
  if (!verdict) return say("lens_traversal_scored");
  const values = {
    token: quoted(verdict.node.piece),
    accept: probability(verdict.accept),
    coin: probability(verdict.coin),
    number: tests.length,
  };
  const accepted = round.verdicts.filter((each) => each.outcome === "accepted").length;
  if (verdict.outcome === "accepted") return say("lens_traversal_passed", { ...values, kept: accepted });
  return say(isOver(step) ? "lens_traversal_none" : "lens_traversal_failed", values);
}
