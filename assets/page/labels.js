/**
 * The labels, buttons and hints that Gradio draws, in the reader's language. They come in English, whenever Gradio
 * draws them, and the translation of the language's table replaces their text: Gradio's own translations follow the
 * browser's language alone, and this page has a choice. What this page draws itself is left alone, and so is whatever a
 * reader or a model wrote.
 */

import { choice } from "../languages/choice.js";
import { language } from "../languages/language.js";
import { phrase } from "../shared/words.js";

const OWN = ".spec-player, [class$='-host'], .notice, #examples td, #examples button, select, textarea, script, style";
const ATTRIBUTES = ["aria-label", "placeholder", "title"];

/** The server's words and the titles of recorded runs in the reader's language, by English. @type {Map<string, string>} */
const worded = new Map();
const NUMBER = "{}"; // in both, where the label on the page has a number

/** A lossy method's mark, as it stands behind its title in a menu: a pattern, and its key. @type {[RegExp, string][]} */
const marks = [];

/** Reads both: the server sends a label as English, and its key stands with it in the English table. */
async function readWords() {
  const files = ["../languages/en.json", "../traces/index.json"];
  const [english, runs] = await Promise.all(
    files.map((file) => fetch(new URL(file, import.meta.url)).then((answer) => answer.json())),
  );
  for (const [key, text] of Object.entries(english)) worded.set(withNumber(text), withNumber(phrase(key, text)));
  for (const key of ["badge_lossy", "badge_lossy_by"])
    marks.push([new RegExp(`(?<=. · )${english[key].replace("{tv}", "(?<tv>[\\d.]+)")}$`), key]);
  for (const { title, file } of runs) worded.set(title, phrase(`run.${file.split(".")[0]}`, title));
}

const withNumber = (/** @type {string} */ text) => text.replace(/\{\w+\}/, NUMBER);

/** The translations that stand in the page, which are not looked up again. @type {WeakMap<Node, string>} */
const put = new WeakMap();

/**
 * The translation of a label, also of one with a number in it or a mark behind it; nothing for any other text.
 *
 * @param {string} english
 */
function translationOf(english) {
  for (const [pattern, key] of marks)
    if (pattern.test(english)) return english.replace(pattern, (...found) => phrase(key, found[0], found.at(-1)));
  const [number] = english.match(/\d+/) ?? [];
  const counted = number && worded.get(english.replace(number, NUMBER))?.replace(NUMBER, number);
  return worded.get(english) ?? counted;
}

function tell(text) {
  const english = text.data.trim();
  if (!english || put.get(text) === text.data) return;
  const translation = translationOf(english);
  if (translation && translation !== english) text.data = text.data.replace(english, () => translation);
  else if (translation) text.parentElement?.setAttribute("lang", "en"); // a run that the language has no title for yet
  put.set(text, text.data);
}

function describe(element) {
  for (const name of ATTRIBUTES) {
    const english = element.getAttribute(name);
    const translation = english && translationOf(english);
    if (translation) element.setAttribute(name, translation);
  }
}

/** A part of the page, with all that is in it. @param {Node} part */
function speak(part) {
  const element = part instanceof Element ? part : part.parentElement;
  if (!element || element.closest(OWN)) return;
  if (part instanceof Text) return tell(part);
  const walk = document.createTreeWalker(part, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(OWN) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = /** @type {Node | null} */ (part); node; node = walk.nextNode())
    if (node instanceof Text) tell(node);
    else if (node instanceof Element) describe(node);
}

/** The choice of a language, beside the button of the words, once Gradio has drawn that; gives whether it is there. */
function offer() {
  const words = document.getElementById("words");
  if (words && !document.getElementById("language")) words.after(choice({ id: "language" }));
  return Boolean(words);
}

if (language !== "en") {
  document.documentElement.lang = language;
  await readWords().catch(() => {}); // then they are English
  speak(document.body);
}
if (!offer() || language !== "en")
  new MutationObserver((changes, watch) => {
    if (offer() && language === "en") return watch.disconnect();
    if (language === "en") return;
    for (const { type, target, addedNodes } of changes)
      if (type === "childList") addedNodes.forEach(speak);
      else if (type === "characterData") speak(target);
      else if (target instanceof Element && !target.closest(OWN)) describe(target);
  }).observe(document.body, {
    subtree: true,
    childList: true,
    ...(language !== "en" && { characterData: true, attributeFilter: ATTRIBUTES }),
  });
