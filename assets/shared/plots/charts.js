/**
 * Slots for charts: bars are drawn here, with a mark at the cursor; figures of the server with Plotly where the page
 * has it, and as tables where it does not.
 */

import { plainTable, tableLine } from "../tables/plain.js";
import { BarChart } from "./bars.js";
import { element, empty, setText } from "../elements.js";
import { say, worded } from "../words.js";
import { dress } from "./save.js";

/**
 * @typedef {import("../../page/messages.js").Chart} Chart
 * @typedef {object} Slot of a chart
 * @property {HTMLElement} root
 * @property {HTMLElement} title
 * @property {HTMLElement} summary
 * @property {HTMLElement} plot
 * @property {HTMLDetailsElement} disclosure
 * @property {HTMLElement} rows
 * @property {Chart} chart
 * @property {BarChart} [bars]
 * @property {HTMLElement} [saves] its buttons
 */

const CONFIG = { displaylogo: false, displayModeBar: false, showSendToCloud: false, responsive: true };
const NARROW = 560; // px

/** Plotly, where the page has it. */
export const plotly = () => /** @type {any} */ (window).Plotly;

/**
 * Plotly is large: it is fetched when the first chart is drawn, and without it charts are tables.
 * @param {string} address
 * @param {() => void} draw
 */
export function withPlotly(address, draw) {
  if (plotly() || !address) return draw();
  const known = document.querySelector("script[data-plotly]");
  const script = known || document.head.appendChild(element("script", "", null, { src: address, "data-plotly": "" }));
  script.addEventListener("load", draw);
  script.addEventListener("error", () => {
    script.remove(); // it will say nothing more: the next chart fetches it again
    draw();
  });
}

/**
 * On a phone names stand above their points, where they take no room from them, and letters are smaller.
 * @param {any} layout
 */
function onPhone(layout) {
  const font = { ...layout.font, size: 12 };
  const names = layout.yaxis?.categoryarray;
  if (!names) return { ...layout, font };
  const yaxis = {
    ...layout.yaxis,
    ticklabelposition: "inside top",
    automargin: false,
    tickfont: { color: layout.font.color },
    range: [-0.5, names.length - 0.1],
  };
  return { ...layout, font, yaxis, height: layout.height + 8 * names.length, margin: { ...layout.margin, l: 8 } };
}

export class Charts {
  /** `saves` begins the names of files, where charts can be saved as pictures; `label` names them all. */
  constructor({ saves = "", label = say("charts_label") } = {}) {
    this.saves = saves;
    this.root = element("section", "sp-charts", null, { "aria-label": label });
    /** @type {Map<string, Slot>} by the id of its chart */
    this.slots = new Map();
    /** @type {Record<string, number | null>} */
    this.place = { round: null, depth: null };
  }

  /** @param {any} sent */
  set(sent) {
    /** @type {Chart[]} */
    const charts = worded(sent);
    const wanted = new Set(charts.map((chart) => chart.id));
    for (const [id, slot] of this.slots)
      if (!wanted.has(id)) {
        if (plotly() && slot.plot) plotly().purge(slot.plot);
        slot.root.remove();
        this.slots.delete(id);
      }
    for (const chart of charts) if (!this.slots.has(chart.id)) this.slots.set(chart.id, this.make(chart));
    // once all have their place, and so their width
    for (const chart of charts) this.draw(/** @type {Slot} */ (this.slots.get(chart.id)), chart);
    if (this.saves) for (const slot of this.slots.values()) dress(slot, this.saves);
  }

  /** @param {Chart} chart */
  make(chart) {
    const root = this.root.appendChild(element("figure", "sp-panel sp-chart", null, { "data-chart": chart.id }));
    const [title, summary, plot] = [
      element("h2", "sp-panel-title"),
      element("p", "sp-quiet"),
      element("div", "sp-plot"),
    ];
    const rows = element("div", "sp-table-box", null, { tabindex: 0, role: "region" });
    const disclosure = element("details", "sp-chart-table", [element("summary", "", say("chart_table")), rows]);
    /** @type {Slot} */
    const slot = { root, title, summary, plot, disclosure, rows, chart };
    disclosure.addEventListener("toggle", () => disclosure.open && this.fillTable(slot));
    root.append(title, summary, plot, disclosure);
    return slot;
  }

  /** @param {Slot} slot @param {Chart} chart */
  draw(slot, chart) {
    slot.chart = chart;
    setText(slot.title, chart.title || "");
    setText(slot.summary, chart.summary || "");
    slot.rows.setAttribute("aria-label", chart.title || "");
    const drawable = chart.bars || (plotly() && chart.figure);
    slot.plot.hidden = !drawable;
    slot.disclosure.hidden = !chart.rows;
    if (!drawable) slot.disclosure.open = true;
    if (slot.disclosure.open) this.fillTable(slot);
    if (!drawable) return;
    if (chart.bars) return this.drawBars(slot, chart);
    try {
      const layout = this.layoutFor(chart);
      slot.plot.style.height = layout.height + "px"; // where the width changes, Plotly takes the height from here
      plotly().react(slot.plot, chart.figure.data || [], layout, CONFIG);
    } catch {
      slot.plot.hidden = true;
      slot.disclosure.open = true;
    }
  }

  /** @param {Slot} slot @param {Chart} chart */
  drawBars(slot, { bars, title, summary }) {
    if (!slot.bars) slot.plot.appendChild((slot.bars = new BarChart()).root);
    slot.bars.mark(this.place[bars.axis]);
    slot.bars.show(bars, `${title}. ${summary}`);
  }

  /** The figure's own layout, on the player's background and in its text colour. @param {Chart} chart */
  layoutFor(chart) {
    const layout = { ...chart.figure.layout };
    const clear = "rgba(0,0,0,0)";
    const colour = getComputedStyle(this.root).color;
    layout.paper_bgcolor = clear;
    layout.plot_bgcolor = clear;
    layout.font = { ...layout.font, color: colour };
    return this.root.clientWidth < NARROW ? onPhone(layout) : layout;
  }

  /**
   * Marks the step's round or depth in every chart of bars.
   * @param {import("../../player/trace/records.js").Step | null} step
   */
  move(step) {
    const depth = step && step.round ? (step.verdict ? step.verdict.node.layer : step.layers || null) : null;
    this.place = { round: step && step.round ? step.round.number : null, depth };
    for (const { bars, chart } of this.slots.values()) if (bars) bars.mark(this.place[chart.bars.axis]);
  }

  /** @param {Slot} slot */
  fillTable(slot) {
    const rows = slot.chart.rows;
    empty(slot.rows);
    if (!rows) return;
    const lines = (rows.body || []).map((row) => tableLine(null, row));
    slot.rows.append(plainTable("sp-table", rows.header || [], lines));
  }
}
