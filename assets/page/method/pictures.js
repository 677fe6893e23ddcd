/** Small pictures of what the methods of a family draft. */

import { drawing, svg } from "../../shared/elements.js";

/** Lines between dots: the committed token at the left, what is drafted from it. @type {Record<string, string>} */
const PATHS = {
  nothing: "M4 11 L14 11",
  chain: "M4 11 L14 11 L24 11 L34 11",
  chains: "M4 11 L14 4 L24 4 L34 4 M4 11 L14 11 L24 11 L34 11 M4 11 L14 18 L24 18 L34 18",
  tree: "M4 11 L14 6 L24 3 L34 3 M14 6 L24 9 L34 9 M4 11 L14 17 L24 15 L34 15 M14 17 L24 20",
  beams: "M4 4 L14 4 L24 11 L34 4 M4 11 L14 11 L24 4 L34 11 M4 18 L14 18 L24 18 L34 18",
  lossy: "M4 11 L14 11 L24 11 M30 11 L38 11",
};

/** @param {string} family of methods; one that is not known drafts a chain */
export function picture(family) {
  const path = PATHS[family] ?? PATHS.chain;
  const dots = [...path.matchAll(/(\d+) (\d+)/g)].map(([, cx, cy]) =>
    svg("circle", cx === "4" ? "method-root" : "", null, { cx, cy, r: cx === "4" ? 3 : 2.3 }),
  );
  return drawing("method-picture", [0, 0, 40, 22], [svg("path", "", null, { d: path }), ...dots]);
}
