/** Block drafts: several positions in one call. */

import { decimal, milliseconds, percent } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { end, median, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  blocks_title: "Eight tokens in one draft call",
  blocks_goal:
    "A block drafter answers for several positions at once. That is cheap, and each position is guessed without knowing the tokens before it.",
  blocks_wrong:
    "“One call must draft better than eight.” It drafts cheaper. Eight calls know what they drafted; one does not.",
  blocks_call_title: "One call",
  blocks_call_text:
    "A draft model is called once for each token that it drafts. This drafter is called once a round: it reads what the target made of the text, with a mask in place of each token to come, and answers for all {count} positions together. Drafting took {block} a round in this run; the draft model of lesson 2 took {chain} for {length} tokens.",
  blocks_row_title: "What a position knows",
  blocks_row_text:
    "The first position knows the text. The second does not know which token was drawn at the first: its probabilities are a mean over all that might stand there. So a draft can be a mix of two sentences, each of them likely. Verification is as ever: p, q and a random number, and the text is the target's.",
  blocks_fall_title: "Position by position",
  blocks_fall_text:
    "A token is tested only if all before it were accepted. Of the first positions that were tested, {first} were accepted in this run.",
  blocks_fall_ask: "And of the tested third positions?",
  blocks_fall_told:
    "{third}, of {tested} that were tested; at the second position {second}. A draft model's chain falls less, since each of its calls reads the token before.",
  blocks_bias_title: "A bias for the token before",
  blocks_bias_text:
    "A Markov bias is a small table, in two factors, from the token before to the logits of the next. It needs no call, as it is added when that token has been drawn. With it {first} of the first positions, {second} of the second and {third} of the third were accepted here, and a target call brought {biased} tokens in place of {plain}. One run of each is a sample: the card of the drafter has the exact rates, over many texts.",
  blocks_pay_title: "Does it pay?",
  blocks_pay_text:
    "Drafting took {share} of this run's time; in the run of lesson 2 it took {chain}. The block drafter's call costs little, and its target calls bring {biased} tokens; those of the draft model brought {each}. Which of the two is faster depends on the machine and on the text: race them.",
  blocks_run: "Run it on a prompt of your own.",
  blocks_race: "Race it against the draft model and against the head that drafts token by token.",
  blocks_confident: "Let it end its drafts where it is no longer confident.",
});

const draftSeconds = (trace) =>
  median(trace.rounds.filter((round) => round.commit && round.layers.length).map((round) => round.commit.draft_s));
const draftShare = (trace) =>
  trace.rounds.reduce((sum, round) => sum + (round.commit ? round.commit.draft_s : 0), 0) / trace.totals.clock_s;
const each = (trace) => trace.finished.num_tokens / trace.finished.target_calls;
const longest = (trace) => Math.max(...trace.rounds.map((round) => round.layers.length));

/** Verdicts of a position, from 0, that were made. @param {any} trace @param {number} position */
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

/** The round of a run that keeps the most. @param {any} trace */
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
        block: milliseconds(draftSeconds(runs("block"))),
        chain: milliseconds(draftSeconds(runs("speculative_sampling"))),
        length: longest(runs("speculative_sampling")),
      }),
    },
    {
      name: "row",
      run: "block",
      side: "token",
      at: (runs) => stepOf(runs("block"), runs("block").rounds[0], "committed"),
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
        biased: decimal(each(runs("block_markov")), 2),
        plain: decimal(each(runs("block")), 2),
      }),
    },
    {
      name: "pay",
      run: "block_markov",
      side: "about",
      at: (runs) => end(runs("block_markov")),
      values: (runs) => ({
        share: percent(draftShare(runs("block_markov"))),
        chain: percent(draftShare(runs("speculative_sampling"))),
        biased: decimal(each(runs("block_markov")), 2),
        each: decimal(each(runs("speculative_sampling")), 2),
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

/** A question whose choices are whole percentages. @param {(runs: any) => number[]} values the right one first */
function percentages(values) {
  const { choices, right } = numbers(values);
  return { choices: (runs) => choices(runs).map((value) => `${value} %`), right };
}
