/**
 * A race's results: mounts the runs as they are measured, the sentences, the replay, the table and the chart.
 *
 *   const r = mount(host, {plotly, choosePrompt(place), watchRun(label, place), explainRow(label)});
 *   r.show(value); r.pause(); r.save("png" or "svg"); r.replay; r.standings
 *
 * The verdict of the race is shown once its replay has ended: who has seen the winner's name does not watch.
 */

import { session } from "../shared/session.js";
import { Charts, plotly, withPlotly } from "../shared/plots/charts.js";
import { save } from "../shared/plots/save.js";
import { element, legible, setText } from "../shared/elements.js";
import { Results } from "../shared/results.js";
import { say } from "../shared/words.js";
import { Beside } from "./beside/beside.js";
import { Card } from "./card.js";
import { Energy } from "./energy.js";
import { measuredRuns } from "./measured.js";
import { Measuring } from "./measuring.js";
import { Replay } from "./replay/replay.js";
import { Standings } from "./table/standings.js";

/** @typedef {import("../page/messages.js").RaceValue} RaceValue */

class Race extends Results {
  constructor(host, wishes) {
    super(host, wishes, "race");
    /** @type {RaceValue | null} */
    this.value = null;
    this.recorded = element("p", "sr-recorded sp-quiet");
    this.awaited = element("p", "sr-awaited", say("race_awaited"));
    this.first = element("ul", "sr-verdict", null, { "aria-label": say("race_verdict") });
    this.others = element("ul", "sr-verdict", null, { "aria-label": say("race_verdict") });
    this.conditions = element("p", "sp-quiet");
    this.replay = new Replay({
      watch: wishes.watchRun && ((label) => wishes.watchRun(label, this.value?.place)),
      choose: (place) => wishes.choosePrompt(place),
      ended: () => this.tell(),
    });
    this.card = new Card();
    this.beside = new Beside();
    this.standings = new Standings((label) => wishes.explainRow(label));
    this.charts = new Charts();
    this.energy = new Energy();
    const head = element("section", "sr-told", [this.awaited, this.first, this.recorded]);
    const others = element("section", "sr-rest", [this.others, this.conditions]);
    this.full.append(
      head,
      this.replay.root,
      others,
      this.card.root,
      this.beside.root,
      this.standings.root,
      this.energy.root,
      this.charts.root,
    );
    this.measuring = new Measuring();
    this.root.append(this.measuring.root);
  }

  /**
   * The server's value: a race that is new is drawn whole, another prompt of the same one only in the replay. While one
   * is measured, its runs replace the race before; a value without a race brings that one back.
   * @param {RaceValue | import("../page/messages.js").NoRace | null} value
   */
  show(value) {
    if (!value) return;
    const measuring = value.race === null && value.measuring;
    this.measuring.root.hidden = !measuring;
    this.root.classList.toggle("sr-is-measuring", Boolean(measuring));
    if (measuring) {
      this.pause();
      this.measuring.show(measuring);
      return;
    }
    if (value.race === null) return;
    const before = this.value;
    const isNew = !before || before.race !== value.race;
    this.value = value;
    if (isNew) this.load(value);
    if (isNew || before.place !== value.place) {
      this.replay.load(value);
      this.replay.play();
    }
  }

  /** Show a new race; its replay is shown by `this.replay`. @param {RaceValue} value */
  load(value) {
    this.begin();
    this.root.classList.remove("sr-is-told");
    this.card.root.hidden = true;
    const [first, ...others] = value.verdict.map((sentence) => element("li", "", legible(sentence)));
    this.first.replaceChildren(...(first ? [first] : []));
    this.others.replaceChildren(...others);
    setText(this.recorded, value.recorded);
    this.recorded.hidden = !value.recorded;
    setText(this.conditions, value.conditions);
    const draw = (charts) => withPlotly(this.wishes.plotly, charts);
    this.beside.show(value.beside, draw);
    this.standings.load(value.standings, Boolean(value.recorded));
    this.energy.load(value.energy);
    draw(() => this.charts.set([value.chart]));
    // none where only races are shown
    if (session && !value.recorded) measuredRuns(value).forEach((run) => session.add(run));
  }

  /** The replay has ended: show the sentences and draw the picture. */
  tell() {
    this.root.classList.add("sr-is-told");
    const { lanes, finish, budget } = this.replay;
    if (this.value) this.card.draw({ lanes, finish, budget, value: this.value });
  }

  rearrange() {
    if (this.value && plotly()) this.charts.set([this.value.chart]);
  }

  /** Nothing moves: for a page that is about to measure. */
  pause() {
    this.replay.pause();
  }

  /** Saves the chart on white, whatever the page's theme. */
  save(form) {
    if (this.value && plotly()) save(this.value.chart, form, "speed-up");
  }
}

export const mount = (host, wishes) => Race.mount(host, wishes);
