/**
 * A recommendation: the run that found a list on the stage, the list in the panel next to it, and which of the three
 * lists is shown.
 *
 *   const r = mount(host)
 *   r.show(value)           what the server's `pressed` gives
 */

import { mount as mountPlayer } from "../player/player.js";
import { element, pressButton, setText } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { recommended } from "./list.js";

/** @typedef {import("../page/messages.js").RecommendedList} RecommendedList */

class Recommend {
  constructor(host) {
    /** @type {import("../page/messages.js").RecommendValue | null} */
    this.value = null;
    /** @type {RecommendedList["kind"]} */
    this.kind = "strict";
    /** @type {object | null} */
    this.picked = null;
    this.kinds = element("div", "rec-kinds", null, { role: "group", "aria-label": say("rec_kinds") });
    this.verdict = element("p", "rec-verdict", null, { role: "status" });
    this.stage = element("div", "rec-stage");
    this.list = element("div", "rec-beside");
    this.root = element("div", "spec-player rec-root", [
      element("div", "rec-head", [this.kinds, this.verdict]),
      this.stage,
    ]);
    this.host = host;
    host.replaceChildren(this.root);
    this.player = mountPlayer(this.stage, {
      label: say("rec_stage"),
      everywhere: true,
      ends: false,
      first: [["list", [this.list]]],
    });
    this.player.on("seen", () => this.follow());
  }

  /**
   * Shows the lists of a press; null: the history is another one than they were made for, so they go.
   * @param {import("../page/messages.js").RecommendValue | null} value
   */
  show(value) {
    this.host.hidden = !value;
    if (!value) this.value = null;
    if (!value || value.run === this.value?.run) return;
    this.value = value;
    this.kinds.replaceChildren(...value.lists.map((list) => this.button(list)));
    this.turn(this.kind);
  }

  /** A picked token is described in place of the list; once released, the list returns. */
  follow() {
    const { pinned, side } = this.player;
    if (pinned && side.shown === "list") side.open("token");
    else if (!pinned && this.picked && side.shown === "token") side.open("list");
    this.picked = pinned;
  }

  /** @param {RecommendedList} list */
  button({ kind, title }) {
    return pressButton("rec-kind", title, () => this.turn(kind), { "data-kind": kind });
  }

  /** Show one of the lists, and its run. @param {RecommendedList["kind"]} kind */
  turn(kind) {
    this.kind = kind;
    for (const button of this.kinds.children)
      button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.kind === kind));
    if (!this.value) return;
    const { lists, names, bought_next, format, version } = this.value;
    const [list] = lists.filter((each) => each.kind === kind);
    setText(this.verdict, verdict(list, lists));
    this.list.replaceChildren(recommended(list, bought_next));
    this.player.load({ format, version, events: JSON.parse(list.chunk) }, { autoplay: true, names });
    const { playhead, trace } = this.player;
    if (!playhead.playing && trace.rounds.length) this.player.goto(trace.rounds[0].lastStep); // not an empty stage
  }
}

/**
 * A sentence that compares a list with that of beam search: items shared, calls of the target, time.
 * @param {RecommendedList} list
 * @param {RecommendedList[]} lists
 */
function verdict(list, lists) {
  const [plain] = lists.filter((each) => each.kind === "none");
  const counts = {
    count: list.items.length,
    shared: list.shared,
    calls: list.facts.target_calls,
    plain: plain.facts.target_calls,
    own: milliseconds(list),
    plain_ms: milliseconds(plain),
  };
  if (list === plain) return say("rec_plain", counts);
  if (list.kind === "relaxed") return say("rec_relaxed", counts);
  return say(list.same ? "rec_same" : "rec_differs", counts);
}

/** Milliseconds of a run, and what they add up from. @param {RecommendedList} list */
function milliseconds({ facts }) {
  const parts = { draft: facts.draft_ms, target: facts.verify_ms };
  const others = facts.milliseconds - parts.draft - parts.target;
  const values = { all: facts.milliseconds, ...parts, others };
  const shown = Object.fromEntries(Object.entries(values).map(([name, ms]) => [name, ms.toFixed(1)]));
  return say(facts.draft_ms ? "rec_ms" : "rec_ms_plain", shown);
}

export function mount(host) {
  return new Recommend(host);
}
