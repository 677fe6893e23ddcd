/** Note on an empty stage: there is no run yet, or one is on its way. */

import { element, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

export class Waiting {
  constructor() {
    this.title = element("p", "sp-waiting-title");
    this.hint = element("p", "sp-quiet");
    this.root = element("div", "sp-waiting", [this.title, this.hint]);
    this.expected = false; // whether a run was asked for that has not begun
  }

  /** @param {"empty" | "waiting" | "expected" | "opening"} why */
  tell(why) {
    setText(this.title, say(why));
    setText(this.hint, say(why + "_hint"));
  }

  /** State of the requested run, in place of the hint. */
  hear(text) {
    if (this.expected && text) setText(this.hint, text);
  }

  /** @param {boolean} nothing whether there is no step to be shown */
  show(nothing) {
    this.root.hidden = !nothing && !this.expected;
  }
}
