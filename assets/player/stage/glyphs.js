/**
 * The signs of the player: one glyph per state and one outline per kind of token, never colour alone.
 *
 * The stage, the legend and the inspector draw from the same table. A glyph fits a circle of radius 7 around (0, 0).
 */

import { setAttribute, svg } from "../../shared/elements.js";

/** @type {Record<string, string>} */
const GLYPHS = {
  accepted: "M-3.2 .2L-.9 2.6L3.3 -2.6",
  rejected: "M-2.5 -2.5L2.5 2.5M2.5 -2.5L-2.5 2.5",
  not_tested: "M-2.8 0H2.8",
  correction: "M-2.9 -1.2H1.2A2.1 2.1 0 0 1 1.2 3H-1.2M-.9 -3.2L-2.9 -1.2L-.9 .8",
  bonus: "M0 -3.9L1.1 -1.3L3.8 -1.1L1.7 .7L2.4 3.4L0 1.9L-2.4 3.4L-1.7 .7L-3.8 -1.1L-1.1 -1.3Z",
  plain: "M0 -.1V.1",
  scored: "M-2.9 0A2.9 2.9 0 1 0 2.9 0A2.9 2.9 0 1 0 -2.9 0",
  pending: "M-2.9 0A2.9 2.9 0 1 0 2.9 0A2.9 2.9 0 1 0 -2.9 0",
};

/** A badge: the disc with its glyph, coloured by the class of the state. @param {string} state */
export function makeBadge(state) {
  const group = svg("g", "sp-badge sp-is-" + state);
  group.appendChild(svg("circle", "sp-badge-disc", null, { r: 7 }));
  group.appendChild(svg("path", "sp-glyph", null, { d: GLYPHS[state] || "" }));
  return group;
}

/** @param {SVGElement} group @param {string} state */
export function setBadge(group, state) {
  setAttribute(group, "class", "sp-badge sp-is-" + state);
  setAttribute(/** @type {Element} */ (group.lastChild), "d", GLYPHS[state] || "");
}

/**
 * The outline of a chip, its left edge at x = 0 and its middle at y = 0.
 * @param {string} kind
 * @param {number} width
 * @param {number} height
 */
export function outline(kind, width, height) {
  const h = height / 2;
  if (kind === "correction") {
    const cut = Math.min(7, h);
    const right = `H${width - cut}L${width} ${-h + cut}V${h - cut}L${width - cut} ${h}`;
    return `M${cut} ${-h}${right}H${cut}L0 ${h - cut}V${-h + cut}Z`;
  }
  const r = kind === "bonus" ? h : kind === "plain" ? 2 : Math.min(7, h);
  const arc = `A${r} ${r} 0 0 1`;
  const right = `H${width - r}${arc} ${width} ${-h + r}V${h - r}${arc} ${width - r} ${h}`;
  return `M${r} ${-h}${right}H${r}${arc} 0 ${h - r}V${-h + r}${arc} ${r} ${-h}Z`;
}
