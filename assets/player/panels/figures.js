/**
 * The charts of the whole run in two panels: of its rounds and, of their time, in that about the run. A chart out of
 * sight has no width, so it waits.
 */

import { Charts } from "../../shared/plots/charts.js";
import { element } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

export class Figures {
  constructor() {
    /** @type {Record<string, Charts>} by the panel's name */
    this.charts = { rounds: new Charts(), about: new Charts() };
    /** Note while there is no chart. */
    this.none = element("p", "sp-quiet", say("charts_none"));
    /** Stands above the charts of rounds, which do not follow the cursor. */
    this.whole = element("h3", "sp-panel-title sp-whole-run", say("charts_whole"), { hidden: "" });
    /** @type {Record<string, any[]>} those not drawn yet */
    this.waiting = { rounds: [], about: [] };
  }

  set(charts) {
    const all = Array.isArray(charts) ? charts : [];
    const isTime = (chart) => String(chart.id).startsWith("time");
    this.none.hidden = all.length > 0;
    this.whole.hidden = !all.length;
    this.waiting = { rounds: all.filter((chart) => !isTime(chart)), about: all.filter(isTime) };
    for (const drawn of Object.values(this.charts)) drawn.set([]);
  }

  /** A panel is in sight. */
  draw(name, step) {
    if (!this.waiting[name]?.length) return;
    this.charts[name].set(this.waiting[name]);
    this.charts[name].move(step);
    this.waiting[name] = [];
  }

  move(step) {
    for (const drawn of Object.values(this.charts)) drawn.move(step);
  }
}
