/**
 * The lens of beams: their ranks over the steps of the text, as a braid. Lines cross where ranks change.
 */

import { quoted } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { edgePath } from "../stage/layout.js";
import { braidOf } from "../trace/beams.js";
import { pathOf } from "../trace/records.js";
import { addLens } from "./lens.js";

/**
 * @import { Key } from "./lens.js"
 * @import { Picture } from "./picture.js"
 * @import { Step } from "../trace/records.js"
 */
/**
 * @typedef {import("../trace/beams.js").Beam & {best?: boolean, dies?: boolean}} Beam
 * @typedef {Omit<import("../trace/beams.js").BeamColumn, "beams"> & {beams: Beam[]}} Column
 */

const LEFT = 26; // px for the ranks
const RIGHT = 62; // px for the log-probabilities
const LEAST = 74; // px of a step; on a phone less

addLens({
  id: "braid",
  suits: (trace) =>
    trace.rounds.some(
      (round) => round.beams && (round.next?.length ?? 0) > 1 && (round.commit?.frontier_log_probs?.length ?? 0) > 0,
    ),
  draw(picture, { trace, step }) {
    const { columns, most } = braidOf(trace);
    const shown = columns
      .filter((column) => column.step <= step.index)
      .map((column) => /** @type {Column} */ ({ ...column }));
    const key = keyOf(shown.some((column, i) => i > 0 && column.round === shown[i - 1].round));
    if (!shown.length) return { place: "", sentence: say("lens_braid_waiting"), key };
    withFates(shown);
    paint(picture, shown, most);
    return { place: say("round", { round: shown[shown.length - 1].round.number }), sentence: tell(shown, step), key };
  },
});

/**
 * Beams on the best text, and those that found no continuation, as far as the steps shown know.
 * @param {Column[]} shown
 */
function withFates(shown) {
  const best = new Set(pathOf(shown[shown.length - 1].round.best));
  shown.forEach((column, i) => {
    const next = shown[i + 1];
    const above = new Set(next ? next.beams.map((beam) => beam.node.parent) : []);
    column.beams = column.beams.map((beam) => ({
      ...beam,
      best: best.has(beam.node),
      dies: Boolean(next) && !beam.ended && !above.has(beam.node),
    }));
  });
}

// -- the picture -------------------------------------------------------------------------------------------------

/** @param {Picture} picture @param {Column[]} columns @param {number} most */
function paint(picture, columns, most) {
  const row = Math.max(22, Math.min(most <= 6 ? 34 : 25, (picture.high - 14) / Math.max(1, most)));
  const fit = Math.max(2, Math.floor((picture.width - LEFT - RIGHT) / (picture.narrow ? 62 : LEAST)));
  const shown = columns.slice(-fit);
  const pitch = Math.min(150, (picture.width - LEFT - RIGHT) / Math.max(shown.length, Math.min(fit, 4)));
  const top = 8;
  /** @param {Beam} beam */
  const y = (beam) => top + (beam.rank - 0.5) * row;
  /** @param {number} i */
  const left = (i) => LEFT + i * pitch;
  const wide = pitch - (picture.narrow ? 18 : 26); // of a chip
  const lowest = Math.max(...shown.flatMap((column) => column.beams.map((beam) => beam.rank + beam.times - 1)));
  for (let rank = 1; rank <= lowest; rank++)
    picture.text(0, top + (rank - 0.5) * row + 4, String(rank), "sp-lens-small");
  // Lines first, the best text's last, so that it is drawn above those it crosses.
  for (const best of [false, true])
    shown.forEach((column, i) => {
      if (i === 0) return;
      for (const beam of column.beams) {
        const parent = shown[i - 1].beams.find((other) => other.node === beam.node.parent);
        if (parent && (beam.best && parent.best) === best)
          picture.path(
            edgePath(left(i - 1) + wide, y(parent), left(i), y(beam)),
            "sp-lens-strand" + (best ? " sp-lens-best" : ""),
          );
      }
    });
  const first = shown[0].depth - columns[0].depth;
  shown.forEach((column, i) =>
    column.beams.forEach((beam) => paintBeam(picture, beam, first + i + 1, left(i), y(beam), wide)),
  );
  const last = shown[shown.length - 1];
  last.beams.forEach((beam) =>
    picture.text(
      left(shown.length - 1) + wide + 8,
      y(beam) + 4,
      decimal(beam.score, 2).replace("-", "−"),
      "sp-lens-small" + (beam.best ? " sp-lens-named" : ""),
    ),
  );
  picture.end(top + lowest * row + 6);
}

