/** The part of events that the page does itself, in addition to asking the server or instead of it. */

import { language } from "../languages/language.js";
import { openGlossary } from "../shared/glossary/glossary.js";
import { playerPanel } from "./panels/player.js";
import { openFrom } from "./tabs.js";

export { say } from "./panels/line.js";
export { showOptions } from "./panels/options.js";
export { linkFollowed } from "./panels/player.js";
export { asksOfForm, toldOfForm } from "./form.js";

const NARROW = 700; // pixels: on a phone what a button begins is out of sight

/** @returns {any} */
const find = (selector) => document.querySelector(selector);

export const press = (selector) => find(selector)?.click();

/**
 * Take a file along: by a link of its own, as that of the hidden button comes whenever Gradio draws it.
 *
 * @param {{url: string, orig_name: string} | null} file none after a refusal
 */
export function download(file) {
  if (file) Object.assign(document.createElement("a"), { href: file.url, download: file.orig_name }).click();
}

export const wholeAddress = (query) => (query ? location.origin + location.pathname + query : "");

/** A value, and the language that this page speaks. */
export const withLanguage = (value) => [value, language];

/** Open the glossary over the current tab. */
export const glossary = () => openGlossary();

export const scrollTo = (selector) => find(selector).scrollIntoView({ behavior: "smooth", block: "start" });

/** A paper's comparison is set up: the race is shown from its top, where the page says so. */
export function showRace() {
  openFrom("?tab=compare");
  window.scrollTo({ top: 0 });
}

/** A run was asked for: its stage is cleared at once, and on a phone comes into sight. */
export function expectRun() {
  /** @type {HTMLElement | null} */ (document.activeElement?.closest("#prompt textarea"))?.blur(); // it folds
  playerPanel()?.expect();
  if (innerWidth < NARROW) scrollTo("#player");
}

/** It does not begin, or it is over. */
export const relentRun = () => playerPanel()?.relent();

/** Stop was pressed: a run that waited does not begin. One that goes on ends by itself. */
export const stopped = (message) => message?.nothing_comes && relentRun();

/** The recording of a race, a sweep or a recommendation is here, or there is none. */
export const recordingRead = (panel) => find(`${panel} .reading`)?.remove();

/** The recorded run of a link is here. */
export const runOpened = () => playerPanel()?.opened();

/** The branch of a link is here, or was refused. */
export const branched = () => playerPanel()?.branched();

/** The message of the player about a link. */
export const playerMessage = () => playerPanel()?.message;

/** For a button that begins to measure: its line comes into sight on a phone, and whatever plays is halted. */
export function standStill(selector) {
  if (innerWidth < NARROW) find(selector).scrollIntoView({ behavior: "smooth", block: "center" });
  find(".player-host")?.player?.playhead.leave();
  find(".race-host")?.race?.pause();
}

export const saveChart = (form) => find(".race-host").race.save(form);
