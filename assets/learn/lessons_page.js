/** The lessons on a page: the list of them, the one that is read, and what a teacher wants to know. */

import { say } from "../shared/words.js";
import { answersOf } from "./answers.js";
import { LessonList } from "./lesson_list.js";

const LONGEST_NAME = 40; // characters of an address that are said again

/** @typedef {import("./lesson.js").Lesson} Lesson */

export class LessonsPage {
  /**
   * @param {object} parts
   * @param {Lesson[]} parts.lessons
   * @param {HTMLElement} parts.notice where it is said what an address asks for and is not there
   * @param {any} parts.reader see `Reader`
   * @param {boolean} parts.live whether the page can make runs
   * @param {(query: Record<string, string>) => void} parts.turned what is open, for the page's address
   * @param {() => boolean} parts.hasFocus whether the focus is in the lessons
   */
  constructor({ lessons, notice, reader, live, turned, hasFocus }) {
    this.lessons = lessons;
    this.notice = notice;
    this.reader = reader;
    this.turned = turned;
    this.hasFocus = hasFocus;
    this.list = new LessonList(lessons, {
      live,
      begin: (lesson, number) => this.begin(lesson, number),
      list: () => this.showList(),
      teach: () => this.showTeacher(),
      answers: () => this.showAnswers(),
    });
  }

  /** Opens the lesson that an address names; one that is not there is said. @param {URLSearchParams} query */
  open(query) {
    const name = query.get("lesson");
    const lesson = this.lessons.find((each) => each.id === name);
    if (lesson) return this.begin(lesson, numberIn(query));
    if (name === "teacher") return this.showTeacher();
    if (name === "answers") return this.showAnswers();
    this.showList();
    if (name) this.say(say("learn_unknown", { name: name.slice(0, LONGEST_NAME) }));
  }

  /** @param {Lesson} lesson @param {number} number of the page, from 0 */
  begin(lesson, number) {
    this.showOnly(this.reader.root);
    this.reader.open(lesson, number);
  }

  showList() {
    this.keepFocus(() => {
      this.reader.leave();
      this.showOnly(this.list.root);
      this.turned({});
      this.list.showCards();
    });
  }

  showTeacher() {
    this.keepFocus(() => {
      this.showOnly(this.list.root);
      this.turned({ lesson: "teacher" });
      this.list.showPlans();
    });
  }

  /** Every question with its answer; that takes all recorded runs of the lessons. */
  async showAnswers() {
    this.showOnly(this.list.root);
    this.turned({ lesson: "answers" });
    this.list.showReading();
    try {
      const answers = [];
      for (const lesson of this.lessons) answers.push(answersOf(lesson, await this.reader.read(lesson)));
      if (this.list.isReading) this.keepFocus(() => this.list.showAnswers(answers));
    } catch (problem) {
      this.say(problem.message);
    }
  }

  showOnly(part) {
    for (const each of [this.list.root, this.reader.root]) each.hidden = each !== part;
    this.notice.hidden = true;
  }

  /** The heading has the focus where what was pressed is gone. @param {() => void} change */
  keepFocus(change) {
    const hadFocus = this.hasFocus();
    change();
    if (hadFocus) this.list.focus();
  }

  say(text) {
    this.notice.textContent = text;
    this.notice.hidden = false;
  }
}

/** The page of a lesson that an address names, which counts from 1. @param {URLSearchParams} query */
function numberIn(query) {
  const number = parseInt(query.get("place") || "1", 10) || 1;
  return Math.max(0, number - 1);
}
