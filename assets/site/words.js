/** The words of the pages that need no server, beside those of the player and the lessons. */

import { learn } from "../shared/words.js";

learn({
  site_run: "Recorded run",
  site_runs: "Recorded runs",
  site_lessons: "Lessons",
  site_about: "Recorded on {day}: {target} and {draft}, temperature {temperature}, seed {seed}. Prompt: “{prompt}”",
  site_about_alone: "Recorded on {day}: {target}, temperature {temperature}, seed {seed}. Prompt: “{prompt}”",
  site_reading: "Reading the run ...",
  site_unread: "This run could not be read: {why}. Choose another, or copy the folder again.",
  site_unlisted: "The runs could not be read: {why}. Copy the folder again.",
  site_missing: "{file} is not there",
});
