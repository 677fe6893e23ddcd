/** Draft length: drafts that build on drafts. */

import { decimal, percent } from "../../shared/numbers.js";
import { accepted, end, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

const run = (runs) => runs("program");
const alpha = (runs) => run(runs).steps[end(run(runs))].totals.acceptance_per_position;
const drafting = (runs) => run(runs).rounds.filter((round) => round.layers.length);
const longest = (runs) => Math.max(...drafting(runs).map((round) => round.layers.length));
const mean = (runs) => accepted(run(runs)) / drafting(runs).length;

/** The share of rounds that accepted at least this many drafts, among those that drafted the whole length. */
function reached(runs, count) {
  const long = drafting(runs).filter((round) => round.layers.length === longest(runs));
  const passed = long.filter(
    (round) => round.verdicts.filter((verdict) => verdict.outcome === "accepted").length >= count,
  );
  return passed.length / long.length;
}

const tenth = (value) => Math.round(10 * value) / 10;

/** @type {import("../lesson.js").Lesson} */
export const length = {
  id: "length",
  minutes: 6,
  runs: ["program"],
  pages: [
    {
      name: "fall",
      run: "program",
      side: "rounds",
      at: (runs) => stepOf(run(runs), drafting(runs)[0], "drafted"),
      values: (runs) => ({
        length: longest(runs),
        first: percent(reached(runs, 1)),
        fourth: percent(reached(runs, 4)),
        last: percent(reached(runs, longest(runs))),
      }),
    },
    {
      name: "mean",
      run: "program",
      at: (runs) => stepOf(run(runs), drafting(runs)[0], "committed"),
      values: (runs) => {
        const [a, n] = [alpha(runs), longest(runs)];
        const { num_tokens: tokens, target_calls: calls } = run(runs).finished;
        return {
          length: n,
          alpha: decimal(a, 2),
          mean: decimal(mean(runs), 1),
          formula: decimal((1 - a ** (n + 1)) / (1 - a), 2),
          each: decimal(tokens / calls, 2),
        };
      },
      question: {
        ...numbers((runs) => [
          tenth(mean(runs)),
          tenth(longest(runs) * alpha(runs)),
          longest(runs) / 2,
          longest(runs) - 1,
        ]),
        at: (runs) => end(run(runs)),
        side: "rounds",
      },
    },
    {
      name: "cost",
      run: "program",
      side: "about",
      at: (runs) => end(run(runs)),
      values: (runs) => {
        const { drafted } = run(runs).totals;
        const draft = run(runs).rounds.reduce((sum, round) => sum + (round.commit ? round.commit.draft_s : 0), 0);
        return { drafted, wasted: drafted - accepted(run(runs)), share: percent(draft / run(runs).totals.clock_s) };
      },
    },
  ],
  exercises: [
    ["lab", "?tab=lab&section=speed"],
    [
      "race",
      "?tab=compare&methods=speculative_sampling:draft_length=2,speculative_sampling,speculative_sampling:draft_length=8",
    ],
    [
      "stop",
      "?tab=compare&methods=speculative_sampling,speculative_sampling:draft_length=16:stop_below=0.4,speculative_sampling:adapt=1",
    ],
  ],
};
