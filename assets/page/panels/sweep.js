/** A sweep's results on the page. */

import { mount as mountSweep } from "../../sweep/sweep.js";
import { follow } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { plotly }) {
  const { element, trigger } = panel;
  const host = element.querySelector(".sweep-host");
  host.sweep = mountSweep(host, { plotly, watchRun: (run) => trigger("watch_run", { run }) });
  follow(panel, (value) => host.sweep.show(value));
  if (!panel.props.value?.sweep) trigger("open_recorded", {}); // one that is kept with the page
}
