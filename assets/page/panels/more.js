/** The button of the player's menu in the line that asks: the page's drawers come first in it. */

import { iconButton } from "../../shared/buttons.js";
import { element as make } from "../../shared/elements.js";
import { worded } from "../../shared/words.js";
import { lead } from "./drawer.js";
import { playerPanel } from "./player.js";

/** @param {import("../panel.js").Panel} panel @param {{drawers: Record<string, string>}} settings */
export function mount({ element }, { drawers }) {
  const button = iconButton("more", () => {
    const controls = playerPanel()?.player.controls;
    if (!controls) return;
    if (!controls.menu.contains(lines[0])) controls.menu.prepend(...lines);
    controls.open(button);
  });
  const lines = Object.entries(worded(drawers)).map(([id, title]) => {
    const line = make("button", "sp-menu-row", title, { type: "button", popovertarget: id });
    lead(line, id, button);
    return line;
  });
  element.querySelector(".more-host").append(button);
}
