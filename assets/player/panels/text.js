/**
 * The text so far: the prompt, then every emitted token marked by its origin.
 *
 * Tokens after the cursor are in the page, so that nothing below the text moves, but not visible. One token at a time
 * is in the tab order; arrow keys move between them.
 */

import { element, empty, legible, quoted, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

const NEWEST = 40; // tokens that a round emits at most, as far as they are marked

/** Words that represent nodes: one is pointed at or picked, and the arrow keys move between them. */
export class WordList {
  /**
   * @param {HTMLElement} root the words' own element
   * @param {{point: (node: any) => void, pick: (node: any) => void}} at callbacks
   */
  constructor(root, at) {
    this.root = root;
    this.at = at;
    /** @type {{node: any, element: HTMLElement}[]} */
    this.words = [];
    this.shown = 0; // words that can be reached, from the first
    this.listen();
  }

  /** @param {any} node @param {HTMLElement} word @param {string} label for who cannot see it */
  add(node, word, label) {
    word.dataset.index = String(this.words.length);
    word.tabIndex = -1;
    word.setAttribute("role", "button");
    word.setAttribute("aria-label", label);
    this.words.push({ node, element: word });
  }

  listen() {
    const indexAt = (event) => {
      const word = event.target.closest ? event.target.closest("[data-index]") : null;
      return word ? Number(word.dataset.index) : -1;
    };
    const nodeAt = (event) => this.words[indexAt(event)]?.node ?? null;
    this.root.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.at.point(nodeAt(event)));
    this.root.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && this.at.point(null));
    this.root.addEventListener("focusin", (event) => this.at.point(nodeAt(event)));
    this.root.addEventListener("focusout", () => this.at.point(null));
    this.root.addEventListener("click", (event) => nodeAt(event) && this.at.pick(nodeAt(event)));
    this.root.addEventListener("keydown", (event) => this.move(event, indexAt(event)));
  }

  /** @param {KeyboardEvent} event @param {number} index of the word that has the focus */
  move(event, index) {
    if (index < 0 || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: this.shown - 1 }[event.key];
    if (to === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (to === undefined) this.at.pick(this.words[index].node);
    else this.rove(Math.max(0, Math.min(this.shown - 1, to)), true);
  }

  /** Makes one word the one that Tab reaches. @param {number} index @param {boolean} focus */
  rove(index, focus) {
    const old = /** @type {HTMLElement | null} */ (this.root.querySelector('[data-index][tabindex="0"]'));
    if (old) old.tabIndex = -1;
    const word = this.words[index];
    if (!word) return;
    word.element.tabIndex = 0;
    if (focus) word.element.focus();
  }
}

/** The message without the marks of the chat template, or the prompt. @param {any} run */
export const askedIn = (run) => (run?.message ? run.message + "\n\n" : (run?.prompt ?? ""));

export class Text {
  /** `at` are callbacks: point(node or null), pick(node), which also goes to the round that emitted it. */
  constructor(at) {
    this.root = element("section", "sp-text", null, { "aria-label": say("text_label") });
    const note = element("p", "sp-visually-hidden", say("text_hint"));
    this.body = element("div", "sp-text-body", null, { tabindex: 0 }); // it scrolls, and so by keys, too
    this.prompt = this.body.appendChild(element("span", "sp-prompt", [element("bdi")]));
    this.output = this.body.appendChild(element("span", "sp-output"));
    this.root.append(note, this.body);
    this.list = new WordList(this.output, at);
    this.words = null; // the list they represent
    this.run = null;
    this.finished = null;
  }

  clear() {
    empty(this.output);
    setText(this.prompt.children[0], "");
    this.run = null;
    this.finished = null;
    this.list.words = [];
    this.words = null;
    this.list.shown = 0;
  }

