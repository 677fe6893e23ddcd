/**
 * The page's address follows what is seen in a player, and the player follows the address.
 *
 *   const address = new Address(player, {open, say});
 *       open(moment)     shows the run that a link asks for; said with `turned` once it is on the stage
 *       say(sentence)    tells what could not be followed, "" where all could; or what became of copying a link
 *       branch(change)   where runs can be made: asks for a branch of the run on the stage
 *   address.begin()                  the page is there: what its own address asks for is opened
 *   address.turned({run, setup})     another run is on the stage, which a link finds by these; null where none does
 *   address.asks({setup})            such a run was asked for: until it is on the stage, a reload asks again
 *   address.grown(ended)             more of that run is there, or all of it
 *
 * It follows once the reader has touched the page. While something plays it rests: it is that of the last moment at
 * which somebody stopped to look.
 */

import { spoken } from "../../languages/language.js";
import { entryOf } from "../../shared/history.js";
import { say as word } from "../../shared/words.js";
import { changeText } from "../what_if/change.js";
import { goToChange } from "../what_if/what_if.js";
import { frame, NOW, NOWHERE, read, sentence, write } from "./link.js";
import { dress, goTo, seenIn } from "./seen.js";

const WATCH = entryOf({ search: "", hash: "" }); // other tabs have addresses of their own
const SETTLED_MS = 250; // the address follows once nothing has changed for so long

/** @typedef {import("./link.js").Moment} Moment */

export class Address {
  /**
   * @param {any} player
   * @param {{open: (moment: Moment) => void, say: (sentence: string, kind: "quiet" | "error", isOfLink?: boolean) =>
   *   void, branch?: (change: import("../what_if/change.js").Change) => void}} page
   */
  constructor(player, page) {
    this.player = player;
    this.open = page.open;
    this.say = page.say;
    this.branch = page.branch;
    /** @type {Moment} what the page's own address asks for, until the reader changes it */
    this.asked = NOWHERE;
    this.pending = false; // whether its step is still to be gone to
    /** @type {import("../what_if/change.js").Change | null} the branch that is still to be made */
    this.wished = null;
    this.wishing = false; // whether it was asked for
    /** @type {string[]} */
    this.wrong = [];
    /** @type {{run?: string, setup?: string} | null} what a link to the run on the stage names */
    this.base = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.asking = false; // whether a run was asked for that is not on the stage yet
    this.touched = false; // by the reader: until then the address stays as it was opened
    for (const event of ["pointerdown", "keydown"])
      document.addEventListener(event, () => (this.touched = true), { capture: true });
    player.on("seen", () => this.later());
    player.share(
      (kind) => this.copy(kind),
      () => this.link(),
    );
    const { home } = player.controls; // of a stage that is embedded alone in another page
    for (const event of ["pointerdown", "focus"])
      home.addEventListener(event, () => (home.href = this.link({ view: null, hide: [] }) ?? home.href));
    window.addEventListener("hashchange", () => entryOf(window.location) === WATCH && this.begin());
  }

  begin() {
    const { moment, wrong } = read(window.location);
    this.asked = moment;
    this.wrong = wrong;
    this.pending = moment.step !== null || moment.branch !== null;
    this.wished = moment.branch;
    this.wishing = false;
    dress(this.player, moment);
    this.open(moment);
  }

  /**
   * @param {{run?: string, setup?: string} | null} base
   * @param {string[]} [wrong] why it is not the run that the link asks for
   */
  turned(base, wrong = []) {
    this.base = base;
    this.asking = false;
    this.wrong.push(...wrong);
  }

  /** @param {{setup?: string}} base */
  asks({ setup = "" }) {
    this.asking = true;
    this.put("?" + setup + "#run=" + NOW);
  }

  /** Words of the link that the server left out. @param {string[]} words */
  drop(words) {
    this.wrong.push(...words);
  }

  grown(ended) {
    const { asked, player } = this;
    if (this.wished !== null && !this.isBranched(this.wished, ended)) return;
    if (this.pending && (ended || player.playhead.last >= /** @type {number} */ (asked.step))) {
      this.pending = false;
      this.wrong.push(...goTo(player, asked));
    }
    if (!ended) return; // until then a run has more to say of itself
    this.say(sentence(this.wrong), this.wrong.length ? "error" : "quiet", true);
    this.wrong = [];
  }

  /** True if the branch of the link is on the stage; it is asked for once the run that it comes from has ended. */
  isBranched(wished, ended) {
    const { branch } = this.player.trace.run ?? {};
    const isHere = branch && changeText(branch) === changeText(wished);
    if (isHere) {
      this.wished = null;
      this.wishing = false;
    } else if (ended && !this.wishing) this.ask(wished);
    return isHere;
  }

  ask(wished) {
    const { branch } = this;
    this.wishing = true;
    goToChange(this.player, wished); // seen while the branch is made, and where there is none
    if (branch) return branch(wished);
    this.refused();
    this.wrong.push(word("link_no_branch"));
    this.grown(true);
  }

  /** Give up the branch that the link asks for: it was refused. */
  refused() {
    if (!this.wishing) return;
    this.wishing = false;
    this.relent();
  }

  /** Give up the run that the link asks for, unless it has come. */
  relent() {
    this.asking = false;
    this.later();
    if (this.wishing) return; // it has come
    this.wished = null;
    this.pending = false;
  }

  /**
   * The words of the address of what is seen; null where no link leads to this run.
   * @param {Partial<Moment>} [changed]
   */
  words(changed) {
    if (!this.base) return null;
    const { search, hash } = write({ ...NOWHERE, ...this.base, ...seenIn(this.player), ...changed });
    return search + hash;
  }

  /** Whole address of what is seen. @param {Partial<Moment>} [changed] */
  link(changed) {
    const words = this.words(changed);
    return words === null ? null : window.location.origin + window.location.pathname + words;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.follow(), SETTLED_MS);
  }

  follow() {
    const { playhead, root } = this.player;
    if (!this.touched || this.pending || this.asking || playhead.playing || !root.getClientRects().length) return;
    this.put(this.words() ?? "");
  }

  /** @param {string} words */
  put(words) {
    const here = spoken(window.location.origin + window.location.pathname + words);
    if (here !== window.location.href) window.history.replaceState(window.history.state, "", here);
  }

  /** @param {"link" | "frame"} kind */
  copy(kind) {
    const link = this.link(
      kind === "frame" ? { view: "stage", hide: [] } : this.player.presenting.on ? { view: null } : {}, // in the plain view
    );
    if (link === null) return this.say(word("link_none"), "error");
    const text = kind === "frame" ? frame(link) : link;
    const byHand = () => this.say(word("link_by_hand", { text }), "quiet");
    if (!navigator.clipboard) return byHand();
    navigator.clipboard.writeText(text).then(() => this.say(word(kind + "_copied"), "quiet"), byHand);
  }
}
