/** The state of a section as a link, and back: `?tab=lab&section=speed&...`. */

import { element, setText } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { chipButton } from "./editor.js";

/** The query of a section's state; lists become several values of one name. */
export function queryOf(section, state) {
  const query = new URLSearchParams({ tab: "lab", section });
  for (const [name, value] of Object.entries(state))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== null && each !== undefined) query.append(name, String(each));
  return "?" + query;
}

/** Query of the page's address for a section, or null where it is not about it. */
export function askedIn(section, address = window.location.search) {
  const query = new URLSearchParams(address);
  return query.get("tab") === "lab" && (query.get("section") || "acceptance") === section ? query : null;
}

/** A number of a query within its bounds, or its default. */
export function numberIn(query, name, low, high, otherwise) {
  const value = Number(query.get(name));
  return query.get(name) !== null && query.get(name) !== "" && Number.isFinite(value) && value >= low && value <= high
    ? value
    : otherwise;
}

/** A row of weights of a query, written "0.2,0.8"; null where it is none. */
export function rowIn(query, name) {
  const row = (query.get(name) || "").split(",").map(Number);
  return row.length >= 2 && row.length <= 8 && row.every((v) => Number.isFinite(v) && v >= 0) && row.some((v) => v > 0)
    ? row
    : null;
}

/** A number as short as it can be read back to 6 digits. */
export const brief = (value) => String(Number(Number(value).toPrecision(6)));

/** The button that copies the link, with its answer next to it. `query()` is asked when it is pressed. */
export function linkButton(query) {
  const status = element("p", "sp-quiet", null, { role: "status" });
  const copy = () => {
    const link = window.location.origin + window.location.pathname + query();
    const done = () => setText(status, say("copied"));
    const byHand = () => setText(status, say("copy_by_hand", { link }));
    if (navigator.clipboard) navigator.clipboard.writeText(link).then(done, byHand);
    else byHand();
  };
  return element("div", "lab-foot", [chipButton(say("link"), say("link"), copy, "lab-chip lab-link"), status]);
}
