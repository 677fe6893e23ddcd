/** Draft and verify: one round of speculative sampling. */

import { quoted } from "../../shared/elements.js";
import { decimal, milliseconds } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { accepted, end, stepOf, telling } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  draft_title: "Draft and verify",
  draft_goal:
    "A small model guesses ahead, one call of the large model verifies all guesses, and a round writes at least one token.",
  draft_wrong:
    "“The small model writes the text.” It only guesses: not one token is text before the large model has tested it.",
  draft_guess_title: "A small model guesses",
  draft_guess_text:
    "A second, much smaller model has written {count} tokens ahead: {tokens}. It took {ms} for all of them. On the stage they stand in white boxes: none of them is text yet.",
  draft_call_title: "The large model reads all of it",
  draft_call_text:
    "Now the target is called, once. It is given the text and all {count} guesses, and answers at {places} places, after the text and after each guess: what would I have written here? That is its whole work of the round, {ms}.",
  draft_emit_title: "How many tokens does the round write?",
  draft_emit_text:
    "The guesses are tested from the left. The first that is refused ends the round, and the target writes its own token there. If none is refused, it adds one at the end: it has been asked there anyway.",
  draft_emit_ask: "{count} guesses, one call. How many tokens can a round write at most?",
  draft_emit_told:
    "{most}: all {count} guesses and one of the target's own. At least it is 1, which is what plain decoding gets for its call. This round wrote {here}.",
  draft_sum_title: "What it came to",
  draft_sum_text:
    "In the end {tokens} tokens were written in {calls} calls of the target: {each} tokens a call instead of 1. Of {drafted} guesses, {accepted} were kept. In time that is {rate} tokens a second, against {plain} for the target alone in lesson 1: less of a gain than in calls, as guessing takes time too.",
  draft_run: "Run it on a prompt of your own, and step through one round with the arrow keys.",
  draft_plain: "Race it against plain decoding, with equal seeds.",
});

const run = (runs) => runs("speculative_sampling");
const round = (runs) => telling(run(runs));

/** @type {import("../lesson.js").Lesson} */
export const draft = {
  id: "draft",
  minutes: 5,
  runs: ["speculative_sampling", "autoregressive"],
  pages: [
    {
      name: "guess",
      run: "speculative_sampling",
      side: "token",
      at: (runs) => stepOf(run(runs), round(runs), "drafted"),
      values: (runs) => ({
        count: round(runs).nodes.length,
        tokens: round(runs)
          .nodes.map((node) => quoted(node.piece))
          .join(", "),
        ms: milliseconds(round(runs).layers.reduce((sum, layer) => sum + layer.seconds, 0)),
      }),
    },
    {
      name: "call",
      run: "speculative_sampling",
      side: "mask",
      at: (runs) => stepOf(run(runs), round(runs), "scored"),
      values: (runs) => ({
        count: round(runs).nodes.length,
        places: round(runs).call.nodes.length,
        ms: milliseconds(round(runs).call.seconds),
      }),
    },
    {
      name: "emit",
      run: "speculative_sampling",
      side: "token",
      at: (runs) => stepOf(run(runs), round(runs), "scored"),
      values: (runs) => ({
        count: round(runs).nodes.length,
        most: round(runs).nodes.length + 1,
        here: round(runs).committed.length,
      }),
      question: {
        ...numbers((runs) => [round(runs).nodes.length + 1, 1, round(runs).nodes.length, 2 * round(runs).nodes.length]),
        at: (runs) => stepOf(run(runs), round(runs), "committed"),
      },
    },
    {
      name: "sum",
      run: "speculative_sampling",
      side: "rounds",
      at: (runs) => end(run(runs)),
      values: (runs) => {
        const { num_tokens: tokens, target_calls: calls } = run(runs).finished;
        return {
          tokens,
          calls,
          each: decimal(tokens / calls, 2),
          accepted: accepted(run(runs)),
          drafted: run(runs).totals.drafted,
          rate: decimal(run(runs).totals.tokens_per_second, 0),
          plain: decimal(runs("autoregressive").totals.tokens_per_second, 0),
        };
      },
    },
  ],
  exercises: [
    ["run", "?method=speculative_sampling"],
    ["plain", "?tab=compare&methods=speculative_sampling"],
  ],
};
