/** Every word of the acceptance lab. */

import { learn } from "../shared/words.js";

/** @typedef {[string, number[], number[], number]} Preset key of its name, p, q and the number of drafts */

export const SCHEMES = [
  { group: "one", schemes: ["speculative"] },
  { group: "independent", schemes: ["naive", "spec_infer", "k_seq", "importance", "optimal_with_replacement"] },
  { group: "different", schemes: ["recursive", "optimal_without_replacement"] },
  { group: "chosen", schemes: ["deterministic", "greedy_draft"] },
];

export const RULES = ["spec_infer", "recursive", "k_seq", "importance"];

export const CURVES = ["towards", "flatness", "bernoulli", "uniform_draft", "uniform_draft_right"];

/** @type {Preset[]} */
export const PRESETS = [
  ["preset_five_tokens", [0.15, 0.35, 0.1, 0.25, 0.15], [0.4, 0.25, 0.2, 0.1, 0.05], 2],
  ["preset_two_coins", [0.4, 0.6], [0.7, 0.3], 2],
  ["preset_three_tokens", [0.2, 0.3, 0.5], [0.6, 0.3, 0.1], 2],
  ["preset_equal", [0.5, 0.3, 0.2], [0.5, 0.3, 0.2], 2],
  ["preset_disjoint", [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], 2],
  ["preset_too_sure", [0.3, 0.25, 0.2, 0.15, 0.1], [0.9, 0.04, 0.03, 0.02, 0.01], 3],
];

