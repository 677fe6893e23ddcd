/**
 * The page's address follows what is seen in a player, and the player follows the address.
 *
 *   const address = new Address(player, {open, say});
 *       open(moment)     shows the run that a link asks for; said with `turned` once it is on the stage
 *       say(sentence)    tells what could not be followed; "" where all could
 *   address.begin()                  the page is there: what its own address asks for is opened
 *   address.turned({run, setup})     another run is on the stage, which a link finds by these; null where none does
 *   address.grown(ended)             more of that run is there, or all of it
 *
 * It follows once the reader has touched the page. While something plays it rests: it is that of the last moment at
 * which somebody stopped to look.
 */

import { say as word } from "../../shared/words.js";
import { frame, NOWHERE, read, sentence, write } from "./link.js";
import { dress, goTo, seenIn } from "./seen.js";

const SETTLED_MS = 250; // the address follows once nothing has changed for so long

/** @typedef {import("./link.js").Moment} Moment */

export class Address {
  /** @param {{open: (moment: Moment) => void, say: (sentence: string, kind: "quiet" | "error") => void}} page */
  constructor(player, page) {
    this.player = player;
    this.open = page.open;
    this.say = page.say;
    /** @type {Moment} what the page's own address asks for, until the reader wishes otherwise */
    this.asked = NOWHERE;
    this.pending = false; // whether its step is still to be gone to
    /** @type {string[]} */
    this.wrong = [];
    /** @type {{run?: string, setup?: string} | null} by which a link finds the run on the stage */
    this.base = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.touched = false; // by the reader: until then the address stays as it was opened
    for (const hand of ["pointerdown", "keydown"]) document.addEventListener(hand, () => (this.touched = true), { capture: true });
    player.on("seen", () => this.later());
    player.share((kind) => this.copy(kind));
    window.addEventListener("hashchange", () => this.begin());
  }

  begin() {
    const { moment, wrong } = read(window.location);
    this.asked = moment;
    this.wrong = wrong;
    this.pending = moment.step !== null;
    dress(this.player, moment);
    this.open(moment);
  }

  /**
   * @param {{run?: string, setup?: string} | null} base
   * @param {string[]} [wrong] why it is not the run that the link asks for
   */
  turned(base, wrong = []) {
    this.base = base;
    this.wrong.push(...wrong);
  }

  grown(ended) {
    const { asked, player } = this;
    if (this.pending && (ended || player.playhead.last >= /** @type {number} */ (asked.step))) {
      this.pending = false;
      this.wrong.push(...goTo(player, asked));
    }
    if (!ended) return; // until then a run has more to say of itself
    this.say(sentence(this.wrong), this.wrong.length ? "error" : "quiet");
    this.wrong = [];
  }

  /** The run that the link asks for does not come. */
  relent() {
    this.pending = false;
  }

  /**
   * The address of what is seen, whole; null where no link leads to this run.
   * @param {Partial<Moment>} [changed]
   */
  link(changed) {
    if (!this.base) return null;
    const { search, hash } = write({ ...NOWHERE, ...this.base, ...seenIn(this.player), ...changed });
    return window.location.origin + window.location.pathname + search + hash;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.follow(), SETTLED_MS);
  }

  follow() {
    const { playhead, root } = this.player;
    if (!this.touched || this.pending || playhead.playing || !root.getClientRects().length) return;
    const here = this.link() ?? window.location.origin + window.location.pathname;
    if (here !== window.location.href) window.history.replaceState(window.history.state, "", here);
  }

  /** @param {"link" | "frame"} kind */
  copy(kind) {
    const link = this.link(kind === "frame" ? { view: "stage", hide: [] } : {});
    if (link === null) return this.say(word("link_none"), "error");
    const text = kind === "frame" ? frame(link) : link;
    const byHand = () => this.say(word("link_by_hand", { text }), "quiet");
    if (!navigator.clipboard) return byHand();
    navigator.clipboard.writeText(text).then(() => this.say(word(kind + "_copied"), "quiet"), byHand);
  }
}
