/** The list of the lessons, and what a teacher wants to know of each. */

import { choice } from "../languages/choice.js";
import { element } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { answerSheet } from "./answers.js";
import { button, exercisesOf } from "./parts.js";
import { forget, readOf } from "./progress.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

export class LessonList {
  /**
   * @param {Lesson[]} lessons
   * @param {object} page
   * @param {boolean} page.live whether it can make runs, so that exercises lead somewhere
   * @param {(lesson: Lesson, number: number) => void} page.begin a lesson is opened at one of its pages
   * @param {() => void} page.list the list is to be shown
   * @param {() => void} page.teach what a teacher wants to know is
   * @param {() => void} page.answers the answer sheet is
   */
  constructor(lessons, page) {
    this.lessons = lessons;
    this.page = page;
    this.root = element("div", "learn-list");
  }

  /** The lessons as cards, with how far each was read. */
  showCards() {
    const title = element("h2", "learn-title", say("learn_title"), { tabindex: "-1" });
    this.root.replaceChildren(
      element("div", "learn-head", [title, choice()]),
      element("p", "learn-about", say("learn_about")),
      element(
        "ol",
        "learn-cards",
        this.lessons.map((lesson, index) => this.card(lesson, index)),
      ),
      element("div", "learn-foot", this.footButtons()),
    );
  }

  footButtons() {
    const teacher = button("learn-quiet-button", say("learn_teacher"), this.page.teach);
    if (!this.lessons.some((lesson) => readOf(lesson.id).page)) return [teacher];
    const clear = button("learn-quiet-button", say("learn_forget"), () => {
      forget();
      this.page.list();
    });
    return [teacher, clear];
  }

  /** @param {Lesson} lesson @param {number} index */
  card(lesson, index) {
    const { page, isRead } = progressIn(lesson);
    const open = button("learn-card", "", () => this.page.begin(lesson, isRead ? 0 : page));
    const state = say(isRead ? "learn_again" : page ? "learn_go_on" : "learn_begin");
    open.append(
      element("span", "learn-number", isRead ? "✓" : String(index + 1), { "aria-hidden": "true" }),
      element("span", "learn-card-title", say(lesson.id + "_title")),
      element("span", "learn-card-goal", say(lesson.id + "_goal")),
      element("span", "learn-card-foot", `${say("learn_minutes", { minutes: lesson.minutes })} · ${state}`),
    );
    return element("li", isRead ? "learn-done" : "", [open]);
  }

  /** For a teacher: the goal of each lesson, its questions, usual mistakes and exercises. */
  showPlans() {
    this.root.replaceChildren(
      button("learn-quiet-button", "← " + say("learn_teacher_close"), this.page.list),
      element("h2", "learn-title", say("learn_teacher"), { tabindex: "-1" }),
      button("learn-quiet-button", say("learn_answers"), this.page.answers),
      ...this.lessons.map((lesson, index) => this.plan(lesson, index)),
    );
  }

  /** The answer sheet is on its way. */
  showReading() {
    this.root.replaceChildren(element("p", "learn-quiet learn-wait", say("learn_reading")));
  }

  get isReading() {
    return Boolean(this.root.querySelector(".learn-wait"));
  }

  /** @param {import("./answers.js").Answer[][]} answers of each lesson */
  showAnswers(answers) {
    this.root.replaceChildren(...answerSheet(this.lessons, answers, this.page.teach));
  }

  /** @param {Lesson} lesson @param {number} index */
  plan(lesson, index) {
    /** @param {string} name @param {(string | Node)} content */
    const row = (name, content) => {
      const cell = element("dd");
      cell.append(content);
      return [element("dt", "", say(name)), cell];
    };
    return element("section", "learn-plan", [
      element("h3", "", `${index + 1}. ${say(lesson.id + "_title")}`),
      element("p", "learn-card-foot", say("learn_minutes", { minutes: lesson.minutes })),
      element("dl", "", [
        ...row("learn_teacher_goal", say(lesson.id + "_goal")),
        ...row("learn_teacher_asks", questionsOf(lesson).join(" ")),
        ...row("learn_teacher_wrong", say(lesson.id + "_wrong")),
        ...row("learn_teacher_does", exercisesOf(lesson, this.page.live)),
      ]),
    ]);
  }

  /** The heading has the focus: what was pressed is gone. */
  focus() {
    /** @type {HTMLElement | null} */ (this.root.querySelector(".learn-title"))?.focus({ preventScroll: true });
  }
}

/** The page at which a lesson was left in this browser. @param {Lesson} lesson */
function progressIn(lesson) {
  const { page } = readOf(lesson.id);
  return { page, isRead: page >= lesson.pages.length };
}

/** The questions of a lesson, whose numbers are those of a run and left open. @param {Lesson} lesson */
const questionsOf = (lesson) =>
  lesson.pages
    .filter((page) => page.question)
    .map((page) => say(`${lesson.id}_${page.name}_ask`).replace(/\{\w+\}/g, "…"));
