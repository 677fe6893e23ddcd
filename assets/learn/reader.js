/** One lesson: its pages next to a stage, which each of them moves. */

import { mount as mountPlayer } from "../player/player.js";
import { element, setAttribute, setText } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { worded, wordOf } from "./answers.js";
import { folded } from "./folded.js";
import { button, exercisesOf } from "./parts.js";
import { keep, readOf } from "./progress.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

export class Reader {
  /**
   * @param {object} at
   * @param {(name: string) => Promise<any>} at.read a recorded run, as its file has it
   * @param {boolean} at.live whether the page can make runs, so that exercises lead somewhere
   * @param {() => void} at.left the reader wants the list
   * @param {(lesson: Lesson, page: number) => void} at.turned another page is shown
   * @param {(lesson: Lesson) => Lesson | null} at.next
   * @param {(lesson: Lesson) => void} at.begin
   */
  constructor(at) {
    this.at = at;
    /** @type {Lesson | null} */
    this.lesson = null;
    this.page = 0;
    /** @type {Record<string, {file: any, trace: any}>} by name, once they have been read */
    this.files = {};
    this.onStage = "";
    this.all = button("learn-all", "← " + say("learn_all"), () => at.left());
    this.name = element("h2", "learn-name");
    this.dots = element("ol", "learn-dots", null, { "aria-hidden": "true" });
    this.place = element("p", "learn-place");
    this.title = element("h3", "learn-page-title", null, { tabindex: -1 });
    this.body = element("div", "learn-body", null, { "aria-live": "polite" });
    this.back = button("learn-back", say("learn_back"), () => this.turn(this.page - 1));
    this.next = element("button", "learn-next", "", { type: "button" });
    const moves = element("div", "learn-moves", [this.back, this.place, this.next]);
    const head = element("header", "learn-head", [this.all, this.name, this.dots]);
    this.text = element("section", "learn-text", null, { "aria-label": say("learn_title") }, [
      head,
      this.title,
      this.body,
      moves,
    ]);
    this.stage = element("div", "learn-stage");
    this.root = element("div", "learn-reader", null, { hidden: "" }, [this.text, this.stage]);
  }

  /** The player, once it is needed. */
  get player() {
    const { stage, text } = this;
    return mountPlayer(stage, { label: say("learn_title"), everywhere: true, ends: false, beside: text });
  }

  /** @param {Lesson} lesson @param {number} page */
  async open(lesson, page) {
    this.lesson = lesson;
    this.page = page;
    setText(this.name, say(lesson.id + "_title"));
    setText(this.title, "");
    this.body.replaceChildren(element("p", "learn-quiet", say("learn_reading")));
    setText(this.place, "");
    this.back.hidden = this.next.hidden = true; // until there is something to turn to
    this.dots.replaceChildren(...lesson.pages.concat(/** @type {any} */ ({})).map(() => element("li", "learn-dot")));
    try {
      await this.read(lesson);
    } catch (problem) {
      if (this.lesson === lesson)
        this.body.replaceChildren(element("p", "learn-problem", problem.message, { role: "alert" }));
      return;
    }
    if (this.lesson !== lesson) return;
    this.turn(page);
    // the card that was pressed is gone
    if (document.activeElement === document.body) this.title.focus({ preventScroll: true });
  }

  /** The recorded runs of a lesson, each read once. @param {Lesson} lesson */
  async read(lesson) {
    for (const run of lesson.runs) {
      try {
        if (!this.files[run]) this.files[run] = folded(await this.at.read(run));
      } catch (problem) {
        throw new Error(say("learn_lost", { run, why: problem.message }), { cause: problem });
      }
    }
    return this.runs;
  }

  /** The reader went elsewhere: a run that is still on its way changes nothing. */
  leave() {
    this.lesson = null;
  }

  /** A run as its lesson's functions see it. @param {string} name */
  runs = (name) => this.files[name].trace;

  /** Shows a page, or what comes after the last. @param {number} page */
  turn(page) {
    const { lesson } = this;
    if (!lesson) return;
    const last = lesson.pages.length;
    const was = this.page;
    this.page = Math.max(0, Math.min(page, last));
    keep(lesson.id, this.page);
    setText(this.place, say("learn_place", { place: this.page + 1, count: last + 1 }));
    Array.from(this.dots.children).forEach((dot, i) => dot.classList.toggle("learn-here", i <= this.page));
    this.back.hidden = false;
    setAttribute(this.back, "aria-disabled", this.page === 0);
    const following = this.page === last ? this.at.next(lesson) : null;
    this.next.hidden = this.page === last && !following;
    setText(
      this.next,
      following ? say("learn_next_lesson", { title: say(following.id + "_title") }) : say("learn_next"),
    );
    this.next.onclick = following ? () => this.at.begin(following) : () => this.turn(this.page + 1);
    if (this.page === last) this.end(lesson);
    else this.show(lesson, lesson.pages[this.page]);
    this.at.turned(lesson, this.page);
    if (was !== this.page) this.title.focus({ preventScroll: true });
  }

  show(lesson, page) {
    const key = `${lesson.id}_${page.name}`;
    const values = page.values ? worded(page.values(this.runs)) : {};
    setText(this.title, say(key + "_title"));
    this.body.replaceChildren(element("p", "", say(key + "_text", values)));
    if (page.picture) this.body.append(page.picture(this.runs));
    if (page.question) this.body.append(this.question(lesson, page, key, values));
    this.move(page.run, page.at(this.runs), page.side);
  }

  /** The stage at a step of a run. */
  move(run, step, side) {
    const { player } = this;
    if (this.onStage !== run) {
      this.onStage = run;
      player.load(this.files[run].file);
    }
    player.playhead.leave();
    player.keep(null);
    player.goto(step);
    if (side) player.side.open(side);
  }

  /** A prediction: choices, and once one was taken the answer. */
  question(lesson, page, key, values) {
    const { question } = page;
    const right = question.right(this.runs);
    const answered = element("p", "learn-told", "", { role: "status" });
    const choices = question
      .choices(this.runs)
      .map((choice, index) => button("learn-choice", wordOf(choice), () => answer(index, true)));
    const fieldset = element("fieldset", "learn-question", [
      element("legend", "", say("learn_predict")),
      element("p", "learn-ask", say(key + "_ask", values)),
      element("div", "learn-choices", choices),
      answered,
    ]);
    const answer = (chosen, now) => {
      choices.forEach((choice, i) => {
        choice.classList.toggle("learn-taken", i === chosen);
        choice.classList.toggle("learn-true", i === right);
        setAttribute(choice, "aria-pressed", i === chosen);
      });
      setText(answered, `${say(chosen === right ? "learn_right" : "learn_wrong")} ${say(key + "_told", values)}`);
      if (!now) return;
      keep(lesson.id, this.page, { [page.name]: chosen });
      answered.scrollIntoView({ block: "nearest" });
      this.move(page.run, question.at ? question.at(this.runs) : page.at(this.runs), question.side || page.side);
    };
    const before = readOf(lesson.id).answers[page.name];
    if (before >= 0 && before < choices.length) answer(before, false);
    return fieldset;
  }

  /** After the last page: what to do now. */
  end(lesson) {
    setText(this.title, say("learn_done_title"));
    const isPlayed = this.at.live ? [] : [element("p", "", say("learn_live"))];
    this.body.replaceChildren(...isPlayed, exercisesOf(lesson, this.at.live));
  }
}
