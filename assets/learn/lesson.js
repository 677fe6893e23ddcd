/**
 * What a lesson is made of. Its words are in assets/languages, by keys that begin with its id.
 *
 *   <id>_title, <id>_goal, <id>_wrong           what it is called, teaches, and what readers get wrong at first
 *   <id>_<page>_title, <id>_<page>_text         a page; values fill the places in braces
 *   <id>_<page>_ask, <id>_<page>_told           a question, and what is said once it was answered
 *   <id>_<exercise>                             something to do, see `exercises`
 *
 * All numbers come from the recorded runs: a page that has none of its own is right for whatever run is recorded next.
 *
 * @typedef {any} Trace a recorded run, folded and finished: it has what a live one may lack (player/trace/trace.js)
 * @typedef {(name: string) => Trace} Runs the recorded runs of the lesson, by name
 *
 * @typedef {object} Page
 * @property {string} name
 * @property {string} run that is on the stage
 * @property {(runs: Runs) => number} at the step of it
 * @property {"token" | "rule" | "mask" | "cache" | "rounds" | "about"} [side] the view next to the stage
 * @property {(runs: Runs) => Record<string, string | number>} [values]
 * @property {(runs: Runs) => Element} [picture] of its own, below the text
 * @property {Question} [question]
 *
 * @typedef {object} Question a prediction, which the run then answers
 * @property {(runs: Runs) => string[]} choices
 * @property {(runs: Runs) => number} right place of the right one
 * @property {(runs: Runs) => number} [at] the step that shows the answer
 * @property {"token" | "rule" | "mask" | "cache" | "rounds" | "about"} [side]
 *
 * @typedef {object} Lesson
 * @property {string} id
 * @property {number} minutes
 * @property {string[]} runs
 * @property {Page[]} pages
 * @property {[string, string][]} exercises what each is called, and the address that sets it up
 */

/**
 * A question whose choices are numbers: the right one and others, each once and in order.
 *
 * @param {(runs: Runs) => number[]} values the right one first
 * @returns {Pick<Question, "choices" | "right">}
 */
export function numbers(values) {
  const sorted = (runs) => Array.from(new Set(values(runs))).sort((a, b) => a - b);
  return { choices: (runs) => sorted(runs).map(String), right: (runs) => sorted(runs).indexOf(values(runs)[0]) };
}
