/**
 * The labels, buttons and hints that Gradio draws, in the reader's language. They come in English, whenever Gradio
 * draws them, and the translation of the language's table replaces their text: Gradio's own translations follow the
 * browser's language alone, and this page has a choice. What this page draws itself is left alone, and so is whatever a
 * reader or a model wrote.
 */

import { choice } from "../languages/choice.js";
import { language } from "../languages/language.js";
import { phrase, spoken } from "../shared/words.js";

const OWN = ".spec-player, [class$='-host'], .notice, #examples td, #examples button, select, textarea, script, style";
const ATTRIBUTES = ["aria-label", "placeholder", "title"];

/** The titles of the recorded runs, by their English. @type {Map<string, string>} */
const titles = new Map();

const worded = (english) => titles.get(english) ?? spoken(english);

/** Reads those titles. */
async function readTitles() {
  const answer = await fetch(new URL("../traces/index.json", import.meta.url));
  for (const { title, file } of answer.ok ? await answer.json() : [])
    titles.set(title, phrase(`run.${file.split(".")[0]}`, title));
}

/** The translations that stand in the page, which are not looked up again. @type {WeakMap<Node, string>} */
const put = new WeakMap();

function tell(text) {
  const english = text.data.trim();
  if (!english || put.get(text) === text.data) return;
  const translation = worded(english);
  if (translation !== english) text.data = text.data.replace(english, () => translation);
  put.set(text, text.data);
}

function describe(element) {
  for (const name of ATTRIBUTES) {
    const english = element.getAttribute(name);
    const translation = english && worded(english);
    if (translation && translation !== english) element.setAttribute(name, translation);
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
  await readTitles().catch(() => {}); // then they are English
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