/**
 * @param {Picture} picture @param {Beam} beam @param {number} step @param {number} x @param {number} y
 * @param {number} width
 */
function paintBeam(picture, beam, step, x, y, width) {
  const fate = beam.dies ? "lens_braid_dies" : beam.ended ? "lens_braid_ends" : beam.best ? "lens_braid_best" : "";
  const label = say("lens_braid_item", {
    step,
    rank: beam.rank,
    token: quoted(beam.node.piece),
    score: decimal(beam.score, 2).replace("-", "−"),
    fate: fate ? say(fate) : "",
  });
  picture.item(beam.node, label, { x, y: y - 12, width, height: 24 }, () => {
    picture.rect(
      x,
      y - 10,
      width,
      20,
      "sp-lens-bead" + (beam.best ? " sp-lens-best" : beam.dies ? " sp-lens-dead" : ""),
      6,
    );
    picture.text(
      x + width / 2,
      y + 4,
      picture.fitted(beam.node.piece, width - 8),
      "sp-lens-token" + (beam.dies ? "" : " sp-lens-drawn"),
      "middle",
    );
    if (beam.times > 1) picture.text(x + width + 2, y - 6, "×" + beam.times, "sp-lens-small sp-lens-named");
    if (beam.dies) picture.path(`M${x + width} ${y}h7m0 -6v12`, "sp-lens-stop");
    if (beam.ended) picture.rect(x + width + 3, y - 4, 8, 8, "sp-fill-ink", 1);
  });
}

// -- the words ---------------------------------------------------------------------------------------------------

/** @param {Column[]} columns @param {Step} step */
function tell(columns, step) {
  const last = columns[columns.length - 1];
  const before = columns[columns.length - 2];
  const alive = last.beams.filter((beam) => !beam.ended);
  const leader = last.beams.find((beam) => beam.best) || last.beams[0];
  const values = {
    count: alive.reduce((sum, beam) => sum + beam.times, 0),
    score: decimal(leader.score, 2).replace("-", "−"),
  };
  const over = last.round.rewritten && last.step === step.index ? say("lens_braid_over") : "";
  if (values.count === 1) return say("lens_braid_single", values) + over;
  // Inside a round only beams that lived to its end are recorded: nothing can be said of the others.
  if (!before || before.round === last.round) return say("lens_braid_first", values) + over;
  const dead = before.beams.filter((beam) => beam.dies).length;
  return say("lens_braid_told", { ...values, dead, before: before.beams.filter((beam) => !beam.ended).length }) + over;
}

/** @param {boolean} several @returns {Key} */
function keyOf(several) {
  /** @type {Key} */
  const key = [
    [(picture) => picture.path("M1 7H25", "sp-lens-strand sp-lens-best"), "lens_key_braid_best"],
    [(picture) => picture.path("M1 3C13 3 13 11 25 11", "sp-lens-strand"), "lens_key_braid_line"],
    [(picture) => picture.path("M4 7h14m0 -6v12", "sp-lens-stop"), "lens_key_braid_dead"],
    [(picture) => picture.rect(9, 3, 8, 8, "sp-fill-ink", 1), "lens_key_braid_end"],
    ["ln p", "lens_key_braid_score"],
  ];
  return several ? key.concat([["1, 2, …", "lens_key_braid_inside"]]) : key;
}
