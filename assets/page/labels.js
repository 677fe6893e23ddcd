/**
 * The labels, buttons and hints that Gradio draws, in the reader's language. They come in English, whenever Gradio
 * draws them, and the translation of the language's table replaces their text: Gradio's own translations follow the
 * browser's language alone, and this page has a choice. What this page draws itself is left alone, and so is whatever a
 * reader or a model wrote.
 */

import { choice } from "../languages/choice.js";
import { ENGLISH, language } from "../languages/language.js";
import { phrase } from "../shared/words.js";

const FIELDS = "#examples td, #examples button, select, textarea, script, style";
const OWN = `${ENGLISH}, .spec-player, [class$='-host'], .notice, ${FIELDS}`;
const ATTRIBUTES = ["aria-label", "placeholder", "title"];

/** The server's words and the titles of recorded runs in the reader's language, by English. @type {Map<string, string>} */
const worded = new Map();

/**
 * Keys and English of the words with places, by their English without places and numbers.
 * @type {Map<string, [string, string]>}
 */
const counted = new Map();
const NUMBER = /\{\w+\}|\d+/g;

/** Labels with a name in them, and a lossy method's mark, as it follows its title in a menu: patterns, and keys.
 *  @type {[RegExp, string][]} */
const patterns = [];

/** Reads both: the server sends a label as English, and its key is with it in the English table. */
async function readWords() {
  const files = ["../languages/en.json", "../traces/index.json"];
  const [{ playground: labels }, runs] = await Promise.all(
    files.map((file) => fetch(new URL(file, import.meta.url)).then((answer) => answer.json())),
  );
  for (const [key, text] of Object.entries(labels)) {
    worded.set(text, phrase(key, text));
    if (text.includes("{")) counted.set(text.replace(NUMBER, "{}"), [key, text]);
  }
  const lossy = ["badge_lossy", "badge_lossy_by"].map((key) => [key, `(?<=. · )${pattern(labels[key])}$`]);
  const named = ["shop_draft", "prompt_set_of"].map((key) => [key, `^${pattern(labels[key])}$`]);
  for (const [key, text] of [...lossy, ...named]) patterns.push([new RegExp(text), key]);
  for (const { title, file } of runs) worded.set(title, phrase(`run.${file.split(".")[0]}`, title));
}

/** A pattern of an English text with places, in which each has its name. @param {string} text */
const pattern = (text) => text.replace(/[().]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+)");

/** The translations that are on the page, which are not looked up again. @type {WeakMap<Node, string>} */
const put = new WeakMap();

/**
 * The translation of a label, also of one with numbers or a name in it or a mark behind it; nothing for any other text.
 *
 * @param {string} english
 */
function translationOf(english) {
  if (worded.has(english)) return worded.get(english);
  for (const [each, key] of patterns)
    if (each.test(english)) return english.replace(each, (...found) => phrase(key, found[0], found.at(-1)));
  return translationOfNumbers(english);
}

/** Translation of a label with numbers: each fills a placeholder, or is part of the word. @param {string} english */
function translationOfNumbers(english) {
  const [key, text] = counted.get(english.replace(NUMBER, "{}")) ?? [];
  if (!key || !text) return undefined;
  const numbers = english.match(NUMBER) ?? [];
  const parts = text.match(NUMBER) ?? [];
  if (parts.some((part, i) => !part.startsWith("{") && part !== numbers[i])) return undefined;
  return phrase(key, english, Object.fromEntries(parts.map((part, i) => [part.slice(1, -1), numbers[i]])));
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

/**
 * A menu's field shows the choice in the reader's language, while Gradio goes on writing and reading it in English.
 *
 * @param {HTMLInputElement} field
 */
function showChoice(field) {
  if (Object.hasOwn(field, "value")) return;
  const drawn = /** @type {Required<PropertyDescriptor>} */ (
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")
  );
  let english = field.value;
  let shown = english;
  Object.defineProperty(field, "value", {
    configurable: true,
    get: () => (drawn.get.call(field) === shown ? english : drawn.get.call(field)),
    set(value) {
      english = value;
      shown = translationOf(String(value)) ?? value;
      drawn.set.call(field, shown);
    },
  });
  field.value = english;
}

/** A part of the page, with all that is in it. @param {Node} part */
function speak(part) {
  const element = part instanceof Element ? part : part.parentElement;
  element?.closest(ENGLISH)?.setAttribute("lang", "en");
  if (!element || element.closest(OWN)) return;
  if (part instanceof Text) return tell(part);
  element.querySelectorAll(ENGLISH).forEach((each) => each.setAttribute("lang", "en"));
  const walk = document.createTreeWalker(part, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(OWN) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = /** @type {Node | null} */ (part); node; node = walk.nextNode())
    if (node instanceof Text) tell(node);
    else if (node instanceof Element) {
      describe(node);
      if (node instanceof HTMLInputElement && node.role === "combobox") showChoice(node);
    }
}

/** The choice of a language, next to the button of the words, once Gradio has drawn that; gives whether it is there. */
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
