/** A list of recommended items next to what was bought next. */

import { element } from "../shared/elements.js";
import { phrase, say } from "../shared/words.js";

/**
 * @typedef {import("../page/messages.js").ListedItem} ListedItem
 * @typedef {import("../page/messages.js").ItemName} ItemName
 */

/**
 * @param {import("../page/messages.js").RecommendedList} list
 * @param {ItemName[]} next
 */
export function recommended({ title, items }, next) {
  const head = say(items.length === 1 ? "rec_list_one" : "rec_list", { title, count: items.length });
  return element("section", "rec-list", null, { "aria-label": head }, [
    element("h2", "sp-panel-title", head),
    element("ol", "", null, { tabindex: 0, "aria-label": head }, items.map(line)),
    outcome(items, next),
  ]);
}

/** @param {ListedItem} item */
function line(item) {
  const facts = [
    phrase(`shop.${item.about}`, item.about),
    say("rec_score", { value: item.log_prob.toFixed(2).replace("-", "−") }),
  ]
    .filter(Boolean)
    .join(" · ");
  const name = element("div", "rec-name", item.name);
  if (item.hit) name.append(" ", element("span", "rec-hit", "✓ " + say("rec_bought")));
  return element("li", item.hit ? "rec-is-hit" : "", [element("div", "", [name, element("div", "sp-quiet", facts)])]);
}

/**
 * The item that the user bought next, and its rank in the list where the list has it.
 * @param {ListedItem[]} items
 * @param {ItemName[]} next
 */
function outcome(items, next) {
  if (!next.length) return element("p", "rec-next sp-quiet", say("rec_next_unknown"));
  const rank = items.findIndex((item) => item.id === next[0].id);
  const sentence = rank < 0 ? say("rec_miss") : say("rec_hit", { place: rank + 1 });
  const more = next.length > 1 ? ` (${say("rec_more", { count: next.length - 1 })})` : "";
  return element("p", "rec-next", [
    element("strong", "", say("rec_next")),
    element("span", "", " " + next[0].name + more + ": "),
    element("span", rank < 0 ? "rec-miss" : "rec-hit", (rank < 0 ? "✗ " : "✓ ") + sentence),
  ]);
}
