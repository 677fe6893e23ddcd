/** Block drafts: several positions in one call. */

import { quoted } from "../../shared/elements.js";
import { decimal, percent } from "../../shared/numbers.js";
import { end, isWord, median, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

/** Time of a round's drafting, relative to its target call: the median. @param {any} trace */
const draftCost = (trace) =>
  median(
    trace.rounds
      .filter((round) => round.commit && round.layers.length)
      .map((round) => round.commit.draft_s / round.commit.verify_s),
  );
const draftShare = (trace) =>
  trace.rounds.reduce((sum, round) => sum + (round.commit ? round.commit.draft_s : 0), 0) / trace.totals.clock_s;
const blockEfficiency = (trace) => trace.finished.num_tokens / trace.finished.target_calls;
const longest = (trace) => Math.max(...trace.rounds.map((round) => round.layers.length));

/** Verdicts of the tokens tested at a position, from 0. @param {any} trace @param {number} position */
const tested = (trace, position) =>
  trace.rounds.flatMap((round) => {
    const verdict = round.verdicts[position];
    return verdict && verdict.outcome !== "not_tested" ? [verdict] : [];
  });

const rate = (trace, position) => {
  const verdicts = tested(trace, position);
  return verdicts.filter((verdict) => verdict.outcome === "accepted").length / verdicts.length;
};
const whole = (value) => Math.round(100 * value);

/** First round that drafts a word twice in a row; else the first. @param {any} trace */
const mixed = (trace) =>
  trace.rounds.find(({ nodes }) => nodes.some((node, i) => i && isWord(node) && node.piece === nodes[i - 1].piece)) ??
  trace.rounds[0];

/** Round of a run with the most committed tokens. @param {any} trace */
const best = (trace) =>
  trace.rounds.reduce((most, round) => (round.committed.length > most.committed.length ? round : most));

/** @type {import("../lesson.js").Lesson} */
export const blocks = {
  id: "blocks",
  minutes: 6,
  runs: ["block", "block_markov", "speculative_sampling"],
  pages: [
    {
      name: "call",
      run: "block",
      side: "rounds",
      at: (runs) => stepOf(runs("block"), runs("block").rounds[0], "drafted"),
      values: (runs) => ({
        count: longest(runs("block")),
        block: percent(draftCost(runs("block"))),
      }),
    },
    {
      name: "row",
      run: "block",
      side: "token",
      at: (runs) => stepOf(runs("block"), mixed(runs("block")), "committed"),
      values: (runs) => ({
        tokens: mixed(runs("block"))
          .nodes.map((node) => quoted(node.piece))
          .join(", "),
      }),
    },
    {
      name: "fall",
      run: "block",
      side: "rounds",
      at: (runs) => stepOf(runs("block"), best(runs("block")), "committed"),
      values: (runs) => ({
        first: percent(rate(runs("block"), 0)),
        second: percent(rate(runs("block"), 1)),
        third: percent(rate(runs("block"), 2)),
        tested: tested(runs("block"), 2).length,
      }),
      question: {
        ...percentages((runs) => [
          whole(rate(runs("block"), 2)),
          whole(rate(runs("block"), 0)),
          whole(rate(runs("block"), 0) ** 3),
          95,
        ]),
        at: (runs) => end(runs("block")),
        side: "rounds",
      },
    },
    {
      name: "bias",
      run: "block_markov",
      side: "rounds",
      at: (runs) => stepOf(runs("block_markov"), best(runs("block_markov")), "committed"),
      values: (runs) => ({
        first: percent(rate(runs("block_markov"), 0)),
        second: percent(rate(runs("block_markov"), 1)),
        third: percent(rate(runs("block_markov"), 2)),
        biased: decimal(blockEfficiency(runs("block_markov")), 2),
        plain: decimal(blockEfficiency(runs("block")), 2),
      }),
    },
    {
      name: "pay",
      run: "block_markov",
      side: "about",
      at: (runs) => end(runs("block_markov")),
      values: (runs) => ({
        share: percent(draftShare(runs("block_markov"))),
        length: longest(runs("speculative_sampling")),
        biased: decimal(blockEfficiency(runs("block_markov")), 2),
        each: decimal(blockEfficiency(runs("speculative_sampling")), 2),
      }),
    },
  ],
  exercises: [
    ["run", "?method=speculative_sampling&drafter=block-markov&draft_length=8"],
    [
      "race",
      "?tab=compare&methods=speculative_sampling,speculative_sampling:drafter=block-markov,speculative_sampling:drafter=head",
    ],
    ["confident", "?method=speculative_sampling&drafter=block-confidence&draft_length=8"],
  ],
};

/** Question whose choices are whole percentages. @param {(runs: any) => number[]} values the right one first */
function percentages(values) {
  const { choices, right } = numbers(values);
  return { choices: (runs) => choices(runs).map((value) => `${value} %`), right };
}
