/** Block drafts: several positions in one call. */

import { quoted } from "../../shared/elements.js";
import { decimal, percent } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { end, isWord, median, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  blocks_title: "Eight tokens in one draft call",
  blocks_goal:
    "A block drafter drafts several positions in one call. That saves calls, but no position depends on the tokens drafted before it.",
  blocks_wrong:
    "“One call for eight tokens replaces eight calls.” Eight calls read the tokens that they drafted; one does not, so fewer of its tokens are accepted.",
  blocks_call_title: "One call",
  blocks_call_text:
    "A draft model is called once for each token that it drafts. This drafter is called once a round: it reads the target's features of the text, then a mask position for each token to come, and returns a distribution for each of {count} positions. In this run drafting {count} tokens took {block} of the time of a target call.",
  blocks_row_title: "What a position depends on",
  blocks_row_text:
    "The first position depends on the whole text. The second does not depend on the token drawn at the first: its distribution is an average over all tokens that could be there. So a draft can mix two sentences, each of them likely, as here: {tokens}. Verification is unchanged: p, q and a random number, and the output has the target's distribution.",
  blocks_fall_title: "Acceptance by position",
  blocks_fall_text:
    "A token is tested only if all before it were accepted. In this run {first} of the tokens tested at position 1 were accepted.",
  blocks_fall_ask: "And at position 3?",
  blocks_fall_told:
    "{third} of the {tested} tokens tested; at position 2 it was {second}. A position further on depends on less of what precedes it.",
  blocks_bias_title: "A bias from the token before",
  blocks_bias_text:
    "A Markov bias is a low-rank table: for each token, an addition to the logits of the position after it. It takes no call, as it is added once that token is drawn. With it {first} were accepted at position 1, {second} at position 2 and {third} at position 3, and a target call emitted {biased} tokens instead of {plain}. One run of each is a small sample: the drafter's card has the exact acceptance over many texts.",
  blocks_pay_title: "Does it pay?",
  blocks_pay_text:
    "Drafting took {share} of this run's time, and a target call emitted {biased} tokens; in the run of lesson 2, with a draft model that is called {length} times a round, {each}. One call in place of many saves most where several positions take hardly longer than one, as on a GPU; on a processor, time grows with the work. Acceptance grows with training, which was short here: see the drafter's card.",
  blocks_run: "Run it on a prompt of your own.",
  blocks_race: "Compare it with the draft model, and with the head that drafts token by token.",
  blocks_confident: "Let its confidence set the draft length.",
});

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
