/** Servers: rules that need less than q, and what that costs. */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { end, stepOfVerdict } from "../finding.js";

learn({
  servers_title: "What servers do",
  servers_goal: "Many servers never look at q. That stays lossless, and keeps fewer guesses.",
  servers_wrong:
    "“Only min(1, p/q) is lossless.” Any rule is whose tokens come out with probability p; this one is merely the one that keeps most.",
  servers_match_title: "Sample and match",
  servers_match_text:
    "Here the target simply draws a token of its own at every guessed place, as if there were no guess, and the guess {token} is kept if it is the same. It had p = {p}, so that is its chance. Nothing needs correcting: where they differ, the target's own token is the text.",
  servers_less_title: "What is lost by that",
  servers_less_text:
    "At this place the draft model draws from q, and the target from p. Sample and match keeps a guess when two independent draws agree; speculative sampling keeps it with min(1, p/q).",
  servers_less_ask: "Which of the two rules keeps a guess more often here?",
  servers_less_told:
    "Two draws agree with Σ p q = {matched}. Speculative sampling keeps a guess with Σ min(p, q) = {overlap}.",
  servers_speculative: "Speculative sampling",
  servers_matching: "Sample and match",
  servers_same: "Both alike",
  servers_greedy_title: "So guess the most likely",
  servers_greedy_text:
    "If the guess is matched with its p alone, then it is best to guess what is probably likely: the draft model's first choice, always. Here that is {token}, and it is kept with p = {p}. vLLM, SGLang and TensorRT-LLM do this unless told otherwise, as a thread of the last one says (github.com/NVIDIA/TensorRT-LLM/pull/15775).",
  servers_sum_title: "Side by side",
  servers_sum_text:
    "On this prompt, with this seed, speculative sampling wrote {speculative} tokens a call, the greedy draft {greedy}, sample and match {matched}. One prompt and one seed prove nothing: race them over many.",
  servers_race: "Race the three over several prompts.",
  servers_lab: "See all rules at one position in the Lab, for any p and q.",
});

const match = (runs) => runs("sample_and_match");
const greedy = (runs) => runs("greedy_draft");

/** A guess that the target's draw decided, at a place where both models were unsure. */
const unsure = (trace) => {
  const all = trace.rounds
    .flatMap((round) => round.verdicts)
    .filter((verdict) => verdict.coin !== null && verdict.p !== null);
  return all.find((verdict) => verdict.p > 0.2 && verdict.p < 0.8) || all[0];
};

const matchOf = (runs) => {
  const verdict = unsure(match(runs));
  const round = match(runs).roundOf(verdict.node);
  const working = round.workings.find((each) => each.kind === "matching" && each.node === verdict.node.parent);
  return {
    verdict,
    matched: working ? working.chance : null,
    overlap: round.call.overlaps[round.rowOf.get(verdict.node.parent)],
  };
};
const each = (trace) => decimal(trace.steps[end(trace)].totals.block_efficiency, 2);

/** @type {import("../lesson.js").Lesson} */
export const servers = {
  id: "servers",
  minutes: 6,
  runs: ["sample_and_match", "greedy_draft", "speculative_sampling"],
  pages: [
    {
      name: "match",
      run: "sample_and_match",
      side: "rule",
      at: (runs) => stepOfVerdict(match(runs), matchOf(runs).verdict),
      values: (runs) => ({ token: quoted(matchOf(runs).verdict.node.piece), p: probability(matchOf(runs).verdict.p) }),
    },
    {
      name: "less",
      run: "sample_and_match",
      side: "token",
      at: (runs) => stepOfVerdict(match(runs), matchOf(runs).verdict),
      values: (runs) => ({ matched: probability(matchOf(runs).matched), overlap: probability(matchOf(runs).overlap) }),
      question: {
        choices: () => ["servers_speculative", "servers_matching", "servers_same"],
        right: (runs) => [1, -1, 0].indexOf(Math.sign(matchOf(runs).overlap - matchOf(runs).matched)),
        side: "rule",
      },
    },
    {
      name: "greedy",
      run: "greedy_draft",
      side: "rule",
      at: (runs) => stepOfVerdict(greedy(runs), unsure(greedy(runs))),
      values: (runs) => ({ token: quoted(unsure(greedy(runs)).node.piece), p: probability(unsure(greedy(runs)).p) }),
    },
    {
      name: "sum",
      run: "speculative_sampling",
      side: "rounds",
      at: (runs) => end(runs("speculative_sampling")),
      values: (runs) => ({
        speculative: each(runs("speculative_sampling")),
        greedy: each(greedy(runs)),
        matched: each(match(runs)),
      }),
    },
  ],
  exercises: [
    ["race", "?tab=compare&methods=speculative_sampling,greedy_draft,sample_and_match"],
    ["lab", "?tab=lab"],
  ],
};
