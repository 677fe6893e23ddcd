/**
 * Every word the lenses show, added to the player's own. p is always the target, q the draft.
 */

import { learn } from "../../shared/words.js";

learn({
  lens_hint: "Arrow keys move between the tokens of this picture; Enter keeps one.",
  lens_start: "It fills in with the first round.",
  lens_nothing: "Nothing was drafted here, so nothing was tested.",
  lens_failed: "The workings of this step could not be drawn ({why}).",
  lens_unread_one: "One of this round's workings cannot be read and is left out.",
  lens_unread: "{count} of this round's workings cannot be read and are left out.",
  lens_place: "Round {round}, {count} draws after {parent}",
  lens_place_one: "Round {round}, one draw after {parent}",
  lens_others: "all others",
  lens_say_p: "p {value}",
  lens_say_r: "r {value} after rejection {place}",
  lens_key_p: "p: probability the target gives",
  lens_key_q: "q: probability the draft gave",

  // what the rejections leave
  lens_stages: "What each rejection leaves of p",
  lens_stages_test: "Test {test}",
  lens_stages_left: "Left over",
  lens_stages_next: "next",
  lens_stages_numbers: "accept {accept}, coin {coin}",
  lens_stages_number: "{accept}",
  lens_stages_item: "{token}: {numbers}; q {q}",
  lens_stages_drafted:
    "What the draft model proposes after {parent}, with the probability q of each draw. The target has not been asked yet.",
  lens_stages_scored: "The target's p stands beside q now. The first draw, {token}, is tested with min(1, p/q).",
  lens_stages_maybe:
    "The target's p stands beside q now. If all before it is accepted, {token} is tested first, with min(1, p/q).",
  lens_stages_untested:
    "What was drafted after {parent} was not tested: the round ended before it. Only p and q are known.",
  lens_stages_no_test: "Not tested",
  lens_stages_accepted:
    "{token} is accepted: the coin {coin} fell below min(1, p/q) = {accept}. Nothing is taken away from p here.",
  lens_stages_accepted_late:
    "{token} is accepted in test {count}, against what the rejections before it left of p: the coin {coin} fell below min(1, r/q) = {accept}.",
  lens_stages_rejected:
    "{token} is rejected: the coin {coin} did not fall below {accept}. Only what stood above q stays, rescaled to 1; the next draw is tested against that.",
  lens_stages_rejected_last:
    "{token} is rejected: the coin {coin} did not fall below {accept}. Only what stood above q stays, rescaled to 1; a correction will be drawn from it.",
  lens_stages_correction:
    "Every draw after {parent} was rejected. The correction {token} was drawn from what they left of p, where its probability was {chance}.",
  lens_stages_drawn: "{token}, the correction, drawn with probability {chance}",
  lens_stages_correction_one:
    "The draw after {parent} was rejected. The correction {token} was drawn from what it left of p, where its probability was {chance}.",
  lens_stages_draft: "Drafted",
  lens_stages_missing: "This trace does not hold what the rejections left of p here.",
  lens_key_q_distinct: "q: what this draw was drawn from, without the tokens rejected before it",
  lens_key_q_own: "q: what this draw was drawn from; each draw has a law of its own",
  lens_key_excess: "pale: covered by q; full: above q, all that a rejection leaves",
  lens_key_rest: "r: what the rejections so far left of p, rescaled to 1",
  lens_key_tested: "the token this test is about",

  // K-SEQ
  lens_matching: "The target's own draw, beside the draft",
  lens_matching_drafted: "{token} is drafted after {parent}. The target has not been asked yet.",
  lens_matching_scored:
    "The target's p is known now. It will draw a token of its own, which is {token} with probability {p}.",
  lens_matching_maybe:
    "The target's p is known now. If all before it is accepted, the target draws here, {token} with probability {p}.",
  lens_matching_untested: "The round ended before {token}: no draw was made here.",
  lens_matching_accepted:
    "The target drew {token} too: the coin {coin} fell into its share of the line, {p}. The draft is kept.",
  lens_matching_rejected:
    "The target drew another token: the coin {coin} did not fall into the share of {token}, {p}. What it drew takes the draft's place, and no residual is needed.",
  lens_matching_other: "another token",
  lens_matching_item: "{token}: p {p}, q {q}",
  lens_matching_costs: "How often a draft is kept here",
  lens_matching_one: "this draft, p",
  lens_matching_any: "any draft of q, Σ p q",
  lens_matching_best: "by speculative sampling, Σ min(p, q)",
  lens_key_line_coin: "coin: where the target's draw fell on the line",
  lens_key_line: "the coin's line: the draft's share of p, then all other tokens",
  lens_k_seq: "K-SEQ: one factor for all draws",
  lens_k_seq_drafted:
    "{count} draws follow {parent}. Once the target has answered, K-SEQ finds the factor ρ by which every q is multiplied.",
  lens_k_seq_one: "Only one of the chains is left after {parent}: ρ = 1, the test is that of speculative sampling.",
  lens_k_seq_free:
    "ρ = 1 here: all {count} draws may be tested as a single one would be, and one of them is accepted with {all}.",
  lens_k_seq_told:
    "The {count} draws are tested in turn against ρ q, with ρ = {factor}, until one passes. A single draw would pass against q with {overlap}; against ρ q it passes with {one} only, but one of the {count} does with {all}.",
  lens_k_seq_told_short:
    "The {count} draws are tested in turn against ρ q, ρ = {factor}, until one passes: one draw does with {one}, one of the {count} with {all}.",
  lens_k_seq_item: "{token}: p {p}, q {q}, times the factor {rho_q}; accepted with {accept}",
  lens_k_seq_accept: "accept",
  lens_k_seq_draws: "draws",
  lens_k_seq_costs: "What ρ costs and gives",
  lens_k_seq_single: "one draw, against q",
  lens_k_seq_divided: "one draw, against ρ q",
  lens_k_seq_all: "one of all {count} draws",
  lens_key_rho: "ρ q: what a draw is tested against; it passes with p / (ρ q), at most 1",
  // importance sampling
  lens_importance: "Importance sampling: which draw is selected",
  lens_importance_drafted:
    "{count} draws follow {parent}. Once the target has answered, weights decide which of them is tested.",
  lens_importance_one:
    "Only one of the chains is left after {parent}: nothing is to be selected, it is tested against q.",
  lens_importance_told:
    "Of {count} draws, {token} is selected. Over all they could have been, the selected token has the law P, which covers {all} of p, where one draw covers {one}. It is accepted with min(1, p/P) = {accept}.",
  lens_importance_weighed:
    "The {count} draws are weighed against each other now. Over all they could have been, the selected token has the law P, which covers {all} of p, where one draw covers {one}.",
  lens_importance_item: "{token}: p {p}, q {q}, P {law}",
  lens_importance_draw: "Draw {draw}, {token}: selected with probability {chance}{selected}",
  lens_importance_is_selected: ", and it was selected",
  lens_importance_chances: "Chance to be selected",
  lens_importance_covers: "How much of p is covered",
  lens_importance_covers_one: "by one draw: sum of min(p, q)",
  lens_importance_covers_all: "by the selected one: sum of min(p, P)",
  lens_key_law: "P, with its number: probability that the selected token is this one, over all draws",
  lens_key_chance: "probability of this draw to be the selected one, given all the draws",

  // BiLD
  lens_rollback: "Confidence and surprise: when to hand over, when to go back",
  lens_rollback_confidence: "Confidence of the small model",
  lens_rollback_surprise: "Surprise of the large model, in nats",
  lens_rollback_fallback: "fallback {value}",
  lens_rollback_rollback: "rollback {value}",
  lens_rollback_item: "{token}: confidence {confidence}{surprise}",
  lens_rollback_item_surprise: ", surprise {value} nats",
  lens_rollback_hesitant: "{token}, not written: confidence {confidence}",
  lens_rollback_writes:
    "The small model gives {token} {confidence}, not below the fallback threshold {fallback}: it writes on.",
  lens_rollback_hands_over:
    "The small model gives its best token, {token}, only {confidence}. That is below the fallback threshold {fallback}: it is not written, and the large model takes over.",
  lens_rollback_stays:
    "{token} surprises the large model by {surprise} nats, not above the rollback threshold {rollback}: it stays.",
  lens_rollback_back:
    "{token} surprises the large model by {surprise} nats, above the rollback threshold {rollback}: the text goes back to before it.",
  lens_rollback_over: "{kept} of {count} tokens of the small model stay; the large model adds {token}.",
  lens_rollback_over_all: "{kept} of {count} tokens of the small model stay, and the text ends with them.",
  lens_rollback_over_none: "The small model wrote nothing; the large model adds {token}.",
  lens_key_confidence: "largest probability the small model gives any token",
  lens_key_hesitant: "too unsure: this token is not written",
  lens_key_surprise: "−ln p of the token under the large model",
  lens_key_threshold: "threshold",
  lens_key_stays: "stays",
  lens_key_rolled_back: "rolled back",

  // MTAD
  lens_joint_ratio: "The longest prefix whose joint ratio passes",
  lens_joint_axis: "Joint ratio P/Q of each prefix",
  lens_joint_tau: "τ = {value}",
  lens_joint_item: "Prefix of length {length}, up to {token}: P/Q {ratio}; p {p}, q {q}",
  lens_joint_drafted: "The draft model's best beam so far, of length {count}. The target has not been asked yet.",
  lens_joint_scored: "Each prefix will be compared as a whole: does min(1, P/Q) exceed τ = {tau}?",
  lens_joint_passes: "The first {length} together have P/Q = {ratio}, above τ = {tau}.",
  lens_joint_fails:
    "The first {length} together have P/Q = {ratio}, not above τ = {tau}. A longer prefix may still pass.",
  lens_joint_none: "No prefix passes τ = {tau}: nothing is kept, and the next token is drawn from the target.",
  lens_joint_all: "The whole beam passes with P/Q = {ratio}, above τ = {tau}, and is kept.",
  lens_joint_all_though:
    "All {count} tokens pass together with P/Q = {ratio}, above τ = {tau}: the whole beam is kept, although a shorter prefix fails.",
  lens_joint_kept: "The longest prefix above τ = {tau} has {kept} of {count} tokens: these are kept.",
  lens_joint_kept_though:
    "The longest prefix above τ = {tau} has {kept} of {count} tokens: these are kept, although a shorter prefix among them fails.",
  lens_key_joint: "the target's probability of the whole prefix over the draft's; the axis is logarithmic",
  lens_key_prefix_passes: "min(1, P/Q) is above τ",
  lens_key_prefix_fails: "it is not",
  lens_key_tau: "τ",
  lens_key_kept: "the longest prefix that passes: kept, also past a shorter one that fails",

  // typical acceptance
  lens_typical: "A bar that falls where the target is unsure",
  lens_typical_axis: "p of the drafted tokens",
  lens_typical_epsilon: "ε = {value}",
  lens_typical_entropy: "H = {value}",
  lens_typical_entropy_short: "{value}",
  lens_typical_item: "{token}: p {p}, bar {bar}",
  lens_typical_drafted: "The draft model's most likely token is {token}. The target has not been asked yet.",
  lens_typical_scored:
    "Each token's p will be held against its bar: ε = {epsilon}, or less where the target is unsure.",
  lens_typical_passes:
    "The target is sure enough before {token} (H = {entropy}) for the full bar of {bar}; p = {p} is above it.",
  lens_typical_passes_unsure:
    "The target is unsure before {token} (H = {entropy}), so the bar falls to {bar}; p = {p} is above it.",
  lens_typical_fails:
    "Before {token} the bar stands at {bar} (H = {entropy}); p = {p} is not above it, and the chain ends here.",
  lens_typical_over: "{kept} of {count} tokens stood above their bar; the next token is drawn from the target.",
  lens_key_bar: "the bar: the lower of ε and δ exp(−H)",
  lens_key_own_bar: "δ exp(−H)",
  lens_key_epsilon: "ε",
  lens_key_entropy: "entropy of the target there, in nats: how unsure it is",

  // static ensemble
  lens_ensemble: "A mixture of both models decides",
  lens_ensemble_axis: "Probability of the drafted token",
  lens_ensemble_drafted: "The draft model drew {token} with q = {q}. The target has not been called yet.",
  lens_ensemble_scored: "Each draft is tested against v = w p + (1 − w) q, with w = {weight}: it passes where u q < v.",
  lens_ensemble_accepted: "{token}: u q = {reach} is below v = {v}, so it is accepted, as it would be by p = {p}.",
  lens_ensemble_relaxed:
    "{token}: u q = {reach} is below v = {v}, so it is accepted; speculative sampling, by p = {p}, would reject it.",
  lens_ensemble_rejected: "{token}: u q = {reach} is not below v = {v}, so it is rejected.",
  lens_ensemble_over:
    "{kept} of {count} drafts were accepted; by p alone the same random numbers would have accepted {strict}.",
  lens_ensemble_item: "{token}: p {p}, q {q}, mixture v {v}, u q {reach}, {outcome}",
  lens_ensemble_item_drafted: "{token}: q {q}",
  lens_key_ensemble_q: "q: probability it was drafted with",
  lens_key_ensemble_v: "v: the mixture, w of the way from q to p",
  lens_key_ensemble_reach: "u q: accepted where it is below v",

  // block verification
  lens_block: "The chain is tested as a block, from its end",
  lens_block_axis: "Chance of each prefix",
  lens_block_item: "Prefix of length {length}, up to {token}: reach {reach}{numbers}",
  lens_block_item_test: ", passes with {accept}, coin {coin}",
  lens_block_drafted: "The draft model has written {count} of the chain. The target has not been asked yet.",
  lens_block_scored:
    "P says how much of what was drafted the target can use. The whole chain is tested first, with P = {reach}.",
  lens_block_failed:
    "The prefix of {length} does not pass: the coin {coin} is not below h = {accept}. The prefix of {next} is tested next.",
  lens_block_none:
    "Not even the first token passes: the coin {coin} is not below h = {accept}. All of the chain is dropped, and a correction is drawn.",
  lens_block_whole: "The whole chain passes at once, and is kept: the coin {coin} is below h = {accept}.",
  lens_block_passed:
    "The prefix of {length} is the longest to pass: the coin {coin} is below h = {accept}. Weak tokens inside it need no test of their own.",
  lens_key_reach: "P: the product of p/q so far, cut off at 1 after every token",
  lens_key_block_chance: "h: probability that the prefix ending here passes, once all longer ones have failed",
  lens_key_coin: "coin: the prefix passes when the coin lies inside the bar",

  // traversal verification
  lens_traversal: "Paths are tested from the leaves up",
  lens_traversal_path: "path, in the order of the tests",
  lens_traversal_path_short: "path",
  lens_traversal_chance: "chance, and the coin",
  lens_traversal_item: "Test {number}: {path}, passes with {accept}, coin {coin}",
  lens_traversal_item_untested: "Place {number} in the order of the tests: {path}, not tested",
  lens_traversal_kept: "kept with its path",
  lens_traversal_drafted:
    "The draft tree grows. Its paths will be tested from the leaves up, once the target has answered.",
  lens_traversal_scored:
    "The first leaf is tested first, then what stands above it, with what the leaf has left of the target's mass.",
  lens_traversal_failed:
    "The path that ends in {token} does not pass: the coin {coin} is not below {accept}. What it took from the target's mass is handed on to the next test.",
  lens_traversal_passed:
    "The path that ends in {token} passes in test {number}: the coin {coin} is below {accept}. All {kept} tokens on it are kept, the weak ones too.",
  lens_traversal_passed_one:
    "The path that ends in {token} passes in test {number}: the coin {coin} is below {accept}. It is one token long.",
  lens_traversal_none: "None of the {number} paths passes. One token is drawn from what the tests have left of p.",
  lens_key_path_chance: "probability that the path passes, all before it having failed",
  lens_key_path_coin: "coin: the path passes when it lies inside the bar",

  // prompt lookup
  lens_lookup: "Where the draft is copied from",
  lens_lookup_earlier: "earlier",
  lens_lookup_now: "now",
  lens_lookup_same: "the same",
  lens_lookup_copied: "copied",
  lens_lookup_item: "{token}, token {position} of the text",
  lens_lookup_p: "p {p}",
  lens_lookup_none:
    "The last token stands nowhere earlier in the text: nothing is copied, and the target writes one token by itself.",
  lens_lookup_found:
    "The last {count} tokens, up to {token}, stood in the text before. What followed there is copied as the draft, of length {copied}.",
  lens_lookup_found_one:
    "The last token, {token}, stood in the text before. What followed there is copied as the draft, of length {copied}.",
  lens_lookup_over:
    "{kept} of {copied} copied tokens were accepted. A copied token was certain to be proposed, so it is accepted with p itself.",
  lens_key_match: "the longest run of last tokens that stood in the text before",
  lens_key_copy: "copied",
  lens_key_lookup_p: "probability the target gives the copied token: its acceptance probability, q being 1",

  // layers
  lens_layers: "What each layer would have said",
  lens_layers_before: "When a drafted token is tested, each layer of the target says what it would have written there.",
  lens_layers_place: "Round {round}, where {token} was tested",
  lens_layers_layer: "layer, and its likeliest token",
  lens_layers_figures: "best · drafted",
  lens_layers_item: "Layer {layer}: likeliest {token} with {best}; the drafted token has {drafted}",
  lens_layers_kept: "Layer {layer}: likeliest {token} with {best}; the drafted token has {drafted} and would be kept",
  lens_layers_refused:
    "Layer {layer}: likeliest {token} with {best}; the drafted token has {drafted} and would be refused",
  lens_layers_top: "{token} is the likeliest token from layer {layer} of {count} on.",
  lens_layers_never_top: "{token} is not the likeliest token of the last layer.",
  lens_layers_from: "By this coin it would be kept from layer {layer} on.",
  lens_layers_lost: "{early} earlier layers would keep it by this coin, the last one does not.",
  lens_layers_nowhere: "No layer would keep it by this coin.",
  lens_key_layers_best: "probability of the layer's likeliest token",
  lens_key_layers_drafted: "probability the layer gives the drafted token; the last layer's is p",
  lens_key_layers_exit: "the draft left here: it has layers 1 to {exit}, and its q is what layer {exit} says",
  lens_key_layers_trained:
    "the draft left here: it has layers 1 to {exit} and a trained exit, so its q is another than layer {exit} has here",
  lens_key_layers_lens:
    "every layer is read through the target's own last norm and output layer, untrained (logit lens)",
  lens_key_layers_kept: "the layer would keep it: coin < probability / q",

  // SuffixDecoding
  lens_suffix: "What followed where this stood before",
  lens_suffix_same: "the same",
  lens_suffix_after: "what came after",
  lens_suffix_item: "{token}, token {position} of the text, drafted: its share of the places is {share}",
  lens_suffix_none:
    "The last token stands nowhere earlier in the text: nothing is copied, and the target writes one token by itself.",
  lens_suffix_model:
    "What followed where the text's end stood before does not add up to enough: the draft model writes.",
  lens_suffix_found:
    "The last {count} tokens, up to {token}, stood in the text {places} times before. What followed is a tree of {nodes} tokens, whose shares of the places add up to {score}.",
  lens_suffix_found_once:
    "The last {count} tokens, up to {token}, stood in the text once before. What followed is the draft, of length {nodes}.",
  lens_suffix_found_one:
    "The last token, {token}, stood in the text {places} times before. What followed is a tree of {nodes} tokens, whose shares of the places add up to {score}.",
  lens_suffix_found_one_once:
    "The last token, {token}, stood in the text once before. What followed is the draft, of length {nodes}.",
  lens_suffix_more: "The latest {shown} are shown.",
  lens_suffix_over:
    "{kept} of {nodes} copied tokens were accepted. A share is a priority and no q: what is copied was certain to be proposed, so p alone decides.",
  lens_key_suffix_match: "the text's end, where it stood before and where it stands now",
  lens_key_suffix_drawn: "in bold: drafted, and verified by the target",

  // block drafter
  lens_block_draft: "One draft call, several positions",
  lens_block_draft_axis: "q of the drafted tokens, and survival",
  lens_block_draft_item:
    "Position {position}, {token}: q {base} without the bias, {biased} with it; survival {survival}",
  lens_block_draft_item_base: "Position {position}, {token}: q {base}; survival {survival}",
  lens_block_draft_first: "One draft call gives {count} positions. Position {position} drafts {token}: q = {base}.",
  lens_block_draft_growing:
    "Position {position} of {count}, from the same call: the Markov bias of {before} changes q of {token} from {base} to {biased}.",
  lens_block_draft_scored:
    "One draft call gave {count} positions. The Markov bias changed q of the {drafted} drafted tokens from {base} to {biased} on average; the confidence predicts {survive} accepted.",
  lens_block_draft_scored_base:
    "One draft call gave {count} positions. Drafted: {drafted}, with q = {base} on average and no bias; the confidence predicts {survive} accepted.",
  lens_block_draft_over:
    "Accepted: {accepted} of {drafted}; predicted by the confidence: {survive}. One draft call gave all {count} positions; the Markov bias changed q of the drafted tokens from {base} to {biased} on average.",
  lens_block_draft_over_base:
    "Accepted: {accepted} of {drafted}; predicted by the confidence: {survive}. One draft call gave all {count} positions, without a bias.",
  lens_key_block_base: "q without the Markov bias, at temperature 1",
  lens_key_block_biased: "q with the Markov bias of the token before, at temperature 1",
  lens_key_block_survival:
    "survival: predicted probability that all tokens up to here are accepted, from the text alone",
  lens_key_block_threshold: "threshold: a position whose survival is below it is not drafted",

  // dynamic tree
  lens_value_cut: "Only the most valuable candidates are kept",
  lens_value_axis: "Value: joint draft probability",
  lens_value_item: "Rank {rank}, {token}: value {value}, kept",
  lens_value_item_cut: "Rank {rank}, {token}: value {value}, cut",
  lens_value_growing: "The tree grows depth by depth, below the nodes of highest value only.",
  lens_value_cut_told:
    "Of {all} candidates the {kept} of highest value are kept, down to {value}. A child is never worth more than its parent, so what is kept is a tree.",
  lens_value_whole: "All {all} candidates are kept, down to a value of {value}.",
  lens_value_over: "{count} of the {kept} kept candidates were accepted: by value, number {ranks}.",
  lens_value_over_none: "None of the {kept} kept candidates was accepted.",
  lens_key_kept_candidate: "kept, and verified by the target",
  lens_key_cut_candidate: "grown by the draft model, but cut",
  lens_key_cut: "the cut",
  lens_key_skipped: "candidates left out of the picture",

  // AtSpeed
  lens_top_set: "The target's best beams, and whether they were drafted",
  lens_top_set_start: "beams",
  lens_top_set_step: "Depth {step}",
  lens_top_set_bonus: "One more",
  lens_top_set_counts: "{inside} of {best} drafted",
  lens_top_set_counts_short: "{inside} of {best}",
  lens_top_set_drafted: "{count} drafted",
  lens_top_set_others: "+{count} drafted, not best",
  lens_top_set_item: "Depth {step}, rank {rank}: {token}, ln p {score}, {whether}",
  lens_top_set_inside: "drafted",
  lens_top_set_outside: "not drafted",
  lens_top_set_drafting:
    "The draft model searches ahead with more beams than are wanted, {count} at depth {step}. The target has not been asked yet.",
  lens_top_set_scored:
    "Now the target searches through the same depths with its own probabilities: a depth counts if all of its best beams were drafted.",
  lens_top_set_full:
    "Depth {step}: all {best} of the target's best beams were drafted, so the next depth can be verified in the same call.",
  lens_top_set_stops:
    "Depth {step}: {inside} of the target's {best} best beams were drafted, {outside} not. These {best} are the new beams, and the round ends here.",
  lens_top_set_bonus_told:
    "Every depth was drafted in full, so the call gives one more: its {best} best beams end the round.",
  lens_key_inside: "one of the target's best, and drafted",
  lens_key_outside: "one of the target's best, but not drafted",
  lens_key_beam_line: "continues that beam; best text first",

  // beams
  lens_braid: "The beams by rank, token by token",
  lens_braid_rank: "rank",
  lens_braid_item: "Token {step}, rank {rank}: {token}, ln p {score}{fate}",
  lens_braid_dies: ", no continuation lives on",
  lens_braid_ends: ", the text ends here",
  lens_braid_best: ", on the best text",
  lens_braid_waiting: "The next beams are not decided yet.",
  lens_braid_told:
    "{count} beams, the most probable text first: it has ln p = {score}. Of the {before} before, {dead} found no continuation.",
  lens_braid_told_all:
    "{count} beams, the most probable text first: it has ln p = {score}. All those before found a continuation.",
  lens_braid_single: "One beam is left; its text has ln p = {score}.",
  lens_braid_first: "{count} beams, the most probable text first: it has ln p = {score}.",
  lens_braid_over: " The best text is a different one now.",
  lens_key_braid_best: "the best text",
  lens_key_braid_line: "another beam; lines cross where ranks change",
  lens_key_braid_dead: "a beam that finds no continuation",
  lens_key_braid_end: "a text that has ended",
  lens_key_braid_inside: "ranks; inside a round, among the beams that lived to its end",
  lens_key_braid_score: "natural log of the probability of the whole text since the prompt",

  // widths of depths
  lens_beam_width: "Beam width by depth",
  lens_ribbon_title: "Draws and width by depth",
  lens_ribbon_beams: "beams",
  lens_ribbon_width: "W = {width}",
  lens_ribbon_item: "{token}, depth {layer}: {state}",
  lens_beam_width_chances: "Depth {layer}: k of {draws} accepted, and k or more",
  lens_beam_width_bar: "Exactly {k} accepted: {value}; {k} or more: {more}",
  lens_beam_width_threshold: "t = {value}",
  lens_beam_width_drafted:
    "The draft model has drawn {count} beams at depth {layer}. How many of them are wanted is decided before they are tested.",
  lens_beam_width_told:
    "Depth {layer}, {draws} draws: {reached} or more are accepted with probability {chance}, which reaches t = {threshold}; {next} or more with a smaller one, which does not. So W = {width}.",
  lens_beam_width_told_all:
    "Depth {layer}, {draws} draws: all of them are accepted with probability {chance}, which reaches t = {threshold}. So W = {width}.",
  lens_beam_width_least:
    "Depth {layer}, {draws} draws: the probability that {reached} or more are accepted reaches t = {threshold}, that of one more does not. The least width is larger, so W = {width}.",
  lens_beam_width_none:
    "Depth {layer}, {draws} draws: the probability that even one is accepted is below t = {threshold}. So the least width stands, W = {width}.",
  lens_beam_width_empty:
    "Depth {layer}: no draw hangs below the beams that were accepted, so the beams are drawn from the target, and the round ends.",
  lens_beam_width_fixed: "Depth {layer}, {draws} draws, has the fixed width W = {width}.",
  lens_beam_width_full: " Accepted: all {width}. The depth is full, and the next one is verified.",
  lens_beam_width_last: " Accepted: all {width}. The depth is full.",
  lens_beam_width_short: " Accepted: {accepted} of {width}. The others are drawn from the target, and the round ends.",
  lens_key_pmk: "P(m, k): chance that exactly k of the m draws are accepted",
  lens_key_at_least: "chance that at least k are accepted",
  lens_key_width_threshold: "t, which that chance must reach",
  lens_key_width: "W: the width chosen for the depth, as many beams as may go on",
  lens_key_layer_draws: "its draws, the accepted ones lowest",

  // AtSpeed (relaxed)
  lens_relaxed: "Accepted draws fill a depth",
  lens_relaxed_chances: "Depth {layer}",
  lens_relaxed_rate: "α: one draw is accepted",
  lens_relaxed_whole: "{width} of {draws} are: the round goes on",
  lens_relaxed_share: "drafts in the beams, on average",
  lens_relaxed_distance: "distance from p, of a beam",
  lens_relaxed_drafted:
    "The draft model has drawn {count} beams at depth {layer}, more than are wanted. The target has not been asked yet.",
  lens_relaxed_told: "Depth {layer}: {width} of {draws} draws are accepted with {whole}, each for itself with {rate}.",
  lens_relaxed_away: "A beam's distribution is {distance} from the target's.",
  lens_relaxed_exact: "A beam's distribution is the target's here.",
  lens_key_distance:
    "total variation, which any set of texts can differ by at most; above 0 as the beams favour what both models like",

  // MTJD
  lens_joint_search: "The search for the most probable block",
  lens_joint_search_axis: "Texts weighed and kept",
  lens_joint_search_step: "token {step}",
  lens_joint_search_best: "best p {chance}",
  lens_joint_search_best_short: "{chance}",
  lens_joint_search_item: "Token {step}: {weighed} texts weighed, {kept} kept, the best with p {chance}",
  lens_joint_search_begins: "A block of {length} tokens begins. Its texts will be weighed by their joint probability.",
  lens_joint_search_told:
    "Token {step} of {length}: {weighed} texts were weighed and {kept} kept. The best so far has the joint probability {chance}.",
  lens_joint_search_decided:
    "The block of {length} tokens is decided among {weighed} texts; it has the joint probability {chance}.",
  lens_joint_search_exact: "Nothing that was left behind could have been more probable.",
  lens_joint_search_beam: "What was left behind might have led to a more probable one.",
  lens_joint_search_drawn: "It was drawn by the joint law, not chosen as the most probable.",
  lens_key_weighed: "texts weighed for this token; the axis is logarithmic",
  lens_key_kept_texts: "texts kept",
  lens_key_joint_best: "joint probability of the best text since the block began",

  // Sequoia
  lens_places: "The chances that the tree was planned for",
  lens_places_axis: "Chance that this child is accepted",
  lens_places_place: "child {place}",
  lens_places_place_short: "{place}",
  lens_places_item: "Child {place}: planned for {chance}, {count} in the tree; {tested} tests so far give {measured}",
  lens_places_told:
    "The tree is the best one for these chances: the first child of a node is the accepted one with {first}, the second with {second}.",
  lens_places_told_one:
    "The tree is the best one for this chance: the first child of a node is the accepted one with {first}.",
  lens_places_counted: " {count} of its {total} nodes are first children.",
  lens_places_expected: " It should emit {expected} tokens a round.",
  lens_key_planned: "a: the chance the tree was planned for, by the child's place in the draw order",
  lens_key_children: "so many nodes of the tree are such a child",
  lens_key_measured: "what the tests so far say, told at the end of a round",

  lens_key_draw_pending: "a draw, not tested yet",
});