learn({
  rows_tokens: "Tokens",
  drafts: "Drafts (K)",
  token: "token",
  target: "p, target",
  draft: "q, draft",
  presets: "Examples",
  preset_five_tokens: "Five tokens",
  preset_two_coins: "Two coins",
  preset_three_tokens: "Three tokens",
  preset_equal: "Equal",
  preset_disjoint: "Disjoint",
  preset_too_sure: "A draft too sure",
  add: "Add a token",
  remove: "Remove the last token",
  link: "Copy the link",
  copied: "The link is copied.",
  copy_by_hand: "Copy it from here: {link}",
  sums: "Both rows sum to 1: when one share is moved, the others keep their proportions.",
  bars_title: "How often a draft is accepted",
  bars_schemes: "The schemes",
  bars_scheme: "{title} ({group})",
  schemes_one: "One draft",
  schemes_independent: "K independent drafts",
  schemes_different: "K different drafts",
  schemes_chosen: "Drafts chosen, not drawn",
  scheme_speculative: "Speculative sampling",
  scheme_speculative_help: "Accept the one draft with min(1, p/q).",
  scheme_naive: "Sample and match",
  scheme_naive_help: "Draw from the target, and see whether it is among the drafts.",
  scheme_spec_infer: "SpecInfer",
  scheme_spec_infer_help: "Test one draft after the other; each rejection takes q away from what is left of p.",
  scheme_k_seq: "K-SEQ (SpecTr)",
  scheme_k_seq_help: "Test each draft with p/(ρq), one ρ for all, solved so that nothing is given out twice.",
  scheme_importance: "Importance sampling",
  scheme_importance_help: "Select one draft by the best weights (a linear program over all pairs), and test that one.",
  scheme_optimal_with_replacement: "Optimum",
  scheme_optimal_with_replacement_help: "No rule can accept more of K independent drafts.",
  scheme_recursive: "Recursive rejection (RSD)",
  scheme_recursive_help: "Drafts without replacement, tested one after the other.",
  scheme_optimal_without_replacement: "Optimum",
  scheme_optimal_without_replacement_help: "No rule can accept more of K drafts drawn without replacement.",
  scheme_deterministic: "The K likeliest",
  scheme_deterministic_help:
    "The draft's K likeliest tokens; the target's mass on them. With one of them, the greedy draft of servers.",
  scheme_greedy_draft: "The likeliest and one drawn",
  scheme_greedy_draft_help: "The K − 1 likeliest and one drawn from the rest, verified optimally.",
  bars_note: "Exact for the p and q that are shown, with K = {k}. The extra token is never counted.",
  limit_none:
    "Nothing limits {k} independent drafts: for every set S of tokens p(S) ≥ q(S){power}, so the optimum is 1.",
  limit:
    "What limits {k} independent drafts is S = {{tokens}}: all of them fall into S with q(S){power} = {inside}, but the target wants S only with p(S) = {target}. So the optimum is {target} + 1 − {inside} = {optimum}.",
  full_title: "One rule in full",
  full_spec_infer: "SpecInfer: recursive rejection, with replacement",
  full_recursive: "RSD: recursive rejection, without replacement",
  full_k_seq: "SpecTr: K-SEQ",
  full_importance: "Importance sampling",
  full_note:
    "Rows: which tokens were drafted, and how likely that is. Columns: what comes out. ● a draft was accepted, ◇ all were rejected and this was drawn instead.",
  full_law: "comes out",
  full_target: "target p",
  full_exact:
    "Each column adds up to the target's probability: the largest difference is {gap}, which is rounding. The rule is lossless.",
  key_q: "q, draft",
  key_p: "p, target",
  key_min: "shared: min(p, q)",
  full_drafted: "drafted",
  full_mass: "how likely",
  full_accepted: "accepted: {value}",
  full_corrected: "corrected: {value}",
  coupling_overlap:
    "Overlap Σ min(p, q) = {overlap}: the acceptance of a single draft. What p has beyond q, {missing}, is the residual that a correction is drawn from.",
  coupling_overlap_all: "p and q are equal: everything is accepted, and nothing is left for a correction.",
  curves_title: "One number moves",
  curves_y: "acceptance",
  curve_towards: "The draft moves away from the target",
  curve_towards_x: "distance of the draft: 0 at the target, 1 where it stands",
  curve_flatness: "Importance sampling where rows are flat",
  curve_flatness_x: "temperature of both rows of 64 tokens: peaked on the left, flat on the right",
  curve_bernoulli: "RSD, Figure 1: two tokens",
  curve_bernoulli_x: "target's probability of the first token; the draft's is {value}",
  curve_uniform_draft: "Importance sampling, Figure 2, left: three tokens, drafted alike",
  curve_uniform_draft_x: "target's probability of the second token; its first has {value}",
  curve_uniform_draft_right: "Importance sampling, Figure 2, right: the first token rarer",
  curve_uniform_draft_right_x:
    "target's probability of the second token; its first has {value}, our choice, for the text of the paper that we have leaves its number out",
  line_speculative: "one draft",
  line_spec_infer: "SpecInfer",
  line_k_seq: "K-SEQ",
  line_importance: "importance",
  line_importance_truncated: "importance, truncated (Khisti et al.)",
  line_importance_pooled: "importance, our classes",
  line_recursive: "recursive (RSD)",
  line_optimal_with_replacement: "optimum, independent",
  line_optimal_without_replacement: "optimum, different",
  from_node: "From Watch, round {round}, what could follow “{after}”: p and q as the trace has them, to 4 digits.",
  own_laws:
    "The draws there had laws of their own; q is the first one's, and the bars for several drafts take all from it.",
  from_link: "p and q came with the link, from a position of a run.",
  not_lumped: "These are all the tokens there are.",
  lumped:
    "The token itself and those with most of p and q are shown; all others together are “{other}”, with p {p} and q {q}.",
  lumped_apart:
    "The token itself and those with most of p and q are shown; all others are two: “{over}” with p {p} and q {q}, and “{under}” with p {p2} and q {q2}.",
  lumped_exact:
    "Taking them together changes nothing for one draft: Σ min(p, q) over the whole vocabulary is {exact}, as here.",
  lumped_more:
    "Taking them together would change nothing if p and q leaned the same way on each of them. They do not: for one draft Σ min(p, q) is {exact} over the whole vocabulary and {here} here, {more} too much.",
  lumped_apart_drafts:
    "With several drafts the bars also depend on how p and q lie within those two. The trace does not say, so what both models share is divided evenly between the two: those bars are estimates.",
  lumped_drafts:
    "With several drafts the optimum of independent ones is no smaller here than over the whole vocabulary; the other bars take “{other}” for one token and are close to the true ones, not equal.",
  edited: "Changed by hand since.",
  failed: "No answer from the server ({reason}). Move a slider to ask again.",
  failed_empty: "no answer",
  failed_offline: "no connection",
});

/** A probability for reading. */
export const shown = (value, digits = 4) =>
  value === null || value === undefined ? "–" : Number(value).toFixed(digits);
