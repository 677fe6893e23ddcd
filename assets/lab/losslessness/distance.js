/**
 * The distance of one or two samplers from the distribution as their samples grow, over the band of an exact one; log by log.
 */

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
    const bands = series
      .map((each, i) => ({ each, i }))
      .filter(({ each, i }) => !i || each.law !== series[0].law)
      .map(({ each, i }) => bandOf(each, i, at));
    const lines = series.map((each, i) => {
      const [className, dash] = LINES[i];
      const distances = each.points.map((point) => at(point.tv));
      return { name: each.title, className, dash, x: samplesOf(each), y: distances };
    });
    if (series.length) lines.unshift(floorOf(series[0], at));
    this.plot.show({
      x: { ...x, ticks: decades(x, { write: brief }) },
      y: { ...y, ticks: decades(y, { steps: low < 0.01 ? [1, 3] : [1, 2, 5], write: brief }) },
      lines,
      bands,
      rules: series.flatMap(ruleOf),
      said: series.flatMap(sentenceOf).join(". "),
    });
  }
}

const samplesOf = (series) => series.points.map((point) => point.samples);

/** Band that contains an exact sampler's distance. */
const bandOf = (series, i, at) => ({
  name: i ? say("bench_band_of", series) : say("bench_band"),
  className: i ? "lab-band-second" : "lab-band",
  x: samplesOf(series),
  low: series.points.map((point) => at(point.noise_lower)),
  high: series.points.map((point) => at(point.noise_upper)),
});

const floorOf = (series, at) => ({
  name: say("bench_floor"),
  className: "lab-line-floor",
  dash: "2 4",
  x: samplesOf(series),
  y: series.points.map((point) => at(point.noise_floor)),
});

/** Line where a sampler was caught, if it was. */
function ruleOf({ points, caught_at: caught, claim }) {
  if (caught === null || !points[caught]) return [];
  return [{ x: points[caught].samples, text: say(claim ? "bench_caught" : "bench_told"), className: "lab-rule-even" }];
}

function sentenceOf({ title, points }) {
  const last = points[points.length - 1];
  return last ? [say("bench_said", { title, tv: last.tv.toFixed(3), samples: last.samples })] : [];
}

/** Upper end of the axis: the power of ten above the current values, not above later ones. */
function reach(samples, most) {
  return Math.max(1000, Math.min(most, 10 ** Math.ceil(Math.log10(1.3 * Math.max(...samples, FEWEST)))));
}

/** The round number at or below. */
function bottom(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((times) => times * unit).find((each) => each <= value * 1.0001) || unit;
}
