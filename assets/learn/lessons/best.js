/** The best that is possible: how often any lossless rule can keep a guess. */

import { learn } from "../../shared/words.js";
import { correction, rounded, stepOf, stepOfVerdict } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  best_title: "The best that is possible",
  best_goal:
    "With one guess no lossless rule keeps more than what p and q have in common. With several there is more to win, and a limit to it.",
  best_wrong:
    "“A cleverer rule could keep every guess.” Then every token would have probability q. What p and q do not share must be corrected, by any rule.",
  best_ceiling_title: "A ceiling over one guess",
  best_ceiling_text:
    "At this place p and q are {distance} apart: so much probability would have to be moved to turn one into the other.",
  best_ceiling_ask: "How often can a lossless rule keep a single guess here, at most?",
  best_ceiling_told:
    "{overlap}, which is 1 − {distance}: token by token the smaller of p and q, summed. Speculative sampling keeps exactly so many, so with one guess there is nothing more to find.",
  best_several_title: "Several guesses",
  best_several_text:
    "Here {draws} guesses were drawn for one place, independently. SpecTr tests each with p / ({factor} q), the factor being chosen so that nothing is given out twice. A single one passes with {one}.",
  best_several_ask: "How often is one of the {draws} kept?",
  best_several_told:
    "{all} = 1 − (1 − {one})^{draws}: the place is lost only if all of them fail. The factor makes each test stricter than it would be alone, and still the sum is more than one guess could have.",
  best_gain_title: "What selecting first is worth",
  best_gain_text:
    "Importance sampling does not test guess after guess. It looks at all, selects the one that p and q make most valuable, and tests that. In this run {places} places had several guesses, and one guess alone would have been kept with {one} there, on average.",
  best_gain_ask: "And with the selection?",
  best_gain_told:
    "{all} on average. Not 1: independent guesses fall on the same likely tokens again, and a token with small q may be missing among any number of them. How much is possible for a given p and q, the Lab computes exactly.",
  best_lab: "Set p and q in the Lab and see every rule beside the optimum.",
  best_race: "Race three rules for several guesses.",
});

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
