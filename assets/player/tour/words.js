/** The words of the first look, the tour and the end. Titles of methods and texts of tokens come from the trace. */

import { learn } from "../../shared/words.js";

learn({
  tour: "Tour of this run (T)",
  tour_place: "{place} of {count}",
  tour_back: "Back",
  tour_next: "Next",
  tour_done: "Done",
  tour_close: "End the tour",

  tour_draft_title: "A small model guesses ahead",
  tour_draft_chain:
    "The draft model wrote {count} tokens in {ms}, one after the other: {tokens}. Nothing of it is text yet.",
  tour_draft_tree:
    "The draft model wrote {count} tokens in {ms}, as a tree: {tokens}. Where it branches, one place has several guesses. Nothing of it is text yet.",
  tour_draft_free: "{count} tokens were guessed in {ms}, without a second model: {tokens}. Nothing of it is text yet.",
  tour_call_title: "The large model reads all of it at once",
  tour_call:
    "One call of the target model, {ms}, gave its probabilities at {count} places: after the text, and after every guess. Without guesses, each token needs a call of its own.",
  tour_call_plain:
    "One call of the target model, {ms}, gave its probabilities for one place. Plain decoding makes such a call for every token: that is what drafts save.",
  tour_judge_title: "The guesses are tested",
  tour_judge_coin:
    "For {token} the target gives p = {p} and the draft gave q = {q}, so it is kept with probability {accept}. The coin, a random number between 0 and 1, fell at {coin}: kept.",
  tour_judge_refused:
    "For {token} the target gives p = {p} and the draft gave q = {q}, so it is kept with probability {accept} only. The coin, a random number between 0 and 1, fell at {coin}: refused.",
  tour_keep_title: "The round ends",
  tour_keep_correction:
    "{refused} was refused, so the target wrote {token} in its place, drawn from what is left of p: what the draft model proposes too seldom. The two balance, so the text has exactly the probabilities of the target alone.",
  tour_keep_refused: "{refused} was refused, and the target wrote {token} itself.",
  tour_keep_bonus: "Nothing on this path was refused, and the same call gives one token more: {token}.",
  tour_sum_title: "Fewer calls for the text",
  tour_sum:
    "{tokens} tokens in {calls} calls of the target model, where plain decoding needs {tokens} calls. Whether that is faster depends on what calls cost: see the panels Rounds and About.",
  tour_sum_plain:
    "{tokens} tokens in {calls} calls of the target model, one for each. Open the tour on a run with drafts to see what they save.",

  // the first look
  lead_draft: "A small model drafts. One call of a large one verifies it all.",
  lead_free: "Drafted without a second model. One call of the target verifies it all.",
  lead_plain: "Nothing is drafted: each token takes one call of the target model.",
  lead_lossless: "Nothing is lost.",
  lead_lossy: "The text may differ.",
  callout_drafts: "{count} drafted tokens",
  callout_drafts_one: "One drafted token",
  callout_verification: "One call verifies them all",
  callout_keeps: "{count} tokens become text",
  callout_keeps_one: "One token becomes text",

  // the end
  end_label: "The whole run",
  end_call: "Target call {round}: {count} tokens",
  end_call_one: "Target call {round}: one token",
  end_accepted: "{count} accepted drafts",
  end_accepted_one: "one accepted draft",
  end_correction: "{count} corrections",
  end_correction_one: "one correction",
  end_bonus: "{count} bonus tokens",
  end_bonus_one: "one bonus token",
  end_plain: "{count} by the target alone",
  end_plain_one: "one by the target alone",
  end_calls_key: "one target call",
  end_tokens: "tokens",
  end_calls: "target calls",
  end_calls_one: "target call",
  end_efficiency: "tokens per call",
  end_speed: "tokens/s",
  end_energy: "energy, measured",
  end_energy_estimate: "energy, estimated",
  end_prompt: "Write your own prompt",
  end_race: "Race it against plain decoding",
  end_share: "Copy the link",
});
