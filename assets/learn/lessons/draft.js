/** Draft and verify: one round of speculative sampling. */

import { quoted } from "../../shared/elements.js";
import { decimal, milliseconds } from "../../shared/numbers.js";
import { accepted, end, stepOf, telling } from "../finding.js";
import { numbers } from "../lesson.js";

const run = (runs) => runs("opening");
const round = (runs) => telling(run(runs));

/** @type {import("../lesson.js").Lesson} */
export const draft = {
  id: "draft",
  minutes: 5,
  runs: ["opening", "autoregressive"],
  pages: [
    {
      name: "guess",
      run: "opening",
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
      run: "opening",
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
      run: "opening",
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
      run: "opening",
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
