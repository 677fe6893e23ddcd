/**
 * Drafting while the target verifies, on two clocks: the rounds of a run as they ran here, and as two devices would
 * run them by the times that were measured.
 *
 *   new Clocks(ask)   .root
 */

import { element, legible, svg } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { onNewWidth } from "../../shared/plots/axes.js";
import { plainTable, scrollBox, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";
import { labelled } from "../editor.js";
import { Measuring } from "../measuring.js";

const FIELDS = { draft_length: [1, 8, 1, 4], guesses: [1, 8, 1, 2], temperature: [0, 1.5, 0.1, 1] };
const SHOWN = 12; // rounds in the picture
const [LEFT, ROW, GAP] = [80, 30, 20]; // px: of the names, of a line, between lines
const LINES = ["two_target", "two_draft", "one", "plain"];
const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]; // ms

export class Clocks {
  constructor(ask) {
    this.fields = Object.fromEntries(
      Object.entries(FIELDS).map(([name, [min, max, step, value]]) => {
        const field = labelled(
          say(`clocks_${name}`),
          element("input", "sp-range", null, { type: "range", min, max, step }),
        );
        const tell = () => (field.output.textContent = field.input.value);
        field.input.value = value;
        field.input.addEventListener("input", tell);
        tell();
        return [name, field];
      }),
    );
    const value = (name) => Number(this.fields[name].input.value);
    this.measuring = new Measuring(ask, {
      title: say("clocks_start"),
      what: say("clocks_what"),
      request: () => ({
        type: "clocks",
        draft_length: value("draft_length"),
        guesses: (this.guesses = value("guesses")),
        temperature: value("temperature"),
      }),
      show: (known) => this.show(known),
    });
    this.facts = element("ul", "lab-batch-facts");
    this.picture = element("div", "lab-clocks");
    this.key = element("div", "lab-legend");
    this.table = element("div");
    this.root = element("section", "sp-panel lab-two-clocks", [
      element("h2", "sp-panel-title", say("clocks_title")),
      element("p", "", say("clocks_about")),
      element(
        "div",
        "lab-clock-fields",
        Object.values(this.fields).map((field) => field.root),
      ),
      this.measuring.root,
      this.facts,
      this.key,
      this.picture,
      this.table,
    ]);
    onNewWidth(this.picture, () => this.known && this.draw(this.known));
  }

  show(known) {
    this.known = known;
    this.facts.replaceChildren(...factsOf(known).map((fact) => element("li", "", fact)));
    this.key.replaceChildren(...["draft", "guess", "verify", "plain"].map(keyOf));
    this.draw(known);
    const lines = known.rounds.slice(0, SHOWN).map((round, i) => lineOf(round, i, this.guesses));
    const heads = ["clocks_round", "clocks_drafted", "clocks_outcome", "clocks_rank", "clocks_hit"].map((key) =>
      say(key),
    );
    this.table.replaceChildren(
      scrollBox("lab-table-box", say("clocks_cache"), [plainTable("lab-rounds", heads, lines)]),
    );
  }

  draw({ blocks, rounds, plain_s, tokens }) {
    const width = Math.max(320, this.picture.clientWidth || 640);
    const shown = Math.min(width < 520 ? SHOWN / 2 : SHOWN, rounds.length);
    const until = (list) => list.filter((block) => block.round <= shown);
    const emitted = rounds.slice(0, shown).reduce((sum, { num_accepted: number }) => sum + number + 1, 0);
    const plainEnd = (plain_s * emitted) / tokens;
    const lines = {
      two_target: until(blocks.two).filter(({ kind }) => kind === "verify"),
      two_draft: until(blocks.two).filter(({ kind }) => kind !== "verify"),
      one: until(blocks.one),
      plain: [{ kind: "plain", start_s: 0, end_s: plainEnd, round: 0 }],
    };
    const end = Math.max(...Object.values(lines).flatMap((list) => list.map(({ end_s }) => end_s)));
    const x = (seconds) => LEFT + (seconds / end) * (width - LEFT - 60);
    const height = LINES.length * (ROW + GAP) + 26;
    const label = say("clocks_said", { rounds: shown });
    const picture = svg("svg", "", null, { width, height, role: "img", "aria-label": label });
    LINES.forEach((line, i) => {
      const top = i * (ROW + GAP) + 4;
      const last = Math.max(0, ...lines[line].map(({ end_s }) => end_s));
      picture.append(
        svg("text", "lab-tick", say(`clocks_line_${line}`), {
          x: LEFT - 8,
          y: top + ROW / 2 + 5,
          "text-anchor": "end",
        }),
        ...lines[line].map((block) => blockOf(block, { x, top, rounds })),
      );
      if (line !== "two_draft")
        picture.append(svg("text", "lab-tick", inMs(last), { x: x(last) + 5, y: top + ROW / 2 + 5 }));
    });
    rounds.slice(0, shown - 1).forEach(({ is_hit }, i) => {
      const { end_s } = lines.two_target[i];
      const top = 4 + ROW + GAP / 2 + 5;
      const className = `lab-clock-mark lab-clock-${is_hit ? "hit" : "miss"}`;
      picture.append(svg("text", className, is_hit ? "✓" : "✗", { x: x(end_s), y: top, "text-anchor": "middle" }));
    });
    const step = (TICKS.find((each) => 1000 * end < 7 * each) ?? 10_000) / 1000;
    for (let at = 0; at <= end; at += step)
      picture.append(svg("text", "lab-tick", inMs(at), { x: x(at), y: height - 4, "text-anchor": "middle" }));
    this.picture.replaceChildren(picture);
  }
}

