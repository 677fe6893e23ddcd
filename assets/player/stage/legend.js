/**
 * The legend: every sign of the stage and the text, drawn by the same code that draws them there.
 */

import { drawing, element, svg } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { makeBadge, outline } from "./glyphs.js";
import { areCertain } from "./scene.js";

export function legend() {
  const root = element("ul", "sp-legend", null, { "aria-label": say("legend_label") });
  root.appendChild(row("pending", chip("pending"), say("legend_pending")));
  for (const state of COLOURS.slice(1)) root.appendChild(row(state, chip(state), say("key_" + state)));
  root.appendChild(row("p", swatch("sp-bar-p"), say("legend_p")));
  root.appendChild(row("q", swatch("sp-bar-q"), say("legend_q")));
  root.appendChild(row("edge", line(), say("legend_edge")));
  root.appendChild(row("multiplicity", element("span", "sp-legend-sign", "×2"), say("legend_multiplicity")));
  root.appendChild(row("rank", element("span", "sp-legend-sign", "#1"), say("legend_rank")));
  root.appendChild(row("tuft", element("span", "sp-legend-sign", "+38"), say("legend_tuft")));
  root.appendChild(row("space", element("span", "sp-legend-sign", "· ⏎ ⇥ ∎"), say("legend_space")));
  return root;
}

/** Key to the colours of a run, short enough for a wall: only what comes in it. */
export class ColourKey {
  constructor() {
    this.root = element("ul", "sp-colour-key", null, { "aria-label": say("legend_label") });
  }

  /** @param {import("../trace/trace.js").Trace} trace */
  show(trace) {
    const states = statesIn(trace);
    const drawn = trace.rounds.some((round) => round.layers.length > 0 && !areCertain(round));
    this.root.replaceChildren(
      ...COLOURS.filter((state) => states.has(state)).map((state) => row(state, chip(state), say("key_" + state))),
      row("p", swatch("sp-bar-p"), say("key_target_p")),
      ...(drawn ? [row("q", swatch("sp-bar-q"), say("key_draft_q"))] : []),
    );
  }
}

const COLOURS = ["scored", "accepted", "rejected", "not_tested", "correction", "bonus", "plain"];

/** Outcomes and origins of a run's tokens. @param {import("../trace/trace.js").Trace} trace */
function statesIn({ rounds }) {
  const outcomes = rounds.flatMap((round) => round.verdicts.map((verdict) => verdict.outcome));
  const origins = rounds.flatMap((round) => round.extras.map((node) => node.origin));
  return /** @type {Set<string | null>} */ (new Set(["scored", ...outcomes, ...origins]));
}

/** @param {string} name @param {Element} sign @param {string} text */
const row = (name, sign, text) => element("li", "", null, { "data-sign": name }, [sign, element("span", "", text)]);

/** @param {string} state */
function chip(state) {
  const node = svg("g", "sp-node sp-is-" + state);
  const badge = makeBadge(state);
  badge.setAttribute("transform", "translate(1 -5)");
  node.append(svg("path", "sp-shape", null, { d: outline(state, 28, 17) }), badge);
  return drawing("sp-legend-chip", [-8, -13, 38, 24], [node]);
}

/** @param {string} className */
function swatch(className) {
  return drawing(
    "sp-legend-bar",
    [0, 0, 24, 6],
    [
      svg("rect", "sp-track", null, { width: 24, height: 5, rx: 2.5 }),
      svg("rect", className, null, { width: 15, height: 5, rx: 2.5 }),
    ],
  );
}

const line = () => drawing("sp-legend-bar", [0, 0, 24, 8], [svg("path", "sp-edge", null, { d: "M0 3L24 0V8L0 5Z" })]);
