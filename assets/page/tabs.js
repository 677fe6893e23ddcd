/**
 * The tabs. The one that an address asks for is opened here: asked to turn a page's tabs, even to none, Gradio copies
 * the values of all that is in them. The one that is open is in sight where they are wider than the page. The page's
 * address follows it and its set-up, once the reader has touched the page; Watch has an address of its own, of a
 * moment: see player/moment/address.js.
 */

import { spoken } from "../languages/language.js";

const SETTLED_MS = 250;
const QUERIED = ["compare", "sweep", "recommend", "learn"]; // tabs whose set-up is told by `setUp`, if it is

/** @type {Record<string, string>} the set-up of a tab as a query, as the server writes it */
const queries = {};
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let touched = false;
/** @type {[string, string][]} what is to be opened, outermost first: the element of some tabs, and one of them */
let wanted = [];
const laidOut = new MutationObserver(turn);

/** Open a tab, and of the Lab perhaps a section: as soon as they are there. One that is not offered changes nothing. */
export function openTab(tab, section = "") {
  wanted = [["tabs", tab]];
  if (section) wanted.push(["lab-sections", section]);
  laidOut.observe(document.documentElement, { subtree: true, childList: true });
  turn();
}

function turn() {
  for (; wanted.length; wanted.shift()) {
    const [name, tab] = wanted[0];
    if (!document.querySelector(`#${name} [role=tab]`)) return;
    buttonOf(tab)?.click();
  }
  laidOut.disconnect();
}

/** Gradio gives the button of a tab its element's id with this at the end. @param {string} tab */
export const buttonOf = (tab) => document.getElementById(`tab-${tab}-button`);

/** A tab is set up otherwise; no query where no link leads to it. */
export function setUp(tab, query) {
  queries[tab] = query;
  later();
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(follow, SETTLED_MS);
}

function follow() {
  const here = touched ? queryHere() : null;
  if (here === null || here === window.location.search) return;
  window.history.replaceState(null, "", spoken(window.location.origin + window.location.pathname + here));
}

/** The query of the tab that is open; null where its address is not ours, or is right. */
function queryHere() {
  const tab = ["watch", "lab", ...QUERIED].find((each) => buttonOf(each)?.getAttribute("aria-selected") === "true");
  if (tab === "lab") return labQuery();
  if (tab && QUERIED.includes(tab)) return queries[tab] || (asksFor(tab) ? null : `?tab=${tab}`);
  if (tab !== "watch" || !new URLSearchParams(window.location.search).has("tab")) return null;
  /** @type {any} */ (document.querySelector(".player-host"))?.player?.tell(); // its own address follows
  return "";
}

/** True where the address is that of a tab, and perhaps of a set-up that `setUp` has not been called for. */
const asksFor = (tab) => new URLSearchParams(window.location.search).get("tab") === tab;

/** The query of the section of the Lab that is seen. */
function labQuery() {
  /** @type {any[]} */
  const hosts = [...document.querySelectorAll(".lab-host")];
  return hosts.find((host) => host.getClientRects().length && host.lab)?.lab.query() ?? "?tab=lab";
}

for (const gesture of ["pointerup", "keyup", "change"])
  document.addEventListener(
    gesture,
    () => {
      touched = true;
      later();
    },
    { capture: true },
  );

new MutationObserver((changes) => {
  for (const { target } of changes) {
    if (!(target instanceof HTMLElement) || target.getAttribute("aria-selected") !== "true") continue;
    const line = target.closest("[role=tablist]");
    if (line) line.scrollLeft = target.offsetLeft - (line.clientWidth - target.offsetWidth) / 2;
  }
}).observe(document.documentElement, { subtree: true, attributes: true, attributeFilter: ["aria-selected"] });

const query = new URLSearchParams(window.location.search);
const tab = query.get("tab");
if (tab) openTab(tab, tab === "lab" ? `lab-${query.get("section") ?? ""}` : "");
