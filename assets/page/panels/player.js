/**
 * The player on the page: it is given a log of events and draws those that are new.
 *
 * The page's address follows what is seen. Which run a link leads to, the server says; the stage is kept for that run.
 *
 * While a run goes on, the value holds the newest events alone, and the chunks of it are numbered from `first`.
 */

import { brief } from "../../player/moment/link.js";
import { Address } from "../../player/moment/address.js";
import { mount as mountPlayer } from "../../player/player.js";
import { changeText } from "../../player/what_if/change.js";
import { goToChange, goToPlace, placeOf } from "../../player/what_if/what_if.js";
import { handOver } from "../../shared/handed.js";
import { say as word } from "../../shared/words.js";
import { follow } from "../panel.js";
import "../labels.js";
import { openTab } from "../tabs.js";

const SLOW_S = 0.15; // a page that takes longer for a message says so

let followed = false; // whether the server has set the page up as its address asks

/** It has. */
export function linkFollowed() {
  followed = true;
  /** @type {any} */ (document.querySelector(".player-host"))?.followed?.();
}

/**
 * `sizes` are the options of each method that say how large its drafts are.
 *
 * @param {import("../panel.js").Panel} panel
 */
export function mount(panel, { sizes }) {
  const { element, props, trigger, server } = panel;
  const host = element.querySelector(".player-host");
  const player = mountPlayer(host, {
    label: "Player of a speculative decoding run",
    everywhere: true,
    openInLab: (position) => {
      handOver(position);
      openTab("lab", "lab-acceptance");
    },
  });
  host.player = player;
  player.whatIf.offer({ sizes, ask });
  const address = new Address(player, { open, say, branch });
  /** @type {(value: any) => boolean} whether a value is not the run that the stage is kept for */
  let kept = () => false;
  let opens = () => {}; // what is left to do once the page is set up
  /** @type {string | null} the recorded run that the newest link names */
  let wanted = null;
  /** @type {string | null} that which the server was asked for, until it has answered */
  let asked = null;
  /** @type {{run: string | null, figures: string | null, ended: boolean}} */
  let shown = { run: null, figures: null, ended: false };
  /** @type {{run: string | null, chunks: number, events: object[]}} all of the run that goes on */
  let live = { run: null, chunks: 0, events: [] };
  /** @type {any} the value that the stage is turned to */
  let here = null;
  /** @type {any} that of the run that a branch came from, or of its branch */
  let twin = null;
  let told = 0; // seconds that the server knows a message to take here

  /** A link asks for a run: the one on the stage, a recorded one, or one that is made again by its own button. */
  function open({ run, setup, branch: change, step }) {
    const { found, run: old } = props.value;
    const there = player.trace.run?.branch;
    if (there && twin && !(change && changeText(change) === changeText(there))) flip(); // a link begins with the run itself
    const isHere = run === null ? !setup || setup === plain(found?.setup) : run === found?.run;
    if (isHere) return void (old === shown.run && address.grown(true));
    if (player.playhead.live) return say(word("link_busy"), "error");
    player.expect("opening");
    host.told = null;
    kept = () => true;
    opens = () => {
      if (run !== null) askFor(run);
      else if ((step !== null || change) && !document.querySelector("#notice .notice[data-kind=error]")) {
        kept = (value) => !value.live;
        document.getElementById("run")?.click();
      } else host.relent(); // nothing is to be made, or the set-up was refused
    };
    if (followed && run !== null) opens();
    else if (followed) window.location.reload(); // the controls are set up once
  }

  /** One recorded run after the other: Gradio drops what is asked for while it answers. */
  function askFor(run) {
    wanted = run;
    kept = () => true;
    if (asked !== null) return;
    asked = run;
    trigger("open_run", { run });
  }

  /** A link asks for a branch of the run on the stage. */
  function branch(change) {
    if (followed) ask(change);
    else opens = () => ask(change);
  }

  function ask(change) {
    host.told = null;
    trigger("what_if", change);
  }

  /** A branch was asked for: it is here, or it was refused, which the server has said. */
  host.branched = () => {
    address.refused();
    tellAgain();
  };

  host.followed = () => {
    opens();
    tellAgain();
  };

  /** The run of a link is here. */
  host.opened = () => {
    const answered = asked;
    asked = null;
    if (answered !== null && wanted !== null && wanted !== answered) return void setTimeout(askFor, 0, wanted);
    kept = () => false;
    show(props.value);
    player.relent();
    tellAgain();
  };

  /** A run that was asked for does not come, or is over. */
  host.relent = () => {
    if (!props.value.live) address.relent();
    host.opened();
    address.relent();
  };

  /** @param {boolean} [isOfLink] how its run came, which is still so when the server has had its say */
  function say(text, kind, isOfLink = false) {
    if (!text) return; // the server has said all
    host.told = { text, kind, isOfLink };
    if (followed) trigger("told", {});
  }

  /** What the player has to say stands behind the server's own word, which comes again when an event of it is over. */
  function tellAgain() {
    if (host.told?.isOfLink) trigger("told", {});
  }

  /** How long until what came is drawn, and the page free again. */
  function time(run, began) {
    requestAnimationFrame(() =>
      setTimeout(() => {
        const seconds = (performance.now() - began) / 1000;
        if (Math.max(seconds, told) < SLOW_S || (seconds < 2 * told && told < 2 * seconds)) return;
        told = seconds;
        server.took({ run, seconds }).catch(() => {});
      }),
    );
  }

  /** The events that are new; chunks that were missed come with the last message. */
  function arrived(value) {
    if (value.run !== live.run) live = { run: value.run, chunks: 0, events: [] };
    if (value.first > live.chunks) return [];
    const events = parsed(value.chunks.slice(live.chunks - value.first));
    live.chunks = Math.max(live.chunks, value.first + value.chunks.length);
    live.events.push(...events);
    return events;
  }

  /** Begin to show another run; gives the events of it that are there. */
  function turnTo(value) {
    shown = { run: value.run, figures: null, ended: false };
    const missed = wanted !== null && value.found?.run !== wanted;
    address.turned(value.found, missed ? [word("link_no_run", { value: brief(wanted) })] : []);
    wanted = null;
    const last = here;
    if (document.querySelector("#why .sp-why:not([hidden])")) trigger("turned", {}); // what is explained there is of the last one
    const isFlip = twin !== null && value.run === twin.run;
    const isBranch = last !== null && value.branch_of === last.run;
    twin = isFlip || isBranch ? last : null;
    here = value;
    if (value.live) {
      told = 0;
      player.begin();
      return live.events;
    }
    const { format, version } = value;
    const place = placeOf(player);
    player.load(
      { format, version, events: parsed(value.chunks) },
      { autoplay: !address.pending && !twin, plain: value.plain },
    );
    if (value.made_here) player.origin = "made";
    player.whatIf.pair(twin && flip);
    if (!address.pending && !twin && !player.playhead.playing) player.goto(player.trace.rounds[0]?.lastStep ?? 0); // nothing may move
    if (isFlip) goToPlace(player, place);
    else if (isBranch) goToChange(player, player.trace.run.branch);
    return [];
  }

  /** The other of the two runs comes onto the stage, at the place where this one stands. */
  function flip() {
    props.value = { ...twin, live: false, made_here: Boolean(twin.live || twin.made_here) };
    show(props.value);
  }

  function show(value) {
    const began = performance.now();
    if (!value || !value.run || kept(value)) return;
    kept = () => false;
    let events = value.live ? arrived(value) : [];
    if (value.run !== shown.run) events = turnTo(value);
    if (value.run === here.run) here = value;
    if (events.length) player.append(events);
    if (events.length && !value.ended) time(value.run, began);
    if (value.figures && value.figures !== shown.figures) {
      shown.figures = value.figures;
      player.setFigures(JSON.parse(shown.figures || "[]"));
    }
    if (value.error) player.error(value.error);
    if (value.live && value.ended && !shown.ended) {
      shown.ended = true;
      player.finish();
    }
    address.grown(value.ended);
  }

  // on a phone the line of messages is above the stage, out of sight
  document.addEventListener("said", (/** @type {any} */ { target, detail }) => {
    if (target.closest("#notice")) player.waiting.hear(detail);
  });
  address.begin();
  follow(panel, show);
}

const plain = (setup) => new URLSearchParams(setup ?? "").toString();
const parsed = (chunks) => chunks.flatMap((chunk) => JSON.parse(chunk));
