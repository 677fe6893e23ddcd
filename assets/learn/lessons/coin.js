/** The coin and the correction: how one guess is judged. */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { before, correction, isTossed, isWord, stepOf, stepOfVerdict, telling } from "../finding.js";

learn({
  coin_title: "The coin and the correction",
  coin_goal:
    "A guess is kept with probability min(1, p/q); what a refusal leaves of p is what the correction is drawn from.",
  coin_wrong:
    "“A guess is refused when the target finds it unlikely.” Only the ratio counts: an unlikely guess is kept for sure if the draft model found it even less likely.",
  coin_ratio_title: "Two opinions on one token",
  coin_ratio_text:
    "The draft model drew {token} with probability q = {q}. The target would have drawn it with p = {p}. A coin decides: the guess is kept if a number drawn between 0 and 1 falls below p/q. Of a token that is proposed too often, just the surplus is thrown out this way; where p is above q, a guess is always kept.",
  coin_kept_title: "Is it kept?",
  coin_kept_text: "Here p/q = {ratio}, so the guess is kept with probability {accept}. The coin falls at {coin}.",
  coin_kept_ask: "What becomes of {token}?",
  coin_kept_told: "The coin {coin} is {side} {accept}: {outcome}.",
  coin_yes: "It is kept",
  coin_no: "It is refused",
  coin_below: "below",
  coin_above: "not below",
  coin_outcome_accepted: "it is kept",
  coin_outcome_rejected: "it is refused",
  coin_refused_title: "A refusal",
  coin_refused_text:
    "This guess, {token}, had p = {p} against q = {q}. It is kept with probability {ratio}, and its coin fell at {coin}: refused. Everything guessed after it is void, for it was guessed after a token that is not text.",
  coin_rest_title: "What is left of p",
  coin_rest_text:
    "The target's own token comes in its place. It is not drawn from p: tokens that the draft model proposes often enough got their share as guesses. It is drawn from what p has above q, the dark blue parts on the right; the purple bars show them scaled up to 1. Here it was {extra}.",
  coin_rest_ask: "Which of these tokens could not have been the correction?",
  coin_rest_told:
    "{never}: its p is {p} and its q is {q}. Nothing of p sticks out above q there, so it can only become text as a kept guess.",
  coin_lab: "Draw p and q with the mouse in the Lab, and watch the overlap.",
  coin_again: "Run with another seed: other coins, the same rule.",
});

const run = (runs) => runs("speculative_sampling");

/** A coin that had something to decide. */
const tossed = (runs) => {
  const all = run(runs)
    .rounds.flatMap((round) => round.verdicts)
    .filter(
      (verdict) => verdict.coin !== null && verdict.accept !== null && verdict.accept < 0.95 && verdict.accept > 0.2,
    );
  const byChance = all.filter(isTossed);
  return byChance.find(({ node }) => isWord(node)) || byChance[0] || telling(run(runs)).verdicts[0];
};
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
        p: probability(tossed(runs).p),
        q: probability(tossed(runs).q),
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
          p: probability(p),
          q: probability(q),
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
