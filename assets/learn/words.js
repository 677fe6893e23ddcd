/** The words around lessons; each lesson has its own beside it. */

import { learn } from "../shared/words.js";

learn({
  learn_title: "Speculative decoding, in lessons",
  learn_about:
    "Each stands on a recorded run: the text is beside the stage and moves it, and asks you one thing before it shows it. Every number is the run's own.",
  learn_minutes: "{minutes} minutes",
  learn_begin: "Begin",
  learn_go_on: "Go on",
  learn_again: "Read again",
  learn_read: "read",
  learn_all: "All lessons",
  learn_place: "{place} of {count}",
  learn_back: "Back",
  learn_next: "Next",
  learn_finish: "Finish",
  learn_next_lesson: "Next lesson: {title}",
  learn_right: "Right.",
  learn_wrong: "Not so.",
  learn_predict: "Predict",
  learn_done_title: "Now try it",
  learn_done_text: "These open the page already set up.",
  learn_live: "They need the page that makes runs, which this copy is not.",
  learn_reading: "Reading the run ...",
  learn_lost: "The run “{run}” of this lesson could not be read: {why}. Choose another lesson, or reload the page.",
  learn_unknown: "There is no lesson “{name}”. Here are those that there are.",
  learn_teacher: "For teachers",
  learn_teacher_close: "Back to the lessons",
  learn_teacher_about:
    "What each lesson is for, how long it takes, what it asks, and what goes wrong at first. An address opens a page of a lesson; on the stage F presents, and clicker keys work.",
  learn_teacher_goal: "Goal",
  learn_teacher_asks: "Asks",
  learn_teacher_wrong: "What goes wrong",
  learn_teacher_does: "Exercises",
  learn_forget: "Forget what I read",
});
