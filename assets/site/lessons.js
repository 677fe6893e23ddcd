/** The lessons of the page that needs no server: #lesson=coin&place=2. */

import { mount } from "../learn/learn.js";
import { say } from "../shared/words.js";
import "./head.js";
import "./words.js";

const lessons = mount(/** @type {HTMLElement} */ (document.getElementById("lessons")), {
  live: false,
  async read(name) {
    const answer = await fetch(`traces/${name}.json`);
    if (!answer.ok) throw new Error(say("site_missing", { file: `traces/${name}.json` }));
    return answer.json();
  },
  turned(query) {
    window.history.replaceState(null, "", "#" + new URLSearchParams(query));
  },
});

const follow = () => lessons.open(new URLSearchParams(window.location.hash.slice(1)));
window.addEventListener("hashchange", follow);
follow();
