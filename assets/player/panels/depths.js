/**
 * Acceptance by depth of the draft tree, next to it: a row a depth, whose bar and counts grow with the rounds. The line
 * on a bar is its 95 % interval, the stroke the mean overlap of p and q.
 */

import { element, setText } from "../../shared/elements.js";
import { percent } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { acceptanceByDepth, intervalOf, overlapOf, rateOf, triesOf } from "../trace/by_depth.js";

export class Depths {
  constructor() {
    this.rows = element("ol", "sp-depths-rows");
    const title = element("h3", "sp-depths-title", say("depths_title"));
    this.root = element("section", "sp-depths", null, { hidden: "" }, [title, this.rows]);
    this.shown = "";
  }

  /** @param {any} trace @param {any} step */
  show(trace, step) {
    const deepest = Math.max(0, ...trace.rounds.map((round) => round.layers.length));
    this.root.hidden = !step || !deepest || !triesOf(trace.run);
    if (this.root.hidden) return;
    while (this.rows.children.length > deepest) this.rows.lastElementChild?.remove();
    while (this.rows.children.length < deepest) this.rows.append(row(this.rows.children.length + 1));
    const tested = step.verdict ? step.verdict.node.layer : step.layers || 0;
    Array.from(this.rows.children).forEach((each, i) => each.classList.toggle("sp-depth-now", i + 1 === tested));
    const stamp = `${step.totals.rounds}/${deepest}`;
    if (this.shown === stamp && this.trace === trace) return;
    this.shown = stamp;
    this.trace = trace;
    const depths = acceptanceByDepth(trace, step);
    Array.from(this.rows.children).forEach((each, i) => fill(/** @type {HTMLElement} */ (each), depths[i]));
  }
}

const row = (depth) =>
  element("li", "sp-depth", [
    element("span", "", String(depth)),
    element(
      "span",
      "sp-depth-track",
      ["bar", "interval", "overlap"].map((part) => element("i", "sp-depth-" + part)),
    ),
    element("b", "", "–"),
  ]);

/** @param {HTMLElement} shown @param {import("../trace/by_depth.js").Depth | undefined} depth */
function fill(shown, depth) {
  const rate = depth ? rateOf(depth) : null;
  shown.classList.toggle("sp-depth-none", rate === null);
  setText(shown.children[2], rate === null || !depth ? "–" : `${depth.passed}/${depth.tries}`);
  shown.title = "";
  if (rate === null || !depth) return shown.style.setProperty("--sp-rate", "0%");
  const [low, high] = intervalOf(depth);
  const overlap = overlapOf(depth);
  for (const [name, share] of Object.entries({ rate, low, high, overlap: overlap ?? -1 }))
    shown.style.setProperty("--sp-" + name, 100 * share + "%");
  const { passed, tries, depth: number } = depth;
  const said = say("depths_said", { depth: number, passed, tries, share: percent(rate) });
  shown.title =
    said + (overlap === null ? "" : ` · ${say("depths_overlap_said", { depth: number, share: percent(overlap) })}`);
}
