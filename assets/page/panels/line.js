/**
 * A line for messages, with a bar below it where the element has one.
 *
 * Its value is {text, said, kind}, kind being "quiet" or "error", and {done, total} while the bar is to be seen. `said`
 * are its sentences: words of the server, or English of no key, which is marked as such. With {instead_of} it is said
 * only where the key of what is shown begins so: an answer that was overtaken says nothing.
 * {link} is the set-up of a run that was lined up. {dropped} are words of a link that the server left out. What it
 * says enters as text, whatever characters it holds.
 */

import { element } from "../../shared/elements.js";
import { language } from "../../languages/language.js";
import { worded } from "../../shared/words.js";
import { follow } from "../panel.js";

/** @typedef {string | {word: string, values: Record<string, any>, english: string}} Sentence */

/** @param {import("../panel.js").Panel} panel */
export function mount(panel) {
  const line = panel.element.querySelector(".notice");
  const bar = panel.element.querySelector("progress");
  let key = "";
  follow(panel, (value) => {
    const message = value || {};
    if ("link" in message) line.dispatchEvent(new CustomEvent("asked", { bubbles: true, detail: message.link }));
    if (message.instead_of && !key.startsWith(message.instead_of)) return;
    key = String(message.said?.[0]?.word ?? "");
    show(line, message);
    if (bar) Object.assign(bar, { hidden: !message.total, max: message.total || 1, value: message.done || 0 });
  });
}

/** @param {any} line @param {Partial<import("../messages.js").Line>} message */
function show(line, { text, said, kind, total, dropped }) {
  line.dropped = worded(dropped ?? []);
  line.setAttribute("aria-live", total ? "off" : "polite"); // spoken when its meaning changes, not at every run
  line.replaceChildren(...(language === "en" || !said ? [text || ""] : sentences(said)));
  line.dataset.kind = kind || "quiet";
  line.dataset.word = said?.[0]?.word ?? "";
  line.dispatchEvent(new CustomEvent("said", { bubbles: true, detail: line.textContent }));
}

/** In the reader's language, what has a key in its table; the rest is marked as English. @param {Sentence[]} said */
function sentences(said) {
  return said.flatMap((each, i) => {
    const part = typeof each === "string" ? element("span", "", each, { lang: "en" }) : worded(each);
    return i ? [" ", part] : [part];
  });
}

/** A message of the page's own. */
export const say = (message) => message;
