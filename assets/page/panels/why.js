/** Why a run was not faster here: empty until there is something to explain. */

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
  let asked = null;
  followWritten(panel, (value) => {
    asked = value;
    if (!value) return shown?.clear();
    withPlotly(plotly, () => value === asked && (shown = shown ?? explain(host)).show(value));
  });
}
