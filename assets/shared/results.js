/**
 * A panel of results, a race's or a sweep's: it says what is to come until its first value.
 *
 *   class Race extends player.Results {
 *     constructor(host, wishes) { super(host, wishes, "race"); this.full.append(...) }
 *   }
 */

import { element, empty } from "./elements.js";
import { say } from "./words.js";

const NARROW = 700; // px of width below which the phone's layout applies

export class Results {
  /** Mounts one into a host element; a second call returns the same one. @param {any} host @param {any} wishes */
  static mount(host, wishes) {
    return (host.specResults = host.specResults || new this(host, wishes || {}));
  }

  /**
   * `name` is what its class, spec-race, and its words, race_empty, are called after.
   * @param {Element} host
   * @param {any} wishes
   * @param {string} [name]
   */
  constructor(host, wishes, name) {
    this.wishes = wishes;
    this.value = null;
    this.empty = element("div", "sr-empty", [
      element("p", "sp-waiting-title", say(name + "_empty")),
      element("p", "sp-quiet", say(name + "_empty_hint")),
    ]);
    this.full = element("div", "sr-full", null, { hidden: "" });
    this.root = element("div", "spec-player spec-results spec-" + name, [this.empty, this.full]);
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
