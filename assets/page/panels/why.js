/** Explanation of why a run was not faster here; empty until there is one. */

import { explain } from "../../player/panels/why.js";
import { withPlotly } from "../../shared/plots/charts.js";
import { followWritten } from "../panel.js";

/** @param {import("../panel.js").Panel} panel
 *  @param {{plotly: string}} settings */
export function mount(panel, { plotly }) {
  const host = panel.element.querySelector(".why-host");
  /** @type {any} */
  let shown = null;
  /** @type {any} */
  let newest = null;
  followWritten(panel, (value) => {
    newest = value;
    if (!value) return shown?.clear();
    withPlotly(plotly, () => value === newest && (shown = shown ?? explain(host)).show(value));
  });
}
