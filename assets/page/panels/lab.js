/** A section of the Lab: it asks the server for numbers. */

import * as acceptance from "../../lab/acceptance/acceptance.js";
import * as losslessness from "../../lab/losslessness/losslessness.js";
import * as measured from "../../lab/measured/measured.js";
import * as servers from "../../lab/servers/servers.js";
import * as speed from "../../lab/speed/speed.js";
import { inItsLanguage, worded } from "../../shared/words.js";
import { later } from "../tabs.js";

/** @type {Record<string, {mount: (host: any, options: object) => object}>} */
const SECTIONS = { acceptance, losslessness, speed, measured, servers };

/** @param {import("../panel.js").Panel} panel */
export function mount({ element, server }, { section }) {
  const host = element.querySelector(".lab-host");
  const inEnglish = (answer) => inItsLanguage(element, () => worded(answer));
  const ask = async (request) => inEnglish(await server.ask(request));
  host.lab = inItsLanguage(element, () => SECTIONS[section].mount(host, { ask }));
  later(); // its address says more than that of an empty section
}
