/**
 * A line for messages, with a bar below it where the element has one.
 *
 * Its value is {text, kind}, kind being "quiet" or "error", and {done, total} while the bar is to be seen. With
 * {instead_of} it is said only where what stands there begins so: an answer that was overtaken says nothing. What it
 * says enters as text, whatever characters it holds.
 */

import { spoken } from "../../shared/words.js";
import { follow } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel) {
  const line = panel.element.querySelector(".notice");
  const bar = panel.element.querySelector("progress");
  let said = "";
  follow(panel, (value) => {
    const { text, kind, done, total, instead_of: old } = value || {};
    if (old && !said.startsWith(old)) return;
    said = text || "";
    line.setAttribute("aria-live", total ? "off" : "polite"); // spoken when its meaning changes, not at every run
    line.textContent = spoken(said);
    line.dataset.kind = kind || "quiet";
    line.dispatchEvent(new CustomEvent("said", { bubbles: true, detail: line.textContent }));
    if (!bar) return;
    bar.hidden = !total;
    bar.max = total || 1;
    bar.value = done || 0;
  });
}

/** A quiet sentence of the page's own. */
export const say = (text) => ({ text, kind: "quiet" });
