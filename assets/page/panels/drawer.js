/**
 * A button that opens a drawer: a part of the page that the browser shows over everything, see drawer.css.
 *
 * The part is made by Gradio, perhaps after its button, and has no attributes of ours: it gets them when it is needed.
 */

import { say } from "../../shared/words.js";

/** @param {import("../panel.js").Panel} panel */
export function mount({ element }, { id }) {
  const button = element.querySelector("button");
  lead(button, id, button);
}

/** A button opens a drawer, and another or the same gets the focus back. */
export function lead(button, id, back) {
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-controls", id);
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    const drawer = document.getElementById(id);
    if (!drawer || drawer.popover === "auto") return;
    drawer.popover = "auto"; // before the browser does what the button is for
    drawer.setAttribute("role", "dialog");
    drawer.setAttribute("aria-label", drawer.querySelector("h2")?.textContent ?? "");
    drawer.querySelector(".drawer-close")?.setAttribute("aria-label", say("close"));
    const opens = (event) => /** @type {ToggleEvent} */ (event).newState === "open";
    // before, as what comes after it comes whenever there is time: until then the button would say what is not so
    drawer.addEventListener("beforetoggle", (event) => button.setAttribute("aria-expanded", String(opens(event))));
    drawer.addEventListener("toggle", (event) => {
      if (opens(event)) /** @type {HTMLElement | null} */ (drawer.querySelector(".drawer-close"))?.focus();
      else if (document.activeElement === document.body) back.focus();
    });
  });
}
