/**
 * The map of lossy rules, from assets/lossy_map.json: tokens a target call against distance from the target, a line for
 * each rule with its parameter swept, and the truncated target as points.
 */

import { roundTicks } from "../../shared/plots/axes.js";
import { Plot } from "../../shared/plots/plot.js";
import { element, empty } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { plainTable, scrollBox, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";
import { selectBox } from "../editor.js";

const LINES = {
  static_ensemble: ["lab-line-best", ""],
  entropy_verification: ["lab-line-rsd", "10 4"],
  fly: ["lab-line-own", "2 4"],
  mtad: ["lab-line-imp", "9 3 2 3"],
  atspeed_relaxed: ["lab-line-infer", "6 3"],
  typical_acceptance: ["lab-line-kseq", ""],
  bild: ["lab-line-one", "5 3"],
};
const TRUNCATIONS = ["top_p", "top_k", "temperature"];

export class LossyMap {
  /** @param {any} map the file @param {any[]} methods of the catalogue: their titles, and their options' labels */
  constructor(map, methods) {
    this.map = map;
    this.methods = new Map(methods.map((each) => [each.id, each]));
    this.on = selectBox(
      say("map_on"),
      ["pair", "tables"].map((each) => [each, say("map_" + each, map)]),
      () => this.show(),
    );
    this.plot = new Plot(say("map_title"));
    this.rows = element("tbody");
    const heads = ["map_rule", "map_setting", "map_tokens", "map_distance", "map_truncated"].map((key) => say(key));
    const table = plainTable("lab-map-table", heads, []);
    table.tBodies[0].replaceWith(this.rows);
    this.root = element("section", "lab-map", [
      element("p", "", say("map_intro", map)),
      element("p", "", orderingOf(map.points)),
      this.on,
      this.plot.root,
      element("details", "lab-more", [
        element("summary", "", say("map_table")),
        scrollBox("lab-table-box", say("map_title"), [table]),
      ]),
    ]);
    this.show();
  }

  show() {
    const on = this.on.value;
    const points = this.map.points.filter((each) => each[on]);
    const tokens = (each) => each[on].tokens.value ?? each[on].tokens;
    const distance = (each) => each[on].distance.value ?? each[on].distance;
    const high = Math.max(...points.map(distance)) * 1.06;
    const [least, most] = [Math.min(...points.map(tokens)), Math.max(...points.map(tokens))];
    const low = Math.floor(least * 5) / 5;
    const top = Math.ceil(most * 5) / 5;
    const lossless = points.find((each) => this.kindOf(each) === "lossless");
    const level = (each) => ({ x: [0, high], y: [tokens(each), tokens(each)] });
    this.plot.show({
      x: { title: say("map_x"), low: -0.012, high, ticks: roundTicks(high) },
      y: { title: say("map_y"), low, high: top, ticks: steps(low, top) },
      lines: [
        { name: say("map_lossless"), className: "lab-line-floor", dash: "2 4", ...level(lossless) },
        ...Object.entries(LINES).map(([id, [className, dash]]) => {
          const own = points.filter((each) => each.method === id);
          return { name: this.titleOf(id), className, dash, x: own.map(distance), y: own.map(tokens) };
        }),
      ],
      points: points.map((each) => ({
        x: distance(each),
        y: tokens(each),
        kind: this.kindOf(each),
        text: say("map_point", {
          what: `${this.ruleOf(each)}, ${this.settingOf(each)}`,
          tokens: decimal(tokens(each), 2),
          distance: decimal(distance(each), 3),
        }),
      })),
      note: say("map_note_" + on, this.map),
    });
    empty(this.rows);
    for (const each of points) {
      const cells = [
        this.settingOf(each),
        decimal(tokens(each), 2) + between(each[on].tokens, 2),
        decimal(distance(each), 3) + between(each[on].distance, 3),
        each[on].truncated === undefined ? null : decimal(each[on].truncated, 3),
      ];
      this.rows.appendChild(tableLine(this.ruleOf(each), cells));
    }
  }

  titleOf(id) {
    return this.methods.get(id)?.title ?? id;
  }

  /** The kind of a point's mark: a value of a rule's parameter, or how the target is truncated. */
  kindOf({ method, sampling }) {
    return method in LINES ? "swept" : (TRUNCATIONS.find((name) => name in sampling) ?? "lossless");
  }

  ruleOf(point) {
    return point.method in LINES ? this.titleOf(point.method) : say("map_target");
  }

  settingOf({ method, options, sampling }) {
    const [name] = TRUNCATIONS.filter((each) => each in sampling);
    if (name) return `${say("point_" + name)} ${sampling[name]}`;
    if (!(method in LINES)) return say("point_lossless");
    const labels = this.methods.get(method)?.options ?? [];
    return Object.entries(options)
      .filter(([option]) => !["draft_length", "width", "beam_width"].includes(option))
      .map(([option, value]) => {
        const label = labels.find((each) => each.name === option)?.label ?? option;
        return `${label.toLowerCase()} ${Number(value.toFixed(2))}`;
      })
      .join(", ");
  }
}

const between = ({ low, high }, digits) =>
  low === undefined ? "" : ` (${decimal(low, digits)} – ${decimal(high, digits)})`;

/** Ticks every 0.2. @returns {import("../../shared/plots/axes.js").Tick[]} */
const steps = (low, high) =>
  Array.from({ length: Math.round((high - low) / 0.2) + 1 }, (_, i) => [low + i * 0.2, decimal(low + i * 0.2, 1)]);

/** Says of rules that truncate whether they are farther from the target than the target truncated to their tokens. */
function orderingOf(points) {
  const rules = points.filter((each) => each.pair.beyond);
  const target = points.filter((each) => !(each.method in LINES));
  const tokensOf = (each) => each.pair.tokens.value;
  const [lossless, ...truncated] = target.map(tokensOf);
  return say("map_ordering", {
    count: rules.length,
    farther: rules.filter((each) => each.pair.beyond.low > 0).length,
    nearer: rules.filter((each) => each.pair.beyond.high < 0).length,
    lossless: decimal(lossless, 2),
    truncated: decimal(Math.max(...truncated), 2),
    most: decimal(Math.max(...rules.map(tokensOf)), 2),
  });
}
