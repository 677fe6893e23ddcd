/** Recommending with beams: a list of items is a beam search, and can be drafted. */

import { decimal } from "../../shared/numbers.js";
import { learn } from "../../shared/words.js";
import { end, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

learn({
  recommend_title: "Recommending with beams",
  recommend_goal:
    "A generative recommender writes identifiers of a few tokens, and its list is what beam search finds. A draft model can search ahead, if all of the target's beams are among its own.",
  recommend_wrong:
    "“A draft that is nearly right is nearly as good.” A beam that is missing makes another list: so a depth counts only when none is missing.",
  recommend_wide_title: "A wider net",
  recommend_wide_text:
    "Here beam search is drafted on text: the target's list has {width} places, and the draft model carries {drafted} beams at every depth, {spare} more than the list is long. With items in place of words it is the same: see the tab Recommend.",
  recommend_wide_ask:
    "Of the target's {width} best, how many must be among the drafted {drafted} for a depth to count?",
  recommend_wide_told:
    "{width}: all of them. Then the next depth can be verified without asking again, and the result is exactly what beam search of the target would have found.",
  recommend_held_title: "How far the draft held",
  recommend_held_text:
    "{layers} depths were drafted in this round, with {drafted} beams each. One call of the target scored them all.",
  recommend_held_ask: "At how many of the {layers} depths were all {width} of the target's best drafted?",
  recommend_held_told:
    "{held}. At the next depth {found} of {width} were there; the target's own {width} take its place, and the round is over. The drafts behind it are lost.",
  recommend_saved_title: "The same list, with fewer calls",
  recommend_saved_text: "The run is {tokens} tokens long. Beam search alone calls the target once for every step.",
  recommend_saved_ask: "How many calls of the target did this run take?",
  recommend_saved_told:
    "{calls}, for {tokens} steps: {each} a call. But a call now asks at {asked} places on average, {width} without drafts: a machine that is busy with places, and not with reading weights, gains less.",
  recommend_tab: "Choose a user and watch items being recommended: the list is the same as beam search's.",
  recommend_race: "Race beam search, AtSpeed strict and AtSpeed relaxed.",
});

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
