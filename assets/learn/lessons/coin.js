/** The coin and the correction: how one guess is judged. */

import { quoted } from "../../shared/elements.js";
import { precise, probability } from "../../shared/numbers.js";
import { pathOf } from "../../player/trace/records.js";
import { before, correction, isTossed, isWord, stepOf, stepOfVerdict, telling } from "../finding.js";

const run = (runs) => runs("speculative_sampling");

/** A coin that had something to decide. */
const tossed = (runs) => {
  const all = run(runs)
    .rounds.flatMap((round) => round.verdicts)
    .filter(
      (verdict) => verdict.coin !== null && verdict.accept !== null && verdict.accept < 0.95 && verdict.accept > 0.2,
    );
  const byChance = all.filter(isTossed);
  const words = byChance.filter(({ node }) => isWord(node));
  return words.find(({ node }) => isWhole(node)) || words[0] || byChance[0] || telling(run(runs)).verdicts[0];
};
/** True below whole words, as the stage shows the last of them. */
const isWhole = (node) =>
  pathOf(node)
    .slice(-8)
    .every(({ piece }) => !/^\p{L}/u.test(piece));
const refusal = (runs) => correction(run(runs));

/** A token that the draft model likes more than the target, and two others that it likes less; by falling p. */
const three = (runs) => {
  const { round, refused, extra } = refusal(runs);
  const rows = round.call.alternatives[round.rowOf.get(refused.node.parent)].filter(
    (row) => row[2] !== null && row[0] !== refused.node.token,
  );
  const never = rows.find((row) => row[1] <= row[2]) || [refused.node.token, refused.p, refused.q];
  const others = rows.filter((row) => row[1] > row[2] && row[0] !== extra.token).slice(0, 2);
  return { never, all: [never, ...others].sort((a, b) => b[1] - a[1]) };
};

/** @type {import("../lesson.js").Lesson} */
export const coin = {
  id: "coin",
  minutes: 7,
  runs: ["speculative_sampling"],
  pages: [
    {
      name: "ratio",
      run: "speculative_sampling",
      side: "token",
      at: (runs) => before(run(runs), tossed(runs)),
      values: (runs) => ({
        token: quoted(tossed(runs).node.piece),
        p: precise(tossed(runs).p),
        q: precise(tossed(runs).q),
      }),
    },
    {
      name: "kept",
      run: "speculative_sampling",
      side: "rule",
      at: (runs) => before(run(runs), tossed(runs)),
      values: (runs) => {
        const { node, p, q, accept, coin: fell, outcome } = tossed(runs);
        const below = outcome === "accepted";
        return {
          token: quoted(node.piece),
          ratio: probability(p / q),
          accept: probability(accept),
          coin: probability(fell),
          side: below ? "coin_below" : "coin_above",
          outcome: "coin_outcome_" + outcome,
        };
      },
      question: {
        choices: () => ["coin_yes", "coin_no"],
        right: (runs) => (tossed(runs).outcome === "accepted" ? 0 : 1),
        at: (runs) => stepOfVerdict(run(runs), tossed(runs)),
      },
    },
    {
      name: "refused",
      run: "speculative_sampling",
      side: "token",
      at: (runs) => stepOfVerdict(run(runs), refusal(runs).refused),
      values: (runs) => {
        const { node, p, q, accept, coin: fell } = refusal(runs).refused;
        return {
          token: quoted(node.piece),
          p: precise(p),
          q: precise(q),
          ratio: probability(accept),
          coin: probability(fell),
        };
      },
    },
    {
      name: "rest",
      run: "speculative_sampling",
      side: "rule",
      at: (runs) => stepOf(run(runs), refusal(runs).round, "committed"),
      values: (runs) => {
        const [token, p, q] = three(runs).never;
        return {
          extra: quoted(refusal(runs).extra.piece),
          never: quoted(run(runs).piece(token)),
          p: probability(p),
          q: probability(q),
        };
      },
      question: {
        choices: (runs) => three(runs).all.map((row) => quoted(run(runs).piece(row[0]))),
        right: (runs) => three(runs).all.indexOf(three(runs).all.find((row) => row[0] === three(runs).never[0])),
      },
    },
  ],
  exercises: [
    ["lab", "?tab=lab"],
    ["again", "?method=speculative_sampling&seed=5"],
  ],
};