  show(trace, step) {
    if (trace.run !== this.run) setText(this.prompt.children[0], legible(askedIn(trace.run)));
    this.root.classList.toggle("sp-message", Boolean(trace.run?.message));
    this.run = trace.run;
    const words = step ? step.words : trace.words;
    if (words !== this.words) this.rewrite(words);
    while (this.list.words.length < words.length) this.add(words[this.list.words.length]);
    if (trace.finished !== this.finished) this.cut(trace);
    const many = step ? step.emitted : 0;
    if (many !== this.list.shown) this.reveal(many);
    this.markNew(step && step.round && step.kind === "committed" ? step.round.number : null);
  }

  /** Mark the tokens that a round has emitted. */
  markNew(round) {
    for (const each of this.output.querySelectorAll(".sp-new")) each.classList.remove("sp-new");
    const { shown, words } = this.list;
    for (let i = Math.max(0, shown - NEWEST); i < shown; i++)
      if (this.words[i].round === round) words[i].element.classList.add("sp-new");
  }

  /** Shows the first `many` tokens and hides the others. */
  reveal(many) {
    const held = this.output.contains(document.activeElement);
    const { shown, words } = this.list;
    for (let i = Math.min(many, shown); i < Math.max(many, shown); i++)
      words[i].element.classList.toggle("sp-later", i >= many);
    this.list.shown = many;
    if (!held) this.list.rove(many - 1, false);
    this.follow();
  }

  /** Another list of words: what the two begin with stays in the page. */
  rewrite(words) {
    const held = this.list.words;
    const parts = held.findIndex((token, i) => !words[i] || token.node !== words[i].node);
    for (const token of parts < 0 ? [] : held.splice(parts)) token.element.remove();
    this.list.shown = Math.min(this.list.shown, held.length);
    this.words = words;
  }

  add(word) {
    const span = element("span", "sp-word sp-later sp-is-" + word.origin);
    // A space stays a space here, this is text to be read; only a line break gets its mark as well.
    for (const part of word.node.piece.split(/(\r?\n)/)) {
      if (part === "") continue;
      if (!/\n/.test(part)) span.append(legible(part));
      else span.append(element("span", "sp-mark", "⏎"), "\n");
    }
    if (word.node.piece === "") span.appendChild(element("span", "sp-mark", "∅"));
    this.output.appendChild(span);
    this.list.add(word.node, span, describe(word));
  }

  /** Strikes out what a stop string has cut off: the characters of the last words that are not in the text. */
  cut(trace) {
    this.finished = trace.finished;
    if (this.finished?.finish_reason !== "stop_string") return;
    const sizes = this.list.words.map(({ node }) => [...node.piece].length);
    let surplus = sizes.reduce((sum, size) => sum + size, 0) - [...this.finished.text].length;
    for (let i = sizes.length - 1; i >= 0 && surplus > 0; surplus -= sizes[i--]) {
      const { node, element: word } = this.list.words[i];
      const letters = [...node.piece];
      const end = Math.max(0, letters.length - surplus);
      const behind = element("span", "sp-thrown", legible(letters.slice(end).join("")));
      word.replaceChildren(legible(letters.slice(0, end).join("")), behind);
    }
  }

  /** Keeps the newest token in view inside the box, without moving the page. */
  follow() {
    const { shown, words } = this.list;
    const newest = shown ? words[shown - 1].element : this.prompt;
    const bottom = newest.offsetTop + newest.offsetHeight;
    const { scrollTop, clientHeight } = this.body;
    if (bottom > scrollTop + clientHeight || bottom < scrollTop + newest.offsetHeight)
      this.body.scrollTop = bottom - clientHeight + 4;
  }

  highlight(node) {
    for (const marked of this.output.querySelectorAll(".sp-pointed")) marked.classList.remove("sp-pointed");
    if (!node || !node.word) return;
    const token = this.list.words.find((candidate) => candidate.node === node);
    if (token) token.element.classList.add("sp-pointed");
  }
}

/** An emitted token in words. @param {{node: any, origin: string, round: number}} word */
export const describe = ({ node, origin, round }) =>
  say("text_item", { token: quoted(node.piece), origin: say("origin_" + origin), round });
