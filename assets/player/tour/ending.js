/**
 * The end of a run: its whole text, every token in the colour of who wrote it, the target's calls as marks below it,
 * what it came to, and what to do next.
 */

import { element, legible, pressButton, setText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { say, worded } from "../../shared/words.js";
import { WordList, askedIn, describe } from "../panels/text.js";

const LEAST_PX = 14; // letters of a long text
const LEAST_PRESENTED_PX = 24;
const ORIGINS = /** @type {const} */ (["accepted", "correction", "bonus", "plain"]);

/** @typedef {import("../trace/records.js").Word} Word */

export class Ending {
  /** @param {any} player @param {boolean} shown whether a run of this player ends on it */
  constructor(player, shown) {
    this.player = player;
    this.shown = shown;
    /** @type {{joules: number, machine: string} | null} of the run's energy, by the page around */
    this.estimate = null;
    this.prompt = element("span", "sp-end-prompt");
    this.text = element("p", "sp-end-text");
    this.key = element("ul", "sp-end-key");
    this.numbers = element("dl", "sp-end-numbers");
    this.share = button("end_share", () => player.copy("link"));
    this.share.hidden = true;
    this.buttons = element("div", "sp-end-buttons", [this.share]);
    this.note = element("p", "sp-end-note", null, { hidden: "" }); // on a text that ended at once
    this.mayRace = (/** @type {any} */ _run) => true; // whether a race can make the run again
    this.mayChat = () => false; // whether the run can be made again with its prompt as a message
    this.isFirst = () => false; // whether it is the one that the page opens on, which another scene follows
    this.root = element("section", "sp-end", null, { hidden: "", "aria-label": say("charts_whole") }, [
      this.text,
      this.note,
      this.key,
      this.numbers,
      this.buttons,
    ]);
    this.drawn = null;
    this.list = new WordList(this.text, {
      point: (node) => player.point(node),
      pick: (node) => player.visit(node),
    });
  }

  /**
   * Actions of the page around.
   *
   * @param {{prompt?: () => void, next?: () => void, isFirst?: () => boolean, race?: (run: any) => void,
   *   chat?: () => void, mayChat?: () => boolean, mayRace?: (run: any) => boolean}} next
   */
  offer({ prompt, next, race, chat, mayChat = this.mayChat, mayRace = this.mayRace, isFirst = this.isFirst }) {
    const { player } = this;
    Object.assign(this, { mayChat, mayRace, isFirst });
    const leave = (press) => (player.presenting.on && player.presenting.toggle(), press());
    /** @type {[string, (() => void) | undefined, string][]} */
    const offered = [
      ["end_race", race && (() => race(player.trace.run)), "sp-end-race"],
      ["end_next", next, "sp-end-next"],
      ["end_prompt", prompt, "sp-end-first"],
      ["end_chat", chat, "sp-end-chat sp-end-first"],
    ];
    for (const [name, press, className] of offered)
      if (press) this.buttons.prepend(button(name, () => leave(press), className));
  }

  /** An estimate of the run's energy has come, or none. @param {Ending["estimate"]} estimate */
  hear(estimate) {
    this.estimate = worded(estimate);
    this.drawn = null;
    if (!this.root.hidden) this.show(this.player.trace, this.player.step);
  }

  offerLinks() {
    this.share.hidden = false;
  }

  /** @param {import("../trace/trace.js").Trace} trace @param {import("../trace/records.js").Step | null} step */
  show(trace, step) {
    const isEnd = this.shown && step?.kind === "finished" && step.emitted > 0;
    this.root.hidden = !isEnd;
    this.player.root.classList.toggle("sp-ended", isEnd);
    if (!isEnd) return;
    const isAtOnce = step.emitted < 2 && trace.finished?.finish_reason === "eos";
    const ratio = this.player.ratio.over(step.totals);
    this.tell(isAtOnce, ratio !== null && !ratio.even && ratio.ratio < 1);
    if (this.drawn === trace) return;
    this.drawn = trace;
    this.write(askedIn(trace.run), step.words.slice(0, step.emitted));
    this.count(trace, step);
    this.fit();
  }

  /**
   * A note above the numbers: a text of no more than its end says so, and is asked for once more as a message, where
   * it can be, and not raced; a run that plain decoding outran says why.
   */
  tell(/** @type {boolean} */ isAtOnce, /** @type {boolean} */ isSlower) {
    const mayChat = isAtOnce && this.mayChat();
    this.note.hidden = !isAtOnce && !isSlower;
    const atOnce = say("end_at_once") + (mayChat ? " " + say("end_at_once_chat") : "");
    setText(this.note, isAtOnce ? atOnce : say("end_slower"));
    const unraced = !this.mayRace(this.player.trace.run);
    const kinds = { "at-once": isAtOnce, "may-chat": mayChat, unraced, "is-first": this.isFirst() };
    this.root.className = [
      "sp-end",
      ...Object.keys(kinds).flatMap((kind) => (kinds[kind] ? "sp-end-" + kind : [])),
    ].join(" ");
  }

  /** Set the largest letters at which all of the text is visible, in one or two columns; else the page scrolls. */
  fit() {
    const { text, player } = this;
    if (!this.root.clientHeight) return;
    Object.assign(text.style, { fontSize: "", columnCount: "" });
    player.root.classList.remove("sp-end-long");
    const least = player.presenting.on ? LEAST_PRESENTED_PX : LEAST_PX;
    for (let size = Math.floor(parseFloat(getComputedStyle(text).fontSize)); size >= least; size--)
      for (const columns of [1, 2]) {
        Object.assign(text.style, { fontSize: `${size}px`, columnCount: String(columns) });
        if (text.scrollHeight <= text.clientHeight + 1 && text.scrollWidth <= text.clientWidth) return;
      }
    text.style.columnCount = "";
    player.root.classList.add("sp-end-long");
  }

  /** @param {string} prompt @param {Word[]} words */
  write(prompt, words) {
    setText(this.prompt, legible(prompt));
    this.text.replaceChildren(this.prompt);
    this.list.words = [];
    for (const round of new Set(words.map((word) => word.round))) {
      const own = words.filter((word) => word.round === round);
      const title = say("end_call" + (own.length === 1 ? "_one" : ""), { round, count: own.length });
      const call = element("span", "sp-end-call", null, { title });
      for (const word of own) {
        const token = element("span", "sp-end-word sp-is-" + word.origin, legible(word.node.piece));
        this.list.add(word.node, token, describe(word));
        call.append(token);
      }
      this.text.append(call);
    }
    this.list.shown = words.length;
    this.list.rove(words.length - 1, false);
    const counts = ORIGINS.map((origin) => words.filter((word) => word.origin === origin).length);
    const rows = ORIGINS.flatMap((origin, i) => {
      const name = "end_" + origin + (counts[i] === 1 ? "_one" : "");
      return counts[i] ? [keyRow("sp-end-word sp-is-" + origin, say(name, { count: counts[i] }))] : [];
    });
    this.key.replaceChildren(...rows, keyRow("sp-end-call", say("end_calls_key")));
  }

  count(trace, { totals }) {
    const { tokens, target_calls: calls, block_efficiency: efficiency, tokens_per_second: speed } = totals;
    const energy = energyOf(trace.finished.energy, this.estimate);
    const rows = [
      [String(tokens), say("end_tokens")],
      [String(calls), say(calls === 1 ? "end_calls_one" : "end_calls")],
      [decimal(efficiency, 2), say("end_efficiency")],
      [decimal(speed, (speed ?? 0) < 10 ? 1 : 0), say("end_speed")],
      ...(energy ? [energy] : []),
    ];
    this.numbers.replaceChildren(
      ...rows.map(([value, name, title = ""]) =>
        element("div", "", null, { title }, [element("dd", "", value), element("dt", "", name)]),
      ),
    );
  }
}

/** Energy as a meter read it; else the estimate, which says so. */
function energyOf(measured, estimate) {
  if (typeof measured?.joules === "number") return [decimal(measured.joules, 1) + " J", say("end_energy")];
  if (!estimate) return null;
  const { joules, machine } = estimate;
  return ["≈ " + decimal(joules, joules < 1 ? 2 : 1) + " J", say("end_energy_estimate"), machine];
}

function button(name, press, className = "") {
  return pressButton("sp-end-do " + className, say(name), press);
}

/** A sign of the text, and its meaning. */
const keyRow = (className, name) =>
  element("li", "", [element("span", className, "\u2002\u2002", { "aria-hidden": "true" }), new Text(name)]);
