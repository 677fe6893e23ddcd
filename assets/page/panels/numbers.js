/** Tables of numbers below the Recommend tab's stage. */

import { tableOf } from "../../recommend/table.js";
import { followWritten } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel) {
  const host = panel.element.querySelector(".numbers-host");
  host.classList.add("spec-player", "rec-numbers");
  followWritten(panel, (value) => host.replaceChildren(...(value?.tables ?? []).map(tableOf)));
}
