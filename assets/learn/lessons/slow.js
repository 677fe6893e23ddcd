/** The cost of decoding, on a real chat model: a call for every token, and what a call costs. */

import { quoted } from "../../shared/elements.js";
import { decimal, magnitude, milliseconds } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { end, fullCall, medianCall, stepOf } from "../finding.js";
import { numbers } from "../lesson.js";

const plain = (runs) => runs("plain_smollm2");
const drafted = (runs) => runs("opening_smollm2");
const typical = (runs) => medianCall(plain(runs), 1);
const wide = (runs) => medianCall(drafted(runs), fullCall(drafted(runs)));

/** @type {import("../lesson.js").Lesson} */
export const slow = {
  id: "slow",
  minutes: 5,
  runs: ["plain_smollm2", "opening_smollm2"],
  pages: [
    {
      name: "token",
      run: "plain_smollm2",
      side: "about",
      at: (runs) => stepOf(plain(runs), typical(runs), "committed"),
      values: (runs) => ({
        parameters: magnitude(plain(runs).run.target.parameters),
        ms: milliseconds(typical(runs).call.seconds),
        token: quoted(typical(runs).extras[0].piece),
      }),
    },
    {
      name: "count",
      run: "plain_smollm2",
      at: (runs) => stepOf(plain(runs), typical(runs), "scored"),
      values: (runs) => ({
        tokens: plain(runs).finished.num_tokens,
        calls: plain(runs).finished.target_calls,
        rate: decimal(plain(runs).totals.tokens_per_second, 0),
      }),
      question: {
        ...numbers((runs) => [1, 4, 2].map((share) => Math.round(plain(runs).finished.target_calls / share))),
        at: (runs) => end(plain(runs)),
        side: "rounds",
      },
    },
    {
      name: "wide",
      run: "opening_smollm2",
      side: "mask",
      at: (runs) => stepOf(drafted(runs), wide(runs), "scored"),
      values: (runs) => {
        const [many, one] = [wide(runs), typical(runs)].map((round) => round.call.seconds);
        // of two runs: where reading the weights is all, a busy moment can make the narrower call the longer one
        const times =
          many / one < 1.05 ? say("slow_wide_alike") : say("slow_wide_times", { ratio: decimal(many / one, 1) });
        return { places: fullCall(drafted(runs)), wide: milliseconds(many), one: milliseconds(one), times };
      },
    },
  ],
  exercises: [
    ["see", "?method=autoregressive"],
    ["lab", "?tab=lab&section=speed"],
  ],
};
