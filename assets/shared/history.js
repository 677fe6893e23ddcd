/**
 * The browser's history of the page: an entry for each tab, section of the Lab and lesson, so that Back and Forward lead
 * through them. Whatever else changes there changes the address of its entry.
 */

export const FIRST_SECTION = "acceptance"; // of the Lab, where its address names none

/** The tab, section and lesson that an address names. @param {{search: string, hash: string}} address */
export function entryOf({ search, hash }) {
  const [query, fragment] = [search, hash.replace(/^#/, "")].map((words) => new URLSearchParams(words));
  const tab = query.get("tab") || "watch";
  const section = tab === "lab" ? query.get("section") || FIRST_SECTION : "";
  return [tab, section, query.get("lesson") ?? fragment.get("lesson") ?? ""].join("/");
}

/** Gives the page an address: a new entry where it names another place than the present one. @param {string} address */
export function enter(address) {
  const { location, history } = window;
  const next = new URL(address, location.href);
  if (next.href === location.href) return;
  if (entryOf(next) === entryOf(location)) history.replaceState(history.state, "", next.href);
  else history.pushState(null, "", next.href);
}
