/**
 * How a depth's width is chosen: the tests' rates, the chances of every number of accepted drafts, and the sentence.
 */

import { drawRule, frame, onNewWidth, quarters, trail, whisker } from "../../shared/plots/axes.js";
import { element, empty, setText, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { shown } from "../choices.js";

const BOX = { left: 54, right: 12, top: 12, bottom: 50, height: 276 };

export class Rates {
  constructor() {
    this.list = element("ol", "lab-rates");
    this.root = element("section", "sp-panel", [
      element("h2", "sp-panel-title", say("rates_title")),
      element("p", "sp-quiet", say("rates_note")),
      this.list,
    ]);
  }

  show(found, names) {
    empty(this.list);
    const most = Math.max(...found.left.flat(), ...found.draft, 1e-9);
    found.rates.forEach((rate, j) => {
      const after = say(j === 0 ? "rates_first" : j === 1 ? "rates_after_one" : "rates_after", { count: j });
      const bars = found.left[j].map((value, i) => {
        const bar = (kind, share) => {
          const node = element("span", "lab-thin lab-thin-" + kind);
          node.style.height = `${(100 * share) / most}%`;
          return node;
        };
        return element(
          "span",
          "lab-mini-pair",
          null,
          { title: `${names[i]}: ${shown(value)}, q ${shown(found.draft[i])}` },
          [bar("q", found.draft[i]), bar("left", value)],
        );
      });
      this.list.appendChild(
        element("li", "", [
          element("span", "lab-mini", null, { "aria-hidden": "true" }, bars),
          element("b", "", `α${subscript(j + 1)} = ${shown(rate)}`),
          element("span", "sp-quiet", after),
        ]),
      );
    });
  }
}

export class Chances {
  constructor() {
    /** @type {any} the server's answer, and the simulation of the same drafts */
    this.found = null;
    this.played = null;
    this.box = element("div", "lab-plot");
    this.note = element("p", "sp-quiet");
    this.verdict = element("p", "lab-limit lab-verdict");
    const key = (name) => element("span", "", [element("span", "lab-key lab-key-" + name), say("key_" + name)]);
    const legend = element("div", "lab-legend", ["exactly", "at_least", "simulated", "threshold"].map(key));
    this.root = element("section", "sp-panel", [
      element("h2", "sp-panel-title", say("chances_title")),
      this.note,
      legend,
      this.box,
      element("h2", "sp-panel-title", say("width_title")),
      this.verdict,
    ]);
    onNewWidth(this.box, () => this.found && this.draw());
  }

  /** `played` is the simulation of the same drafts, null while there is none. */
  show(found, played, seed) {
    [this.found, this.played] = [found, played];
    setText(
      this.note,
      say(played ? "chances_note" : "chances_waiting", {
        m: found.num_draws,
        runs: played ? played.runs.toLocaleString("en") : "",
        seed,
      }),
    );
    setText(this.verdict, widthSentence(found));
    this.draw();
  }

  draw() {
    const { found, played } = this;
    const most = found.num_draws;
    const x = {
      title: say("chances_k", { m: most }),
      low: -0.5,
      high: most + 0.5, // a bar takes the room of one
      ticks: found.exactly.map((_, k) => [k, k, k === found.width ? { class: "lab-tick lab-strong" } : {}]),
    };
    const y = { title: say("chances_y"), low: 0, high: 1, ticks: quarters((share) => share) };
    const plot = frame(BOX, this.box.clientWidth || 480, widthSentence(found), x, y);
    drawExactly(plot, found);
    drawAtLeast(plot, found);
    if (found.threshold > 0)
      drawRule(plot, { y: found.threshold, text: `t = ${shown(found.threshold, 2)}`, className: "lab-rule-even" });
    if (played) drawSimulated(plot, played);
    this.box.replaceChildren(plot.picture);
  }
}

/** A bar for each number of accepted drafts. */
function drawExactly({ picture, at, left, right, bottom }, { exactly, at_least: more, num_draws: m, width }) {
  const half = Math.min(20, (0.36 * (right - left)) / (m + 1));
  exactly.forEach((value, k) => {
    const text = say("bar_text", { k, m, exactly: shown(value), more: shown(more[k]) });
    const [x, y] = [at.x(k) - half, at.y(value)];
    const bar = { x, width: 2 * half, y, height: Math.max(0, bottom - y) };
    picture.append(svg("rect", "lab-chance" + chosen(k === width), null, bar, [svg("title", "", text)]));
  });
}

/** The chance of this many or more, as dots on a line. */
function drawAtLeast({ picture, at }, { at_least: more, width }) {
  const points = more.map((value, k) => [at.x(k), at.y(value)]);
  picture.append(
    svg("path", "lab-line lab-line-best", null, { d: trail(points), "stroke-dasharray": "1 3" }),
    ...points.map(([cx, cy], k) =>
      svg("circle", "lab-reach" + chosen(k === width), null, { cx, cy, r: k === width ? 6 : 4 }),
    ),
  );
}

/** Shares of a simulation as diamonds, each with its noise. */
function drawSimulated({ picture, at }, { shares, noise }) {
  shares.forEach((share, k) => {
    const [x, y] = [at.x(k), at.y(share)];
    const [low, high] = [Math.max(0, share - noise[k]), Math.min(1, share + noise[k])];
    const text = say("simulated_text", { share: shown(share), noise: shown(noise[k]) });
    const mark = { d: `M${x} ${y - 5}l5 5l-5 5l-5 -5Z` };
    picture.append(
      svg("path", "lab-whisker", null, { d: whisker(x, at.y(low), at.y(high), 4) }),
      svg("path", "lab-point lab-point-measured lab-simulated", null, mark, [svg("title", "", text)]),
    );
  });
}

const chosen = (is) => (is ? " lab-chosen" : "");

/** Sentence on which width was chosen, and why. */
function widthSentence({ width, reached, threshold, num_draws: m, at_least: more }) {
  const less = reached < m ? shown(more[reached + 1]) : "";
  const values = {
    width,
    reached,
    m,
    t: shown(threshold, 2),
    chance: shown(more[width]),
    next: width + 1,
    reached_next: reached + 1,
    less,
  };
  if (threshold === 0) return say("width_fixed", values);
  if (reached < width) return say("width_least", values);
  return say(width === m ? "width_all" : "width_reached", values);
}

/** A number as small digits below the line. */
const subscript = (number) => Array.from(String(number), (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
