/**
 * Why a draw was accepted, rejected or not tested: one sentence per code of a trace's `reasons`.
 *
 * The one table of these sentences: playground/trace/reasons.py reads it too. A code may be several, joined by "+".
 */

import { learn, say, words } from "../../shared/words.js";

learn({
  why_sibling_accepted: "A sibling drawn before it was accepted.",
  why_not_selected: "The importance step selected another draw.",
  why_not_reached: "The walk did not come here.",
  why_earlier_rejected: "A token before it was rejected.",
  why_round_over: "The round was over before.",
  why_beam_dropped: "Its beam was not kept.",
  why_enough_beams: "Enough beams were accepted before it.",
  why_enough_draws: "As many draws as are looked at, or as are wanted, came before it.",
  why_no_mass_left: "Nothing is left of the target's mass here.",
  why_below: "The coin fell below p/q.",
  why_not_below: "The coin did not fall below p/q.",
  why_below_certain: "The coin fell below p; q = 1, for the draft was proposed with certainty.",
  why_not_below_certain: "The coin did not fall below p; q = 1, for the draft was proposed with certainty.",
  why_below_share: "The coin fell below its share of what the rejections left of p.",
  why_not_below_share: "The coin did not fall below its share of what the rejections left of p.",
  why_below_residual_first: "The coin fell below r/q: r = {r} is its share of what the rejection left of p.",
  why_not_below_residual_first:
    "The coin did not fall below r/q: r = {r} is its share of what the rejection left of p.",
  why_below_residual: "The coin fell below r/q: r = {r} is its share of what {count} rejections left of p.",
  why_not_below_residual: "The coin did not fall below r/q: r = {r} is its share of what {count} rejections left of p.",
  why_below_distinct_first:
    "The coin fell below r/{q}, q without the rejected tokens: r = {r} is its share of what the rejection left of p.",
  why_not_below_distinct_first:
    "The coin did not fall below r/{q}, q without the rejected tokens: r = {r} is its share of what the rejection left of p.",
  why_below_distinct:
    "The coin fell below r/{q}, q without the rejected tokens: r = {r} is its share of what {count} rejections left of p.",
  why_not_below_distinct:
    "The coin did not fall below r/{q}, q without the rejected tokens: r = {r} is its share of what {count} rejections left of p.",
  why_below_k_seq: "The coin fell below p/({factor} q): with {draws} draws, K-SEQ divides by {factor}.",
  why_not_below_k_seq: "The coin did not fall below p/({factor} q): with {draws} draws, K-SEQ divides by {factor}.",
  why_below_selected:
    "The coin fell below p/P: of {draws} draws this one was selected, and the selection gives it P = {chance}.",
  why_not_below_selected:
    "The coin did not fall below p/P: of {draws} draws this one was selected, and the selection gives it P = {chance}.",
  why_below_mixture: "The coin fell below v/q: v is {weight} p and {rest} q.",
  why_not_below_mixture: "The coin did not fall below v/q: v is {weight} p and {rest} q.",
  why_matched: "The target's own draw is this token.",
  why_not_matched: "The target's own draw is another token.",
  why_likelier: "The target likes it at least as much as the draft did.",
  why_no_mass: "The target gives it no mass.",
  why_in_longer_block: "It is part of a longer block that was kept.",
  why_longest_block: "The block that ends here is the longest to pass its test.",
  why_block_failed: "The block that ends here did not pass.",
  why_block_no_mass: "The target gives the block no mass.",
  why_first_path: "The path that ends here is the first to pass its test.",
  why_path_failed: "The path that ends here did not pass.",
  why_on_path: "It lies on the path to a node that passed.",
  why_path_later: "A node passed before its turn.",
  why_above_bar: "The target's probability is above the bar of {bar}.",
  why_not_above_bar: "The target's probability is not above the bar of {bar}.",
  why_within_surprise: "Its surprise of {surprise} nats is within {threshold}.",
  why_above_surprise: "Its surprise of {surprise} nats is above {threshold}.",
  why_earlier_rolled_back: "A token before it was rolled back.",
  why_joint_above: "The joint ratio p/q up to here is {ratio}, above {tau}.",
  why_joint_not_above: "The joint ratio p/q up to here is {ratio}, not above {tau}.",
  why_joint_carried: "The joint ratio p/q up to here is {ratio}, not above {tau}, but a longer prefix passes.",
  why_in_top_set: "It is among the target's best beams.",
  why_not_in_top_set: "The target has better beams than this.",
  why_step_incomplete: "An earlier depth was not drafted in full.",
  why_turned: "Forced: the reader turned this coin.",
  why_put: "Forced: this token was put here by the reader.",
  why_replaced: "Forced: the reader put another token in its place.",
  why_sent_away: "Nothing asked about it: the reader sent the text another way.",
});

/**
 * The reason as sentences; of a code that no entry is for, its own words.
 *
 * @param {string} code
 * @param {Record<string, number>} [values] of the places in the sentence
 */
export function reasonSentence(code, values = {}) {
  const shown = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(3))]));
  return code
    .split("+")
    .map((each) => (`why_${each}` in words ? say(`why_${each}`, shown) : each.replaceAll("_", " ")))
    .filter(Boolean)
    .join(" ");
}
