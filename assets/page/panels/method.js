/**
 * The menu of methods: a button with the one that is chosen, and a list in families, each with a small picture.
 *
 * Its value is the method's id. Arrows, Home, End and letters move in the list, Enter or Space chooses, Escape closes.
 */

import { element, svg } from "../../shared/elements.js";
import { languageOf, phrase, say } from "../../shared/words.js";
import { follow } from "../panel.js";
import "../words.js";

/** What a family drafts, as lines between dots: the committed token at the left, what is drafted from it. */
const PICTURES = {
  plain: [
    [
      [4, 11],
      [14, 11],
    ],
  ],
  chain: [
    [
      [4, 11],
      [14, 11],
      [24, 11],
      [34, 11],
    ],
  ],
  chains: [
    [
      [4, 11],
      [14, 4],
      [24, 4],
      [34, 4],
    ],
    [
      [4, 11],
      [14, 11],
      [24, 11],
      [34, 11],
    ],
    [
      [4, 11],
      [14, 18],
      [24, 18],
      [34, 18],
    ],
  ],
  tree: [
    [
      [4, 11],
      [14, 6],
      [24, 3],
      [34, 3],
    ],
    [
      [14, 6],
      [24, 9],
      [34, 9],
    ],
    [
      [4, 11],
      [14, 17],
      [24, 15],
      [34, 15],
    ],
    [
      [14, 17],
      [24, 20],
    ],
  ],
  beams: [
    [
      [4, 4],
      [14, 4],
      [24, 11],
      [34, 4],
    ],
    [
      [4, 11],
      [14, 11],
      [24, 4],
      [34, 11],
    ],
    [
      [4, 18],
      [14, 18],
      [24, 18],
      [34, 18],
    ],
  ],
  lossy: [
    [
      [4, 11],
      [14, 11],
      [24, 11],
    ],
    [
      [30, 11],
      [38, 11],
    ],
  ],
};

/** @param {import("../panel.js").Panel} panel */
export function mount(panel, { families }) {
  const { element: part, props, trigger } = panel;
  const host = part.querySelector(".method-host");
  const all = families.flatMap((family) => family.methods.map((method) => ({ ...method, family: family.id })));
  const list = element("div", "method-list", null, {
    id: "method-list",
    role: "listbox",
    "aria-label": say("methods_label"),
    popover: "auto",
  });
  const button = element("button", "method-button", null, {
    type: "button",
    role: "combobox",
    "aria-label": say("method_label"),
    "aria-haspopup": "listbox",
    "aria-controls": list.id,
    "aria-expanded": "false",
    popovertarget: list.id,
  });
  const columns = list.appendChild(element("div", "method-columns"));
  const items = families.flatMap((family) => {
    const options = family.methods.map(item);
    const title = phrase(`family.${family.id}`, family.title);
    columns.append(
      element("div", "method-family", null, { role: "group", "aria-label": title }, [
        element("div", "method-family-title", null, { "aria-hidden": "true" }, [
          picture(family.id),
          element("span", "", title),
        ]),
        ...options,
      ]),
    );
    return options;
  });
  host.append(button, list);

  function item({ id, title, summary, mark }) {
    const head = element("span", "method-title", title);
    if (mark) head.append(element("span", "spec-badge method-mark", mark));
    const key = `method.${id}`;
    const told = phrase(key, summary);
    const option = element(
      "div",
      "method-item",
      null,
      { role: "option", tabindex: -1, "data-method": id, "aria-label": title, "aria-description": told },
      [head, element("span", "method-summary", told, languageOf(key))],
    );
    option.addEventListener("click", () => choose(id));
    return option;
  }

  function show(id) {
    const chosen = all.find((method) => method.id === id);
    button.replaceChildren(
      picture(chosen?.family ?? "plain"),
      element("span", "method-chosen", chosen?.title ?? String(id)),
      element("span", "method-arrow", "▾", { "aria-hidden": "true" }),
    );
    button.title = chosen ? phrase(`method.${id}`, chosen.summary) : "";
    for (const each of items) each.setAttribute("aria-selected", String(each.dataset.method === id));
  }

  function choose(id) {
    list.hidePopover();
    button.focus({ preventScroll: true });
    props.value = id;
    show(id);
    trigger("chosen", { method: id });
  }

  list.addEventListener("toggle", (event) => {
    const open = /** @type {ToggleEvent} */ (event).newState === "open";
    button.setAttribute("aria-expanded", String(open));
    if (open) (items.find((each) => each.dataset.method === props.value) ?? items[0]).focus();
  });
  list.addEventListener("beforetoggle", () => {
    const box = button.getBoundingClientRect();
    list.style.top = `${box.bottom + 4}px`;
    list.style.left = `${Math.max(8, Math.min(box.left, 16))}px`;
  });
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return; // the browser's
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const starts = (each) => (each.getAttribute("aria-label") || "").toLowerCase().startsWith(event.key.toLowerCase());
    /** @type {Record<string, number>} */
    const keys = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    if ((event.key === "Enter" || event.key === " ") && at >= 0) choose(items[at].dataset.method);
    else if (event.key in keys) items[Math.max(0, Math.min(items.length - 1, keys[event.key]))].focus();
    else if (event.key.length === 1) (items.slice(at + 1).find(starts) ?? items.find(starts))?.focus();
    else return;
    event.preventDefault();
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    list.showPopover();
  });
  follow(panel, show);
}

function picture(family) {
  const lines = PICTURES[family] || PICTURES.chain;
  const path = lines.map((points) => "M" + points.map((point) => point.join(" ")).join("L")).join("");
  const dots = lines
    .flat()
    .map(([cx, cy]) => svg("circle", cx === 4 ? "method-root" : "", null, { cx, cy, r: cx === 4 ? 3 : 2.3 }));
  return svg("svg", "method-picture", null, { viewBox: "0 0 40 22", width: 40, height: 22, "aria-hidden": "true" }, [
    svg("path", "", null, { d: path }),
    ...dots,
  ]);
}
