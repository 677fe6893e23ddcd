/** The best drafter at each position, on the page. */

import { Positions } from "../../race/positions/positions.js";
import { followWritten, written } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel) {
  const { element, trigger } = panel;
  const host = element.querySelector(".positions-host");
  host.positions = new Positions(host);
  followWritten(panel, (value) => host.positions.show(value));
  if (!written(panel.props)?.texts) trigger("open_recorded", {}); // they are kept with the page
}
