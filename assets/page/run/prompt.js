/**
 * What a reader types into the prompt: for a chat model it is a message, and nothing that comes late overwrites it.
 *
 * Gradio tells of keys alone, and not of a paste or of a phone's keyboard, so the field itself is listened to.
 */

let isChosen = false; // whether the reader has pressed the chip
/** @type {string | null} what was typed before the page was set up as its address asks */
let early = "";

/** The chip that makes a message of the prompt; none where the models take none. @returns {HTMLInputElement | null} */
export const chip = () => document.querySelector("#chat input");

/** @returns {HTMLTextAreaElement | null} */
const field = () => document.querySelector("#prompt textarea");

document.addEventListener("input", ({ target }) => {
  if (target !== field()) return;
  if (early !== null) early = field()?.value ?? "";
  if (!isChosen && document.querySelector("#chat.of-chat") && chip()?.checked === false) chip()?.click();
});
document.addEventListener("click", ({ target, isTrusted }) => {
  if (isTrusted && target === chip()) isChosen = true;
});

/** The page has been set up as its address asks: what was typed meanwhile comes back. */
export function keepTyped() {
  const typed = early;
  early = null;
  const text = field();
  if (!typed || !text || text.value === typed) return;
  text.value = typed;
  text.dispatchEvent(new Event("input", { bubbles: true }));
}