const inMs = (seconds) => `${decimal(1000 * seconds, seconds && seconds < 0.01 ? 1 : 0)} ms`;

/** A block of work; what it is stands in its tooltip. */
function blockOf({ kind, start_s, end_s, round }, { x, top, rounds }) {
  const [left, width] = [x(start_s), Math.max(1, x(end_s) - x(start_s) - 1)];
  const text = say(`clocks_block_${kind}`, { round, ms: decimal(1000 * (end_s - start_s), 2) });
  const missed = kind === "guess" && !rounds[round - 1].is_hit ? " lab-clock-missed" : "";
  const rect = svg("rect", `lab-clock-${kind}${missed}`, null, { x: left, y: top, width, height: ROW, rx: 3 });
  rect.append(svg("title", "", text));
  return rect;
}

function keyOf(kind) {
  const sample = svg("svg", "", null, { width: 20, height: 14, "aria-hidden": "true" });
  sample.append(svg("rect", `lab-clock-${kind}`, null, { width: 20, height: 14, rx: 3 }));
  return element("span", "", [sample, say(`clocks_key_${kind}`)]);
}

/** A round: what was drafted, what came out, the rank of that among the guesses, and whether its chain was there. */
function lineOf({ tokens, num_accepted: accepted, extra, rank, is_hit: isHit }, i, guesses) {
  const chain = element("td", "", [
    element("span", "lab-token", tokens.slice(0, accepted).map(legible).join("")),
    element("s", "sp-quiet", tokens.slice(accepted).map(legible).join("")),
  ]);
  const outcome = say("clocks_accepted", { accepted, extra: legible(extra) });
  const found = rank === null ? "–" : say(rank <= guesses ? "clocks_in" : "clocks_out", { rank });
  return tableLine(String(i + 1), [chain, outcome, found, isHit ? "✓" : "✗"], { "data-hit": isHit });
}

/** Sentences: how often an outcome was guessed, and what either clock is worth beside plain decoding. */
function factsOf({ hits, outcomes, rate_interval, speed_ups, guess_s, rounds, done }) {
  const { one, two, always, gain } = speed_ups;
  const digits = (value) => decimal(value, 2);
  const [least, most] = rate_interval.map((rate) => decimal(100 * rate, 0));
  const clock = ([value, interval]) =>
    digits(value) + (interval ? ` (${interval.map(digits).join(` ${say("clocks_to")} `)})` : "");
  const verify = rounds.reduce((sum, { target_s }) => sum + target_s, 0) / rounds.length;
  const late = guess_s > verify ? "clocks_late" : "clocks_in_time";
  const [low, high] = gain[1] ?? [0, Infinity];
  const verdict = low > 1 ? (two[0] > 1 ? "gains" : "gains_below") : high < 1 ? "loses" : "open";
  return [
    say("clocks_hits", { hits, outcomes, low: least, high: most }),
    say("clocks_speed", { one: clock(one), two: clock(two), prompts: done }),
    say(`clocks_${verdict}`, { gain: clock(gain) }),
    say("clocks_always", { always: clock(always) }),
    say(late, { guess: digits(1000 * guess_s), verify: digits(1000 * verify) }),
  ];
}
