/** The lessons of the page that needs no server: #lesson=coin&place=2. */

import { mount } from "../learn/learn.js";
import { enter } from "../shared/history.js";
import { read } from "./head.js";

let following = false; // an address: what it asks for and is not there makes no entry

const lessons = mount(/** @type {HTMLElement} */ (document.getElementById("lessons")), {
  live: false,
  read: (name) => read(`traces/${name}.json`),
  turned(query) {
    const address = "#" + new URLSearchParams(query);
    if (following) window.history.replaceState(null, "", address);
    else enter(address);
  },
});

function follow() {
  following = true;
  lessons.open(new URLSearchParams(window.location.hash.slice(1)));
  following = false;
}

window.addEventListener("hashchange", follow);
follow();
