/** Buttons that save a chart of Plotly as a picture, on white whatever the page's theme. */

import { element, pressButton } from "../elements.js";
import { say } from "../words.js";

const WIDE = 960; // px of a picture
const TALL = 560; // at least
// in a file there is no page to inherit a font from
const PAPER = {
  paper_bgcolor: "#ffffff",
  plot_bgcolor: "#ffffff",
  font: { family: "system-ui, sans-serif", size: 14, color: "#1f2328" },
};

/** Put the buttons next to a chart's table, once. @param {any} slot @param {string} name begins those of its files */
export function dress(slot, name) {
  if (!slot.saves) append(slot, name);
  slot.saves.hidden = slot.plot.hidden;
}

/** @param {any} slot @param {string} name */
function append(slot, name) {
  const buttons = ["png", "svg"].map((form) => {
    const title = say("chart_save", { title: slot.chart.title, form: form.toUpperCase() });
    return pressButton("sr-small", form.toUpperCase(), () => save(slot.chart, form, `${name}-${slot.chart.id}`), {
      title,
      "aria-label": title,
    });
  });
  slot.saves = element("div", "sp-saves", buttons);
  const foot = element("div", "sp-chart-foot");
  slot.root.insertBefore(foot, slot.disclosure);
  foot.append(slot.disclosure, slot.saves);
}

/** Saves a chart. @param {any} chart @param {string} form "png" or "svg" @param {string} name of the file */
export async function save({ figure, title }, form, name) {
  const heading = {
    title: { text: title, x: 0, xref: "paper", font: { size: 18 } },
    margin: { ...figure.layout.margin, t: 84, r: 24 },
    showlegend: true, // on the page one legend may serve several
  };
  const layout = { ...figure.layout, ...PAPER, ...heading };
  const plotly = /** @type {any} */ (window).Plotly;
  const size = { width: WIDE, height: Math.max(TALL, layout.height ?? 0), scale: 2 };
  const address = await plotly.toImage({ data: figure.data, layout }, { format: form, ...size });
  element("a", "", null, { href: address, download: `${name}.${form}` }).click();
}
