/** The Recommend tab's stage and list. */

import { mount as mountRecommend } from "../../recommend/recommend.js";
import { inItsLanguage } from "../../shared/words.js";
import { askForRecording, followWritten, written } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel) {
  const host = panel.element.querySelector(".recommend-host");
  host.recommend = inItsLanguage(host, () => mountRecommend(host));
  followWritten(panel, (value) => host.recommend.show(value));
  if (!written(panel.props)) askForRecording(panel);
}
