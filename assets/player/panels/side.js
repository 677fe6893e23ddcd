/**
 * The panel next to the stage: one view at a time, each behind a button of its own, and a button that makes it wider.
 *
 * Its place and size never change with what it says: a view that is longer scrolls inside it.
 */

import { element, pressButton } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

export class Side {
  /**
   * @param {[string, HTMLElement[]][]} views what each is called, by the key of its word, and what is in it
   * @param {(name: string) => void} opened called when a view has come into sight: what is out of sight has no width
   * @param {() => void} widened
   * @param {() => void} closed
   */
  constructor(views, opened, widened, closed) {
    this.opened = opened;
    /** @type {Map<string, {button: HTMLElement, view: HTMLElement}>} */
    this.views = new Map();
    const names = element("div", "sp-side-names", null, { role: "group", "aria-label": say("side_label") });
    this.root = element("aside", "sp-side", null, { "aria-label": say("side_label") }, [names]);
    views.forEach(([name, parts], i) => {
      const title = say("side_" + name + "_title");
      const button = pressButton("sp-side-name", say("side_" + name), () => this.open(name), {
        title,
        "data-view": name,
        "aria-keyshortcuts": i + 1,
      });
      const view = element(
        "section",
        "sp-side-view",
        null,
        { "aria-label": title, "data-view": name, tabindex: 0 },
        parts,
      );
      names.appendChild(button);
      this.root.appendChild(view);
      this.views.set(name, { button, view });
    });
    this.widen = pressButton("sp-side-widen", "⇔", widened, {
      title: say("widen"),
      "aria-label": say("widen"),
      "aria-pressed": "false",
      "aria-keyshortcuts": "W",
    });
    this.close = pressButton("sp-side-close", "✕", closed, {
      title: say("panel_close"),
      "aria-label": say("panel_close"),
      "aria-keyshortcuts": "I",
    });
    names.append(this.widen, this.close);
    this.shown = "";
    this.show(views[0][0]);
  }

  /** @param {string} name */
  open(name) {
    this.show(name);
    this.opened(name);
  }

  /** @param {string} wanted */
  show(wanted) {
    this.shown = wanted;
    this.views.forEach(({ button, view }, name) => {
      button.setAttribute("aria-pressed", String(name === wanted));
      view.hidden = name !== wanted;
    });
  }

  /** The view with this number, from 1. */
  openNumber(number) {
    const name = Array.from(this.views.keys())[number - 1];
    if (name) this.open(name);
  }

  /** Words of the button that widens the panel. */
  setWide(wide) {
    this.widen.setAttribute("aria-pressed", String(wide));
  }
}
