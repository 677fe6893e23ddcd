/**
 * Slots for figures made by the server: drawn with Plotly where the page has it, shown as tables where it does not.
 *
 * A figure whose `layout.meta.axis` is "round" or "layer" gets a line at the cursor's round or layer.
 */

import { element, empty, setText } from "./elements.js";
import { say } from "./words.js";

const CONFIG = { displaylogo: false, displayModeBar: false, showSendToCloud: false, responsive: true };
const NARROW = 380; // px
const EVERY = 150; // ms between two moves of the marker: a relayout costs a chart's drawing

/** Plotly, where the page has it. */
export const plotly = () => /** @type {any} */ (window).Plotly;

/** Plotly is large: it is fetched when the first chart is drawn, and without it charts are tables. */
export function withPlotly(address, draw) {
  if (plotly() || !address) return draw();
  const known = document.querySelector("script[data-plotly]");
  const script = known || document.head.appendChild(element("script", "", null, { src: address, "data-plotly": "" }));
  script.addEventListener("load", draw);
  script.addEventListener("error", draw);
}

export class Charts {
  constructor() {
    this.root = element("section", "sp-charts", null, { "aria-label": say("charts_label") });
    this.slots = new Map(); // id -> {root, plot, chart}
    this.place = { round: null, layer: null };
    this.timer = null;
  }

  set(charts) {
    const wanted = new Set(charts.map((chart) => chart.id));
    for (const [id, slot] of this.slots)
      if (!wanted.has(id)) {
        if (plotly() && slot.plot) plotly().purge(slot.plot);
        slot.root.remove();
        this.slots.delete(id);
      }
    for (const chart of charts) if (!this.slots.has(chart.id)) this.slots.set(chart.id, this.make(chart));
    for (const chart of charts) this.draw(this.slots.get(chart.id), chart); // once all have their place, and so their width
  }

  make(chart) {
    const root = this.root.appendChild(element("figure", "sp-panel sp-chart", null, { "data-chart": chart.id }));
    const slot = { root, title: element("h3", "sp-panel-title"), summary: element("p", "sp-quiet") };
    slot.plot = element("div", "sp-plot");
    slot.disclosure = element("details", "sp-chart-table");
    slot.disclosure.appendChild(element("summary", "", say("chart_table")));
    slot.rows = slot.disclosure.appendChild(element("div", "sp-table-box", null, { tabindex: 0, role: "region" }));
    slot.disclosure.addEventListener("toggle", () => slot.disclosure.open && this.fillTable(slot));
    root.append(slot.title, slot.summary, slot.plot, slot.disclosure);
    return slot;
  }

  draw(slot, chart) {
    slot.chart = chart;
    setText(slot.title, chart.title || "");
    setText(slot.summary, chart.summary || "");
    slot.rows.setAttribute("aria-label", chart.title || "");
    const drawable = plotly() && chart.figure;
    slot.plot.hidden = !drawable;
    slot.disclosure.hidden = !chart.rows;
    if (!drawable) slot.disclosure.open = true;
    if (slot.disclosure.open) this.fillTable(slot);
    if (!drawable) return;
    try {
      const layout = this.layoutFor(chart);
      slot.plot.style.height = layout.height + "px"; // where the width changes, Plotly takes the height from here
      plotly().react(slot.plot, chart.figure.data || [], layout, CONFIG);
    } catch {
      slot.plot.hidden = true;
      slot.disclosure.open = true;
    }
  }

  /** The figure's own layout, on the player's background and in its text colour, with the marker. */
  layoutFor(chart) {
    const layout = { ...chart.figure.layout };
    const clear = "rgba(0,0,0,0)";
    const colour = getComputedStyle(this.root).color;
    layout.paper_bgcolor = clear;
    layout.plot_bgcolor = clear;
    layout.font = { ...layout.font, color: colour };
    if (this.root.clientWidth < NARROW) layout.font.size = 10; // else legends and titles are cut off
    layout.shapes = this.shapes(chart);
    return layout;
  }

  shapes(chart) {
    const layout = chart.figure.layout || {};
    const own = Array.isArray(layout.shapes) ? layout.shapes : [];
    const at = layout.meta ? this.place[layout.meta.axis] : null;
    if (at === null || at === undefined) return own;
    const colour = getComputedStyle(this.root).color;
    return own.concat({ type: "line", xref: "x", yref: "paper", x0: at, x1: at, y0: 0, y1: 1, line: { width: 1.5, dash: "dot", color: colour } });
  }

  /** Moves the markers; at most a few times a second, and always once more at the end. */
  move(step) {
    const layer = step && step.round ? (step.verdict ? step.verdict.node.layer : step.layers || null) : null;
    this.place = { round: step && step.round ? step.round.number : null, layer };
    if (this.timer !== null || !plotly()) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      for (const slot of this.slots.values()) {
        const meta = slot.chart.figure && slot.chart.figure.layout && slot.chart.figure.layout.meta;
        if (!meta || !(meta.axis in this.place) || slot.plot.hidden) continue;
        const mark = meta.axis + this.place[meta.axis];
        if (slot.mark === mark) continue;
        slot.mark = mark;
        plotly().relayout(slot.plot, { shapes: this.shapes(slot.chart) });
      }
    }, EVERY);
  }

  fillTable(slot) {
    const rows = slot.chart.rows;
    empty(slot.rows);
    if (!rows) return;
    const table = element("table", "sp-table");
    const head = element("tr");
    for (const name of rows.header || []) head.appendChild(element("th", "", name, { scope: "col" }));
    const body = element("tbody");
    for (const row of rows.body || []) {
      const line = element("tr");
      for (const value of row) line.appendChild(element("td", "", value === null || value === undefined ? "–" : value));
      body.appendChild(line);
    }
    table.append(element("thead", "", null, {}, [head]), body);
    slot.rows.appendChild(table);
  }
}
