/**
 * The page that needs no server: a player, the runs beside it, and an address for every moment of every run.
 *
 *   #run=rsd_s&step=37     a recorded run, at a step; all words of an address are in player/moment/link.js
 */

import { Address } from "../player/moment/address.js";
import { brief, NOWHERE } from "../player/moment/link.js";
import { mount } from "../player/player.js";
import { phrase, say as word, spoken } from "../shared/words.js";
import "./head.js";
import "./words.js";

const UNSAID_METHOD = "speculative_sampling"; // of a set-up that names none, as in the page that makes runs

/** @typedef {{id: string, title: string, about: string, method: string, plain?: number[]}} Run as runs.json lists it */

const menu = /** @type {HTMLSelectElement} */ (document.getElementById("runs"));
const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
const player = mount(document.getElementById("player"), { label: document.title, everywhere: true });

/** @type {Run[]} */
let runs = [];
/** @type {Run | null} */
let shown = null;
let reading = false; // whether it is still on its way

function say(text, kind = "quiet") {
  notice.textContent = text;
  notice.dataset.kind = kind;
}

const address = new Address(player, {
  open,
  say: (text, kind) => say(text || spoken(shown?.about ?? ""), kind),
});

async function read(file) {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(word("site_missing", { file }));
  return answer.json();
}

/** Show the run that is asked for; what is not there is said, and the nearest that is there is shown. */
async function open({ run, setup, step }) {
  const method = setup && (new URLSearchParams(setup).get("method") ?? UNSAID_METHOD);
  const found = runs.find((each) => (run === null ? each.method === method : each.id === run));
  const wanted = found || runs[0];
  const wrong = [];
  if (run === null && found) wrong.push(word("link_made_elsewhere"));
  else if (!found && (run || method)) wrong.push(word("link_no_run", { value: brief(run || method) }));
  address.turned({ run: wanted.id }, wrong);
  if (shown === wanted) return void (reading || address.grown(true));
  shown = wanted;
  reading = true;
  menu.value = wanted.id;
  say(word("site_reading"));
  let trace, figures;
  try {
    [trace, figures] = await Promise.all([read(`traces/${wanted.id}.json`), read(`figures/${wanted.id}.json`)]);
  } catch (problem) {
    if (shown !== wanted) return; // another was chosen meanwhile
    shown = null;
    return say(word("site_unread", { why: problem.message }), "error");
  }
  if (shown !== wanted) return; // another was chosen meanwhile
  reading = false;
  player.load(trace, { autoplay: step === null, plain: wanted.plain });
  address.grown(true);
  player.setFigures(figures);
}

menu.addEventListener("change", () => {
  window.history.pushState(null, "", `#run=${encodeURIComponent(menu.value)}`);
  address.relent();
  open({ ...NOWHERE, run: menu.value });
});

try {
  runs = await read("runs.json");
  menu.replaceChildren(...runs.map(({ id, title }) => new Option(phrase(`run.${id}`, title), id)));
  address.begin();
} catch (problem) {
  say(word("site_unlisted", { why: problem.message }), "error");
}
