/** Recommending with beams: a list of items is a beam search, and can be drafted. */

import { decimal } from "../../shared/numbers.js";
import { end, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

const run = (runs) => runs("atspeed_strict");
const width = (runs) => run(runs).run.options.width;
const spare = (runs) => run(runs).run.options.spare;

/** The number of accepted drafts at every depth of a round. */
const numAccepted = (round) =>
  round.layers.map(
    (layer) =>
      new Set(layer.draws.filter((draw) => draw.verdict?.outcome === "accepted").map((draw) => draw.node)).size,
  );
const held = (runs, round) => numAccepted(round).filter((count) => count >= width(runs)).length;

/** A round that held for some of its steps, and not for all. */
const partly = (runs) => {
  const whole = run(runs).rounds.filter((round) => round.commit && round.layers.length > 1);
  return (
    whole.find((round) => held(runs, round) > 0 && held(runs, round) < round.layers.length) ||
    whole.find((round) => held(runs, round) < round.layers.length) ||
    whole[0]
  );
};

/** @type {import("../lesson.js").Lesson} */
export const recommend = {
  id: "recommend",
  minutes: 6,
  runs: ["atspeed_strict"],
  pages: [
    {
      name: "wide",
      run: "atspeed_strict",
      side: "token",
      at: (runs) => stepOf(run(runs), run(runs).rounds[0], "scored"),
      values: (runs) => ({ width: width(runs), spare: spare(runs), drafted: width(runs) + spare(runs) }),
      question: {
        ...numbers((runs) => [width(runs), 1, Math.ceil(width(runs) / 2), width(runs) + spare(runs)]),
        at: (runs) => stepOf(run(runs), run(runs).rounds[0], "committed"),
        side: "rule",
      },
    },
    {
      name: "held",
      run: "atspeed_strict",
      side: "token",
      at: (runs) => stepOf(run(runs), partly(runs), "scored"),
      values: (runs) => {
        const count = held(runs, partly(runs));
        return {
          layers: partly(runs).layers.length,
          drafted: width(runs) + spare(runs),
          width: width(runs),
          held: count,
          found: numAccepted(partly(runs))[count] ?? width(runs),
        };
      },
      question: {
        ...numbers((runs) => [held(runs, partly(runs)), ...partly(runs).layers.map((_, i) => i + 1), 0]),
        at: (runs) => stepOf(run(runs), partly(runs), "committed"),
        side: "rule",
      },
    },
    {
      name: "saved",
      run: "atspeed_strict",
      side: "about",
      at: (runs) => stepOf(run(runs), run(runs).rounds[0], "committed"),
      values: (runs) => {
        const { num_tokens: tokens, target_calls: calls } = run(runs).finished;
        const scored = run(runs).rounds.reduce((sum, round) => sum + (round.call ? round.call.nodes.length : 0), 0);
        return {
          tokens,
          calls,
          each: decimal(tokens / calls, 2),
          asked: decimal(scored / calls, 1),
          width: width(runs),
        };
      },
      question: {
        ...numbers((runs) => [
          run(runs).finished.target_calls,
          run(runs).finished.num_tokens,
          Math.ceil(run(runs).finished.num_tokens / width(runs)),
          run(runs).finished.num_tokens * width(runs),
        ]),
        at: (runs) => end(run(runs)),
        side: "rounds",
      },
    },
  ],
  exercises: [
    ["tab", "?tab=recommend"],
    ["race", "?tab=compare&methods=beam_search,atspeed_strict,atspeed_relaxed"],
  ],
};
