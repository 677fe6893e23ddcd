/** The best that is possible: how often any lossless rule can keep a guess. */

import { correction, rounded, stepOf, stepOfVerdict } from "../finding.js";
import { numbers } from "../lesson.js";

const drawn = (runs) => runs("speculative_sampling");
const sequence = (runs) => runs("spectr");
const selecting = (runs) => runs("importance_sampling");

const scene = (runs) => correction(drawn(runs));
const overlap = (runs) =>
  rounded(scene(runs).round.call.overlaps[scene(runs).round.rowOf.get(scene(runs).refused.node.parent)]);

const workings = (trace, kind) =>
  trace.rounds.flatMap((round) =>
    round.workings.filter((working) => working.kind === kind).map((working) => ({ round, working })),
  );

/** The place with several draws at which the test of one of them is nearest to a toss-up. */
const several = (runs) =>
  workings(sequence(runs), "k_seq")
    .filter(({ working }) => working.num_draws > 1)
    .reduce((best, each) => (Math.abs(each.working.one - 0.4) < Math.abs(best.working.one - 0.4) ? each : best));

const selected = (runs) => workings(selecting(runs), "importance").filter(({ working }) => working.draws.length > 1);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @type {import("../lesson.js").Lesson} */
export const best = {
  id: "best",
  minutes: 6,
  runs: ["speculative_sampling", "spectr", "importance_sampling"],
  pages: [
    {
      name: "ceiling",
      run: "speculative_sampling",
      side: "rule",
      at: (runs) => stepOfVerdict(drawn(runs), scene(runs).refused),
      values: (runs) => ({ overlap: overlap(runs), distance: rounded(1 - overlap(runs)) }),
      question: {
        ...numbers((runs) => [overlap(runs), rounded(1 - overlap(runs)), 1]),
        at: (runs) => stepOf(drawn(runs), scene(runs).round, "committed"),
        side: "token",
      },
    },
    {
      name: "several",
      run: "spectr",
      side: "token",
      at: (runs) => stepOf(sequence(runs), several(runs).round, "scored"),
      values: (runs) => {
        const { num_draws: draws, factor, one, all } = several(runs).working;
        return { draws, factor: rounded(factor), one: rounded(one), all: rounded(all) };
      },
      question: {
        ...numbers((runs) => {
          const { num_draws: draws, one, all } = several(runs).working;
          return [rounded(all), rounded(one), rounded(one / draws), rounded(one ** draws)];
        }),
        side: "rule",
      },
    },
    {
      name: "gain",
      run: "importance_sampling",
      side: "token",
      at: (runs) => stepOf(selecting(runs), selected(runs)[0].round, "scored"),
      values: (runs) => ({
        places: selected(runs).length,
        one: rounded(mean(selected(runs).map(({ working }) => working.one))),
        all: rounded(mean(selected(runs).map(({ working }) => working.all))),
      }),
      question: {
        ...numbers((runs) => {
          const [one, all] = ["one", "all"].map((name) => mean(selected(runs).map(({ working }) => working[name])));
          return [rounded(all), rounded(one), 1];
        }),
        side: "rule",
      },
    },
  ],
  exercises: [
    ["lab", "?tab=lab&section=acceptance"],
    ["race", "?tab=compare&methods=specinfer,spectr,importance_sampling"],
  ],
};
