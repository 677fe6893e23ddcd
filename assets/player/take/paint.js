/**
 * SVG of the page made plain: every element with its own colours as attributes, so that it looks the same wherever it
 * is opened. Only what is listed here is copied; no class, no style, no script and no reference gets through.
 */

import { svg } from "../../shared/elements.js";

const COPIED = {
  g: ["transform"],
  path: ["d", "transform"],
  rect: ["x", "y", "width", "height", "rx"],
  circle: ["cx", "cy", "r"],
  text: ["x", "y"],
  tspan: [],
};
const BELOW = "0.35em"; // from the middle of a line to its foot: few programs know dominant-baseline

/** @typedef {{colour: string, alpha: number}} Colour */

export class Paint {
  constructor() {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    this.pen = /** @type {CanvasRenderingContext2D} */ (pen);
    /** @type {Map<string, Colour>} */
    this.colours = new Map();
    /** @type {Map<string, Record<string, string | number>>} attributes by all that decides on them */
    this.known = new Map();
  }

  /** A colour of CSS as #rrggbb and how much of it covers: other programs know neither oklab nor color-mix. */
  colour(text) {
    let match = this.colours.get(text);
    if (!match) {
      const [red, green, blue, alpha] = this.dot(text);
      // A thin colour loses digits on a canvas; it keeps them where its own share is left out.
      const [r, g, b] =
        alpha > 0 && alpha < 255
          ? this.dot(text.replace(/\s*[,/]\s*[\d.]+%?\s*\)$/, ")").replace("rgba(", "rgb("))
          : [red, green, blue];
      const hex = "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("");
      this.colours.set(text, (match = { colour: hex, alpha: Math.round((100 * alpha) / 255) / 100 }));
    }
    return match;
  }

  dot(text) {
    this.pen.clearRect(0, 0, 1, 1);
    this.pen.fillStyle = "#000";
    this.pen.fillStyle = text;
    this.pen.fillRect(0, 0, 1, 1);
    return Array.from(this.pen.getImageData(0, 0, 1, 1).data);
  }

  /**
   * An element and what is in it, as they are on the page; null where nothing is to be seen.
   * @param {Element} node
   * @returns {SVGElement | null}
   */
  plain(node, within = "") {
    const name = node.localName;
    if (!(name in COPIED) || isHidden(node)) return null;
    const key = keyOf(node, within);
    let look = this.known.get(key);
    if (!look) this.known.set(key, (look = this.look(name, node)));
    const copy = copied(node, look);
    for (const child of node.childNodes) {
      const inside = child instanceof Text ? child.data : child instanceof Element ? this.plain(child, key) : null;
      if (inside) copy.append(inside);
    }
    return copy;
  }

  /** Look of an element by the style sheets. */
  look(name, node) {
    const style = getComputedStyle(node);
    /** @type {Record<string, string | number>} */
    const look = {};
    if (!node.hasAttribute("opacity") && Number(style.opacity) < 1) look.opacity = style.opacity;
    if (name === "g") return look;
    this.put(look, "fill", style.fill, style.fillOpacity);
    if (name === "tspan") return look;
    if (name === "text") {
      Object.assign(look, { "font-size": parseFloat(style.fontSize), "font-weight": style.fontWeight });
      if (style.textAnchor !== "start") look["text-anchor"] = style.textAnchor;
      if (node.hasAttribute("dominant-baseline")) look.dy = BELOW;
      return look;
    }
    if (style.stroke === "none") return look;
    this.put(look, "stroke", style.stroke, style.strokeOpacity);
    look["stroke-width"] = parseFloat(style.strokeWidth);
    if (style.strokeDasharray !== "none") look["stroke-dasharray"] = style.strokeDasharray.replace(/px/g, "");
    if (style.strokeLinecap !== "butt") look["stroke-linecap"] = style.strokeLinecap;
    if (style.strokeLinejoin !== "miter") look["stroke-linejoin"] = style.strokeLinejoin;
    return look;
  }

  put(look, what, value, opacity) {
    if (value === "none") {
      look[what] = "none";
      return;
    }
    const { colour, alpha } = this.colour(value);
    const covers = alpha * Number(opacity);
    look[what] = covers === 0 ? "none" : colour;
    if (covers > 0 && covers < 1) look[what + "-opacity"] = Math.round(100 * covers) / 100;
  }
}

function copied(node, look) {
  const name = /** @type {"g"} */ (node.localName);
  const copy = svg(name, "", null, look);
  for (const attribute of COPIED[name])
    if (node.hasAttribute(attribute)) copy.setAttribute(attribute, node.getAttribute(attribute));
  const opacity = node.getAttribute("opacity");
  if (opacity !== null && Number(opacity) < 1) copy.setAttribute("opacity", opacity);
  return copy;
}

const isHidden = (node) => node.getAttribute("opacity") === "0.00" || node.style.display === "none";

/** All that decides on the look of an element. */
function keyOf(node, within) {
  const above = node.parentElement;
  // its sheets differ by nothing else
  const index = above?.classList.contains("sp-tuft") ? Array.from(above.children).indexOf(node) : "";
  const own = ["class", "stroke-width", "font-size"].map((name) => node.getAttribute(name));
  return [within, node.localName, ...own, index].join();
}
