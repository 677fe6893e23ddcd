/** Energy: what a counter measures, and what can be said without one. */

import { decimal, magnitude } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { end, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

const run = (runs) => runs("smollm2_tree");
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
  runs: ["smollm2_tree"],
  pages: [
    {
      name: "counter",
      run: "smollm2_tree",
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
      run: "smollm2_tree",
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
      run: "smollm2_tree",
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
