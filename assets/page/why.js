/** Why a run was not faster here: empty until there is something to explain. */

import { explain } from "../player/panels/why.js";
import { follow } from "./panel.js";

/** @param {import("./panel.js").Panel} panel */
export function mount(panel) {
  const host = panel.element.querySelector(".why-host");
  /** @type {any} */
  let shown = null;
  follow(panel, (value) => {
    if (value) (shown = shown ?? explain(host)).show(value);
    else shown?.clear();
  });
}
