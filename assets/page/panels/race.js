/** A race's results on the page. */

import { mount as mountRace } from "../../race/race.js";
import { followWritten, written } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { plotly }) {
  const { element, trigger } = panel;
  const host = element.querySelector(".race-host");
  host.race = mountRace(host, {
    plotly,
    choosePrompt: (place) => trigger("choose_prompt", { place }),
    watchRun: (label, place) => trigger("watch_run", { label, place }),
    explainRow: (label) => trigger("explain_row", { label }),
  });
  followWritten(panel, (value) => host.race.show(value));
  if (!written(panel.props)?.race) trigger("open_recorded", {}); // one that is kept with the page
}
