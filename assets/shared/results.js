/**
 * A panel of results, a race's or a sweep's: it says what is to come until its first value.
 *
 *   class Race extends player.Results { constructor(host, wishes) { super(host, wishes, "race"); this.full.append(...) } }
 */

import { element, empty } from "./elements.js";
import { say } from "./words.js";

const NARROW = 700; // px of width below which the phone's layout applies

export class Results {
  /** Mounts one into a host element; a second call returns the same one. */
  static mount(host, wishes) {
    return (host.specResults = host.specResults || new this(host, wishes || {}));
  }

  /** `name` is what its class, spec-race, and its words, race_empty, are called after. */
  constructor(host, wishes, name) {
    this.wishes = wishes;
    this.value = null;
    this.empty = element("div", "sr-empty", null, {}, [element("p", "sp-waiting-title", say(name + "_empty")), element("p", "sp-quiet", say(name + "_empty_hint"))]);
    this.full = element("div", "sr-full", null, { hidden: "" });
    this.root = element("div", "spec-player spec-results spec-" + name, null, {}, [this.empty, this.full]);
    if (!host.closest(".gradio-container, gradio-app")) this.root.dataset.scheme = "auto";
    empty(host);
    host.appendChild(this.root);
    const measure = () => {
      const narrow = this.root.clientWidth > 0 && this.root.clientWidth < NARROW;
      if (narrow === this.root.classList.contains("sp-narrow")) return;
      this.root.classList.toggle("sp-narrow", narrow);
      this.rearrange();
    };
    if (window.ResizeObserver) new ResizeObserver(measure).observe(this.root);
    measure();
  }

  /** The phone's layout has begun or ended: what the style sheets cannot do about it. */
  rearrange() {}

  /** The first value is there. */
  begin() {
    this.empty.hidden = true;
    this.full.hidden = false;
  }
}

/** The head of a column: a button that sorts by it, the direction if it is sorted, and where its numbers come from. */
export function columnHead(column, { title, name, direction, first, attributes, sort }) {
  const button = element("button", "sr-sort", null, { type: "button", title: column.help || "", "aria-label": say("table_sort", { title: name }), ...attributes });
  const arrow = { ascending: "▲", descending: "▼" }[direction] || "";
  button.append(title, element("span", "sr-arrow", arrow, { "aria-hidden": "true" }));
  button.addEventListener("click", sort);
  const cell = element("th", first ? "sr-first" : "", null, { scope: "col", "aria-sort": direction }, [button]);
  if (column.kind) cell.append(element("span", "sr-kind sr-kind-" + column.kind, say("kind_" + column.kind)));
  return cell;
}
