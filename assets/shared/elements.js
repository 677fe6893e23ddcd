/**
 * Building blocks of the page: HTML and SVG elements made by hand, and token texts made visible.
 *
 * Text of a model or of a reader enters the page here and only as text nodes, so it can never become markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {string | number | null | undefined} Text
 * @typedef {(Node | string)[]} Children
 */

/**
 * An HTML element: `element("p", "sp-note", "text", { title: ... })`; all after the name may be left out.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [className]
 * @param {Text | Children} [content] its text or its children
 * @param {Record<string, unknown> | null} [attributes]
 * @param {Children} [children] further ones: a long list reads better after the attributes
 */
export function element(name, className, content, attributes, children) {
  return dress(document.createElement(name), className, content, attributes, children);
}

/**
 * The same for SVG.
 *
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [className]
 * @param {Text | Children} [content]
 * @param {Record<string, unknown> | null} [attributes]
 * @param {Children} [children]
 */
export function svg(name, className, content, attributes, children) {
  return dress(document.createElementNS(SVG, name), className, content, attributes, children);
}

/**
 * @template {Element} Made
 * @param {Made} node
 * @param {string | undefined} className
 * @param {Text | Children} content
 * @param {Record<string, unknown> | null} [attributes]
 * @param {Children} [children]
 */
function dress(node, className, content, attributes, children = []) {
  if (className) node.setAttribute("class", className);
  if (Array.isArray(content)) node.append(...content);
  else if (content !== null && content !== undefined) node.textContent = String(content);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/**
 * A drawing next to words that say the same, so screen readers skip it.
 *
 * @param {string} className
 * @param {[number, number, number, number]} box x, y, width and height of its coordinates
 * @param {Children} [children]
 * @param {number} [size] px of its width, if not that of the box
 */
export function drawing(className, [x, y, width, height], children, size = width) {
  const about = { viewBox: `${x} ${y} ${width} ${height}`, width: size, height: (size * height) / width };
  return svg("svg", className, children, { ...about, "aria-hidden": "true" });
}

/**
 * A button that submits nothing.
 *
 * @param {string} className
 * @param {Text | Children} content
 * @param {(event: Event) => void} press
 * @param {Record<string, unknown>} [attributes]
 */
export function pressButton(className, content, press, attributes) {
  const button = element("button", className, content, { type: "button", ...attributes });
  button.addEventListener("click", press);
  return button;
}

/**
 * Sets only what changed: writing an equal attribute still costs style work in 500 nodes.
 * @param {Element} node
 * @param {string} key
 * @param {unknown} value
 */
export function setAttribute(node, key, value) {
  const text = String(value);
  if (node.getAttribute(key) !== text) node.setAttribute(key, text);
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Node} node */
export function empty(node) {
  while (node.firstChild) node.removeChild(node.firstChild);
}

/**
 * A method's mark, with all that is known in its tooltip: the server's {lossless, mark, words}.
 * @param {{lossless: boolean, mark: string, words: string}} about
 */
export function losslessMark({ lossless, mark, words }) {
  return element("span", "spec-badge" + (lossless ? " spec-lossless" : " spec-lossy"), mark, {
    title: words,
    "data-badge": lossless ? "lossless" : "lossy",
  });
}

/** White space as marks: what a token holds is part of what it is. @type {Record<string, string>} */
const MARKS = { " ": "·", "\n": "⏎", "\r": "␍", "\t": "⇥" };

const TEMPLATE = /^<(?:\|[\w-]+\||\/?s|bos|eos|pad|unk)>$/; // tokens of a chat's template, or of a text's end
const ENDS = /end|eo[st]|\/s/;

/** @param {string} piece a token of a template */
const signOf = (piece) => (ENDS.test(piece) ? "∎" : "▸");

/**
 * A piece cut into runs: [{text, mark}], marks being the visible white space and the signs of a template.
 * @param {string} piece
 */
function runsOf(piece) {
  if (TEMPLATE.test(piece)) return [{ text: signOf(piece), mark: true }];
  /** @type {{text: string, mark: boolean}[]} */
  const runs = [];
  for (const letter of piece === "" ? "∅" : piece) {
    const mark = letter in MARKS || piece === "";
    const shown = MARKS[letter] || printable(letter);
    const last = runs[runs.length - 1];
    if (last && last.mark === mark) last.text += shown;
    else runs.push({ text: shown, mark });
  }
  return runs;
}

// Control characters, direction overrides and lone surrogates would be invisible or reorder the page: they get a sign.
/** @param {string} letter */
function printable(letter) {
  const code = letter.codePointAt(0) ?? 0;
  if (
    code < 32 ||
    (code >= 0x7f && code < 0xa0) ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
  )
    return "␣";
  return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : letter;
}

/**
 * The piece in one line with visible white space, at most `limit` letters.
 * @param {string} piece
 * @param {number} limit
 */
export function visible(piece, limit) {
  const letters = Array.from(
    runsOf(piece)
      .map((run) => run.text)
      .join(""),
  );
  return letters.length > limit ? letters.slice(0, limit - 1).join("") + "…" : letters.join("");
}

/**
 * A text as it is, with only what cannot be printed made visible; a template's token is its sign.
 * @param {string} text
 */
export const legible = (text) =>
  TEMPLATE.test(text)
    ? signOf(text)
    : Array.from(text, (letter) => (/[\n\t ]/.test(letter) ? letter : visible(letter, 2))).join("");

/**
 * A prompt with the signs of its chat template in place of the template's tokens.
 * @param {string} prompt
 */
export const withSigns = (prompt) => prompt.replace(/<\|[\w-]+\|>/g, signOf);

/**
 * Px that a part is wide; 0 where it is in something hidden, which is known without laying the page out.
 * @param {Element} part
 */
export const shownWidth = (part) => (part.closest("[hidden]") ? 0 : part.clientWidth);

/** The piece in quotation marks, for sentences. @param {string} piece */
export function quoted(piece) {
  // In a sentence a space needs no mark, unless there is nothing else.
  const shown = visible(piece, 24);
  return "“" + (shown.replace(/·/g, " ").trim() || shown) + "”";
}

/**
 * Fills a node with the piece, its white-space marks set apart so that CSS can make them quiet.
 * @param {Element} node
 * @param {string} piece
 * @param {(className: string, text: string) => Node} make
 */
export function fillPiece(node, piece, make) {
  empty(node);
  for (const run of runsOf(piece)) node.append(run.mark ? make("sp-mark", run.text) : run.text);
}

/**
 * @type {{context: CanvasRenderingContext2D | null, font: string, widths: Map<string, number>}} made when first used
 */
const ruler = { context: null, font: "", widths: new Map() };

/** Width of a text in px, measured once per font. @param {string} text @param {string} font */
export function textWidth(text, font) {
  const context = (ruler.context ??= /** @type {CanvasRenderingContext2D} */ (
    document.createElement("canvas").getContext("2d")
  ));
  if (ruler.font !== font) {
    ruler.font = context.font = font;
    ruler.widths.clear();
  }
  let width = ruler.widths.get(text);
  if (width === undefined) ruler.widths.set(text, (width = context.measureText(text).width));
  return width;
}
