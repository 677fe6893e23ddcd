/**
 * What is seen of a run, as a moment, and back: the player turns to a moment.
 *
 * `view` and `hide` change which parts exist: "stage" shows the stage alone, for slides and articles.
 */

import { say } from "../../shared/words.js";
import { isSeen } from "../stage/scene.js";
import { pathOf } from "../trace/records.js";
import { digest, PARTS } from "./link.js";

/**
 * @typedef {import("./link.js").Moment} Moment
 * @typedef {import("../trace/records.js").TreeNode} TreeNode
 */

const system = window.matchMedia("(prefers-color-scheme: dark)");

/** Moment that is seen in a player; which run that is, only the page around it knows. */
export function seenIn(player) {
  const { root } = player;
  const view = player.presenting.on
    ? "present"
    : root.classList.contains("sp-alone")
      ? "stage"
      : root.classList.contains("sp-wide")
        ? "wide"
        : null;
  return {
    branch: player.trace.run?.branch ?? null,
    step: player.step ? player.step.index : null,
    kept: player.pinned ? player.pinned.key : null,
    panel: root.classList.contains("sp-closed") ? null : player.side.shown,
    view,
    theme: themeOf(root),
    hide: PARTS.filter((part) => root.classList.contains("sp-without-" + part)),
    made: digest(player.trace, player.step),
  };
}

/** Turns a player to what a moment changes before its run is there. */
export function dress(player, { panel, view, theme, hide }) {
  if (theme) for (const each of ["light", "dark"]) document.body.classList.toggle(each, each === theme);
  for (const part of PARTS) player.root.classList.toggle("sp-without-" + part, hide.includes(part));
  player.root.classList.toggle("sp-alone", view === "stage");
  turnTo(player, view);
  if (panel) player.side.open(panel);
  else if (!player.presenting.on) player.openPanel(false);
  player.measure();
}

function turnTo(player, view) {
  const { presenting, root } = player;
  if (presenting.on && view !== "present") presenting.toggle();
  if (presenting.on) return;
  if ((view === "wide") !== root.classList.contains("sp-wide")) player.widen();
  if (view === "present") presenting.toggle();
}

/**
 * Goes to a moment of the run that is on the stage, or to the nearest that there is; gives what could not be followed.
 *
 * @param {any} player
 * @param {Moment} moment
 */
export function goTo(player, { step, kept, made }) {
  /** @type {string[]} */
  const wrong = [];
  const { last } = player.playhead;
  if (step === null) return wrong;
  if (step > last) wrong.push(say("link_no_such_step", { value: step, last }));
  player.goto(Math.min(step, last));
  const node = kept === null ? null : nodeOf(player, kept);
  if (node) player.keep(node);
  else if (kept !== null) wrong.push(say("link_no_such_token", { value: kept }));
  if (made !== null && step <= last && digest(player.trace, player.step) !== made) wrong.push(say("link_other_tokens"));
  return wrong;
}

/**
 * The token with this key, if it is there by the step that is shown.
 *
 * @returns {TreeNode | null}
 */
function nodeOf(player, key) {
  const { trace, step } = player;
  for (const round of trace.rounds) {
    if (!step.round || round.number > step.round.number) break;
    const match = round.nodes.concat(round.extras).find((node) => node.key === key);
    if (match) return round !== step.round || isSeen(match, step) ? match : null;
  }
  const frontier = trace.rounds.length ? trace.rounds[0].frontier[0] : null;
  return pathOf(frontier).find((node) => node.key === key) ?? null;
}

/** The colours of the page, where they are not those of the reader's system. */
function themeOf(root) {
  const { classList } = document.body;
  const usual = system.matches ? "dark" : "light";
  const follows = root.dataset.scheme === "auto" && !classList.contains("light"); // else the page's own switch decides
  const shown = classList.contains("dark") ? "dark" : follows ? usual : "light";
  return shown === usual ? null : shown;
}
