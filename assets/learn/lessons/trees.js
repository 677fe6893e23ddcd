/** Trees: several guesses for one place, and the same one call. */

import { quoted } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { stepOf, stepOfVerdict, end } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  trees_title: "Trees",
  trees_goal:
    "Several guesses for one place share one call. Where the first is refused, a sibling may still be kept, and the round goes on.",
  trees_wrong: "“A tree of twelve guesses can write thirteen tokens.” Only one path through it becomes text.",
  trees_grown_title: "More than one guess for a place",
  trees_grown_text:
    "The draft model has grown a tree: {nodes} guesses at {layers} depths. The target reads all of them in one call. The view Mask shows how that can be: each guess may look back along its own branch only, so that it sees a text and not a heap.",
  trees_path_title: "How much of a tree becomes text?",
  trees_path_text:
    "The guesses below a node are tested in the order they were drawn. Where one is kept, the walk goes on below it.",
  trees_path_ask: "{nodes} guesses at {layers} depths. How many tokens can this round write at most?",
  trees_path_told:
    "{most}: a path of {layers} kept guesses, and one token of the target's own. The other guesses are insurance for places where the first is refused.",
  trees_saved_title: "Saved by a sibling",
  trees_saved_text:
    "Here {refused} was refused. In a chain the round would have ended. But a second guess, {kept}, stood beside it, was tested against what the refusal left of p, and kept. In this run that happened {saved} times in {rounds} rounds.",
  trees_distinct_title: "Without repetition",
  trees_distinct_text:
    "In this run siblings are drawn without replacement: never the same token twice. A repeated guess would be wasted, for once refused it is refused for good. This run writes {each} tokens a call of the target.",
  trees_watch: "Grow wider and deeper trees: width and depth are among the options of RSD-S.",
  trees_race: "Race a chain, a tree with repetition and one without.",
});

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
