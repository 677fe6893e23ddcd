/** Energy: what a counter measures, and what can be said without one. */

import { decimal, magnitude } from "../../shared/numbers.js";
import { learn, say } from "../../shared/words.js";
import { end, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  joules_title: "Energy",
  joules_goal:
    "Fewer calls are not less work: the target computes on every guess it verifies. Whether energy is saved, only a counter knows.",
  joules_wrong:
    "“Twice as fast is half the energy.” Time is saved by doing more at once. The thrown-away guesses were computed, too.",
  joules_counter_title: "What a counter says",
  joules_counter_text:
    "Some machines count their energy: graphics cards of NVIDIA, and processors that show RAPL. A run that has such a counter records it.",
  joules_counter_ask: "This run wrote {tokens} tokens in {seconds} s. What is known of its energy?",
  joules_counter_told:
    "{known}. What was not measured stays blank here. Seconds of work times watts is an estimate, since the watts are assumed: Compare shows one, under that name, with watts that you can change.",
  joules_measured: "How many joules it took",
  joules_blank: "Nothing",
  joules_by_time: "It can be told from the time",
  joules_known: "{joules} J, from {source}",
  joules_unknown: "Nothing: the machine it was made on has no counter",
  joules_work_title: "Work that was thrown away",
  joules_work_text:
    "Plain decoding runs every token through the target once. This run grew trees: {tokens} tokens came out of {calls} calls.",
  joules_work_ask: "On how many tokens did the target compute?",
  joules_work_told:
    "{fed}: every guess that it was shown, kept or not, {times} times as many as came out. The draft model ran on {draft} tokens more. Arithmetic costs energy wherever its result ends.",
  joules_weights_title: "Weights that were not read",
  joules_weights_text:
    "For each call all {parameters} weights of the target are read from memory, whether it is asked about one token or about twenty. Reading costs energy, too.",
  joules_weights_ask: "How many times fewer were the weights read than by plain decoding of the same {tokens} tokens?",
  joules_weights_told:
    "{saved} times: {calls} calls in place of {tokens}. So there is {times} times the arithmetic on one side and {saved} times less reading on the other. Which weighs more depends on machine, model and batch; where the machine has a counter, Compare measures it.",
  joules_race: "Race three methods; the column of energy is filled where there is a counter.",
  joules_lab: "See in the Lab when a call over many tokens costs no more than one.",
});

const run = (runs) => runs("rsd_c");
const fed = (runs) => run(runs).rounds.reduce((sum, round) => sum + round.fed.length, 0);
const tenth = (value) => Math.round(10 * value) / 10;

/** Tokens that ran in the draft model: the second of the three numbers that a round keeps of its work. */
const drafted = (runs) => run(runs).rounds.reduce((sum, round) => sum + (round.commit?.draft_work?.[1] ?? 0), 0);

const facts = (runs) => {
  const { num_tokens: tokens, target_calls: calls } = run(runs).finished;
  return { tokens, calls, fed: fed(runs), times: decimal(fed(runs) / tokens, 1), saved: decimal(tokens / calls, 1) };
};

const measured = (runs) => run(runs).finished.energy?.joules ?? null;

/** @type {import("../lesson.js").Lesson} */
export const joules = {
  id: "joules",
  minutes: 5,
  runs: ["rsd_c"],
  pages: [
    {
      name: "counter",
      run: "rsd_c",
      side: "about",
      at: (runs) => end(run(runs)),
      values: (runs) => ({
        tokens: run(runs).finished.num_tokens,
        seconds: decimal(run(runs).totals.clock_s, 2),
        known:
          measured(runs) === null
            ? say("joules_unknown")
            : say("joules_known", {
                joules: decimal(measured(runs), 1),
                source: String(run(runs).finished.energy.source),
              }),
      }),
      question: {
        choices: () => ["joules_measured", "joules_blank", "joules_by_time"],
        right: (runs) => (measured(runs) === null ? 1 : 0),
        side: "rounds",
      },
    },
    {
      name: "work",
      run: "rsd_c",
      side: "mask",
      at: (runs) => stepOf(run(runs), run(runs).rounds[0], "scored"),
      values: (runs) => ({ ...facts(runs), draft: drafted(runs) }),
      question: {
        ...numbers((runs) => [fed(runs), facts(runs).tokens, facts(runs).calls]),
        at: (runs) => end(run(runs)),
        side: "rounds",
      },
    },
    {
      name: "weights",
      run: "rsd_c",
      side: "about",
      at: (runs) => stepOf(run(runs), run(runs).rounds[0], "scored"),
      values: (runs) => ({ ...facts(runs), parameters: magnitude(run(runs).run.target.parameters) }),
      question: {
        ...numbers((runs) => [tenth(facts(runs).tokens / facts(runs).calls), tenth(fed(runs) / facts(runs).tokens), 1]),
        at: (runs) => end(run(runs)),
        side: "rounds",
      },
    },
  ],
  exercises: [
    ["race", "?tab=compare&methods=speculative_sampling,rsd_c,rsd_s"],
    ["lab", "?tab=lab&section=speed"],
  ],
};
