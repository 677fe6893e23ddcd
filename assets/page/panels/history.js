/** The items that a user has bought, as a field of the Recommend tab. */

import { History } from "../../recommend/history.js";
import { follow, send } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { read }) {
  const host = panel.element.querySelector(".history-host");
  const changed = (value) => {
    panel.props.value = value;
    host.history.show(value); // what is written from here is not watched
    send(panel, { type: "edited" }); // the lists on the page were made for another history
  };
  host.history = new History(host, { read, catalogue: () => panel.server.catalogue({ type: "shop_items" }), changed });
  follow(panel, (value) => host.history.show(value));
}
