/**
 * A sweep's results: mounts the charts and the table into a host, and draws them again as rows arrive.
 *
 *   const s = specSweep.mount(host, {plotly, watchRun(run)});
 *   s.show(value); s.value; s.charts; s.table
 */
(function (sweep, player) {
  "use strict";

  const { element, say } = player;

  class Sweep extends player.Results {
    constructor(host, wishes) {
      super(host, wishes, "sweep");
      const watch = (run) => wishes.watchRun(run);
      this.charts = new sweep.Charts(watch);
      this.table = new sweep.Table(watch);
      this.conditions = element("p", "sw-conditions");
      this.hint = element("p", "sp-quiet");
      this.notes = element("ul", "sw-notes sp-quiet");
      const told = element("section", "sw-told", null, {}, [this.conditions, this.hint]);
      this.full.append(told, this.charts.root, this.notes, this.table.root);
    }

    show(value) {
      if (!value || !value.sweep) return;
      this.value = value;
      this.begin();
      player.setText(this.conditions, value.conditions);
      const how = window.matchMedia("(hover: none)").matches ? say("sweep_touch") : say("sweep_point");
      player.setText(this.hint, [how, value.labels].filter(Boolean).join(" "));
      player.empty(this.notes);
      for (const note of value.notes) this.notes.append(element("li", "", player.legible(note)));
      this.table.root.hidden = value.settings.length === 0;
      this.table.set(value);
      player.withPlotly(this.wishes.plotly, () => this.charts.set(this.value));
    }
  }

  sweep.mount = (host, wishes) => Sweep.mount(host, wishes);
})((window.specSweep = window.specSweep || {}), window.specPlayer);
