/** Losslessness: two roads to every token, and together they are p. */

import { quoted } from "../../shared/elements.js";
import { probability } from "../../shared/numbers.js";
import { correction, end, rowsAt, stepOf, stepOfVerdict } from "../finding.js";
import { numbers } from "../lesson.js";

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
