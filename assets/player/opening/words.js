/** The words of the first look: one sentence on what is seen, and three callouts in the picture. */

import { learn } from "../../shared/words.js";

learn({
  lead_draft: "A small draft model writes ahead; one call of a large target model decides what is kept.",
  lead_free: "Tokens are proposed without a draft model; one call of the target model decides what is kept.",
  lead_plain: "Nothing is drafted here: every step takes one call of the target model.",
  callout_drafts: "Drafts: {count} tokens, proposed ahead",
  callout_drafts_one: "Draft: one token, proposed ahead",
  callout_verification: "Verification: one call scores them all",
  callout_keeps: "Kept: {count} tokens become text",
  callout_keeps_one: "Kept: one token becomes text",
});
