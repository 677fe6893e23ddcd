/** Beams and a width that breathes. */

import { probability } from "../../shared/numbers.js";
import { stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

const search = (runs) => runs("beam_search");
const forest = (runs) => runs("dsbd");
const third = (runs) => search(runs).rounds[Math.min(3, search(runs).rounds.length - 1)];

/** Every depth's choice of a width, with its round. */
const widths = (runs) =>
  forest(runs).rounds.flatMap((round) =>
    round.workings.filter((working) => working.kind === "beam_width").map((working) => ({ round, working })),
  );
const chosen = (runs) =>
  widths(runs).find(({ working }) => working.width > 1 && working.width < working.num_draws && working.accepted > 0) ||
  widths(runs)[0];

/** Step at which the view Rule shows that choice: the last verdict at its depth, before the next depth is begun. */
const decided = (runs) => {
  const { round, working } = chosen(runs);
  const tests = forest(runs).steps.filter((step) => step.round === round && step.kind === "verified");
  const here = tests.filter((step) => step.verdict.node.layer === working.depth);
  return here.length ? here[here.length - 1].index : stepOf(forest(runs), round, "committed");
};

/** @type {import("../lesson.js").Lesson} */
export const beams = {
  id: "beams",
  minutes: 8,
  runs: ["beam_search", "dsbd"],
  pages: [
    {
      name: "search",
      run: "beam_search",
      side: "rule",
      at: (runs) => stepOf(search(runs), third(runs), "committed"),
      values: (runs) => {
        const [width, size] = [search(runs).run.options.width, search(runs).run.target.vocab_size];
        return { width, size, all: width * size };
      },
      question: numbers((runs) => {
        const [width, size] = [search(runs).run.options.width, search(runs).run.target.vocab_size];
        return [width * size, width, width * width, size];
      }),
    },
    {
      name: "forest",
      run: "dsbd",
      side: "token", // the rule's own view would tell the answer
      at: (runs) => stepOf(forest(runs), chosen(runs).round, "scored"),
      values: (runs) => {
        const { working } = chosen(runs);
        return {
          depth: working.depth,
          draws: working.num_draws,
          width: working.width,
          threshold: probability(working.threshold),
        };
      },
      question: {
        ...numbers((runs) => [
          chosen(runs).working.width,
          chosen(runs).working.num_draws,
          1,
          Math.ceil(chosen(runs).working.num_draws / 2),
        ]),
        at: decided,
        side: "rule",
      },
    },
    {
      name: "breathe",
      run: "dsbd",
      side: "rounds",
      at: (runs) => forest(runs).steps.length - 1,
      values: (runs) => {
        const all = widths(runs).map(({ working }) => working.width);
        return { widths: `${Math.min(...all)}–${Math.max(...all)}` };
      },
    },
  ],
  exercises: [["watch", "?method=dsbd"]],
};
