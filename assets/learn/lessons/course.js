/** Two lessons for a course: its four usual exercises, and three rules of which the reader convicts one. */

import { quoted } from "../../shared/elements.js";
import { decimal, probability } from "../../shared/numbers.js";
import published from "../../verification_costs.json" with { type: "json" };
import {
  accepted,
  correction,
  end,
  fullCall,
  median,
  medianCall,
  rounded,
  rowsAt,
  stepOf,
  stepOfVerdict,
} from "../finding.js";
import { histograms, WRONG } from "../histogram.js";
import { numbers } from "../lesson.js";

const code = (runs) => runs("opening_smollm2");
const story = (runs) => runs("prompt_lookup_fails");
const chain = (runs) => runs("opening");
const plain = (runs) => runs("autoregressive");

/** Seconds of a call over so many positions, over one of a single position in the same run. */
const growth = (trace, positions) => medianCall(trace, positions).call.seconds / medianCall(trace, 1).call.seconds;
const tenth = (value) => Math.round(10 * value) / 10;

/** T(8) / T(1) of a row of the table of prices, as others published it. @param {string} id */
const priceOf = (id) => decimal(published.find((row) => row.id === id)?.costs["8"] ?? NaN, 2);

const seconds = ({ commit }) => commit.draft_s + commit.verify_s;
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Tokens of some rounds, and their time in rounds of plain decoding. */
function priced(rounds, plainRounds) {
  const one = median(plainRounds.map(seconds));
  return { tokens: sum(rounds.map((round) => round.committed.length)), cost: sum(rounds.map(seconds)) / one };
}
/** A run that copies: all its rounds, and those that drafted; a round without a draft is plain decoding. */
function copying(trace) {
  const drafting = trace.rounds.filter((round) => round.layers.length);
  const others = trace.rounds.filter((round) => !round.layers.length);
  return { drafting: drafting.length, part: priced(drafting, others), whole: priced(trace.rounds, others) };
}
/** Rounds of the chain of drafts, over plain decoding in the same sitting. */
const raced = (runs) => {
  const { tokens, cost } = priced(chain(runs).rounds, plain(runs).rounds);
  const count = chain(runs).rounds.length;
  return { emitted: tokens / count, cost: cost / count };
};
/** Time of both requests, in rounds of plain decoding: copying in both, in none, and where it pays. */
const policies = (runs) => {
  const requests = [copying(code(runs)).whole, copying(story(runs)).whole];
  return [
    sum(requests.map(({ cost }) => cost)),
    sum(requests.map(({ tokens }) => tokens)),
    sum(requests.map(({ tokens, cost }) => Math.min(tokens, cost))),
  ];
};

