/**
 * The studio: a stage of its own, out of sight, on which a picture or a film is taken while the reader's stays.
 *
 * It has one size on every screen, so that a phone takes the same picture as a desk, and the theme of the page.
 */

import { element } from "../../shared/elements.js";
import { legend } from "../stage/legend.js";
import { Tree } from "../stage/tree.js";
import { Paint } from "./paint.js";

export class Studio {
  /**
   * @param {any} player whose run it shows
   * @param {{width: number, height: number}} room
   */
  constructor(player, room) {
    this.player = player;
    this.tree = new Tree({ point: () => {}, pick: () => {} });
    this.legend = legend();
    this.page = element("i", "sp-studio-page");
    this.root = element("div", "spec-player sp-studio", null, { "aria-hidden": "true", inert: "" }, [
      this.tree.root,
      this.legend,
      this.page,
    ]);
    if (player.root.dataset.scheme) this.root.dataset.scheme = player.root.dataset.scheme;
    player.host.appendChild(this.root);
    this.paint = new Paint();
    this.room = room;
    this.resize(room);
  }

  resize({ width, height }) {
    this.room = { width, height };
    Object.assign(this.tree.root.style, { width: width + "px", height: height + "px" });
    this.tree.resize(width, height);
  }

  /** A step as it ends. `kept` is the token that the reader keeps, if any. */
  pose(step, kept = null) {
    this.tree.show(this.player.trace, step, 0);
    this.tree.highlight(kept);
    this.tree.motion.go(0);
  }

  /** A step begins; `draw` then shows how far it has come, from 0 to 1. */
  begin(step) {
    this.tree.show(this.player.trace, step, 1e6);
    this.tree.motion.stop();
  }

  draw(share) {
    this.tree.motion.draw(share);
  }

  /** The colours of the sheet around the stage. */
  colours() {
    const style = getComputedStyle(this.page);
    const of = (value) => this.paint.colour(value);
    return {
      page: of(style.backgroundColor),
      ink: of(style.color),
      quiet: of(style.borderTopColor),
      ground: of(getComputedStyle(this.tree.root).backgroundColor),
    };
  }

  remove() {
    this.tree.remove();
    this.root.remove();
  }
}
