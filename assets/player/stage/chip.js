/**
 * One token on the stage: a chip with its text, the bars of p and q, and a badge for its state.
 *
 * A chip is made once per node and then only told what changed. It knows nothing of where it stands.
 */

import { empty, setAttribute, setText, svg } from "../../shared/elements.js";
import { makeBadge, outline, setBadge } from "./glyphs.js";

const BAR = 4; // height of a probability bar

export class Chip {
  constructor(node) {
    this.node = node;
    this.root = svg("g", "sp-node", null, { "data-key": node.key, "data-id": node.id });
    this.shape = this.root.appendChild(svg("path", "sp-shape"));
    this.text = this.root.appendChild(svg("text", "sp-piece", null, { "dominant-baseline": "central" }));
    this.bars = null;
    this.badge = null;
    this.times = null;
    this.rank = null;
    this.drawn = "";
  }

  /**
X Redraws only when something differs from last time.
   */
  show(view) {
    const { density, state } = view;
    const signature = JSON.stringify(view);
    if (signature === this.drawn) return;
    this.drawn = signature;
    const dot = density.name === "dots" && !view.trunk && !view.named;
    const classes = ["sp-node", "sp-is-" + state, "sp-density-" + density.name];
    if (view.trunk) classes.push("sp-trunk");
    if (view.frontier) classes.push("sp-frontier");
    if (view.asked) classes.push("sp-asked");
    if (view.faded) classes.push("sp-faded");
    if (dot) classes.push("sp-dot");
    setAttribute(this.root, "class", classes.join(" "));

    const width = view.width;
    const height = dot ? 2 * view.radius : density.chip;
    setAttribute(this.shape, "d", outline(dot ? "bonus" : state, width, height));
    this.showText(dot ? "" : view.label, width, density);
    this.showBars(view, dot, width);
    this.showBadge(view, dot);
    this.showTimes(view, dot, width);
    this.showRank(view);
  }

  showText(label, width, density) {
    setAttribute(this.text, "x", width / 2);
    setAttribute(this.text, "font-size", density.font);
    if (this.label === label) return;
    this.label = label;
    empty(this.text);
    // The marks of white space are quieter than the token, so the label is cut at them.
    for (const part of label.split(/([·⏎␍⇥∅]+)/)) {
      if (part === "") continue;
      this.text.appendChild(svg("tspan", /[·⏎␍⇥∅]/.test(part) ? "sp-mark" : "", part));
    }
  }

  showBars(view, dot, width) {
    const wanted = !view.trunk && !dot && (view.p !== null || view.q !== null);
    if (!wanted) {
      if (this.bars) this.bars.remove();
      this.bars = null;
      return;
    }
    if (!this.bars) {
      this.bars = this.root.appendChild(svg("g", "sp-bars"));
      for (const name of ["sp-track", "sp-bar-p", "sp-track", "sp-bar-q"])
        this.bars.appendChild(svg("rect", name, null, { rx: BAR / 2, height: BAR }));
    }
    const compact = view.density.name !== "full";
    const inset = compact ? 3 : 4;
    const room = width - 2 * inset;
    const tall = compact ? 2 : BAR;
    const first = view.density.chip / 2 + (compact ? 2 : 3.5);
    const [trackP, barP, trackQ, barQ] = /** @type {Iterable<SVGElement>} */ (/** @type {unknown} */ (this.bars.children));
    [trackP, barP, trackQ, barQ].forEach((bar, i) => {
      setAttribute(bar, "x", inset);
      setAttribute(bar, "y", first + (i < 2 ? 0 : tall + (compact ? 0.8 : 1.5)));
      setAttribute(bar, "height", tall);
    });
    trackQ.style.display = view.q === null ? "none" : ""; // a token nobody drafted has no q
    for (const track of [trackP, trackQ]) setAttribute(track, "width", room);
    setAttribute(barP, "width", Math.round(10 * room * (view.p || 0)) / 10);
    setAttribute(barQ, "width", Math.round(10 * room * (view.q || 0)) / 10);
  }

  showBadge(view, dot) {
    const wanted = !dot && !view.trunk && view.state !== "scored";
    if (!wanted) {
      if (this.badge) this.badge.remove();
      this.badge = null;
      return;
    }
    if (!this.badge) this.badge = this.root.appendChild(makeBadge(view.state));
    else setBadge(this.badge, view.state);
    const compact = view.density.name !== "full";
    setAttribute(this.badge, "transform", compact ? `translate(0 ${-view.density.chip / 2 + 1})scale(.68)` : `translate(1 ${-view.density.chip / 2})`);
  }

  showTimes(view, dot, width) {
    const wanted = view.draws > 1 && !dot && (!view.trunk || view.frontier);
    if (!wanted) {
      if (this.times) this.times.remove();
      this.times = null;
      return;
    }
    if (!this.times) this.times = this.root.appendChild(svg("text", "sp-times", null, { "text-anchor": "middle" }));
    setText(this.times, "×" + view.draws);
    setAttribute(this.times, "x", width - 1);
    setAttribute(this.times, "y", -view.density.chip / 2 + 2);
    setAttribute(this.times, "font-size", view.density.name === "full" ? 11 : 9);
  }

  /** With several beams each one's rank, so that the trees of a forest can be told apart. */
  showRank(view) {
    if (!view.rank) {
      if (this.rank) this.rank.remove();
      this.rank = null;
      return;
    }
    if (!this.rank) this.rank = this.root.appendChild(svg("text", "sp-rank", null, { "text-anchor": "middle" }));
    setText(this.rank, "#" + view.rank);
    setAttribute(this.rank, "x", 5);
    setAttribute(this.rank, "y", -view.density.chip / 2 - 3);
    setAttribute(this.rank, "font-size", view.density.name === "full" ? 11 : 10);
  }
}
