/**
 * The reader's own runs: those that the page measured, the one in the player, and trace files opened here.
 *
 *   const runs = new Runs({ask, changed, take})   .root   .list() -> runs as shared/session.js has them, with speed_up,
 *   step_s and from. `take(run)`: the reader wants the sliders set to it.
 */

import { measuredRun } from "../../player/trace/measured.js";
import { scrollBox, tableAround } from "../../shared/tables/plain.js";
import { session } from "../../shared/session.js";
import { Trace } from "../../player/trace/trace.js";
import { element, empty, legible, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { inBase64 } from "../asking.js";
import { chipButton } from "../editor.js";
import { shown } from "../choices.js";

const MAX_BYTES = 10_000_000;

export class Runs {
  constructor({ ask, changed, take }) {
    this.ask = ask;
    this.changed = changed;
    this.take = take;
    /** @type {any[]} */
    this.files = [];
    this.body = element("tbody");
    const names = ["run_title", "run_from", "run_alpha", "shape_emitted", "shape_speed_up"].map((name) => say(name));
    const table = tableAround("lab-runs", [...names, element("td")], [this.body]);
    this.table = scrollBox("lab-table-box", say("runs_title"), [table]);
    this.status = element("p", "sp-quiet", null, { role: "status" });
    const file = element("input", "lab-file", null, {
      type: "file",
      accept: ".json,.gz,application/json,application/gzip",
      "aria-label": say("runs_open"),
    });
    file.addEventListener("change", () => this.open(file));
    const open = element("label", "lab-chip lab-open", say("runs_open"), {}, [file]);
    this.root = element("section", "sp-panel lab-measured", [
      element("h2", "sp-panel-title", say("runs_title")),
      element("p", "sp-quiet", say("runs_note")),
      this.table,
      element("div", "lab-foot", [open, this.status]),
    ]);
    session.heard(() => this.refresh());
    this.refresh();
  }

  /** Runs to compare with, those measured here first. A recorded run in the player is one of them, and called so. */
  list() {
    const { runs } = session;
    const inPlayer = /** @type {any} */ (document.querySelector(".player-host"))?.player;
    const shownThere = inPlayer && !inPlayer.playhead.live ? measuredRun(inPlayer.trace) : null;
    const recorded =
      shownThere && !runs.some((run) => run.id === shownThere.id) && !this.files.some((run) => run.id === shownThere.id)
        ? [{ ...shownThere, from: "player" }]
        : [];
    return [...runs.map((run) => withPlain(run, runs)), ...recorded, ...this.files].filter(
      (run) => run.alpha !== null && run.alpha !== undefined,
    );
  }

  refresh() {
    const runs = this.list();
    empty(this.body);
    for (const run of runs) {
      const take = chipButton(say("run_take"), say("run_take_title"), () => this.take(run), "lab-chip");
      take.setAttribute("aria-label", `${say("run_take")}: ${run.title}`);
      const cells = [say("from_" + run.from), shown(run.alpha, 2), shown(run.emitted, 2)].map((text) =>
        element("td", "", text),
      );
      const speedUp = run.speed_up
        ? element("td", "", shown(run.speed_up, 2) + "×")
        : element("td", "", "–", { title: say("no_speed_up") });
      const name = element("th", "", legible(run.title), { scope: "row" });
      this.body.appendChild(element("tr", "", [name, ...cells, speedUp, element("td", "", [take])]));
    }
    if (!runs.length)
      this.body.appendChild(element("tr", "", [element("td", "sp-quiet", say("runs_none"), { colspan: 6 })]));
    this.changed();
  }

  async open(input) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    const refuse = (why) => setText(this.status, legible(why));
    if (file.size > MAX_BYTES) return refuse(say("runs_bad", { why: say("runs_large") }));
    try {
      const read = await this.ask({ type: "open_trace", name: file.name, content: await inBase64(file) });
      if (read.error) return refuse(read.error);
      const trace = new Trace();
      read.events.forEach((event) => trace.push(event));
      const run = measuredRun(trace);
      if (!run || run.alpha === null) return refuse(say("runs_empty"));
      this.files = [...this.files.filter((each) => each.id !== run.id), { ...run, from: "file" }];
      setText(this.status, "");
      this.refresh();
    } catch (problem) {
      refuse(say("runs_bad", { why: problem.message }));
    }
  }
}

/** The run with its speed-up: a race's own, or over plain runs of the same target in Watch. */
function withPlain(run, runs) {
  if (run.race) return { ...run, from: "compare", verify_step_s: run.step_s };
  const plain = runs.filter((each) => each.method === "autoregressive" && !each.race && each.target === run.target);
  if (!plain.length) return { ...run, from: "watch" };
  const middle = (of) => {
    const sorted = plain.map(of).sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  };
  const step_s = middle((each) => each.token_s);
  return {
    ...run,
    from: "watch",
    step_s,
    verify_step_s: middle((each) => each.verify_s),
    speed_up: step_s / run.token_s,
  };
}
