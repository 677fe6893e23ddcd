/**
 * What the controls of the player and of a replay are made of: buttons with a sign, the list of keys, their reading.
 */

import { element, pressButton, svg } from "./elements.js";
import { say } from "./words.js";

/** @type {Record<string, string>} */
const ICONS = {
  play: "M7 4.5L19 12L7 19.5Z",
  pause: "M7 5H10.5V19H7ZM13.5 5H17V19H13.5Z",
  step_back: "M15.5 5L7 12L15.5 19Z",
  step_forward: "M8.5 5L17 12L8.5 19Z",
  restart: "M5 5H7.5V19H5ZM19 5L9 12L19 19Z",
  to_end: "M5 5L15 12L5 19ZM16.5 5H19V19H16.5Z",
  panel: "M3 5H21V19H3ZM5 7V17H13V7ZM15 7V17H19V7Z",
  more: "M4 6H20V8H4ZM4 11H20V13H4ZM4 16H20V18H4Z",
  close: "M6.4 5L12 10.6L17.6 5L19 6.4L13.4 12L19 17.6L17.6 19L12 13.4L6.4 19L5 17.6L10.6 12L5 6.4Z",
  next_rejection:
    "M4 7L6 5L9.5 8.5L13 5L15 7L11.5 10.5L15 14L13 16L9.5 12.5L6 16L4 14L7.5 10.5ZM16.5 5.5L21.5 12L16.5 18.5Z",
};

/**
 * A button for an action; `word` names it and `icon` is its sign, where they are not the action's own.
 * @param {string} action
 * @param {(event: Event) => void} press
 * @param {{className?: string, word?: string, icon?: string}} [looks]
 */
export function iconButton(action, press, { className = "", word = action, icon = action } = {}) {
  const button = element("button", "sp-button " + className, null, {
    type: "button",
    title: say(word),
    "aria-label": say(word),
    "data-action": action,
  });
  const picture = svg("svg", "sp-icon", null, { viewBox: "0 0 24 24", "aria-hidden": "true" });
  picture.appendChild(svg("path", "", null, { d: ICONS[icon] }));
  button.appendChild(picture);
  button.addEventListener("click", press);
  return button;
}

/**
 * The button of play is that of pause while something plays.
 * @param {HTMLButtonElement} button
 * @param {boolean} playing
 */
export function showPlaying(button, playing) {
  const name = playing ? "pause" : "play";
  if (button.dataset.action === name) return;
  button.dataset.action = name;
  button.title = say(name);
  button.setAttribute("aria-label", say(name));
  button.querySelector("path")?.setAttribute("d", ICONS[name]);
}

/**
 * The small list of keys: [[keys, what they do]], and a note below it.
 * @param {[string, string][]} keys
 * @param {string} note
 */
export function helpDialog(keys, note) {
  const dialog = element("dialog", "sp-help", null, { "aria-label": say("help_title") });
  const list = element("dl", "sp-keys");
  for (const [key, what] of keys) list.append(element("dt", "", key), element("dd", "", what));
  const close = pressButton("sp-close", say("close"), () => dialog.close());
  // first, as the focus goes there and takes the view with it
  const head = element("div", "sp-help-head", [element("h3", "sp-panel-title", say("help_title")), close]);
  dialog.append(head, list, element("p", "sp-quiet", note));
  return dialog;
}

/** The key of an event: a letter small, anything else by its name. @param {KeyboardEvent} event */
export const keyOf = (event) => (event.key.length === 1 ? event.key.toLowerCase() : event.key);

// What takes keys for itself: fields to write in, lists, drawers.
const FIELDS = "input:not([type=range]), textarea, select, dialog[open], [popover], [role=slider], [role=listbox]";
const SCROLLS = /^(Arrow|Home|End|Page)/;

/**
 * The action a key asks for, or null: keys typed into a field, meant for a button or inside a drawer are theirs.
 *
 * @param {KeyboardEvent} event
 * @param {Record<string, string>} keys actions by key
 * @param {Record<string, string>} shifted with the shift key held; any other key does the same with it
 * @param {string} scrolled what the arrows are left to
 */
export function actionFor(event, keys, shifted, scrolled) {
  const key = keyOf(event);
  if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event, key, scrolled)) return null;
  const actions = event.shiftKey ? { ...keys, ...shifted } : keys;
  return Object.hasOwn(actions, key) ? actions[key] : null;
}

/**
 * True if what has the focus takes the key for itself; a menu that has just been chosen from leaves Space to the page.
 * @param {KeyboardEvent} event
 * @param {string} key
 * @param {string} scrolled
 */
function isTaken({ target, shiftKey }, key, scrolled) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest(FIELDS) || target.isContentEditable) return true;
  const scrolls = !shiftKey && SCROLLS.test(key) && target.closest(scrolled) !== null;
  return scrolls || (key === " " && target.matches("button:not([data-chosen]), summary"));
}
