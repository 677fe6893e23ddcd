/** Beams and a width that breathes. */

import { probability } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  beams_title: "Beams, and a width that breathes",
  beams_goal:
    "Beams are several texts written at once, and can be drafted too: as a forest, with a width that follows how much is accepted.",
  beams_wrong:
    "“A beam is a draft.” Beams are candidates for the answer; drafts are guesses at what beams will become.",
  beams_search_title: "Several texts at once",
  beams_search_text:
    "Beam search carries {width} texts. In every step each is continued with every token of the vocabulary, and the {width} likeliest texts of all are kept. So the target is asked at {width} places a step, and the best of all is the answer.",
  beams_search_ask: "The vocabulary has {size} tokens. Among how many texts are the next {width} chosen?",
  beams_search_told:
    "{all}: {width} times {size}. The braid in the view Rule shows which beams went on and which were dropped.",
  beams_forest_title: "A drafted forest",
  beams_forest_text:
    "This method drafts the beams of the next depths ahead: {draws} draws at depth {depth}, from the draft model's opinion of all beams together. One target call then verifies all depths.",
  beams_forest_ask: "{draws} draws at depth {depth}. How many beams go on from there?",
  beams_forest_told:
    "{width}. The width is set before a single draw is looked at: as many beams as will probably be accepted, with probability {threshold} at least. {accepted} were accepted; missing ones are drawn from the target itself.",
  beams_breathe_title: "The width breathes",
  beams_breathe_text:
    "Over this run {widths} beams stood at a depth. Where both models agree the width grows, where they do not it shrinks: a wide depth is only paid for where it will probably be filled.",
  beams_lab: "Move acceptance and the threshold in the Lab, and watch the width.",
  beams_watch: "Run it yourself, with more draws or another threshold.",
});

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
          accepted: working.accepted,
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
  exercises: [
    ["lab", "?tab=lab&section=beam"],
    ["watch", "?method=dsbd"],
  ],
};
