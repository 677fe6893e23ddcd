/**
 * The menu of methods: a button with the one that is chosen, and a list in families, each method with a bar of its
 * speed-up. What the one pointed at does is said below the list.
 *
 * Arrows, Home, End and letters move in the list, Enter or Space chooses, Escape closes.
 */

import { element } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { languageOf, phrase, say } from "../../shared/words.js";
import { picture } from "./pictures.js";

const LIST = "method-list";
const GAP = 4; // pixels between the button and its list
const SEEN = { "aria-hidden": "true" }; // as the description of its item says it

const [LEAST, OCTAVES] = [0.25, 5]; // the scale of the bars: from a quarter of plain decoding's speed to eight times

/** @typedef {{median: number, low: number, high: number}} SpeedUp
 *  @typedef {{id: string, title: string, full_name?: string, summary: string, paper?: string, mark: string,
 *    speed_up: SpeedUp | null}} Method
 *  @typedef {{id: string, title: string, methods: Method[]}} Family */

export class MethodMenu {
  /**
   * @param {Family[]} families
   * @param {(id: string) => void} chosen
   */
  constructor(families, chosen) {
    this.chosen = chosen;
    this.methods = new Map(
      families.flatMap((family) => family.methods.map((method) => [method.id, { ...method, family: family.id }])),
    );
    /** @type {string} */
    this.id = "";
    this.items = [...this.methods.values()].map((method) => this.item(method));
    this.button = menuButton();
    this.list = element("div", "method-list", null, {
      id: LIST,
      role: "listbox",
      "aria-label": say("methods_label"),
      popover: "auto",
    });
    const byFamily = families.map((family) => this.family(family));
    this.about = element("p", "method-about", say("methods_bars"), SEEN);
    this.list.append(element("div", "method-columns", byFamily), this.about);
    this.listen();
  }

  /** @param {Method} method */
  item({ id, title, full_name, summary, paper, mark, speed_up: speedUp }) {
    const key = `method.${id}`;
    const head = element("span", "method-title", title);
    if (mark) head.append(element("span", "spec-badge method-mark", mark));
    const attributes = { role: "option", tabindex: -1, "data-method": id };
    const ratio = speedUp ? decimal(speedUp.median, 1) + "×" : "";
    const described = [ratio, full_name, phrase(key, summary), paper].filter(Boolean).join(" ");
    const item = element("div", "method-item", null, { ...attributes, "aria-description": described }, [
      head,
      ...(speedUp ? [bar(speedUp), element("b", "", ratio, SEEN)] : []),
    ]);
    const tell = () => {
      this.about.replaceChildren(
        element("b", "", full_name ?? title),
        element("span", "", ` ${phrase(key, summary)} `, languageOf(key)),
        element("i", "", paper ?? "", { lang: "en" }),
      );
    };
    for (const event of ["focus", "pointerenter"]) item.addEventListener(event, tell);
    item.addEventListener("click", () => this.choose(id));
    return item;
  }

  /** @param {Family} family */
  family({ id, title, methods }) {
    const name = phrase(`family.${id}`, title);
    const head = element("div", "method-family-title", null, { "aria-hidden": "true" }, [
      picture(id),
      element("span", "", name),
    ]);
    const items = this.items.filter(({ dataset }) => methods.some((method) => method.id === dataset.method));
    return element("div", "method-family", null, { role: "group", "aria-label": name }, [head, ...items]);
  }

  listen() {
    const { button, list } = this;
    button.addEventListener("blur", () => delete button.dataset.chosen);
    // as in Firefox the press that follows a key is made when it is let go
    button.addEventListener("keyup", (event) => {
      if (event.key === " " && "chosen" in button.dataset) event.preventDefault();
    });
    list.addEventListener("toggle", (event) => this.toggled(/** @type {ToggleEvent} */ (event).newState === "open"));
    list.addEventListener("beforetoggle", () => this.place());
    list.addEventListener("keydown", (event) => this.pressInList(event));
    button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      list.showPopover();
    });
  }

  /** The button shows this method, chosen by the reader or not. @param {string} id */
  show = (id) => {
    this.id = id;
    const method = this.methods.get(id);
    this.button.replaceChildren(
      picture(method?.family ?? "nothing"),
      element("span", "method-chosen", method?.title ?? String(id)),
      element("span", "method-arrow", "▾", { "aria-hidden": "true" }),
    );
    this.button.title = method ? phrase(`method.${id}`, method.summary) : "";
    for (const each of this.items) each.setAttribute("aria-selected", String(each.dataset.method === id));
  };

  /** A reader chooses. @param {string} id */
  choose(id) {
    this.list.hidePopover();
    this.button.focus({ preventScroll: true });
    this.button.dataset.chosen = ""; // until it loses the focus, Space plays
    this.show(id);
    this.chosen(id);
  }

  /** The list has been opened or closed. */
  toggled(isOpen) {
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) (this.items.find((each) => each.dataset.method === this.id) ?? this.items[0]).focus();
  }

  /** Place the list below its button. */
  place() {
    const box = this.button.getBoundingClientRect();
    this.list.style.top = `${box.bottom + GAP}px`;
    this.list.style.left = `${Math.max(8, Math.min(box.left, 16))}px`;
  }

  /** @param {KeyboardEvent} event */
  pressInList(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return; // the browser's
    const at = this.items.indexOf(/** @type {any} */ (document.activeElement));
    const next = itemFor(event.key, at, [...this.methods.values()]);
    if ((event.key === "Enter" || event.key === " ") && at >= 0) this.choose(String(this.items[at].dataset.method));
    else if (next === null) return;
    else this.items[next]?.focus();
    event.preventDefault();
  }
}

/** A bar from plain decoding's speed to that of a method, and the range of its turns. @param {SpeedUp} speedUp */
function bar({ median, low, high }) {
  const at = (ratio) => (100 * Math.max(0, Math.min(OCTAVES, Math.log2(ratio / LEAST)))) / OCTAVES;
  const span = (from, to) => `left: ${Math.min(from, to)}%; width: ${Math.abs(to - from)}%`;
  return element("span", `method-bar ${median < 1 ? "method-slow" : ""}`, null, SEEN, [
    element("i", "method-ratio", "", { style: span(at(1), at(median)) }),
    element("i", "method-range", "", { style: span(at(low), at(high)) }),
    element("i", "method-even", "", { style: `left: ${at(1)}%` }),
  ]);
}

function menuButton() {
  return element("button", "method-button", null, {
    type: "button",
    role: "combobox",
    "aria-label": say("method_label"),
    "aria-haspopup": "listbox",
    "aria-controls": LIST,
    "aria-expanded": "false",
    popovertarget: LIST,
  });
}

/**
 * The index of the item that a key leads to, from the one at an index: by a letter the next whose title begins with
 * it, around the end, -1 where none does. Null for a key that means nothing here.
 *
 * @param {string} key
 * @param {number} at
 * @param {{title: string}[]} items
 */
export function itemFor(key, at, items) {
  /** @type {Record<string, number>} */
  const indices = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
  if (key in indices) return Math.max(0, Math.min(items.length - 1, indices[key]));
  if (key.length !== 1) return null;
  const starts = ({ title }) => title.toLowerCase().startsWith(key.toLowerCase());
  const after = items.slice(at + 1).findIndex(starts);
  return after >= 0 ? at + 1 + after : items.findIndex(starts);
}
