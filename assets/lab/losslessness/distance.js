/** The distance of one or two samplers from the law as their samples grow, over the band of an exact one; log by log. */

import { brief, decades } from "../../shared/plots/axes.js";
import { Plot } from "../../shared/plots/plot.js";
import { say } from "../../shared/words.js";

const LINES = [
  ["lab-line-first", ""],
  ["lab-line-second", "7 4"],
];
const FEWEST = 50;

export class Distance {
  constructor() {
    this.plot = new Plot(say("bench_title"));
    this.root = this.plot.root;
  }

  /**
   * series: [{title, claim, law, points: [{samples, tv, noise_floor, noise_lower, noise_upper}], caught_at}]
   * most: samples that each will have.
   */
  show(series, most) {
    const all = series.flatMap((each) => each.points);
    const values = all.flatMap((point) => [point.tv, point.noise_lower]).filter((value) => value > 0);
    const low = bottom(Math.min(0.2, ...values));
    const x = {
      title: say("bench_x"),
      low: FEWEST,
      high: reach(
        all.map((point) => point.samples),
        most,
      ),
      log: true,
    };
    const y = { title: say("bench_y"), low, high: 1, log: true };
    const at = (value) => Math.max(value, low); // a distance of 0 has no place on a log axis but its end
    const lines = [],
      bands = [];
    series.forEach((each, i) => {
      const xs = each.points.map((point) => point.samples);
      const isNew = !i || each.law !== series[0].law;
      if (isNew) {
        bands.push({
          name: i ? say("bench_band_of", each) : say("bench_band"),
          className: i ? "lab-band-second" : "lab-band",
          x: xs,
          low: each.points.map((p) => at(p.noise_lower)),
          high: each.points.map((p) => at(p.noise_upper)),
        });
        if (!i)
          lines.push({
            name: say("bench_floor"),
            className: "lab-line-floor",
            dash: "2 4",
            x: xs,
            y: each.points.map((p) => at(p.noise_floor)),
          });
      }
      const [className, dash] = LINES[i];
      lines.push({ name: each.title, className, dash, x: xs, y: each.points.map((p) => at(p.tv)) });
    });
    const rules = series
      .filter((each) => each.caught_at !== null && each.points[each.caught_at])
      .map((each) => ({
        x: each.points[each.caught_at].samples,
        text: say(each.claim ? "bench_caught" : "bench_told"),
        className: "lab-rule-even",
      }));
    const said = series
      .filter((each) => each.points.length)
      .map((each) => {
        const last = each.points[each.points.length - 1];
        return say("bench_said", { title: each.title, tv: last.tv.toFixed(3), samples: last.samples });
      })
      .join(". ");
    this.plot.show({
      x: { ...x, ticks: decades(x, { write: brief }) },
      y: { ...y, ticks: decades(y, { steps: low < 0.01 ? [1, 3] : [1, 2, 5], write: brief }) },
      lines,
      bands,
      rules,
      said,
    });
  }
}

/** How far the axis goes: to the power of ten beyond what is there, and not beyond what is to come. */
function reach(samples, most) {
  return Math.max(1000, Math.min(most, 10 ** Math.ceil(Math.log10(1.3 * Math.max(...samples, FEWEST)))));
}

/** The round number at or below. */
function bottom(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((times) => times * unit).find((each) => each <= value * 1.0001) || unit;
}
