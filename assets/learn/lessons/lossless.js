/** Losslessness: two roads to every token, and together they are p. */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { correction, end, rowsAt, stepOf, stepOfVerdict } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  lossless_title: "Why it is lossless",
  lossless_goal:
    "Every token becomes text as a kept guess or as a correction, and the two probabilities add up to p: the text is the target's, whatever the draft model is.",
  lossless_wrong:
    "“Lossless means the same text as without drafts.” With chance in it, it means the same probabilities; the same text only at temperature 0.",
  lossless_roads_title: "Two roads to one token",
  lossless_roads_text:
    "Take {token} at this place: q = {q}, p = {p}. As a guess it is drawn with probability q and then kept with min(1, p/q). Multiplied, that is the smaller of p and q: {least}. As a correction: a guess is refused here with probability {refused}, and then {token} is drawn with {left}. Multiplied, {rest}: what p has above q.",
  lossless_roads_ask: "With which probability does {token} stand here in the end?",
  lossless_roads_told:
    "{least} + {rest} = {p}, which is p itself. It works out so for every token: the draft model no longer matters.",
  lossless_bad_title: "A bad draft model costs time, not quality",
  lossless_bad_text:
    "At this place the draft model and the target overlap by {overlap}: that is the probability that a guess is kept here. A draft model that agreed with nothing would have 0, every guess would be refused, and all of p would be left for the correction. Slower than plain decoding, and every probability the same.",
  lossless_greedy_title: "Without chance, token for token",
  lossless_greedy_text:
    "This run has temperature 0: the target always writes its most likely token. {rejected} of its {judged} tested guesses were refused.",
  lossless_greedy_ask: "How many of the {tokens} tokens are others than plain decoding would have written?",
  lossless_greedy_told:
    "{differ}. At temperature 0 a guess is kept only if it is the target's most likely token; otherwise that token is written.",
  lossless_bench:
    "Watch it tested: 100,000 runs against the exact law, and a rule with a mistake beside it that is caught.",
  lossless_same: "Run greedily yourself: set the temperature to 0, and change the draft length. The text stays.",
});

const drawn = (runs) => runs("speculative_sampling");
const certain = (runs) => runs("greedy");
const scene = (runs) => correction(drawn(runs));

/** p and q of the correction. */
const chances = (runs) => {
  const { round, refused, extra } = scene(runs);
  const [, p, q] = rowsAt(round, refused.node.parent).find((row) => row[0] === extra.token) || [
    extra.token,
    null,
    null,
  ];
  const refusal = 1 - round.call.overlaps[round.rowOf.get(refused.node.parent)]; // of whichever guess is drawn here
  const residual = Math.max(0, p - q);
  return {
    token: quoted(extra.piece),
    p,
    q,
    least: Math.min(p, q),
    rest: residual,
    refused: refusal,
    left: residual / refusal,
  };
};
const short = (value) => Number(probability(value));

/** Tokens of the greedy run that had not all of p: none, if the rule is right. */
const differing = (runs) => {
  const verdicts = certain(runs)
    .rounds.flatMap((round) => round.verdicts)
    .filter((verdict) => verdict.outcome === "accepted");
  return (
    verdicts.filter((verdict) => verdict.p !== 1).length +
    certain(runs).words.filter((word) => word.extraProb !== null && word.extraProb < 0.999).length
  );
};

/** @type {import("../lesson.js").Lesson} */
export const lossless = {
  id: "lossless",
  minutes: 7,
  runs: ["speculative_sampling", "greedy"],
  pages: [
    {
      name: "roads",
      run: "speculative_sampling",
      side: "rule",
      at: (runs) => stepOfVerdict(drawn(runs), scene(runs).refused),
      values: (runs) =>
        Object.fromEntries(
          Object.entries(chances(runs)).map(([name, value]) => [
            name,
            typeof value === "string" ? value : probability(value),
          ]),
        ),
      question: {
        ...numbers((runs) => [
          short(chances(runs).p),
          short(chances(runs).q),
          short((chances(runs).p + chances(runs).q) / 2),
        ]),
        at: (runs) => stepOf(drawn(runs), scene(runs).round, "committed"),
      },
    },
    {
      name: "bad",
      run: "speculative_sampling",
      side: "token",
      at: (runs) => stepOf(drawn(runs), scene(runs).round, "committed"),
      values: (runs) => ({
        overlap: probability(
          scene(runs).round.call.overlaps[scene(runs).round.rowOf.get(scene(runs).refused.node.parent)],
        ),
      }),
    },
    {
      name: "greedy",
      run: "greedy",
      at: (runs) => stepOf(certain(runs), certain(runs).rounds[1], "scored"),
      values: (runs) => {
        const { judged, accepted } = certain(runs).steps[end(certain(runs))].totals;
        return {
          judged,
          rejected: judged - accepted,
          tokens: certain(runs).finished.num_tokens,
          differ: differing(runs),
        };
      },
      question: {
        ...numbers((runs) => {
          const { judged, accepted } = certain(runs).steps[end(certain(runs))].totals;
          return [differing(runs), judged - accepted, certain(runs).finished.num_tokens - accepted + 1];
        }),
        at: (runs) => end(certain(runs)),
        side: "rounds",
      },
    },
  ],
  exercises: [
    ["bench", "?tab=lab&section=losslessness"],
    ["same", "?method=speculative_sampling&temperature=0"],
  ],
};
