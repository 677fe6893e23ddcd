/** The menu of methods on the page; its value is the id of the method that is chosen. */

import { worded } from "../../shared/words.js";
import { MethodMenu } from "../method/menu.js";
import { follow, send } from "../panel.js";

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { families }) {
  const menu = new MethodMenu(worded(families), (id) => {
    panel.props.value = id;
    send(panel, { type: "chosen", method: id });
  });
  panel.element.querySelector(".method-host").append(menu.button, menu.list);
  follow(panel, menu.show);
}
