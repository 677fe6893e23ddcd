/** The Recommend tab's stage and list; an item that is pressed in the list goes into the history. */

import { mount as mountRecommend } from "../../recommend/recommend.js";
import { inItsLanguage } from "../../shared/words.js";
import { askForRecording, followWritten, written } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel) {
  const host = panel.element.querySelector(".recommend-host");
  const add = (item) => /** @type {any} */ (document.querySelector(".history-host"))?.history.add(item);
  host.recommend = inItsLanguage(host, () => mountRecommend(host, { add }));
  followWritten(panel, (value) => host.recommend.show(value));
  if (!written(panel.props)) askForRecording(panel);
}
