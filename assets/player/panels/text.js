/**
 * The text so far: the prompt, then every emitted token marked by its origin.
 *
 * Tokens after the cursor are in the page, so that nothing below the text moves, but not visible. One token at a time
 * is in the tab order; arrow keys move between them.
 */

import { element, empty, legible, quoted, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

const NEWEST = 40; // tokens that a round emits at most, as far as they are marked

export class Text {
  /** `at` are callbacks: point(node or null), pick(node), which also goes to the round that emitted it. */
  constructor(at) {
    this.at = at;
    this.root = element("section", "sp-text", null, { "aria-label": say("text_label") });
    const note = element("p", "sp-visually-hidden", say("text_hint"));
    this.body = element("div", "sp-text-body", null, { tabindex: 0 }); // it scrolls, and so by keys, too
    this.prompt = this.body.appendChild(element("span", "sp-prompt"));
    this.output = this.body.appendChild(element("span", "sp-output"));
    this.root.append(note, this.body);
    this.tokens = []; // {node, element} of every token known; `shown` of them are visible
    this.words = null; // the list they stand for
    this.shown = 0;
    this.run = null;
    this.listen();
  }

  listen() {
    const nodeAt = (event) => {
      const word = event.target.closest ? event.target.closest(".sp-word") : null;
      return word ? this.tokens[Number(word.dataset.index)].node : null;
    };
    this.output.addEventListener(
      "pointerover",
      (event) => event.pointerType !== "touch" && this.at.point(nodeAt(event)),
    );
    this.output.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && this.at.point(null));
    this.output.addEventListener("focusin", (event) => this.at.point(nodeAt(event)));
    this.output.addEventListener("focusout", () => this.at.point(null));
    this.output.addEventListener("click", (event) => {
      const node = nodeAt(event);
      if (node) this.at.pick(node);
    });
    this.output.addEventListener("keydown", (event) => this.move(event));
  }

  move(event) {
    const word = event.target.closest(".sp-word");
    if (!word || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = Number(word.dataset.index);
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: this.shown - 1 }[event.key];
    if (to === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") this.at.pick(this.tokens[index].node);
    else this.rove(Math.max(0, Math.min(this.shown - 1, to)), true);
  }

  /** Makes one token the one that Tab reaches. */
  rove(index, focus) {
    const old = /** @type {HTMLElement | null} */ (this.output.querySelector('.sp-word[tabindex="0"]'));
    if (old) old.tabIndex = -1;
    const token = this.tokens[index];
    if (!token) return;
    token.element.tabIndex = 0;
    if (focus) token.element.focus();
  }

  clear() {
    empty(this.output);
    setText(this.prompt, "");
    this.run = null;
    this.tokens = [];
    this.words = null;
    this.shown = 0;
  }

  show(trace, step) {
    if (trace.run !== this.run) setText(this.prompt, trace.run ? legible(trace.run.prompt) : "");
    this.run = trace.run;
    const words = step ? step.words : trace.words;
    if (words !== this.words) this.rewrite(words);
    while (this.tokens.length < words.length) this.add(words[this.tokens.length]);
    const many = step ? step.emitted : 0;
    if (many !== this.shown) this.reveal(many);
    this.markNew(step && step.round && step.kind === "committed" ? step.round.number : null);
  }

  /** Marks what a round has emitted. */
  markNew(round) {
    for (const each of this.output.querySelectorAll(".sp-new")) each.classList.remove("sp-new");
    for (let i = Math.max(0, this.shown - NEWEST); i < this.shown; i++)
      if (this.words[i].round === round) this.tokens[i].element.classList.add("sp-new");
  }

  /** Shows the first `many` tokens and hides the others. */
  reveal(many) {
    const held = this.output.contains(document.activeElement);
    for (let i = Math.min(many, this.shown); i < Math.max(many, this.shown); i++)
      this.tokens[i].element.classList.toggle("sp-later", i >= many);
    this.shown = many;
    if (!held) this.rove(many - 1, false);
    this.follow();
  }

  /** Another list of words: what the two begin with stays in the page. */
  rewrite(words) {
    const parts = this.tokens.findIndex((token, i) => !words[i] || token.node !== words[i].node);
    for (const token of parts < 0 ? [] : this.tokens.splice(parts)) token.element.remove();
    this.shown = Math.min(this.shown, this.tokens.length);
    this.words = words;
  }

  add(word) {
    const index = this.tokens.length;
    const span = element("span", "sp-word sp-later sp-is-" + word.origin, null, {
      "data-index": index,
      tabindex: -1,
      role: "button",
    });
    const origin = say("origin_" + word.origin);
    span.setAttribute("aria-label", say("text_item", { token: quoted(word.node.piece), origin, round: word.round }));
    // A space stays a space here, this is text to be read; only a line break gets its mark as well.
    for (const part of word.node.piece.split(/(\r?\n)/)) {
      if (part === "") continue;
      if (!/\n/.test(part)) span.appendChild(document.createTextNode(legible(part)));
      else span.append(element("span", "sp-mark", "⏎"), document.createTextNode("\n"));
    }
    if (word.node.piece === "") span.appendChild(element("span", "sp-mark", "∅"));
    this.output.appendChild(span);
    this.tokens.push({ node: word.node, element: span });
  }

  /** Keeps the newest token in view inside the box, without moving the page. */
  follow() {
    const newest = this.shown ? this.tokens[this.shown - 1].element : this.prompt;
    const bottom = newest.offsetTop + newest.offsetHeight;
    const { scrollTop, clientHeight } = this.body;
    if (bottom > scrollTop + clientHeight || bottom < scrollTop + newest.offsetHeight)
      this.body.scrollTop = bottom - clientHeight + 4;
  }

  highlight(node) {
    for (const marked of this.output.querySelectorAll(".sp-pointed")) marked.classList.remove("sp-pointed");
    if (!node || !node.word) return;
    const token = this.tokens.find((candidate) => candidate.node === node);
    if (token) token.element.classList.add("sp-pointed");
  }
}
