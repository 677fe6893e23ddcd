/** The cost of decoding: a call for every token, and what a call costs. */

import { quoted } from "../../shared/elements.js";
import { decimal, magnitude, milliseconds } from "../../shared/numbers.js";
import { learn, say } from "../../shared/words.js";
import { callSeconds, end, fullCall, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  slow_title: "Why decoding is slow",
  slow_goal:
    "A language model is called once for every token, and a call is slow because of what it reads, not of what it computes.",
  slow_wrong:
    "“It is slow because it computes so much.” With a large model and one reader at a time, most of a call is fetching weights from memory; arithmetic waits for it.",
  slow_token_title: "One call, one token",
  slow_token_text:
    "The target model alone wrote this text. It is made of {parameters} numbers, its weights. To write a token it reads all of them once. That call took {ms}, and gave a probability for every token that could come next. One of them was drawn: {token}.",
  slow_count_title: "How many calls?",
  slow_count_text:
    "The next token needs to know this one. So nothing can be prepared: first the token, then the next call.",
  slow_count_ask: "The whole text has {tokens} tokens. How many calls of the target will it have taken?",
  slow_count_told:
    "{calls}: one for each token. That made {rate} tokens a second here. A call costs nearly the same however little is asked of it: all weights are read for a single token, too.",
  slow_wide_title: "What a wider call costs",
  slow_wide_text:
    "Here it is asked for the next token at {places} places at once. The weights are read once for all of them, so such a call takes {wide}, where one over a single place takes {one}: {times}, for {places} times as much. If only one knew the tokens beforehand.",
  slow_wide_times: "{ratio} times as long",
  slow_wide_alike: "about as long",
  slow_see: "Run plain decoding yourself, on a prompt of your own.",
  slow_lab: "Move the cost of a call in the Lab, and see where drafts begin to pay.",
});

const plain = (runs) => runs("autoregressive");
const drafted = (runs) => runs("speculative_sampling");
const first = (runs) => plain(runs).rounds[Math.min(2, plain(runs).rounds.length - 1)];

/** @type {import("../lesson.js").Lesson} */
export const slow = {
  id: "slow",
  minutes: 5,
  runs: ["autoregressive", "speculative_sampling"],
  pages: [
    {
      name: "token",
      run: "autoregressive",
      side: "token",
      at: (runs) => stepOf(plain(runs), first(runs), "committed"),
      values: (runs) => ({
        parameters: magnitude(plain(runs).run.target.parameters),
        ms: milliseconds(first(runs).call.seconds),
        token: quoted(first(runs).extras[0].piece),
      }),
    },
    {
      name: "count",
      run: "autoregressive",
      at: (runs) => stepOf(plain(runs), first(runs), "scored"),
      values: (runs) => ({
        tokens: plain(runs).finished.num_tokens,
        calls: plain(runs).finished.target_calls,
        rate: decimal(plain(runs).totals.tokens_per_second, 0),
      }),
      question: {
        ...numbers((runs) => [1, 4, 2].map((share) => Math.round(plain(runs).finished.target_calls / share))),
        at: (runs) => end(plain(runs)),
        side: "rounds",
      },
    },
    {
      name: "wide",
      run: "speculative_sampling",
      side: "mask",
      at: (runs) =>
        stepOf(
          drafted(runs),
          drafted(runs).rounds.find((round) => round.call.nodes.length === fullCall(drafted(runs))),
          "scored",
        ),
      values: (runs) => {
        const numNodes = fullCall(drafted(runs));
        const [wide, one] = [callSeconds(drafted(runs), numNodes), callSeconds(plain(runs), 1)];
        // of two runs: where reading the weights is all, a busy moment can make the narrower call the longer one
        const times =
          wide / one < 1.05 ? say("slow_wide_alike") : say("slow_wide_times", { ratio: decimal(wide / one, 1) });
        return { places: numNodes, wide: milliseconds(wide), one: milliseconds(one), times };
      },
    },
  ],
  exercises: [
    ["see", "?method=autoregressive"],
    ["lab", "?tab=lab&section=speed"],
  ],
};
