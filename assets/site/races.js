/** The recorded races of the page that needs no server: one is chosen, and replayed on any of its prompts. */

import { mount } from "../runs/race.js";
import { element } from "../shared/elements.js";
import { say, worded } from "../shared/words.js";
import { read } from "./head.js";

const menu = /** @type {HTMLSelectElement} */ (document.getElementById("races"));
const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
const race = mount(/** @type {HTMLElement} */ (document.getElementById("race")), { choosePrompt: show });

/** The chosen race on a prompt. @param {number} index */
async function show(index) {
  const { value } = menu;
  try {
    const answer = worded(await read(`races/${value}-${index}.json`));
    if (menu.value !== value) return; // another was chosen meanwhile
    race.show(answer);
    notice.textContent = "";
  } catch (problem) {
    notice.textContent = say("site_unlisted", { why: problem.message });
    notice.dataset.kind = "error";
  }
}

/** @type {{title: string, prompts: number, place: number}[]} */
const races = await read("races.json");
const named = ({ title, prompts }, index) =>
  element("option", "", say("site_race_of", { title, prompts }), { value: String(index + 1) });
menu.replaceChildren(...races.map(named));
const first = () => show(races[Number(menu.value) - 1].place);
menu.addEventListener("change", first);
if (races.length) first();
