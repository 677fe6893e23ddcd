/**
 * A sweep's results: mounts the charts and the table into a host, and draws them again as rows arrive.
 *
 *   const s = mount(host, {plotly, watchRun(run)});
 *   s.show(value); s.value; s.charts; s.table
 */

import { withPlotly } from "../../shared/plots/charts.js";
import { element, empty, legible, setText } from "../../shared/elements.js";
import { Paced } from "../../shared/paced.js";
import { Results } from "../../shared/results.js";
import { inItsLanguage, say } from "../../shared/words.js";
import { SweepCharts } from "./charts.js";
import { Table } from "./table.js";

/** @typedef {import("../../page/messages.js").SweepValue} SweepValue */

class Sweep extends Results {
  constructor(host, wishes) {
    super(host, wishes, "sweep");
    /** @type {SweepValue | null} */
    this.value = null;
    const watch = (run) => wishes.watchRun(run);
    this.charts = new SweepCharts(watch);
    this.table = new Table(watch);
    this.recorded = element("p", "sp-quiet");
    this.headline = element("p", "sw-headline");
    this.conditions = element("p", "sp-quiet");
    this.hint = element("p", "sp-quiet");
    this.notes = element("ul", "sw-notes sp-quiet");
    const notices = element("section", "sw-told", [this.headline, this.conditions, this.recorded, this.hint]);
    this.full.append(notices, this.charts.root, this.notes, this.table.root);
    this.paced = new Paced(() => inItsLanguage(this.root, () => this.value && this.draw(this.value)));
  }

  /** @param {SweepValue | {sweep: null}} value */
  show(value) {
    if (!value || value.sweep === null) return;
    const goesOn = this.value?.sweep === value.sweep && value.done < value.total;
    this.value = value;
    this.begin();
    if (goesOn) this.paced.want();
    else this.paced.now();
  }

  /** @param {SweepValue} value */
  draw(value) {
    setText(this.headline, value.headline);
    setText(this.conditions, value.conditions);
    setText(this.recorded, value.recorded);
    this.recorded.hidden = !value.recorded;
    setText(this.hint, [say("sweep_point"), value.labels].filter(Boolean).join(" "));
    empty(this.notes);
    for (const note of value.notes) this.notes.append(element("li", "", legible(note)));
    this.table.root.hidden = value.settings.length === 0;
    this.table.set(value);
    const draw = () => inItsLanguage(this.root, () => this.charts.set(this.value ?? value));
    withPlotly(this.wishes.plotly, draw);
  }
}

export const mount = (host, wishes) => Sweep.mount(host, wishes);
