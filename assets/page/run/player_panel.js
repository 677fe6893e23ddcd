/**
 * The player on the page: its value is a log of events, and those that are new are drawn.
 *
 * The page's address follows what is seen. Which run a link leads to, the server says; the stage is kept for that run.
 */

import { brief, NOW } from "../../player/moment/link.js";
import { changeText } from "../../player/what_if/change.js";
import { goToChange, goToPosition, positionOf } from "../../player/what_if/what_if.js";
import { say as word, worded } from "../../shared/words.js";
import { send } from "../panel.js";
import { LiveEvents, parsed } from "./live_events.js";
import { Pace } from "./pace.js";
import { RunRequest } from "./run_request.js";

/**
 * What the panel needs of the page around it.
 *
 * @typedef {object} Page
 * @property {() => void} pressRun
 * @property {() => void} reload
 * @property {() => boolean} refused whether the server has refused what the address sets up
 * @property {() => string[]} dropped words of the address that the server left out, a phrase each
 * @property {() => boolean} explained whether an explanation of the run on the stage is shown
 * @property {(then: () => void) => void} afterDrawing
 * @property {() => number} now in milliseconds
 */

/** @typedef {import("../../player/moment/link.js").Moment} Moment */

export class PlayerPanel {
  /**
   * @param {import("../panel.js").Panel} panel
   * @param {any} player
   * @param {Page} page
   */
  constructor(panel, player, page) {
    this.panel = panel;
    this.player = player;
    this.page = page;
    /** @type {any} set by the caller that makes it for this player */
    this.address = null;
    this.request = new RunRequest((run) => send(panel, { type: "open_run", run }));
    this.live = new LiveEvents();
    this.pace = new Pace();
    this.isSetUp = false; // whether the server has set the page up as its address asks
    this.afterSetUp = () => {}; // what is left to do then
    /** @type {"next" | "made" | null} the run that the stage is kept for: whichever comes next, or one made now */
    this.awaited = null;
    /** @type {{text: string, kind: string, isOfLink: boolean} | null} what the player has to say of a link */
    this.message = null;
    /** @type {{run: string | null, figures: string | null, plain: number[] | null, ended: boolean}} */
    this.shown = { run: null, figures: null, plain: null, ended: false };
    /** @type {any} the value that the stage is turned to */
    this.value = null;
    /** @type {any} that of the run that a branch came from, or of its branch */
    this.twin = null;
    /** @type {{change: any, run: string | null, answer: (made: any) => void}[]} branches shown next to their run */
    this.beside = []; // the first is asked for
  }

  /** The page is there: its address is followed, and every value shown. @param {any} address */
  begin(address) {
    this.address = address;
    address.begin();
  }

  /** A link asks for a run: the one on the stage, a recorded one, or one that is made again by its own button. */
  open = (/** @type {Moment} */ moment) => {
    const { link, run } = this.panel.props.value;
    if (this.isBesides(moment.branch)) this.flip(); // a link begins with the run itself
    if (isLinkedBy(moment, link)) {
      if (run === this.shown.run) this.address.grown(true);
      return;
    }
    if (this.player.playhead.live) return this.say(word("link_busy"), "error");
    this.player.expect("opening");
    this.message = null;
    this.awaited = "next";
    this.afterSetUp = () => this.get(moment);
    if (this.isSetUp && moment.run !== null) this.afterSetUp();
    else if (this.isSetUp) this.page.reload(); // the controls are set up once
  };

  /** True if a branch is on the stage and the link names its original run or another branch. */
  isBesides(change) {
    const there = this.player.trace.run?.branch;
    return Boolean(there && this.twin && !(change && changeText(change) === changeText(there)));
  }

  /** The run of a link is read or made, if it is to be. @param {Moment} moment */
  get({ run, step, branch }) {
    if (run !== null && run !== NOW) return this.askFor(run);
    if ((step === null && !branch && run !== NOW) || this.page.refused()) return this.relent();
    this.awaited = "made";
    this.address.drop(this.page.dropped()); // said again when the run is there, as it takes the place of the notice
    this.page.pressRun();
  }

  /** @param {string} run */
  askFor(run) {
    this.awaited = "next";
    this.request.ask(run);
  }

  /** A link asks for a branch of the run on the stage. */
  branch = (change) => {
    if (this.isSetUp) this.ask(change);
    else this.afterSetUp = () => this.ask(change);
  };

  ask = (change) => {
    this.message = null;
    send(this.panel, { type: "what_if", ...change });
  };

  /** Asks for a branch that is handed over, and leaves the stage as it is; the server makes one after the other. */
  askBeside = (change, answer) => {
    if (this.beside.push({ change, run: this.shown.run, answer }) === 1) this.ask(change);
  };

  /** True where a requested branch is shown next to its run: it is handed over. */
  isHandedOver(value) {
    const request = this.beside[0];
    if (!request || !value.branch_of || value.branch_of !== request.run || value.run === this.shown.run) return false;
    const file = { format: value.format, version: value.version, events: parsed(value.chunks) };
    if (changeText(file.events[0].branch) !== changeText(request.change)) return false;
    this.panel.props.value = this.value;
    if (this.shown.run === request.run) {
      this.twin = value;
      this.player.whatIf.pair(() => this.flip(), true);
    }
    request.answer({ file, turn: () => this.turnToBranch(value) });
    request.answer = () => {}; // its event is not over
    return true;
  }

  /** A branch that was handed over comes onto the stage. */
  turnToBranch(value) {
    this.twin = value;
    this.flip();
  }

  /** A branch was asked for: it is here, or it was refused, which the server has said. */
  branched() {
    this.beside.shift()?.answer(null);
    const [next] = this.beside;
    if (next) setTimeout(() => this.ask(next.change), 0); // the page hears no second event before the first is over
    this.address.refused();
    this.sayAgain();
  }

