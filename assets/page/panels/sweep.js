/** A sweep's results on the page. */

import { mount as mountSweep } from "../../runs/sweep/sweep.js";
import { inItsLanguage } from "../../shared/words.js";
import { askForRecording, followWritten, send, written } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { plotly }) {
  const host = panel.element.querySelector(".sweep-host");
  const watchRun = (run) => send(panel, { type: "watch_point", run });
  host.sweep = inItsLanguage(host, () => mountSweep(host, { plotly, watchRun }));
  followWritten(panel, (value) => host.sweep.show(value));
  if (!written(panel.props)?.sweep) askForRecording(panel);
}
