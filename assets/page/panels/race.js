/** A race's results on the page. */

import { mount as mountRace } from "../../runs/race.js";
import { askForRecording, followWritten, send, written } from "../panel.js";
import { RACE_NOW } from "../run/race_link.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { plotly }) {
  const host = panel.element.querySelector(".race-host");
  host.race = mountRace(host, {
    plotly,
    choosePrompt: (place) => send(panel, { type: "choose_prompt", prompt: place }),
    watchRun: (label, place) => send(panel, { type: "watch_lane", label, prompt: place }),
    explainRow: (label) => send(panel, { type: "explain_row", label }),
  });
  raceWhenFilledIn();
  followWritten(panel, (value) => host.race.show(value));
  if (!written(panel.props)?.race) askForRecording(panel);
}

/** Begin the race that "Race it" on a run asked for, once the link has filled in the form. */
function raceWhenFilledIn() {
  if (!sessionStorage.getItem(RACE_NOW)) return;
  const begin = () => {
    const line = /** @type {HTMLElement | null} */ (document.querySelector("#race-notice .notice"));
    if (line?.dataset.word !== "set_up_race" || !sessionStorage.getItem(RACE_NOW)) return;
    sessionStorage.removeItem(RACE_NOW);
    setTimeout(() => document.getElementById("race")?.click()); // once the page has taken the values
  };
  document.addEventListener("said", begin);
  begin();
}
