/**
 * Lessons: the list of them, the one that is read, and what a teacher wants to know.
 *
 *   mount(host, {read, live, turned})
 *       read(name)      a recorded run, as it stands in its file
 *       live            whether the page can make runs
 *       turned(address) what is open, as a query: to be shown in the page's address
 *   gives open(query): what an address asks for
 */

import "./words.js";
import { element } from "../shared/elements.js";
import { choice } from "../languages/choice.js";
import { language } from "../languages/language.js";
import { say } from "../shared/words.js";
import { lessons } from "./lessons.js";
import { forget, readOf } from "./progress.js";
import { button, exercisesOf, Reader } from "./reader.js";

/**
 * @param {HTMLElement} host
 * @param {{read: (name: string) => Promise<any>, live: boolean, turned: (query: Record<string, string>) => void}} page
 */
export function mount(host, { read, live, turned }) {
  const notice = element("p", "learn-problem", "", { role: "status", hidden: "" });
  const list = element("div", "learn-list");
  const reader = new Reader({
    read,
    live,
    left: () => showList(),
    turned: (lesson, number) => turned({ lesson: lesson.id, place: String(number + 1) }),
    next: (lesson) => lessons[lessons.indexOf(lesson) + 1] || null,
    begin: (lesson) => begin(lesson, 0),
  });
  host.classList.add("spec-learn", "spec-player");
  host.lang = language;
  if (!live) host.dataset.scheme = "auto"; // else the page's own switch decides
  host.replaceChildren(notice, list, reader.root);

  function showOnly(part) {
    for (const each of [list, reader.root]) each.hidden = each !== part;
    notice.hidden = true;
  }

  function begin(lesson, number) {
    showOnly(reader.root);
    reader.open(lesson, number);
  }

  /** What was pressed may be gone: the heading has the focus then. */
  function keepFocus(change) {
    const had = host.contains(document.activeElement);
    change();
    if (had) /** @type {HTMLElement | null} */ (list.querySelector(".learn-title"))?.focus({ preventScroll: true });
  }

  const showList = () => keepFocus(listAll);
  const showTeacher = () => keepFocus(teach);

  function listAll() {
    reader.leave();
    showOnly(list);
    turned({});
    const teacher = button("learn-quiet-button", say("learn_teacher"), showTeacher);
    const clear = button("learn-quiet-button", say("learn_forget"), () => {
      forget();
      showList();
    });
    list.replaceChildren(
      element("div", "learn-head", null, {}, [
        element("h2", "learn-title", say("learn_title"), { tabindex: "-1" }),
        choice(),
      ]),
      element("p", "learn-about", say("learn_about")),
      element(
        "ol",
        "learn-cards",
        null,
        {},
        lessons.map((lesson, i) => card(lesson, i)),
      ),
      element("div", "learn-foot", null, {}, [
        teacher,
        ...(lessons.some((lesson) => readOf(lesson.id).page) ? [clear] : []),
      ]),
    );
  }

  function card(lesson, i) {
    const { page } = readOf(lesson.id);
    const done = page >= lesson.pages.length;
    const go = button("learn-card", "", () => begin(lesson, done ? 0 : page));
    const state = say(done ? "learn_again" : page ? "learn_go_on" : "learn_begin");
    go.append(
      element("span", "learn-number", done ? "✓" : String(i + 1), { "aria-hidden": "true" }),
      element("span", "learn-card-title", say(lesson.id + "_title")),
      element("span", "learn-card-goal", say(lesson.id + "_goal")),
      element("span", "learn-card-foot", `${say("learn_minutes", { minutes: lesson.minutes })} · ${state}`),
    );
    return element("li", done ? "learn-done" : "", null, {}, [go]);
  }

  function teach() {
    showOnly(list);
    turned({ lesson: "teacher" });
    const parts = lessons.map((lesson, i) => {
      const asks = lesson.pages
        .filter((page) => page.question)
        .map((page) => say(`${lesson.id}_${page.name}_ask`).replace(/\{\w+\}/g, "…"));
      const row = (name, ...content) => [element("dt", "", say(name)), element("dd", "", null, {}, content)];
      return element("section", "learn-plan", null, {}, [
        element("h3", "", `${i + 1}. ${say(lesson.id + "_title")}`),
        element("p", "learn-card-foot", say("learn_minutes", { minutes: lesson.minutes })),
        element("dl", "", null, {}, [
          ...row("learn_teacher_goal", say(lesson.id + "_goal")),
          ...row("learn_teacher_asks", asks.join(" ")),
          ...row("learn_teacher_wrong", say(lesson.id + "_wrong")),
          ...row("learn_teacher_does", exercisesOf(lesson, live)),
        ]),
      ]);
    });
    list.replaceChildren(
      button("learn-quiet-button", "← " + say("learn_teacher_close"), showList),
      element("h2", "learn-title", say("learn_teacher"), { tabindex: "-1" }),
      element("p", "learn-about", say("learn_teacher_about")),
      ...parts,
    );
  }

  /** What an address asks for; what is not there is said. @param {URLSearchParams} query */
  function open(query) {
    const name = query.get("lesson");
    const lesson = lessons.find((each) => each.id === name);
    if (lesson) return begin(lesson, Math.max(0, (parseInt(query.get("place") || "1", 10) || 1) - 1));
    if (name === "teacher") return showTeacher();
    showList();
    if (!name) return;
    notice.textContent = say("learn_unknown", { name: name.slice(0, 40) });
    notice.hidden = false;
  }

  return { open, reader };
}
