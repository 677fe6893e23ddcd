/**
 * How fast each recorded run was, with plain decoding beside it: a folded table, asked for when it is opened.
 *
 *   new Recordings(asking)   .root
 */

import { element } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { plainTable, scrollBox, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";

const COLUMNS = ["run", "target", "plain", "own", "ratio", "machine", "on"];

export class Recordings {
  /** @param {import("../asking.js").Asking} asking */
  constructor(asking) {
    this.table = element("div");
    this.root = element("details", "sp-panel", [
      element("summary", "sp-panel-title", say("recordings_title")),
      element("p", "sp-quiet", say("recordings_about")),
      this.table,
    ]);
    this.root.addEventListener("toggle", () => this.fill(asking), { once: true });
  }

  async fill(asking) {
    const answer = await asking.answer({ type: "recordings" });
    if (!answer) return;
    const heads = COLUMNS.map((name) => say(`recordings_${name}`));
    const table = plainTable("lab-rounds lab-recordings", heads, answer.speeds.map(lineOf));
    this.table.replaceChildren(scrollBox("lab-table-box", say("recordings_title"), [table]));
  }
}

function lineOf({ name, title, target, plain, own, ratio, machine, on }) {
  const link = element("a", "", title, { href: `?tab=watch#run=${encodeURIComponent(name)}` });
  const [median, low, high] = (ratio ?? []).map((value) => decimal(value, 2));
  return tableLine(element("th", "", [link]), [
    target,
    plain === null ? "–" : decimal(plain, 0),
    decimal(own, 0),
    ratio ? say("recordings_range", { median, low, high }) : "–",
    machine,
    on,
  ]);
}
