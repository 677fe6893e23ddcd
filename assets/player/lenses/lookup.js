/**
 * The lens of prompt lookup: the place in the text where the last tokens stood before, above what is copied from there.
 */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { pathOf } from "../trace/records.js";
import { addLens, isOver, workingOf, keptDrafts } from "./lens.js";
import { signs } from "./picture.js";
import { chainOf, seenVerdict } from "./plot.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { View } from "./lens.js"
 * @import { Step, TreeNode } from "../trace/records.js"
 * @typedef {{earlier: TreeNode, now: TreeNode | null, draw?: import("../trace/records.js").Draw, kind: string}} Pair
 * @typedef {NonNullable<ReturnType<typeof sceneOf>>} Scene what is drawn
 */

const BEFORE = 2; // tokens of context in front of the match
const LOWEST = 20; // px of a row
const LEAST = 54; // px of a column; with less, the positions are below each other

addLens({
  id: "lookup",
  kind: "prompt_lookup",
  key: [
    [(picture) => picture.rect(1, 1, 24, 12, "sp-lens-match", 4), "lens_key_match"],
    [(picture) => picture.path("M2 7h20m-5 -4l6 4l-6 4", "sp-lens-copy"), "lens_lookup_copied"],
    ["p", "lens_key_lookup_p"],
    [signs.badge("not_tested"), "state_not_tested"],
  ],
  draw(picture, view) {
    const { round, step } = view;
    const scene = sceneOf(view);
    if (!scene) return round.layers.length ? null : { sentence: say("lens_lookup_none") };
    const across = picture.width - 86 >= scene.places.length * LEAST;
    (across ? paintAcross : paintDown)(picture, scene, step);
    return { sentence: tell(view, scene) };
  },
});

/** Pairs of an earlier and a present token: a little context, the match, what is copied. @param {View} view */
function sceneOf({ round, step }) {
  const working = workingOf(round, "prompt_lookup");
  const chain = chainOf(round);
  const text = pathOf(round.frontier[0]).reverse();
  if (!working || !chain.length || working.length < 1) return null;
  const end = working.start + working.length; // in the text, the place after the match
  if (end >= text.length) return null;
  const suffix = text.length - working.length;
  /** @type {Pair[]} */
  const boxes = [];
  for (let i = -Math.min(BEFORE, working.start); i < working.length; i++)
    boxes.push({ earlier: text[working.start + i], now: text[suffix + i], kind: i < 0 ? "before" : "match" });
  chain.forEach((draw, i) => {
    // A copy that reaches the end of the text goes on with what it has copied.
    const shown = i < step.layers || step.kind !== "drafted";
    boxes.push({
      earlier: text[end + (i % (text.length - end))],
      now: shown ? draw.node : null,
      draw,
      kind: "copied",
    });
  });
  return { places: boxes, working, chain, match: text.slice(suffix) };
}

/** @param {Picture} picture @param {Scene} scene @param {Step} step */
function paintAcross(picture, { places: boxes, working }, step) {
  const left = 86;
  const pitch = Math.min(96, (picture.width - left) / boxes.length);
  const [above, below] = [46, 118];
  const first = boxes.findIndex((box) => box.kind === "match");
  picture.text(0, above + 4, say("lens_lookup_earlier"), "sp-lens-small");
  picture.text(0, below + 4, say("lens_lookup_now"), "sp-lens-small");
  for (const y of [above, below])
    picture.rect(left + first * pitch + 2, y - 16, working.length * pitch - 4, 32, "sp-lens-match", 7);
  picture.text(
    left + (first + working.length / 2) * pitch,
    above - 24,
    say("lens_lookup_same"),
    "sp-lens-small",
    "middle",
  );
  picture.text(left + (first + working.length) * pitch + 8, above - 24, say("lens_lookup_copied"), "sp-lens-small");
  boxes.forEach((box, i) => {
    const x = left + (i + 0.5) * pitch;
    token(picture, box.earlier, x, above, pitch, "");
    if (box.kind === "match")
      picture.path(`M${x - 3} ${above + 24}V${below - 24}M${x + 3} ${above + 24}V${below - 24}`, "sp-lens-same");
    if (!box.now) return;
    if (box.kind === "copied") picture.path(`M${x} ${above + 18}V${below - 22}m-4 -5l4 6l4 -6`, "sp-lens-copy");
    token(picture, box.now, x, below, pitch, box.kind === "copied" ? "sp-lens-drawn" : "");
    verdictAt(picture, box, step, x, below + 30);
  });
  picture.end(below + 58);
}

/** Draw the lookup from top to bottom, for a phone. @param {Picture} picture @param {Scene} scene @param {Step} step */
function paintDown(picture, { places: boxes, working }, step) {
  const top = 26;
  const row = Math.max(LOWEST, Math.min(27, (picture.high - top - 4) / boxes.length));
  const wide = Math.min(130, (picture.width - 100) / 2);
  const [left, right] = [wide / 2, wide * 1.5 + 30];
  picture.text(left, 14, say("lens_lookup_earlier"), "sp-lens-small", "middle");
  picture.text(right, 14, say("lens_lookup_now"), "sp-lens-small", "middle");
  const first = boxes.findIndex((box) => box.kind === "match");
  for (const x of [left, right])
    picture.rect(x - wide / 2, top + first * row + 1, wide, working.length * row - 2, "sp-lens-match", 7);
  boxes.forEach((box, i) => {
    const y = top + (i + 0.5) * row;
    token(picture, box.earlier, left, y, wide, "");
    if (box.kind === "match") picture.path(`M${wide + 8} ${y - 3}h14m-14 6h14`, "sp-lens-same");
    if (!box.now) return;
    if (box.kind === "copied") picture.path(`M${wide + 4} ${y}h20m-5 -4l6 4l-6 4`, "sp-lens-copy");
    token(picture, box.now, right, y, wide, box.kind === "copied" ? "sp-lens-drawn" : "");
    verdictAt(picture, box, step, right + wide / 2 + 12, y, true);
  });
  picture.end(top + boxes.length * row + 4);
}

/**
 * @param {Picture} picture @param {TreeNode} node @param {number} x @param {number} y @param {number} width
 * @param {string} className
 */
function token(picture, node, x, y, width, className) {
  picture.item(
    node,
    say("lens_lookup_item", { token: quoted(node.piece), position: node.depth + 1 }),
    { x: x - width / 2 + 2, y: y - 13, width: width - 4, height: 26 },
    () => picture.text(x, y + 4, picture.fitted(node.piece, width - 10), "sp-lens-token " + className, "middle"),
  );
}

/**
 * @param {Picture} picture @param {Pair} box @param {Step} step @param {number} x @param {number} y
 * @param {boolean} [beside]
 */
function verdictAt(picture, box, step, x, y, beside) {
  const verdict = box.draw && seenVerdict(box.draw, step);
  if (!verdict) return;
  picture.badge(verdict.outcome, x, y, 0.85);
  if (verdict.accept !== null)
    picture.text(
      beside ? x + 12 : x,
      beside ? y + 4 : y + 22,
      say("lens_lookup_p", { p: probability(verdict.accept) }),
      "sp-lens-small",
      beside ? "start" : "middle",
    );
}

/** @param {View} view @param {Scene} scene */
function tell({ round, step }, { chain, match }) {
  const last = match[match.length - 1];
  const values = { count: match.length, token: quoted(last.piece), copied: chain.length };
  if (!isOver(step)) return say("lens_lookup_found", values);
  const accepted = keptDrafts(round);
  return say("lens_lookup_over", { ...values, kept: accepted });
}
