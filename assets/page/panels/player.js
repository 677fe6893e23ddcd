/** The player on the page. */

import { Address } from "../../player/moment/address.js";
import { mount as mountPlayer } from "../../player/player.js";
import { handOver } from "../../shared/handed.js";
import { say } from "../../shared/words.js";
import "../labels.js";
import { follow } from "../panel.js";
import { chip, keepTyped } from "../run/prompt.js";
import { PlayerPanel } from "../run/player_panel.js";
import { RACE_NOW, canRace, raceLink } from "../run/race_link.js";
import { openTab } from "../tabs.js";
import { setOption } from "./options.js";

const SECOND_SCENE = "rsd_s"; // its first round rejects twice and is saved once

let isSetUp = false; // whether the server has set the page up as its address asks

/** The panel that is mounted. @returns {PlayerPanel | undefined} */
export const playerPanel = () => /** @type {any} */ (document.querySelector(".player-host"))?.panel;

/** It has. */
export function linkFollowed() {
  isSetUp = true;
  keepTyped();
  playerPanel()?.setUp();
  const page = /** @type {any} */ (window);
  const key = page.earlyKey; // pressed before the stage stood
  delete page.earlyKey;
  if (key) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}

/** @type {import("../run/player_panel.js").Page} */
const PAGE = {
  pressRun: () => document.getElementById("run")?.click(),
  reload: () => window.location.reload(),
  refused: () => Boolean(document.querySelector("#notice .notice[data-kind=error]")) && !PAGE.dropped().length,
  dropped: () => /** @type {any} */ (document.querySelector("#notice .notice"))?.dropped ?? [],
  explained: () => Boolean(document.querySelector("#why .sp-why:not([hidden])")),
  afterDrawing: (then) => requestAnimationFrame(() => setTimeout(then)),
  now: () => performance.now(),
};

/**
 * `sizes` are the options of each method that say how large its drafts are.
 *
 * @param {import("../panel.js").Panel} panel
 */
export function mount(panel, { sizes }) {
  const first = panel.props.value?.link?.run; // The page opens on this run.
  const host = panel.element.querySelector(".player-host");
  const player = mountPlayer(host, {
    label: say("player_label"),
    everywhere: true,
    openInLab: (position) => {
      handOver(position);
      openTab("lab", "lab-acceptance");
    },
  });
  const stage = new PlayerPanel(panel, player, PAGE);
  stage.isSetUp = isSetUp;
  Object.assign(host, { player, panel: stage });
  player.ending.offer({
    isFirst: () => panel.props.value?.link?.run === first,
    next: () => {
      window.location.hash = "run=" + SECOND_SCENE;
    },
    mayChat: () => chip()?.checked === false,
    chat: () => {
      chip()?.click();
      setTimeout(PAGE.pressRun); // once the page has taken the value
    },
    prompt: () => /** @type {HTMLElement | null} */ (document.querySelector("#prompt textarea"))?.focus(),
    mayRace: canRace,
    race: (run) => {
      sessionStorage.setItem(RACE_NOW, "1");
      window.location.assign(raceLink(run, panel.props.value?.link?.setup));
    },
  });
  player.length.offer((method, name, value) => {
    setOption("watch-options", method, name, value);
    setTimeout(PAGE.pressRun); // once the page has taken the value
  });
  player.whatIf.offer({ sizes, ask: stage.ask, beside: stage.askBeside });
  // on a phone the line of messages is above the stage, out of sight
  document.addEventListener("said", (/** @type {any} */ { target, detail }) => {
    if (target.closest("#notice")) player.waiting.hear(detail);
  });
  document.addEventListener("asked", (/** @type {any} */ { detail }) => stage.asked(detail));
  for (const event of ["online", "offline"]) window.addEventListener(event, () => stage.connected(event === "online"));
  stage.begin(new Address(player, stage));
  follow(panel, stage.show);
}
