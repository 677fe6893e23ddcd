/** The answer sheet: every question of every lesson with its answer, from the recorded runs, to read, print or save. */

import { element } from "../shared/elements.js";
import { say, words } from "../shared/words.js";
import { button } from "./parts.js";

/** @typedef {import("./lesson.js").Lesson} Lesson
 *  @typedef {{title: string, ask: string, choices: string[], right: number, answer: string}} Answer */

/**
 * The answers of a lesson.
 *
 * @param {Lesson} lesson
 * @param {import("./lesson.js").Runs} runs
 * @returns {Answer[]}
 */
export const answersOf = (lesson, runs) =>
  lesson.pages.flatMap(({ name, values, question }) => {
    if (!question) return [];
    const key = `${lesson.id}_${name}`;
    const filled = values ? worded(values(runs)) : {};
    return {
      title: say(key + "_title"),
      ask: say(key + "_ask", filled),
      choices: question.choices(runs).map(wordOf),
      right: question.right(runs),
      answer: say(key + "_told", filled),
    };
  });

/** A word's text where a value is the key of one. */
export const wordOf = (value) =>
  typeof value === "string" && typeof words[value] === "string" ? words[value] : String(value);

/** @param {Record<string, any>} values */
export const worded = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, wordOf(value)]));

/** The sheet of some lessons. @param {Lesson[]} lessons @param {Answer[][]} answers of each @param {() => void} back */
export function answerSheet(lessons, answers, back) {
  const save = button("learn-quiet-button", say("learn_answers_save"), () => {
    const address = `data:text/markdown;charset=utf-8,${encodeURIComponent(asMarkdown(lessons, answers))}`;
    element("a", "", null, { href: address, download: "answers.md" }).click();
  });
  return [
    button("learn-quiet-button", "← " + say("learn_teacher"), back),
    element("h2", "learn-title", say("learn_answers"), { tabindex: "-1" }),
    save,
    ...lessons.map((lesson, index) =>
      element("section", "learn-plan", [
        element("h3", "", `${index + 1}. ${say(lesson.id + "_title")}`),
        ...answers[index].flatMap(({ ask, choices, right, answer }) => [
          element("p", "learn-ask", ask),
          element("p", "", choices.map((choice, i) => (i === right ? `✓ ${choice}` : choice)).join(" · ")),
          element("p", "learn-quiet", answer),
        ]),
      ]),
    ),
  ];
}

/** The sheet as a text that other programs print. @param {Lesson[]} lessons @param {Answer[][]} answers */
export const asMarkdown = (lessons, answers) =>
  [
    `# ${say("learn_answers")}`,
    ...lessons.flatMap((lesson, index) => [
      `## ${index + 1}. ${say(lesson.id + "_title")}`,
      ...answers[index].flatMap(({ title, ask, choices, right, answer }) => [
        `### ${title}`,
        ask,
        choices.map((choice, i) => `- [${i === right ? "x" : " "}] ${choice}`).join("\n"),
        answer,
      ]),
    ]),
  ].join("\n\n") + "\n";
