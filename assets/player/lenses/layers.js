/**
 * The layer strip: what each layer of the target would have said where a drafted token was tested, and from which layer
 * on that token would have been kept.
 */

import { quoted, visible } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { addLens, isAnswered, testsSeen, workingOf } from "./lens.js";
import { signs } from "./picture.js";

/**
 * @typedef {import("../trace/records.js").WorkingOf<"layers">} Working
 * @import { Verdict } from "../trace/records.js"
 * @import { Picture } from "./picture.js"
 * @import { View, Key } from "./lens.js"
 * @import { Trace } from "../trace/trace.js"
 * @typedef {Working & {verdict: Verdict, passes: boolean[] | null, top: boolean[]}} Scene
 */

const [LEAST_ROW, ROW] = [16, 28]; // px of a layer: what the panel leaves
const HEAD = 26; // px above the rows
const NUMBER = 30; // px of a layer's number
const FIGURE = 92; // px of the two probabilities
const NEAR = 1e-3; // of numbers that have had four digits

addLens({
  id: "layers",
  kind: "layers",
  spot: (view) => verdictIn(view)?.node || view.round,
  draw(picture, view) {
    const verdict = verdictIn(view);
    const working = verdict && workingOf(view.round, "layers", verdict.node);
    if (!working || !isAnswered(view.round, view.step)) {
      const before = view.round.layers.length && !verdict;
      return before ? { sentence: say("lens_layers_before") } : null;
    }
    const scene = {
      ...working,
      verdict,
      passes: passesOf(working, verdict),
      top: working.tokens.map((token) => token === verdict.node.token),
    };
    paint(picture, scene, view.trace, exitOf(view.trace));
    const heading = say("lens_layers_place", { round: view.round.number, token: quoted(verdict.node.piece) });
    return { place: heading, sentence: tell(scene), key: keyOf(scene, exitOf(view.trace)) };
  },
});

/**
 * The layer that the draft left the target after; 0 where something else drafted. Older runs may have a trained exit,
 * whose q is another than the layer's.
 *
 * @param {{ run: any }} trace
 */
function exitOf({ run }) {
  const draft = run && run.draft;
  return draft && Number.isInteger(draft.exit) && !draft.trained_exit ? draft.exit : 0;
}

/** The verdict on the marked token, else the last that the step has reached. @param {View} view */
function verdictIn({ round, step, marked }) {
  const tested = testsSeen(round, step);
  return tested.find((verdict) => verdict.node === marked) || tested[tested.length - 1] || null;
}

/**
 * Of each layer, whether the coin that fell would have kept the token under that layer's law; null where the test was
 * not one of p/q, so that another layer's p alone does not tell.
 * @param {Working} it @param {Verdict} it
 */
function passesOf({ drafted }, { p, q, accept, coin }) {
  if (typeof coin !== "number" || typeof p !== "number" || typeof accept !== "number" || !q) return null;
  if (Math.abs(accept - Math.min(1, p / q)) > NEAR) return null;
  return drafted.map((share, i) => (i === drafted.length - 1 ? coin < accept : coin * q < share));
}

/** @param {Picture} picture @param {Scene} it @param {Trace} trace @param {number} exit */
function paint(picture, { tokens, best, drafted, top, passes }, trace, exit) {
  const count = tokens.length;
  const row = Math.max(LEAST_ROW, Math.min(ROW, Math.floor((picture.high - HEAD) / count)));
  const bar = row / 4;
  const name = Math.min(132, picture.width * 0.32);
  const left = NUMBER + name;
  const wide = Math.max(30, picture.width - left - FIGURE - 10);
  picture.text(0, 15, say("lens_layers_layer"), "sp-lens-quiet");
  picture.text(picture.width, 15, say("lens_layers_figures"), "sp-lens-quiet", "end");
  for (let i = 0; i < count; i++) {
    const y = HEAD + (count - i - 0.5) * row; // the last layer at the top
    const piece = trace.piece(tokens[i]);
    const values = { layer: i + 1, token: quoted(piece), best: probability(best[i]), drafted: probability(drafted[i]) };
    const passed = passes && passes[i];
    const outcome = passes ? ", " + say(passed ? "draw_would_accepted" : "draw_would_rejected") : "";
    picture.item(
      null,
      say("lens_layers_item", values) + outcome,
      { x: 0, y: y - row / 2, width: picture.width, height: row },
      () => {
        if (passed) picture.rect(0, y - row / 2 + 1, picture.width, row - 2, "sp-lens-match", 5);
        picture.text(NUMBER - 10, y + 5, String(i + 1), i + 1 === exit ? "sp-lens-strong" : "sp-lens-quiet", "end");
        picture.text(
          NUMBER,
          y + 5,
          picture.fitted(piece, name - 10, 14),
          "sp-lens-token " + (top[i] ? "sp-lens-drawn" : ""),
        );
        picture.bar(left, y - 1 - bar, wide * best[i], bar, "sp-lens-pmk");
        picture.bar(left, y + 1, wide * drafted[i], bar, "sp-fill-p");
        picture.text(picture.width - 4, y + 5, `${probability(best[i])} · ${probability(drafted[i])}`, "", "end");
      },
    );
  }
  const behind = HEAD + (count - exit) * row;
  if (exit) picture.line(0, behind, picture.width, behind, "sp-lens-threshold");
  picture.end(HEAD + count * row + 2);
}

/** The first layer from which on all are so; 0 where the last is not. @param {boolean[]} flags */
function fromOn(flags) {
  let first = flags.length;
  while (first > 0 && flags[first - 1]) first -= 1;
  return first === flags.length ? 0 : first + 1;
}

/** @param {Scene} it */
function tell({ tokens, top, passes, verdict }) {
  const values = { token: quoted(visible(verdict.node.piece, 16)), count: tokens.length };
  const likeliest = fromOn(top);
  const said = likeliest
    ? say("lens_layers_top", { ...values, layer: likeliest })
    : say("lens_layers_never_top", values);
  if (!passes) return said;
  const passed = fromOn(passes);
  if (passed) return `${said} ${say("lens_layers_from", { ...values, layer: passed })}`;
  const early = passes.filter(Boolean).length;
  return `${said} ${say(early ? "lens_layers_lost" : "lens_layers_nowhere", { ...values, early })}`;
}

/** @param {Scene} it @param {number} exit @returns {Key} */
function keyOf({ passes }, exit) {
  /** @type {Key} */
  const key = [
    [(picture) => picture.text(13, 12, "1", "sp-lens-quiet", "middle"), "lens_key_layers_lens"],
    [(picture) => picture.rect(1, 3, 24, 8, "sp-lens-pmk", 2), "lens_key_layers_best"],
    [(picture) => picture.rect(1, 3, 24, 8, "sp-fill-p", 2), "lens_key_layers_drafted"],
  ];
  if (exit) key.push([signs.dashed("sp-lens-threshold"), "lens_key_layers_exit", { exit }]);
  if (passes) key.push([(picture) => picture.rect(1, 1, 24, 12, "sp-lens-match", 4), "lens_key_layers_kept"]);
  return key;
}
