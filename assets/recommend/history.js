/**
 * What a user has bought, in order: items that can be taken away, and a field that finds others by their names.
 *
 * The value is {items: [ids], names: {id: name}}; the catalogue, [[id, name]], is fetched when the field is first used.
 */

import { element, empty, pressButton, setText } from "../shared/elements.js";
import { say } from "../shared/words.js";

let numFields = 0; // fields, for ids of their own

export class History {
  /**
   * @param {HTMLElement} host
   * @param {{read: number, catalogue: () => Promise<[number, string][]>, changed: (value: object) => void}} wishes
   *   read: how many of the last items the models read
   */
  constructor(host, { read, catalogue, changed }) {
    this.read = read;
    this.changed = changed;
    /** @type {import("../page/messages.js").History} */
    this.value = { items: [], names: {} };
    /** @type {Map<string, number>} */
    this.ids = new Map();
    this.chips = element("ol", "rec-chips");
    const offered = element("datalist", "", null, { id: `rec-catalogue-${++numFields}` });
    this.find = element("input", "rec-find", null, {
      type: "text",
      list: offered.id,
      maxlength: 200,
      placeholder: say("history_find"),
      "aria-label": say("history_find_hint"),
      autocomplete: "off",
    });
    this.find.addEventListener("focus", () => this.fetch(catalogue, offered), { once: true });
    this.find.addEventListener("input", () => this.found());
    this.clear = pressButton("rec-clear", say("history_clear"), () => this.set([]));
    this.names = element("span", "sp-quiet");
    const head = element("summary", "", [element("strong", "rec-label", say("history_bought") + " "), this.names]);
    const fields = element("div", "rec-fields", [this.chips, this.find, offered, this.clear]);
    this.root = element("details", "spec-player rec-history", [head, fields]);
    host.replaceChildren(this.root);
  }

  async fetch(catalogue, offered) {
    const items = await catalogue();
    this.ids = new Map(items.map(([id, name]) => [name, id]));
    offered.replaceChildren(...items.map(([, name]) => element("option", "", null, { value: name })));
    this.found();
  }

  /** A whole name is in the field, chosen or written. */
  found() {
    const id = this.ids.get(this.find.value);
    if (id === undefined) return;
    this.add({ id, name: this.find.value });
    this.find.value = "";
  }

  /** @param {import("../page/messages.js").ItemName} item */
  add({ id, name }) {
    this.value = { ...this.value, names: { ...this.value.names, [id]: name } };
    this.set([...this.value.items.filter((item) => item !== id), id]);
  }

  /** @param {number[]} items */
  set(items) {
    this.changed({ items, names: this.value.names });
  }

  show(value) {
    this.value = { items: [], names: {}, ...value };
    const { items, names } = this.value;
    const held = Array.from(this.chips.children).findIndex((chip) => chip.contains(document.activeElement));
    const isHeld = held >= 0 || (!items.length && document.activeElement === this.clear);
    empty(this.chips);
    setText(this.names, items.map((item) => names[item] ?? String(item)).join(" · "));
    if (!isHeld && !this.root.contains(document.activeElement)) this.root.open = !items.length;
    items.forEach((item, place) =>
      this.chips.append(this.chip(item, names[item] ?? String(item), items.length - place > this.read)),
    );
    if (!items.length) this.chips.append(element("li", "sp-quiet", say("history_empty")));
    this.clear.hidden = !items.length;
    this.chips.scrollLeft = this.chips.scrollWidth; // the last ones count most
    if (!isHeld) return;
    const left = /** @type {NodeListOf<HTMLElement>} */ (this.chips.querySelectorAll(".rec-remove"));
    (left[Math.min(held, left.length - 1)] ?? this.find).focus(); // what had the focus is gone
  }

  chip(item, name, unread) {
    const remove = pressButton("rec-remove", "✕", () => this.set(this.value.items.filter((other) => other !== item)), {
      "aria-label": say("history_remove", { name }),
    });
    const title = unread ? say("history_unread", { count: this.read }) : name;
    return element("li", "rec-chip" + (unread ? " rec-unread" : ""), null, { title }, [
      element("span", "", name),
      remove,
    ]);
  }
}
