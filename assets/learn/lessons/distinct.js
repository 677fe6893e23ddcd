/** Without replacement: why a guess should not be drawn twice. */

import { quoted } from "../../shared/elements.js";
import { end, layerStep, rounded, stepOfVerdict } from "../finding.js";
import { numbers } from "../lesson.js";

const again = (runs) => runs("specinfer");
const once = (runs) => runs("rsd_s");

const layers = (trace) =>
  trace.rounds.flatMap((round) =>
    round.layers.map((layer, i) => ({
      round,
      i,
      draws: layer.draws,
      distinct: new Set(layer.draws.map((draw) => draw.node)).size,
    })),
  );

/** The depth at which most draws repeat another. */
const wasteful = (runs) =>
  layers(again(runs)).reduce((most, each) =>
    each.draws.length - each.distinct > most.draws.length - most.distinct ? each : most,
  );

const recursive = (trace) =>
  trace.rounds.flatMap((round) =>
    round.workings.filter((working) => working.kind === "recursive").map((working) => ({ round, working })),
  );

/** True if the shown digits divide to the shown result: .005 / (1 − .995) would not give .993. */
const divides = ({ taken, before, after }) => Math.abs(rounded(before) / (1 - rounded(taken)) - after) < 0.001;

/** Two draws in turn of which the second gained most by the first: its probability before and after. */
function gained(runs) {
  const pairs = recursive(once(runs)).flatMap(({ round, working: { node, tokens, draws, offers } }) =>
    offers.slice(1).map((offer, k) => {
      const [first, second] = [tokens.indexOf(draws[k]), tokens.indexOf(draws[k + 1])];
      const verdict = round.verdicts.find((each) => each.node.parent === node && each.node.token === draws[k + 1]);
      return {
        round,
        verdict,
        first: tokens[first],
        second: tokens[second],
        taken: offers[k][first],
        before: offers[k][second],
        after: offer[second],
      };
    }),
  );
  return pairs
    .filter((each) => each.before > 0 && divides(each))
    .reduce((most, each) => (each.after - each.before > most.after - most.before ? each : most));
}

/** The first guess of a place that was refused although the target gave it most. */
function refused(runs) {
  const draws = recursive(once(runs)).map(
    ({
      round,
      working: {
        node,
        tokens,
        draws: [first],
        residuals,
        offers,
      },
    }) => {
      const at = tokens.indexOf(first);
      const verdict = round.verdicts.find((each) => each.node.parent === node && each.node.token === first);
      return { round, token: first, p: residuals[0][at], q: offers[0][at], left: residuals[1]?.[at], verdict };
    },
  );
  return draws
    .filter(({ verdict, left }) => verdict?.outcome === "rejected" && left !== undefined)
    .reduce((most, each) => (each.p > most.p ? each : most));
}

const named = (runs, token) => quoted(once(runs).piece(token));
const judged = (runs, round) => once(runs).steps.find((step) => step.round === round && step.kind === "scored").index;

/** @type {import("../lesson.js").Lesson} */
export const distinct = {
  id: "distinct",
  minutes: 6,
  runs: ["specinfer", "rsd_s"],
  pages: [
    {
      name: "waste",
      run: "specinfer",
      side: "token",
      at: (runs) => layerStep(again(runs), wasteful(runs).round, wasteful(runs).i) - 1,
      values: (runs) => {
        const all = layers(again(runs));
        return {
          count: wasteful(runs).draws.length,
          distinct: wasteful(runs).distinct,
          drafted: again(runs).steps[end(again(runs))].totals.drafted,
          wasted: all.reduce((sum, each) => sum + each.draws.length - each.distinct, 0),
        };
      },
      question: {
        ...numbers((runs) => [wasteful(runs).distinct, ...wasteful(runs).draws.map((_, i) => i + 1)]),
        at: (runs) => layerStep(again(runs), wasteful(runs).round, wasteful(runs).i),
      },
    },
    {
      name: "taken",
      run: "rsd_s",
      side: "token",
      at: (runs) => judged(runs, gained(runs).round),
      values: (runs) => {
        const { first, second, taken, before, after } = gained(runs);
        return {
          first: named(runs, first),
          second: named(runs, second),
          taken: rounded(taken),
          before: rounded(before),
          after: rounded(after),
        };
      },
      question: {
        ...numbers((runs) => [
          rounded(gained(runs).after),
          rounded(gained(runs).before),
          rounded(gained(runs).before * (1 - gained(runs).taken)),
        ]),
        at: (runs) => stepOfVerdict(once(runs), gained(runs).verdict),
        side: "rule",
      },
    },
    {
      name: "refused",
      run: "rsd_s",
      side: "token",
      at: (runs) => judged(runs, refused(runs).round),
      values: (runs) => {
        const { token, p, q, left } = refused(runs);
        return { token: named(runs, token), p: rounded(p), q: rounded(q), left: rounded(left) };
      },
      question: {
        ...numbers((runs) => [rounded(refused(runs).left), rounded(refused(runs).p), rounded(refused(runs).q)]),
        side: "rule",
      },
    },
  ],
  exercises: [
    ["race", "?tab=compare&methods=specinfer,rsd_c,rsd_s"],
    ["lab", "?tab=lab&section=acceptance&p=0.4,0.3,0.2,0.1&q=0.8,0.1,0.05,0.05&k=2"],
  ],
};
