/**
 * The charts of a sweep: drawn by the player's slots, and their points open runs.
 *
 * With a mouse a click opens the run at once, for its numbers were shown while hovering. A finger cannot hover: a tap
 * shows the numbers on a card with a button.
 */

import { Charts } from "../../shared/plots/charts.js";
import { element, pressButton } from "../../shared/elements.js";
import { columnName, figure } from "../../shared/figures.js";
import { say } from "../../shared/words.js";

/** @typedef {import("../../page/messages.js").SweepValue} SweepValue */

export class SweepCharts {
  /** `watch(run)` opens a run. */
  constructor(watch) {
    this.watch = watch;
    /** @type {SweepValue | null} */
    this.value = null;
    this.charts = new Charts({ saves: "sweep", label: say("sweep_charts") });
    /** @type {HTMLElement | null} */
    this.card = null;
    this.root = this.charts.root;
  }

  /** @param {SweepValue} value */
  set(value) {
    if (value.sweep !== this.value?.sweep) this.card?.remove(); // its run is one of the sweep before
    this.value = value;
    this.charts.set(value.charts);
    for (const slot of this.charts.slots.values()) this.dress(slot);
  }

  /** Clicks, once for each chart; Plotly takes listeners only after its first drawing. */
  dress(slot) {
    if (slot.bound || slot.plot.hidden || !slot.plot.on) return;
    slot.bound = true;
    slot.plot.on("plotly_click", (event) => this.choose(slot, event.points[0]));
    slot.plot.on("plotly_hover", () => slot.plot.classList.add("sw-over"));
    slot.plot.on("plotly_unhover", () => slot.plot.classList.remove("sw-over"));
  }

  choose(slot, point) {
    const label = point && point.customdata && point.customdata[0];
    const setting = this.value?.settings.find((each) => each.label === label);
    if (!setting || setting.run === null) return;
    if (window.matchMedia("(hover: none)").matches) this.show(slot, setting);
    else this.watch(setting.run);
  }

  /**
   * The card of a point that was tapped, below its chart.
   * @param {import("../../page/messages.js").SweepSetting} setting
   */
  show(slot, setting) {
    if (this.card) this.card.remove();
    const open = pressButton("sr-primary", say("sweep_watch_this"), () => this.watch(setting.run));
    const close = pressButton("sr-small", say("sweep_picked_close"), () => this.card?.remove());
    const numbers = (this.value?.columns ?? [])
      .filter((column) => setting.cells[column.id] !== null)
      .map((column) =>
        element("div", "sw-figure", [
          element("dt", "", columnName(column)),
          element("dd", "", figure(setting.cells[column.id], column)),
        ]),
      );
    const count = setting.runs.filter((run) => !run.failed).length;
    this.card = element("div", "sw-card", null, { role: "status" }, [
      element("p", "sw-card-title", setting.title),
      element("dl", "sw-figures", numbers),
      element("p", "sp-quiet", count === 1 ? say("sweep_picked_one") : say("sweep_picked_of", { count })),
      element("div", "sw-card-buttons", [open, close]),
    ]);
    slot.root.insertBefore(this.card, slot.plot.nextSibling);
  }
}
