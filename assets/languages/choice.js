/** The menu of languages: each in its own name, so that nobody needs another one to find theirs. */

import { element } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { choose, language, LANGUAGES } from "./language.js";

/** @param {Record<string, string>} [attributes] of the menu */
export function choice(attributes) {
  const menu = element("select", "sp-language", null, { "aria-label": say("language"), ...attributes });
  for (const [code, name] of Object.entries(LANGUAGES))
    menu.append(element("option", "", name, { value: code, lang: code }));
  menu.value = language;
  menu.addEventListener("change", () => choose(menu.value));
  return menu;
}
