/** A sweep's results on the page. */

import { mount as mountSweep } from "../../sweep/sweep.js";
import { followWritten, written } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { plotly }) {
  const { element, trigger } = panel;
  const host = element.querySelector(".sweep-host");
  host.sweep = mountSweep(host, { plotly, watchRun: (run) => trigger("watch_run", { run }) });
  followWritten(panel, (value) => host.sweep.show(value));
  if (!written(panel.props)?.sweep) trigger("open_recorded", {}); // one that is kept with the page
}
