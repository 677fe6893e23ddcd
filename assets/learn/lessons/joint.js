/** Several tokens, judged at once. */

import { end, rounded, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

const block = (runs) => runs("block_verification");
const prefix = (runs) => runs("mtad");
const ideal = (runs) => runs("mtjd");

const numAccepted = (round) => round.verdicts.filter((verdict) => verdict.outcome === "accepted").length;
const failed = (round) => round.verdicts.filter((verdict) => verdict.outcome === "rejected").length;

/** A round whose end failed and whose beginning passed, with all its tokens. */
const partly = (runs) =>
  block(runs).rounds.reduce(
    (best, round) => (failed(round) > 0 && numAccepted(round) > numAccepted(best) ? round : best),
    block(runs).rounds.find((round) => failed(round) > 0),
  );
const reaches = (runs) => partly(runs).workings.find((working) => working.kind === "block").reaches;

const quotients = (round) => round.workings.find((working) => working.kind === "joint");

/** A round that kept a beginning behind one that was too unlikely. */
const past = (runs) => {
  const joint = prefix(runs)
    .rounds.filter((round) => quotients(round))
    .map((round) => ({ round, ...longest(quotients(round)) }));
  return joint.find((each) => each.low !== null) || joint[0];
};

/** The length of the longest beginning above the threshold, and the least quotient before it that is not above it. */
function longest({ tau, ratios }) {
  const length = ratios.reduce((most, ratio, i) => (ratio > tau ? i + 1 : most), 0);
  const below = ratios.slice(0, length).filter((ratio) => ratio <= tau);
  return { length, low: below.length ? Math.min(...below) : null, first: ratios.findIndex((ratio) => ratio <= tau) };
}

/** @type {import("../lesson.js").Lesson} */
export const joint = {
  id: "joint",
  minutes: 6,
  runs: ["block_verification", "mtad", "mtjd"],
  pages: [
    {
      name: "block",
      run: "block_verification",
      side: "token",
      at: (runs) => stepOf(block(runs), partly(runs), "scored"),
      values: (runs) => {
        const count = reaches(runs).length;
        return {
          count,
          less: count - 1,
          whole: rounded(reaches(runs)[count - 1]),
          kept: numAccepted(partly(runs)),
          failed: failed(partly(runs)),
        };
      },
      question: {
        ...numbers((runs) => [numAccepted(partly(runs)), ...reaches(runs).map((_, i) => i + 1), 0]),
        at: (runs) => stepOf(block(runs), partly(runs), "committed"),
        side: "rule",
      },
    },
    {
      name: "past",
      run: "mtad",
      side: "token",
      at: (runs) => stepOf(prefix(runs), past(runs).round, "scored"),
      values: (runs) => {
        const { tau, ratios } = quotients(past(runs).round);
        return {
          tau: rounded(tau),
          ratios: ratios.map(rounded).join(", "),
          kept: past(runs).length,
          low: rounded(past(runs).low ?? Math.min(...ratios)),
        };
      },
      question: {
        ...numbers((runs) => {
          const { tau, ratios } = quotients(past(runs).round);
          return [
            numAccepted(past(runs).round),
            Math.max(0, past(runs).first),
            ratios.filter((ratio) => ratio > tau).length,
            0,
          ];
        }),
        at: (runs) => stepOf(prefix(runs), past(runs).round, "committed"),
        side: "rule",
      },
    },
    {
      name: "ideal",
      run: "mtjd",
      side: "rule",
      at: (runs) => stepOf(ideal(runs), ideal(runs).rounds[0], "committed"),
      values: (runs) => ({
        block: ideal(runs).run.options.block_length,
        width: ideal(runs).run.options.width,
        tokens: ideal(runs).finished.num_tokens,
        calls: ideal(runs).finished.target_calls,
      }),
      question: {
        ...numbers((runs) => {
          const { num_tokens: tokens, target_calls: calls } = ideal(runs).finished;
          const { block_length: length, width } = ideal(runs).run.options;
          return [calls, Math.ceil(tokens / length), tokens * width];
        }),
        at: (runs) => end(ideal(runs)),
        side: "rounds",
      },
    },
  ],
  exercises: [
    ["race", "?tab=compare&methods=speculative_sampling,block_verification"],
    ["watch", "?method=mtad"],
  ],
};