/** @type {import("../lesson.js").Lesson} */
export const course = {
  id: "course",
  minutes: 12,
  runs: ["opening_smollm2", "opening", "autoregressive", "prompt_lookup_fails"],
  pages: [
    {
      name: "price",
      run: "opening_smollm2",
      side: "mask",
      at: (runs) => stepOf(code(runs), medianCall(code(runs), fullCall(code(runs))), "scored"),
      values: (runs) => ({
        places: fullCall(code(runs)),
        ratio: decimal(growth(code(runs), fullCall(code(runs))), 1),
        gpu: priceOf("llama_cpp_mi50"),
        matrix: priceOf("mlx_4bit"),
      }),
      question: numbers((runs) => {
        const positions = fullCall(code(runs));
        return [tenth(growth(code(runs), positions)), positions, positions * positions];
      }),
    },
    {
      name: "win",
      run: "opening",
      side: "rounds",
      at: (runs) => end(chain(runs)),
      values: (runs) => {
        const { emitted, cost } = raced(runs);
        const { judged, accepted: passed } = chain(runs).steps[end(chain(runs))].totals;
        return {
          emitted: decimal(emitted, 1),
          cost: decimal(cost, 1),
          alpha: decimal(passed / judged, 2),
          length: fullCall(chain(runs)) - 1,
          outcome: emitted > cost ? "course_wins" : "course_loses",
        };
      },
      question: numbers((runs) => {
        const emitted = tenth(raced(runs).emitted);
        return [emitted, tenth(emitted / 2), tenth(2 * emitted)];
      }),
    },
    {
      name: "ngram",
      run: "prompt_lookup_fails",
      side: "rule",
      at: (runs) =>
        stepOf(
          story(runs),
          story(runs).rounds.find((round) => round.layers.length),
          "scored",
        ),
      values: (runs) => {
        const { drafting, part } = copying(story(runs));
        return {
          copied: story(runs).finished.num_drafted,
          accepted: accepted(story(runs)),
          rounds: drafting,
          tokens: part.tokens,
          cost: decimal(part.cost, 0),
        };
      },
      question: {
        ...numbers((runs) => {
          const copied = story(runs).finished.num_drafted;
          return [accepted(story(runs)), Math.round(copied / 2), copied - accepted(story(runs))];
        }),
        at: (runs) => end(story(runs)),
        side: "rounds",
      },
    },
    {
      name: "requests",
      run: "opening_smollm2",
      side: "rounds",
      at: (runs) => end(code(runs)),
      values: (runs) => {
        const [first, second] = [copying(code(runs)).whole, copying(story(runs)).whole];
        const [on, off, each] = policies(runs).map((cost) => decimal(cost, 0));
        return {
          first: first.tokens,
          first_cost: decimal(first.cost, 0),
          second: second.tokens,
          second_cost: decimal(second.cost, 0),
          on,
          off,
          each,
        };
      },
      question: {
        choices: () => ["course_on", "course_off", "course_each"],
        right: (runs) => [2, 0, 1].find((index) => policies(runs)[index] === Math.min(...policies(runs))) ?? 2,
      },
    },
  ],
  exercises: [
    ["cost", "?tab=lab&section=speed"],
    ["build", "?method=prompt_lookup"],
    ["answers", "?tab=learn&lesson=answers"],
  ],
};

const MOST_ROWS = 6; // A histogram has no more.
const drawn = (runs) => runs("speculative_sampling");
const scene = (runs) => correction(drawn(runs));

/** p and q of the likeliest tokens at a position, and the probability that a draft is accepted there. */
const position = (runs) => {
  const { round, refused } = scene(runs);
  const rows = rowsAt(round, refused.node.parent)
    .filter(([, , q]) => q !== null)
    .slice(0, MOST_ROWS);
  const overlap = round.call.overlaps[round.rowOf.get(refused.node.parent)];
  return { overlap, rows: rows.map(([token, p, q]) => ({ piece: drawn(runs).piece(token), p, q })) };
};
/** The token that the wrong rule favours most. */
const favoured = (runs) => {
  const { rows, overlap } = position(runs);
  const gain = ({ p, q }) => Math.min(p, q) - overlap * p;
  return { overlap, ...rows.reduce((best, row) => (gain(row) > gain(best) ? row : best)) };
};

/** @type {import("../lesson.js").Lesson} */
export const convict = {
  id: "convict",
  minutes: 8,
  runs: ["speculative_sampling"],
  pages: [
    {
      name: "rules",
      run: "speculative_sampling",
      side: "token",
      at: (runs) => stepOfVerdict(drawn(runs), scene(runs).refused),
      picture: (runs) => histograms(position(runs)),
      question: {
        choices: () => ["convict_first", "convict_second", "convict_third"],
        right: () => WRONG,
      },
    },
    {
      name: "motive",
      run: "speculative_sampling",
      side: "rule",
      at: (runs) => stepOfVerdict(drawn(runs), scene(runs).refused),
      values: (runs) => {
        const { piece, p, q, overlap } = favoured(runs);
        return {
          token: quoted(piece),
          p: probability(p),
          q: probability(q),
          least: probability(Math.min(p, q)),
          rejected: probability(1 - overlap),
          again: probability((1 - overlap) * p),
        };
      },
      question: numbers((runs) => {
        const { p, q, overlap } = favoured(runs);
        return [Math.min(p, q) + (1 - overlap) * p, p, (1 - overlap) * p].map(rounded);
      }),
    },
  ],
  exercises: [["bench", "?tab=lab&section=losslessness&a=speculative_sampling&b=broken.correction_from_target"]],
};
