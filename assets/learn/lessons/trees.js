/** Trees: several guesses for one place, and the same one call. */

import { quoted } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { stepOf, stepOfVerdict, end } from "../finding.js";
import { numbers } from "../lesson.js";

const tree = (runs) => runs("rsd_c");
const distinct = (runs) => runs("rsd_s");
const full = (runs) =>
  tree(runs).rounds.reduce((most, round) => (round.nodes.length > most.nodes.length ? round : most));

/** Verdicts that kept a guess after a sibling of it was refused. */
const saves = (trace) =>
  trace.rounds.flatMap((round) =>
    round.verdicts.filter(
      (verdict) =>
        verdict.outcome === "accepted" &&
        round.verdicts.some(
          (other) =>
            other.outcome === "rejected" &&
            other.node.parent === verdict.node.parent &&
            other.index < verdict.index &&
            other.node !== verdict.node,
        ),
    ),
  );
const saved = (runs) => saves(tree(runs))[0];
const refusedBefore = (runs) =>
  tree(runs)
    .roundOf(saved(runs).node)
    .verdicts.find((verdict) => verdict.outcome === "rejected" && verdict.node.parent === saved(runs).node.parent);

/** @type {import("../lesson.js").Lesson} */
export const trees = {
  id: "trees",
  minutes: 7,
  runs: ["rsd_c", "rsd_s"],
  pages: [
    {
      name: "grown",
      run: "rsd_c",
      side: "mask",
      at: (runs) => stepOf(tree(runs), full(runs), "scored"),
      values: (runs) => ({ nodes: full(runs).nodes.length, layers: full(runs).layers.length }),
    },
    {
      name: "path",
      run: "rsd_c",
      side: "token",
      at: (runs) => stepOf(tree(runs), full(runs), "scored"),
      values: (runs) => ({
        nodes: full(runs).nodes.length,
        layers: full(runs).layers.length,
        most: full(runs).layers.length + 1,
      }),
      question: {
        ...numbers((runs) => [full(runs).layers.length + 1, full(runs).nodes.length, full(runs).nodes.length + 1]),
        at: (runs) => stepOf(tree(runs), full(runs), "committed"),
      },
    },
    {
      name: "saved",
      run: "rsd_c",
      side: "rule",
      at: (runs) => stepOfVerdict(tree(runs), saved(runs)),
      values: (runs) => ({
        refused: quoted(refusedBefore(runs).node.piece),
        kept: quoted(saved(runs).node.piece),
        saved: saves(tree(runs)).length,
        rounds: tree(runs).rounds.length,
      }),
    },
    {
      name: "distinct",
      run: "rsd_s",
      side: "token",
      at: (runs) => stepOf(distinct(runs), distinct(runs).rounds[0], "drafted"),
      values: (runs) => ({ each: decimal(distinct(runs).steps[end(distinct(runs))].totals.block_efficiency, 2) }),
    },
  ],
  exercises: [
    ["watch", "?method=rsd_s"],
    ["race", "?tab=compare&methods=speculative_sampling,specinfer,rsd_s"],
  ],
};
