/** The head of a page that needs no server: in the reader's language, with the menu of languages. */

import { choice } from "../languages/choice.js";
import { language } from "../languages/language.js";
import { spoken } from "../shared/words.js";

const head = /** @type {HTMLElement} */ (document.querySelector(".site-head"));
document.documentElement.lang = language;
document.title = spoken(document.title);
for (const part of head.querySelectorAll("h1, a, label")) {
  const text = part.firstChild;
  if (text instanceof Text) text.data = text.data.replace(text.data.trim(), spoken(text.data.trim()));
}
head.querySelector("a")?.after(choice());
