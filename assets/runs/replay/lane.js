/**
 * One lane of a replay: a run's bar, text, tree and counts as they were at a time of the clock.
 *
 * `show(now)` looks up the round that had ended by then and draws it; going back is as cheap as going on.
 */

import { drawing, element, empty, legible, losslessMark, pressButton, setText, svg } from "../../shared/elements.js";
import { inSeconds } from "../../shared/figures.js";
import { say } from "../../shared/words.js";
import { energyOf, ordinal, ratioOf } from "../result.js";
import { Bar, cellsBy, draftedAhead } from "./bar.js";
import { Miniature, STATES } from "./miniature.js";

const LINGER = 1 / 3; // of a round for which the verdicts of the one before stay, so that they can be seen

export class Lane {
  /**
   * `watch()` is called when the reader wants to see the run.
   * @param {import("../../page/messages.js").LaneValue} data
   * @param {string} prompt
   * @param {(() => void) | null} watch
   */
  constructor(data, prompt, watch) {
    this.data = data;
    this.prompt = prompt;
    this.run = data.run;
    this.rounds = this.run ? this.run.rounds : [];
    this.clocks = this.rounds.map((round) => round.clock_s);
    this.totals = totalsOf(this.rounds);
    this.place = null; // among the lanes, where that can be said
    this.late = Infinity; // rounds that had ended when the first lane was there; later tokens are paler
    this.shown = -1;
    this.drawn = ""; // what the bar shows
    this.bar = new Bar();
    /** @type {{node: HTMLElement, round: number}[]} what is in the page */
    this.words = [];
    this.tree = new Miniature();
    this.text = element("div", "sr-text", null, { tabindex: 0, role: "group", "aria-label": say("text_label") });
    this.output = element("span", "sr-output");
    this.round = element("p", "sr-round");
    this.count = element("span", "sr-count");
    this.flag = element("p", "sr-flag", null, { hidden: "" });
    this.root = element("li", "sr-lane", null, { "data-label": data.label, "aria-label": data.title });
    this.build(watch);
  }

  get seconds() {
    return this.clocks[this.clocks.length - 1] || 0;
  }

  get tokens() {
    return this.totals[this.totals.length - 1] || 0;
  }

  build(watch) {
    const { title, name, note, badge, failed } = this.data;
    const head = element("div", "sr-who");
    const heading = element("h3", "sr-name", name);
    heading.append(" ", losslessMark(badge));
    head.append(heading);
    if (note) head.append(element("p", "sr-note sr-options", note, { title: note }));
    this.root.appendChild(head);
    if (!this.run) {
      this.root.classList.add("sr-out");
      this.root.appendChild(
        element("p", "sr-reason", failed ? say("lane_failed", { why: legible(failed) }) : say("replay_none")),
      );
      return;
    }
    const { repeat, repeats, seed } = this.run;
    const button = pressButton("sr-watch", say("lane_watch"), watch, {
      "aria-label": say("lane_watch_label", { title }),
    });
    button.hidden = !watch;
    head.append(
      element("p", "sr-lane-foot", [button, element("span", "sr-note", say("lane_run", { repeat, repeats, seed }))]),
    );

    // a message as its reader wrote it, without the marks of the target's chat template
    const { prompt } = this.run;
    const isMessage = prompt !== this.prompt && prompt.includes(this.prompt);
    this.text.append(element("span", "sr-prompt", legible(isMessage ? this.prompt : prompt)), isMessage ? "\n" : "");
    this.text.append(this.output);
    const picture = element("div", "sr-picture", [this.tree.root]);
    const counter = element("p", "sr-counter", [this.count, element("span", "sr-unit", say("lane_tokens"))]);
    const figures = element("div", "sr-figures", [counter, this.round, this.flag]);
    const course = element("div", "sr-course", [this.bar.root]);
    this.root.append(course, this.text, picture, figures);
  }

