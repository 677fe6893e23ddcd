/**
 * The words of the field, in one place: a dialog over whatever page is there, opened by G, by a press on a word that
 * `term` has made, or by `openGlossary`. So a word that a tooltip explains is explained to touch and keyboard, too.
 */

import { choice } from "../../languages/choice.js";
import { alone } from "../../languages/language.js";
import { element, pressButton } from "../elements.js";
import { languageOf, say } from "../words.js";

/** Keys of the words in groups, in the order in which a reader meets them; `means_<key>` says what each is. */
const WORDS = {
  who: ["token", "target_model", "draft_model"],
  round: ["round", "draft", "layer", "target_call"],
  verdict: [
    "p",
    "q",
    "acceptance",
    "coin",
    "judged",
    "residual",
    "correction",
    "bonus",
    "overlap",
    "joint",
    "lossless",
  ],
  counted: ["block_efficiency", "acceptance_rate", "draft_efficiency", "speed_up"],
};

/** @type {HTMLDialogElement | null} */
let dialog = null;

/**
 * A word on the page that opens its entry; `text` may be another form of it.
 * @param {string} key
 * @param {string} text
 */
export function term(key, text) {
  return element("button", "sp-term", text, { type: "button", "data-term": key });
}

/** Opens it, at an entry if one is named. @param {string} [key] */
export function openGlossary(key) {
  dialog = dialog ?? build();
  if (!dialog.open) dialog.showModal();
  for (const entry of dialog.querySelectorAll(".sp-entry"))
    entry.classList.toggle("sp-entry-asked", entry.getAttribute("data-entry") === key);
  const entry = dialog.querySelector(".sp-entry-asked");
  if (entry) entry.scrollIntoView({ block: "center" });
  else dialog.scrollTop = 0;
}

function build() {
  const built = element("dialog", "sp-help sp-glossary", null, { "aria-label": say("glossary") });
  const head = element("div", "sp-glossary-head", [element("h2", "", say("glossary"))]);
  const close = pressButton("sp-close", say("close"), () => built.close());
  head.append(...(alone ? [] : [choice()]), close);
  built.append(head);
  for (const [group, keys] of Object.entries(WORDS)) {
    const list = element("dl", "");
    for (const key of keys)
      list.append(
        element("div", "sp-entry", null, { "data-entry": key }, [
          element("dt", "", say("word_" + key)),
          element("dd", "", say("means_" + key), languageOf("means_" + key)),
        ]),
      );
    built.append(element("h3", "sp-panel-title", say("words_" + group)), list);
  }
  built.addEventListener("click", (event) => event.target === built && built.close());
  const host = element("div", "spec-player sp-glossary-host", [built]);
  if (!document.querySelector(".gradio-container, gradio-app")) host.dataset.scheme = "auto";
  document.body.append(host);
  return built;
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-term]") : null;
  if (button) openGlossary(button.getAttribute("data-term") || "");
});

document.addEventListener("keydown", (event) => {
  const target = event.target instanceof Element ? event.target : document.body;
  const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented;
  if (event.key.toLowerCase() !== "g" || elsewhere) return;
  if (target.closest("input, textarea, select, dialog[open], [popover], [contenteditable], [role=listbox]")) return;
  event.preventDefault();
  openGlossary();
});
