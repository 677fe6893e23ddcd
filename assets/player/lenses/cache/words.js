/** Every word of the cache's view. */

import { learn } from "../../../shared/words.js";

learn({
  side_cache: "Cache",
  side_cache_title: "Slots of the target's cache: written, kept, moved up, freed",
  cache_label: "The target's cache in this round",
  cache_none: "It appears when the target model is called.",
  cache_unknown: "This trace does not say how large the target's cache was. Run it again to see its slots.",
  cache_reserved: "Round {round} reserves slots behind the {before} that are cached; the call will write them.",
  cache_written:
    "Round {round} holds {held} slots, {bytes}: {before} from earlier rounds and {written} that the call has written.",
  cache_over:
    "Round {round} held {held} slots, {bytes}: {before} from earlier rounds and {written} that the call wrote. {kept} stay, {moved} of them moved up; {freed} are freed.",
  cache_all_stay:
    "Round {round} held {held} slots, {bytes}: {before} from earlier rounds and {written} that the call wrote. All stay.",
  cache_beams:
    "Its {beams} beams share them on one tree; with a cache for each beam {separate} slots would stay, {bytes}.",
  cache_draft: "{name}: {written} slots written, {held} held, {bytes}.",
  cache_draft_unknown: "The trace does not say what the draft model's cache held.",
  cache_in_call: "in the call: {held} slots",
  cache_pending: "next round: known when this one ends",
  cache_after: "next round: {kept} slots",
  cache_earlier: "{count} slots that stay where they are",
  cache_rounds: "Every round of the run",
  cache_rounds_note: "A row is a round, a cell a slot in its call. Press a row to go there.",
  cache_row: "Round {round}: {held} slots, {freed} freed",
  cache_total:
    "Up to here {written} slots were written and {freed} freed; at most {most} were held. Largest cache of all models: {bytes}.",
  cache_key_earlier: "earlier",
  cache_key_written: "written",
  cache_key_freed: "freed",
  cache_key_moved: "moved up",
});
