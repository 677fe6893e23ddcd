/** The head of a page that needs no server: in the reader's language, with the menu of languages. */

import { choice } from "../languages/choice.js";
import { language } from "../languages/language.js";
import { phrase, say } from "../shared/words.js";

const head = /** @type {HTMLElement} */ (document.querySelector(".site-head"));
const title = /** @type {HTMLElement} */ (head.querySelector("h1"));
document.documentElement.lang = language;
document.title = title.textContent = phrase("page_title", document.title);
for (const part of head.querySelectorAll("[data-word]")) part.textContent = say(part.getAttribute("data-word") ?? "");
Array.from(head.querySelectorAll("a")).pop()?.after(choice());

/** A file of the folder. @param {string} file */
export async function read(file) {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(say("site_missing", { file }));
  return answer.json();
}
