/**
 * Every word that the sweep shows, beside those of the player.
 */

import { learn } from "../shared/words.js";

learn({
  sweep_empty: "No sweep yet",
  sweep_empty_hint:
    "Press Sweep. The settings run one after the other, each alone; their points appear here as they come, and so does the front of those that no other beats.",
  sweep_charts: "Charts of the sweep",
  sweep_touch: "Tap a point to read it and to open its run.",
  sweep_point: "Choose a point to open its run in Watch.",
  sweep_save: "Save {title} as {form}",
  sweep_watch: "Watch",
  sweep_watch_this: "Watch this run",
  sweep_watch_setting: "Watch the median run of {title}",
  sweep_watch_run: "Watch run {run} of {title}: prompt {prompt}, seed {seed}",
  sweep_picked_close: "Close",
  sweep_picked_of: "{count} runs; the one to be watched has the median tokens/s.",
  sweep_picked_one: "1 run.",

  sweep_table: "Settings",
  sweep_table_caption:
    "Medians over each setting's prompts and seeds. Watch opens the run with the median tokens/s; unfold a setting for each of its runs.",
  sweep_setting: "Setting",
  sweep_fronts: "On the front of",
  sweep_fronts_help: "The charts in which no other setting beats this one in both numbers.",
  sweep_front_speed: "speed",
  sweep_front_energy: "energy (estimate)",
  sweep_front_measured_energy: "energy",
  sweep_front_budget: "budget",
  sweep_front_length: "draft length",
  sweep_runs: "{count} runs",
  sweep_run: "1 run",
  sweep_run_of: "Prompt {prompt}, seed {seed}",
  sweep_failed: "failed: {why}",
  sweep_num_failed: "{count} failed",
  sweep_unfold: "Show the runs of {title}",
  sweep_fold: "Hide the runs of {title}",
});
