/** Every word of the strip of positions. */

import { learn } from "../../shared/words.js";

learn({
  positions_title: "Who would have been best at each position?",
  positions_how:
    "Texts that the target wrote, and under each token how likely one draft of every drafter would have been accepted there. Exact: both distributions are known at every position, and no coin is thrown.",
  positions_text: "Text",
  positions_item: "{number}: {text}",
  positions_rule: "Rule",
  positions_speculative_sampling: "Speculative sampling: Σ min(p, q)",
  positions_greedy_draft: "Greedy draft: p of what q finds likeliest",
  positions_sample_and_match: "Sample and match: Σ p q",
  positions_best: "best at {count} of {all}",
  positions_mean: "{rate} on average",
  positions_only: "Show where it is best: {title}",
  positions_told: "“{piece}”: {rates}. Best: {best}.",
  positions_rate: "{title} {rate}",
  positions_kind: "By kind of text",
  positions_kind_caption:
    "Mean acceptance of one draft over all positions, under the rule chosen above; the best of a line is marked ★.",
  positions_kind_of: "Kind of text",
  positions_all: "all",
  positions_kinds_opening: "opening",
  positions_kinds_dialogue: "dialogue",
  positions_kinds_description: "description",
  positions_kinds_narration: "narration",
  positions_kinds_list: "list",
  positions_kinds_refrain: "refrain",
  positions_kinds_foreign: "foreign",
  positions_table: "The numbers of this text",
  positions_token: "Token",
});
