/**
 * The page that needs no server: a player, the runs beside it, and an address for every moment of every run.
 *
 *   #run=rsd_s&step=37     a recorded run, at a step
 */

import { mount } from "../player/player.js";

const SETTLED_MS = 250; // the address follows once the cursor has rested so long

/** @typedef {{id: string, title: string, about: string}} Run as runs.json lists it */

const menu = /** @type {HTMLSelectElement} */ (document.getElementById("runs"));
const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
const player = mount(document.getElementById("player"), { label: document.title, everywhere: true });

/** @type {Run[]} */
let runs = [];
/** @type {Run | null} */
let shown = null;
let timer = 0;

function say(text, kind = "quiet") {
  notice.textContent = text;
  notice.dataset.kind = kind;
}

/** What the address asks for. */
function asked() {
  const words = new URLSearchParams(location.hash.slice(1));
  return { run: words.get("run"), step: words.get("step") };
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} is not there`);
  return answer.json();
}

/** Show what the address asks for; what is not there is said, and the nearest that is there is shown. */
async function follow() {
  const { run, step } = asked();
  const found = runs.find((each) => each.id === run);
  const wanted = found || runs[0];
  const wrong = [];
  if (run !== null && !found) wrong.push(`There is no run "${run.slice(0, 60)}" here. This is the first one.`);
  if (shown !== wanted) {
    shown = wanted;
    menu.value = wanted.id;
    say("Reading the run ...");
    let trace, figures;
    try {
      [trace, figures] = await Promise.all([read(`traces/${wanted.id}.json`), read(`figures/${wanted.id}.json`)]);
    } catch (problem) {
      return say(`This run could not be read: ${problem.message}. Choose another, or copy the folder again.`, "error");
    }
    if (shown !== wanted) return; // another was chosen meanwhile
    player.load(trace, { autoplay: step === null });
    player.setFigures(figures);
  }
  if (step !== null) {
    const last = player.state().steps - 1;
    const place = /^\d+$/.test(step) ? Number(step) : NaN;
    if (!(place <= last)) wrong.push(`This run has no step "${step.slice(0, 20)}"; its last is ${last}.`);
    player.goto(Number.isNaN(place) ? 0 : Math.min(place, last));
  }
  if (wrong.length) say(wrong.join(" "), "error");
  else say(wanted.about);
}

/** The address of this moment, for whoever copies it. */
function remember() {
  const { step, playing } = player.state();
  if (playing || !shown) return;
  const here = `#run=${encodeURIComponent(shown.id)}&step=${step}`;
  if (here !== location.hash) history.replaceState(null, "", here);
}

player.on("cursor", () => {
  clearTimeout(timer);
  timer = window.setTimeout(remember, SETTLED_MS);
});
menu.addEventListener("change", () => (location.hash = `run=${encodeURIComponent(menu.value)}`));
window.addEventListener("hashchange", follow);

try {
  runs = await read("runs.json");
  menu.replaceChildren(...runs.map(({ id, title }) => new Option(title, id)));
  await follow();
} catch (problem) {
  say(`The runs could not be read: ${problem.message}. Copy the folder again.`, "error");
}
