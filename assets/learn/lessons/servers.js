/** Servers: rules that need less than q, and what that costs. */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import { end, stepOfVerdict } from "../finding.js";

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
