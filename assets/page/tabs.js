/**
 * The tabs. The one that an address asks for is opened here: asked to turn a page's tabs, even to none, Gradio copies
 * the values of all that is in them. The one that is open is in sight where they are wider than the page. The page's
 * address follows it and its set-up, once the reader has touched the page, and each is an entry of the browser's
 * history; Watch has an address of its own, of a moment: see player/moment/address.js.
 */

import { spoken } from "../languages/language.js";
import { enter, FIRST_SECTION, entryOf } from "../shared/history.js";

const SETTLED_MS = 250;
const QUERIED = ["compare", "sweep", "papers", "recommend", "learn"]; // whose set-up is told by `setUp`, if it is
/** The views of Compare, each a tab of its own in an address. @type {Record<string, string>} */
const VIEWS = { compare: "compare-race", sweep: "compare-sweep", papers: "compare-papers" };

/** @type {Record<string, string>} the set-up of a tab as a query, as the server writes it */
const queries = {};
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let touched = false;
const asked = new URLSearchParams(window.location.search).get("tab") ?? "";
/** The tab that uncovers the page: the first view of Compare is open as soon as Compare is. */
const opening = asked === "compare" ? asked : (VIEWS[asked] ?? asked);
/** @type {string | null} where Back or Forward lead, until it is shown */
let sought = null;
/** @type {[string, string][]} what is to be opened, outermost first: the element of some tabs, and one of them */
let wanted = [];
const laidOut = new MutationObserver(turn);

/** Open a tab, and perhaps a section of it: as soon as they are there. One that is not offered changes nothing. */
export function openTab(tab, section = "") {
  wanted = [["tabs", tab]];
  if (section) wanted.push([`${tab}-sections`, section]);
  laidOut.observe(document.documentElement, { subtree: true, childList: true });
  turn();
}

function turn() {
  for (; wanted.length; wanted.shift()) {
    const [name, tab] = wanted[0];
    if (!document.querySelector(`#${name} [role=tab]`)) return;
    const button = buttonOf(tab);
    if (button) button.click();
    else uncover(); // it is not offered
  }
  laidOut.disconnect();
}

/** Gradio gives the button of a tab its element's id with this at the end. @param {string} tab */
const buttonOf = (tab) => document.getElementById(`tab-${tab}-button`);

/** @param {string} tab */
const isOpen = (tab) => buttonOf(tab)?.getAttribute("aria-selected") === "true";

/** A tab is set up otherwise; no query where no link leads to it. */
export function setUp(tab, query) {
  queries[tab] = query;
  later();
}

/** Looks at the address again once nothing has changed for a moment. */
export function later() {
  clearTimeout(timer);
  timer = setTimeout(follow, SETTLED_MS);
}

function follow() {
  const here = touched ? queryHere() : null;
  if (here === null) return;
  const address = new URL(spoken(window.location.origin + window.location.pathname + here));
  if (sought !== null && sought !== entryOf(address)) return;
  sought = null;
  enter(address.href);
}

/** Shows the tabs, which the page's head covers where a link leads to one: Gradio opens on Watch first. */
function uncover() {
  document.documentElement.classList.remove("tab-opening");
}

/** The tab that is open, in Compare the view. */
function openHere() {
  const tab = ["watch", "lab", ...QUERIED].find(isOpen);
  return tab === "compare" ? (Object.keys(VIEWS).find((each) => isOpen(VIEWS[each])) ?? tab) : tab;
}

/** The words of the address of the tab that is open; null where its address is not ours, or is right. */
function queryHere() {
  const tab = openHere();
  if (tab === "lab") return labQuery();
  if (tab && QUERIED.includes(tab)) return queries[tab] || (asksFor(tab) ? null : `?tab=${tab}`);
  if (tab !== "watch" || (new URLSearchParams(window.location.search).get("tab") ?? "watch") === "watch") return null;
  return /** @type {any} */ (document.querySelector(".player-host"))?.panel?.address.words() ?? "";
}

/** True where the address is that of a tab, and perhaps of a set-up that `setUp` has not been called for. */
const asksFor = (tab) => new URLSearchParams(window.location.search).get("tab") === tab;

/** The query of the section of the Lab that is open. */
function labQuery() {
  const open = document.querySelector("#lab-sections [role=tab][aria-selected=true]");
  const section = open?.id.match(/^tab-lab-(.+)-button$/)?.[1] ?? FIRST_SECTION;
  const host = /** @type {any} */ (document.querySelector(`#lab-${section}-panel .lab-host`));
  return host?.lab?.query() ?? `?tab=lab&section=${section}`;
}

/** Back and Forward open the tab of their entry; what else it tells, its panel reads. */
window.addEventListener("popstate", () => {
  sought = entryOf(window.location);
  openFrom(window.location.search, "watch");
  later();
});

for (const gesture of ["pointerdown", "keydown"])
  document.addEventListener(
    gesture,
    () => {
      touched = true;
      sought = null;
    },
    { capture: true },
  );

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
    if (target === buttonOf(opening)) uncover();
    const line = target.closest("[role=tablist]");
    if (line) line.scrollLeft = target.offsetLeft - (line.clientWidth - target.offsetWidth) / 2;
    if (line && sought === null) follow(); // at once, as Back may come before the address has settled
  }
}).observe(document.documentElement, { subtree: true, attributes: true, attributeFilter: ["aria-selected"] });

/** Opens the tab that a query names, and its section or view. @param {string} search @param {string} otherwise */
export function openFrom(search, otherwise = "") {
  const query = new URLSearchParams(search);
  const tab = query.get("tab") || otherwise;
  if (Object.hasOwn(VIEWS, tab)) openTab("compare", VIEWS[tab]);
  else if (tab) openTab(tab, tab === "lab" ? `lab-${query.get("section") || FIRST_SECTION}` : "");
}

openFrom(window.location.search);