  /**
   * Flag of a lane that has ended: its place, which needs the other lanes, and what the whole race measured of its entry.
   * @param {number | null} place
   * @param {number | null} finish seconds at which the first lane ended, where there are places
   * @param {import("../result.js").Standings} standings
   */
  dressFlag(place, finish, standings) {
    this.place = place;
    this.late = finish === null ? Infinity : this.roundsBy(finish);
    if (!this.run) return;
    empty(this.flag);
    const flag = svg("path", "", null, { d: "M3 1.5V15M3 2.2H13L10.6 5.6L13 9H3" });
    this.flag.append(drawing("sr-flag-icon", [0, 0, 16, 16], [flag], 14));
    if (place) this.flag.append(element("strong", "sr-place", ordinal(place)), " ");
    this.flag.append(element("span", "", say("lane_seconds", { seconds: inSeconds(this.seconds) })));
    if (this.run.reason === "eos") this.flag.append(element("span", "sr-rate", say("lane_eos")));
    const { text, spread, over, standing } = ratioOf(standings, this.data.label);
    const ratio = element("p", "sr-ratio sr-is-" + standing, [element("strong", "", text)]);
    for (const each of [spread, over]) if (each) ratio.append(" ", element("span", "sr-note", each));
    const energy = energyOf(standings, this.data.label);
    this.flag.append(ratio, ...(energy ? [element("p", "sr-joules", energy)] : []));
  }

  /** Number of rounds that had ended by a time of the clock. */
  roundsBy(now) {
    let [low, high] = [0, this.clocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.clocks[middle] <= now + 1e-9) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Draws the lane as it was; gives whether it has ended by then. */
  show(now, budget) {
    if (!this.run) return true;
    const done = this.roundsBy(now);
    if (done !== this.shown) {
      this.write(done);
      this.shown = done;
      const tokens = done ? this.totals[done - 1] : 0;
      setText(this.count, String(tokens));
      setText(this.round, done ? say("lane_round", { round: done, rounds: this.rounds.length }) : say("lane_start"));
      this.flag.hidden = done < this.rounds.length;
      this.root.classList.toggle("sr-ended", done === this.rounds.length);
    }
    this.grow(now, done, budget);
    return done === this.rounds.length;
  }

  /** The tree of the round that has ended, for a while; then that of the one under way, not yet verified. */
  grow(now, done, budget) {
    const before = done ? this.clocks[done - 1] : 0;
    const next = this.rounds[done];
    const lasts = next ? next.clock_s - before : 0;
    const stands = Boolean(next) && now - before >= Math.max(next.draft_s, LINGER * lasts);
    if (stands) this.tree.show(next, false);
    else this.tree.show(this.rounds[done - 1] || null, true);
    const key = `${done} ${stands} ${budget}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.bar.show(cellsBy(this.rounds, done), { budget, pending: stands ? draftedAhead(next) : 0, late: this.late });
  }

  /** Makes the words in the page those of the first `done` rounds. */
  write(done) {
    const back = done < this.shown;
    if (back) this.cut(0);
    for (let i = back ? 0 : Math.max(0, this.shown); i < done; i++) {
      this.cut(this.rounds[i].num_kept);
      for (const [piece, letter] of this.rounds[i].words) this.add(piece, letter, i);
    }
    for (const word of this.words) word.node.classList.toggle("sp-new", word.round === done - 1);
    this.text.scrollTop = this.text.scrollHeight;
  }

  cut(num_kept) {
    for (const word of this.words.splice(num_kept)) word.node.remove();
  }

  add(piece, letter, round) {
    const node = element("span", "sp-word sp-is-" + STATES[letter], legible(piece));
    this.output.appendChild(node);
    this.words.push({ node, round });
  }
}

/** Tokens after each round. */
function totalsOf(rounds) {
  let tokens = 0;
  return rounds.map((round) => (tokens = Math.min(tokens, round.num_kept) + round.words.length));
}
