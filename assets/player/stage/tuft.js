/**
 * A tuft on the stage: one small chip, "+38 · 40", for the folded nodes below a node, depth by depth. It is a button,
 * also to the keyboard.
 */

import { setAttribute, setText, svg } from "../../shared/elements.js";
import { outline } from "./glyphs.js";

const BEHIND = [5, 2.5]; // px that the sheets behind the chip stick out

export class Tuft {
  /** @param {number} parent */
  constructor(parent) {
    this.root = svg("g", "sp-tuft", null, { "data-parent": parent, tabindex: 0, role: "button" });
    this.sheets = BEHIND.map(() => this.root.appendChild(svg("path", "sp-shape")));
    this.shape = this.root.appendChild(svg("path", "sp-shape"));
    this.text = this.root.appendChild(svg("text", "sp-piece", null, { "dominant-baseline": "central" }));
  }

  /**
   * @param {{density: import("./chip.js").Density, width: number, label: string, names: string, opened: boolean,
   *   faded: boolean}} view
   */
  show({ density, width, label, names, opened, faded }) {
    setAttribute(this.root, "class", "sp-tuft" + (opened ? " sp-opened" : "") + (faded ? " sp-faded" : ""));
    setAttribute(this.root, "aria-label", names);
    setAttribute(this.root, "aria-expanded", opened);
    const height = density.chip - 2;
    const space = width - BEHIND[0];
    this.sheets.forEach((sheet, i) => {
      setAttribute(sheet, "d", outline("bonus", space, height - BEHIND[i]));
      setAttribute(sheet, "transform", `translate(${BEHIND[i]} 0)`);
    });
    setAttribute(this.shape, "d", outline("bonus", space, height));
    setAttribute(this.text, "x", space / 2);
    setAttribute(this.text, "font-size", density.font);
    setText(this.text, label);
  }
}
