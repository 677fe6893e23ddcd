/**
 * Measured here: acceptance and price by the length of the text, drafting while the target verifies, and the speed of
 * every recorded run.
 *
 *   mount(host, {ask})
 */

import { element } from "../../shared/elements.js";
import { queryOf } from "../address.js";
import { Asking } from "../asking.js";
import { Clocks } from "./clocks.js";
import { Contexts } from "./contexts.js";
import { Recordings } from "./recordings.js";

class MeasuredLab {
  constructor(host, { ask }) {
    const asking = new Asking(ask);
    this.contexts = new Contexts(ask);
    this.clocks = new Clocks(ask);
    const recordings = new Recordings(asking);
    const parts = [asking.root, this.contexts.root, this.clocks.root, recordings.root];
    this.root = element("div", "spec-player spec-lab spec-bench", null, { role: "group" }, parts);
    host.appendChild(this.root);
    this.query = () => queryOf("measured", {});
    asking.answer({ type: "offered" }).then((answer) => answer && this.contexts.offer(answer));
  }
}

export const mount = (host, options) => new MeasuredLab(host, options);
