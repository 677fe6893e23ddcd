/** Every word of the section on beam widths. */

import { learn } from "../../shared/words.js";

/** @type {import("../words.js").Preset[]} */
export const BEAM_PRESETS = [
  ["preset_five_continuations", [0.15, 0.35, 0.1, 0.25, 0.15], [0.4, 0.25, 0.2, 0.1, 0.05], 6],
  ["preset_good_draft", [0.3, 0.25, 0.2, 0.15, 0.1], [0.35, 0.25, 0.2, 0.12, 0.08], 6],
  ["preset_equal", [0.5, 0.3, 0.2], [0.5, 0.3, 0.2], 6],
  ["preset_disjoint", [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], 6],
  ["preset_too_sure", [0.3, 0.25, 0.2, 0.15, 0.1], [0.9, 0.04, 0.03, 0.02, 0.01], 6],
];

learn({
  preset_five_continuations: "Five continuations",
  preset_good_draft: "A good draft",
  beam_draws: "Drafts per depth (W_S)",
  beam_threshold: "Threshold t",
  beam_min: "Least width (W_min)",
  beam_layers: "Depths drafted (γ)",
  beam_seed: "Seed of the simulation",
  rates_title: "1. One draft after the other",
  rates_note:
    "The first draft is tested against p. A rejection takes q away from what is left of it, an acceptance begins anew with p. So the j-th test after an acceptance passes with α_j = Σ min(left, q), whatever came before. Outlined: what is left of p. Striped: q.",
  rates_first: "after an acceptance",
  rates_after: "after {count} rejections",
  rates_after_one: "after 1 rejection",
  chances_title: "2. How many are accepted",
  chances_note:
    "P(m, k): exactly k of {m} drafts are accepted, by the recursion. Diamonds: the rule, played {runs} times (seed {seed}); whiskers reach two standard errors, so about one in twenty may miss its bar.",
  chances_waiting: "P(m, k): exactly k of {m} drafts are accepted, by the recursion. The simulation is under way.",
  chances_k: "k, accepted drafts of {m}",
  chances_y: "probability",
  key_exactly: "exactly k",
  key_at_least: "k or more",
  key_simulated: "simulated",
  key_threshold: "threshold t",
  width_title: "3. The width",
  width_reached:
    "Width {width}: {width} or more of the {m} drafts are accepted with {chance}, which is not below t = {t}; {next} or more only with {less}.",
  width_all: "Width {width}: even all {m} drafts are accepted with {chance}, which is not below t = {t}.",
  width_least:
    "Width {width}, the least: by the threshold it would be {reached}, for {reached_next} or more drafts are accepted only with {less}, below t = {t}. A depth of width {width} is accepted with {chance}.",
  width_fixed:
    "Width {width}: at t = 0 no threshold chooses, and every depth asks for the least width. It is accepted with {chance}.",
  bar_text: "{k} of {m}: exactly {exactly}, {k} or more {more}",
  simulated_text: "simulated: {share}, {noise} to either side",
  rounds_title: "4. Depth by depth",
  rounds_note:
    "{runs} first rounds of DSBD on two models that have these p and q after every text, begun with one beam (seed {seed}). Only drafts below accepted beams are offered, so greater depths have fewer.",
  rounds_waiting: "The rounds are being played.",
  rounds_layer: "depth",
  rounds_share: "rounds that came so far",
  rounds_draws: "drafts offered, mean",
  rounds_widths: "widths asked for",
  rounds_accepted: "accepted, simulated",
  rounds_never: "no round came so far",
  rounds_end:
    "Steps of beam sampling per target call: simulated {steps} ± {noise}. {theorem} The theorem offers every depth all its drafts: the simulation shows what that leaves out.",
  rounds_theorem:
    "Theorem 3.2 says {layers}, with min(t, β) = {layer} for every depth; with the chance that depth 1 is accepted, {full}, it would be {full_layers}.",
  rounds_theorem_fixed:
    "Theorem 3.2 with β = {layer}, the chance that a depth of the least width is accepted, for every depth says {layers}; its minimum with t = 0 would say nothing.",
});