  /** The server has set the page up as its address asks. */
  setUp() {
    this.isSetUp = true;
    this.afterSetUp();
    this.sayAgain();
  }

  /** The run of a link is here. */
  opened() {
    const next = this.request.answered();
    if (next !== null) return void setTimeout(() => this.askFor(next), 0);
    this.awaited = null;
    this.show(this.panel.props.value);
    this.player.relent();
    this.sayAgain();
  }

  /** A run that was asked for does not come, or is over. */
  relent() {
    if (!this.panel.props.value.live) this.address.relent();
    this.opened();
    this.address.relent();
  }

  /** Run was pressed: the stage is cleared for it. */
  expect() {
    this.message = null;
    this.player.expect();
  }

  /** The server has lined it up. @param {{setup: string} | null} link none where it is too long for an address */
  asked(link) {
    if (link) this.address.asks(link);
  }

  /** The network is gone, or back: a run that waits or goes on is asked for again, by its address. */
  connected(isOnline) {
    const { player } = this;
    if (!player.playhead.live && !player.waiting.expected) return;
    if (isOnline) return this.page.reload();
    player.waiting.tell("offline");
    this.say(word("offline_hint"), "error");
  }

  say = (/** @type {string} */ text, /** @type {string} */ kind, isOfLink = false) => {
    if (!text) return; // the server has said all
    this.message = { text, kind, isOfLink };
    if (this.isSetUp) send(this.panel, { type: "link_noted" });
  };

  /** The player's message follows the server's, which comes again when an event of it is over. */
  sayAgain() {
    if (this.message?.isOfLink) send(this.panel, { type: "link_noted" });
  }

  /** True where the stage is kept for another run than this. */
  isKeptFrom(value) {
    return this.awaited === "next" || (this.awaited === "made" && !value.live);
  }

  show = (/** @type {import("../messages.js").PlayerValue} */ value) => {
    const began = this.page.now();
    if (!value || !value.run || this.isKeptFrom(value) || this.isHandedOver(value)) return;
    this.awaited = null;
    let events = value.live ? this.live.take(value) : [];
    if (value.run !== this.shown.run) events = this.turnTo(value);
    if (value.run === this.value.run) this.value = value;
    if (events.length) this.player.append(events);
    if (events.length && !value.ended) this.time(value.run, began);
    this.showEnd(value);
    this.address.grown(value.ended);
  };

  /** Its charts, what went wrong in it, and that it is over, as far as known. */
  showEnd({ figures, estimate, error, live, ended, plain, again, beside }) {
    if (live && plain && this.shown.plain !== plain) {
      this.shown.plain = plain;
      this.player.besides(plain, again, beside);
      this.player.render(0);
    }
    if (figures && figures !== this.shown.figures) {
      this.shown.figures = figures;
      this.player.setFigures(JSON.parse(figures));
    }
    if (error) this.player.error(worded(error).join(" "));
    if (live && ended && !this.shown.ended) {
      this.shown.ended = true;
      this.player.finish("", estimate);
    }
  }

  /** Measures how long the page takes to draw what came. */
  time(run, began) {
    this.page.afterDrawing(() => {
      const seconds = (this.page.now() - began) / 1000;
      if (this.pace.isNews(seconds)) this.panel.server.took({ type: "took", run, seconds }).catch(() => {});
    });
  }

  /** Begin to show another run; gives the events of it that are there. */
  turnTo(value) {
    this.shown = { run: value.run, figures: null, plain: null, ended: false };
    const missed = this.request.arrived(value.link?.run);
    this.address.turned(value.link, missed === null ? [] : [word("link_no_run", { value: brief(missed) })]);
    const last = this.value;
    if (this.page.explained()) send(this.panel, { type: "turned" }); // what is explained there is of the last one
    const isFlip = this.twin !== null && value.run === this.twin.run;
    const isBranch = last !== null && value.branch_of === last.run;
    this.twin = isFlip || isBranch ? last : null;
    this.value = value;
    if (value.live) {
      this.pace.reset();
      this.player.begin();
      return this.live.all;
    }
    const position = positionOf(this.player);
    this.load(value);
    if (isFlip) goToPosition(this.player, position);
    else if (isBranch) goToChange(this.player, this.player.trace.run.branch);
    return [];
  }

  /** Show a run that has ended; where a link or a flip says nothing else, from its beginning. */
  load({ format, version, chunks, plain, again, tried, estimate, made_here: isMadeHere }) {
    const { player, twin } = this;
    const isPlaced = this.address.pending || twin;
    player.load({ format, version, events: parsed(chunks) }, { autoplay: !isPlaced, plain, again, estimate });
    if (tried) player.length.hear(tried);
    if (isMadeHere) player.origin = "made";
    player.whatIf.pair(twin && (() => this.flip()));
    if (!isPlaced && !player.playhead.playing) player.goto(player.trace.rounds[0]?.lastStep ?? 0); // nothing may move
  }

  /** The other of the two runs comes onto the stage, at the position of this one. */
  flip() {
    const { twin } = this;
    const value = { ...twin, live: false, made_here: Boolean(twin.live || twin.made_here) };
    this.panel.props.value = value;
    this.show(value);
  }
}

/**
 * Whether an address asks for the run with these parts of a link.
 *
 * @param {Moment} moment
 * @param {{run?: string, setup?: string} | null} link
 */
function isLinkedBy({ run, setup }, link) {
  return run === null ? !setup || setup === plain(link?.setup) : run === link?.run;
}

const plain = (setup) => new URLSearchParams(setup ?? "").toString();
