/**
 * Every word that only the race shows.
 */

import { learn, say } from "../shared/words.js";

learn({
  race_empty: "No race yet",
  race_empty_hint:
    "Press Race. The methods run one after the other, each alone; when all are done, their runs are replayed here side by side, on one clock.",
  race_verdict: "What the race says",
  race_awaited: "They are off. Who is fastest is said at the finish.",

  // while it is measured
  measuring_title: "Measuring",
  measuring_how:
    "A cell is one run, as high as its tokens/s. When all are measured, the race is replayed with a cell per token.",
  measuring_rate: "tokens/s so far",
  measuring_runs: "{done} of {count} runs",

  // bars
  bar_key: "Who wrote a token",
  bar_accepted: "drafted and accepted",
  bar_correction: "correction",
  bar_bonus: "bonus token",
  bar_plain: "written by the target",
  bar_finish: "{budget} tokens",

  // the picture of a race
  card_title: "Speculative decoding, measured",
  card_clock: "The bars as they stood when the first was there, after {seconds} s.",
  card_cells: "A cell is a token, a block one call of the target.",
  card_copy: "Copy picture",
  card_save: "Save picture",
  card_copied: "The picture is in the clipboard.",
  card_not_copied: "This browser lets no page copy a picture, so it was saved as a file.",

  // beside a paper
  beside_label: "Beside the paper",
  beside_title: "Beside the paper: {title}",
  beside_same: "As there:",
  beside_differs: "Differs:",
  beside_open: "Open:",
  beside_here: "Here, {kind}: medians of the runs of this race",
  beside_not_here: "Not measured here",
  beside_paper: "The paper's own, from elsewhere: {conditions}",

  // replay
  replay_title: "Replay",
  replay_label: "Replay of the race",
  replay_note:
    "Recorded clocks, side by side: a cell is a token, a block one call of the target, pale what came after the first had finished. A lane is the repeat whose tokens/s is the median on this prompt, without its prefill; ratio and joules are of the whole race.",
  replay_prompt: "Prompt",
  replay_prompt_item: "{number}: {text}",
  replay_slow: "Pace",
  replay_slow_1: "real time",
  replay_slow_n: "{slow}× slower",
  replay_time: "{now} s of {length} s",
  replay_position: "Position on the clock",
  replay_finish: "{title} ends at {seconds} s",
  replay_back: "Back to the round before",
  replay_forward: "On to the next round",
  replay_uneven: "The texts end after different numbers of tokens, so the lanes get no places.",
  replay_none: "On this prompt no run was finished.",
  replay_keys: [
    ["Space, K", "play or pause"],
    ["←, →  or  , .", "to the end of the round before, of the next round"],
    ["Shift + ←, →", "a tenth of the race"],
    ["Home, End", "start, finish"],
    ["[  ]", "slower, faster"],
    ["?", "this list"],
  ],
  replay_keys_note: "They work while the replay is focused.",

  // a lane
  lane_label: "{title}",
  lane_tokens: "tokens",
  lane_of: "of {budget}",
  lane_round: "round {round} of {rounds}",
  lane_start: "at the start",
  lane_run: "repeat {repeat} of {repeats}, seed {seed}",
  lane_watch: "Watch",
  lane_watch_label: "Watch this run of {title}",
  lane_failed: "It failed: {why}",
  lane_no_run: "No run of it was finished on this prompt.",
  lane_joules: "{joules} a token, {kind}",
  lane_seconds: "{seconds} s",
  lane_told: "{title}: {tokens} tokens in {seconds} seconds.",
  lane_told_place: "{title} is {place}: {tokens} tokens in {seconds} seconds.",
  lane_eos: "end of text",
  all_told: "All lanes have ended.",

  // table
  table_title: "Measures",
  table_caption:
    "Medians over prompts and repeats; below them the middle half of the runs, for the speed-up its 95 % interval.",
  table_entry: "Method",
  table_columns: "Columns",
  table_all: "Show all",
  table_help: "What the columns mean",
  table_best: "the best of this column",
  table_pin: "Pin {title} to compare it with another",
  table_unpin: "Unpin {title}",
  table_failed: "failed: {why}",
  table_runs: "{count} runs",
  table_run: "1 run",
  table_baseline: "the baseline",
  table_why: "Why not faster?",
  table_why_label: "Why is {title} not faster here?",
  table_over: "over {title}",
  table_blank: "Blank: {why}",
  table_hint: "Pin two methods to see their differences.",

  // two pinned entries
  pinned_title: "{one} against {other}",
  pinned_one: "Pin a second method to compare it with {one}.",
  pinned_measure: "measure",
  pinned_difference: "difference",
  pinned_ratio: "ratio",
  pinned_release: "Unpin both",
  pinned_overlap: "The intervals of their speed-ups overlap: these runs do not tell which is faster.",
  pinned_apart: "The intervals of their speed-ups do not overlap: {faster} is faster here.",

  // energy
  energy_title: "Energy of a token",
  energy_how:
    "An estimate by equation 9 of the MTAD paper: the seconds that the recorded work takes at full rate, times watts. Put in your own.",
  energy_flop_w: "Watts while calculating",
  energy_memory_w: "Watts while reading memory",
  energy_back: "The machine's",
  energy_of: "Estimated with the watts of {machine}.",
  energy_own: "Estimated with your watts.",
  energy_wrong: "Watts must be numbers from 0 up. The bars are those of before.",
  energy_text: "target model, for the text",
  energy_rejected: "target model, for rejected drafts",
  energy_draft: "draft model",
  energy_piece: "{part}: {joules}, estimate",
  energy_estimate: "{joules}, estimate",
  energy_meter: "{joules}, measured",
  energy_measured: "The dark bars were measured by {source}. No counter tells the parts.",
  energy_no_meter: "Nothing was measured: {why}.",

  // chart
  chart_missing: "The chart cannot be drawn here.",

  // places
  place_1: "1st",
  place_2: "2nd",
  place_3: "3rd",
  place_n: "{number}th",
});

/** 1 as "1st". */
export const ordinal = (number) => say(number <= 3 ? "place_" + number : "place_n", { number });
