/**
 * A sweep's results: mounts the charts and the table into a host, and draws them again as rows arrive.
 *
 *   const s = specSweep.mount(host, {plotly, watchRun(run)});
 *   s.show(value); s.value; s.charts; s.table
 */
(function (sweep, player) {
  "use strict";

  const { element, say } = player;
  const NARROW = 700; // px of width below which the phone's layout applies

  class Sweep {
    constructor(host, wishes) {
      this.wishes = wishes;
      this.value = null;
      const watch = (run) => wishes.watchRun(run);
      this.charts = new sweep.Charts(watch);
      this.table = new sweep.Table(watch);
      this.conditions = element("p", "sw-conditions");
      this.hint = element("p", "sp-quiet");
      this.notes = element("ul", "sw-notes sp-quiet");
      this.empty = element("div", "sw-empty", null, {}, [element("p", "sp-waiting-title", say("sweep_empty")), element("p", "sp-quiet", say("sweep_empty_hint"))]);
      const told = element("section", "sw-told", null, {}, [this.conditions, this.hint]);
      this.full = element("div", "sw-full", null, { hidden: "" }, [told, this.charts.root, this.notes, this.table.root]);
      this.root = element("div", "spec-player spec-sweep", null, {}, [this.empty, this.full]);
      if (!host.closest(".gradio-container, gradio-app")) this.root.dataset.scheme = "auto";
      player.empty(host);
      host.appendChild(this.root);
      const measure = () => this.root.classList.toggle("sp-narrow", this.root.clientWidth > 0 && this.root.clientWidth < NARROW);
      if (window.ResizeObserver) new ResizeObserver(measure).observe(this.root);
      measure();
    }

    show(value) {
      if (!value || !value.sweep) return;
      this.value = value;
      this.empty.hidden = true;
      this.full.hidden = false;
      player.setText(this.conditions, value.conditions);
      const how = window.matchMedia("(hover: none)").matches ? say("sweep_touch") : say("sweep_point");
      player.setText(this.hint, [how, value.labels].filter(Boolean).join(" "));
      player.empty(this.notes);
      for (const note of value.notes) this.notes.append(element("li", "", player.legible(note)));
      this.table.root.hidden = value.settings.length === 0;
      this.table.set(value);
      this.withPlotly(() => this.charts.set(this.value));
    }

    /** Plotly is large: it is fetched when the first chart is drawn, and without it the charts are tables. */
    withPlotly(draw) {
      if (window.Plotly || !this.wishes.plotly) return draw();
      let script = document.querySelector("script[data-plotly]");
      if (!script) {
        script = element("script", "", null, { src: this.wishes.plotly, "data-plotly": "" });
        document.head.appendChild(script);
      }
      script.addEventListener("load", draw);
      script.addEventListener("error", draw);
    }
  }

  /** Mounts a sweep into a host element; a second call returns the same one. */
  sweep.mount = function (host, wishes) {
    if (!host.specSweep) host.specSweep = new Sweep(host, wishes || {});
    return host.specSweep;
  };
})((window.specSweep = window.specSweep || {}), window.specPlayer);
