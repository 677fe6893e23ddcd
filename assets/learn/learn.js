/**
 * Lessons on a page.
 *
 *   mount(host, {read, live, turned})
 *       read(name)      a recorded run, as its file has it
 *       live            whether the page can make runs
 *       turned(address) what is open, as a query: to be shown in the page's address
 *   gives the `LessonsPage`, whose open(query) shows what an address asks for
 */

import { language } from "../languages/language.js";
import { element } from "../shared/elements.js";
import { lessons } from "./lessons.js";
import { LessonsPage } from "./lessons_page.js";
import { Reader } from "./reader.js";

/**
 * @param {HTMLElement} host
 * @param {{read: (name: string) => Promise<any>, live: boolean, turned: (query: Record<string, string>) => void}} page
 */
export function mount(host, { read, live, turned }) {
  const notice = element("p", "learn-problem", "", { role: "status", hidden: "" });
  const reader = new Reader({
    read,
    live,
    left: () => shown.showList(),
    turned: (lesson, number) => turned({ lesson: lesson.id, place: String(number + 1) }),
    next: (lesson) => lessons[lessons.indexOf(lesson) + 1] || null,
    begin: (lesson) => shown.begin(lesson, 0),
  });
  const hasFocus = () => host.contains(document.activeElement);
  const shown = new LessonsPage({ lessons, notice, reader, live, turned, hasFocus });
  host.classList.add("spec-learn", "spec-player");
  host.lang = language;
  if (!live) host.dataset.scheme = "auto"; // else the page's own switch decides
  host.replaceChildren(notice, shown.list.root, reader.root);
  return shown;
}
