/**
 * The page that needs no server: a player, the list of runs, and an address for every moment of every run.
 *
 *   #run=rsd_s&step=37     a recorded run, at a step; all words of an address are in player/moment/link.js
 */

import { Address } from "../player/moment/address.js";
import { NOWHERE } from "../player/moment/link.js";
import { mount } from "../player/player.js";
import { element } from "../shared/elements.js";
import { languageOf, phrase, say as word } from "../shared/words.js";
import { read } from "./head.js";
import { RecordedPlayer } from "./recorded_player.js";

const menu = /** @type {HTMLSelectElement} */ (document.getElementById("runs"));
const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));

const player = mount(document.getElementById("player"), { label: document.title, everywhere: true });

function say(text, kind = "quiet") {
  notice.textContent = text;
  notice.dataset.kind = kind;
}

/** @param {import("./recorded_player.js").Run[]} runs */
function begin(runs) {
  const recorded = new RecordedPlayer(runs, player, { read, say, chosen: (id) => (menu.value = id) });
  const address = (recorded.address = new Address(player, recorded));
  menu.replaceChildren(
    ...runs.map(({ id, title }) =>
      element("option", "", phrase(`run.${id}`, title), { value: id, ...languageOf(`run.${id}`) }),
    ),
  );
  menu.addEventListener("change", () => {
    window.history.pushState(null, "", `#run=${encodeURIComponent(menu.value)}`);
    address.relent();
    recorded.open({ ...NOWHERE, run: menu.value });
  });
  address.begin();
}

/** A tab that a link asks for: lessons are here, all else needs the page that makes runs. */
function followTab() {
  const query = new URLSearchParams(window.location.search);
  const tab = query.get("tab");
  const page = { learn: "learn.html", compare: "races.html" }[tab];
  if (page) window.location.replace(`${page}?language=${document.documentElement.lang}`);
  else if (tab && tab !== "watch") say(word("site_tab"));
}

try {
  begin(await read("runs.json"));
  followTab();
} catch (problem) {
  say(word("site_unlisted", { why: problem.message }), "error");
}
