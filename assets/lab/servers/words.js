/** The words of a server's log. */

import { learn } from "../../shared/words.js";

learn({
  log_open: "Open a log",
  log_try: "Try an example",
  log_try_title: "Try an example: one request of DeepSeek-V4-Flash on SGLang, as its pull request 33518 tells it",
  log_draft_cost: "Cost of a drafted token",
  log_verify_cost: "Cost of verifying a draft",
  log_costs:
    "In plain steps: the time of drafting one token, and of a target call that verifies a draft, over the time of a target call for one token. Your profiler or “Why not faster?” knows them.",
  log_unknown: "unknown",
  log_reading: "Reading {name} ...",
  log_read: "{name}: read.",
  log_example: "One request of DeepSeek-V4-Flash on SGLang (its pull request 33518)",
  log_large: "{name} is larger than 10 MB. Take the part of it that matters, or use python -m playground log.",
  log_failed: "{name} could not be read: {why}. Choose it again.",
  log_names: "Everyone's names, in ours",
  log_server: "server",
  log_theirs: "their name",
  log_ours: "in our words",
  log_extra: "the target's own token",
});
