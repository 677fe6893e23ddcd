/**
 * Lenses: panels below the tree that show how the method's own rule came to its verdicts, at the cursor's step.
 *
 * A lens is {id, kind, suits, spot, key, draw}, registered with `addLens`; its title is the word `lens_<id>`:
 *   kind                 of the workings that it draws
 *   suits(trace)         whether it has anything to draw, where that is more than a kind
 *   spot(view)           what it speaks of, a node, or else the round; it is drawn again when this or the step changes
 *   key                  [[sign, word], ...]: a sign is a text or draws itself
 *   draw(picture, view)  draws, and returns {sentence}, also {place}, else the round, and {key}, else that above; null
 *                        where nothing is to be said
 * A view is {trace, step, round, node}: the step it may tell of, never beyond the cursor, and the node in question.
 *
 * What represents a node is linked with the tree, both ways. A lens that fails says so, and the player plays on.
 */

import { element, empty, pressButton, quoted, setAttribute, setText, shownWidth } from "../../shared/elements.js";
import { languageOf, say } from "../../shared/words.js";
import { Picture, sign } from "./picture.js";

/**
 * @typedef {import("../trace/trace.js").Trace} Trace
 * @typedef {import("../trace/records.js").Step} Step
 * @typedef {import("../trace/records.js").Round} Round
 * @typedef {import("../trace/records.js").TreeNode} TreeNode
 * @typedef {[mark: string | ((picture: Picture) => unknown), word: string, values?: Record<string, any>]} Sign a text or
 *   what draws a sign, and a word with the values of its places
 * @typedef {Sign[]} Key
 * @typedef {{place?: string, sentence: string, key?: Key, failed?: boolean}} Told
 *
 * @typedef {{point: (node: TreeNode | null) => void, pick: (node: TreeNode | null) => void}} At
 *
 * @typedef {object} View what a lens may know
 * @property {Trace} trace
 * @property {Step} step of the marked node's own round, as far as the cursor has come
 * @property {Round} round a view without one is not drawn
 * @property {Step} now where the cursor is
 * @property {TreeNode | null} marked
 * @property {TreeNode} node the one in question; none without a round
 *
 * @typedef {object} Lens
 * @property {string} id
 * @property {string} title
 * @property {(trace: Trace) => boolean} suits
 * @property {(view: View) => any} spot
 * @property {Key} [key]
 * @property {(picture: Picture, view: View) => Told | null} draw
 */

const LETTERS = 1.17; // px of the page to one of a picture, as the style sheet has it
const WRITTEN = 200; // px of head, sentence and edges
const SIGNS = 150; // px of the key
const HEAD = 44; // px of a lens of which only the head is shown
const LOW = 760; // px of a panel whose key is folded, as the style sheet has it

/** @type {Lens[]} */
export const lenses = [];
/** @param {Partial<Lens> & Pick<Lens, "id" | "draw"> & {kind?: string}} lens */
export const addLens = ({ kind = "", ...lens }) =>
  lenses.push({
    title: "lens_" + lens.id,
    suits: (trace) => trace.kinds.has(kind),
    spot: (view) => view.round,
    ...lens,
  });

export class Lenses {
  /** `at` are callbacks: point(node or null), pick(node), unfolded(). @param {At & {unfolded: () => void}} at */
  constructor(at) {
    this.at = at;
    this.note = element("p", "sp-quiet sp-lens-note");
    this.root = element("div", "sp-lenses", null, { hidden: "" }, [this.note]);
    this.panels = new Map(); // lens -> panel
    /** @type {Panel | null} of several the one that is unfolded */
    this.open = null;
  }

  clear() {
    for (const panel of this.panels.values()) panel.root.remove();
    this.panels.clear();
    this.open = null;
    this.root.hidden = true;
  }

  /**
   * Shows what the lenses of the trace have to say of `marked`, a node, or of the step.
   * @param {Trace} trace @param {Step} step @param {TreeNode | null} marked @param {boolean} playing
   */
  show(trace, step, marked, playing) {
    if (!step) return this.clear();
    const view = viewOf(trace, step, marked);
    const unread = view.round ? view.round.unread : 0;
    setText(this.note, unread ? say("lens_unread", { count: unread }) : "");
    this.note.hidden = !unread;
    this.root.hidden = !unread && !this.panels.size;
    const suited = lenses.filter((lens) => safely(() => lens.suits(trace)));
    const high = this.highOf(suited.length);
    for (const lens of suited) {
      const held = this.panels.get(lens);
      const panel = held || new Panel(lens, { ...this.at, unfold: (each) => this.unfold(each) });
      if (!held) {
        this.panels.set(lens, panel);
        this.root.insertBefore(panel.root, this.note);
      }
      this.root.hidden = false;
      this.open = this.open ?? panel;
      panel.fold(suited.length > 1, panel === this.open);
      panel.show(view, playing, high);
    }
  }

  /** Unfolds one of several lenses, and folds the others. @param {Panel} panel */
  unfold(panel) {
    this.open = panel;
    for (const each of this.panels.values()) each.fold(this.panels.size > 1, each === panel);
    this.at.unfolded();
  }

  /** Px that the panel leaves for a picture when it holds this many lenses. @param {number} count */
  highOf(count) {
    const view = this.root.closest(".sp-side-view");
    const height = view && shownWidth(view) ? view.clientHeight : 0;
    if (!height) return Infinity;
    const isPresented = Boolean(this.root.closest(".sp-presenting"));
    const written = isPresented ? HEAD : WRITTEN + (height > LOW ? SIGNS : 30);
    return (height - written - HEAD * (count - 1)) / (isPresented ? 2 : LETTERS);
  }

  /** @param {TreeNode | null} node */
  highlight(node) {
    for (const panel of this.panels.values()) panel.highlight(node);
  }
}

/**
 * What a lens may know: the step of the marked node's own round, as far as the cursor has come, and the node in
 * question.
 * @param {Trace} trace @param {Step} step @param {TreeNode | null} marked
 */
function viewOf(trace, step, marked) {
  const own = marked && trace.roundOf(marked) ? marked : null;
  const seen = own ? trace.stepFor(own, step) : step;
  const round = seen.round;
  const node = round ? judgedAt(round, seen, own) : null;
  return /** @type {View} */ ({ trace, step: seen, round, now: step, marked: own, node });
}

/**
 * The node whose draws are in question: above the marked one, above the one just judged, or where the round starts.
 * @param {Round} round @param {Step} step @param {TreeNode | null} [marked]
 * @returns {TreeNode | null}
 */
function judgedAt(round, step, marked) {
  if (marked && marked.round === round.number && marked.parent) return marked.parent;
  if (step.verdict && step.verdict.outcome !== "not_tested") return step.verdict.node.parent;
  const tested = testsSeen(round, step);
  return tested.length ? tested[tested.length - 1].node.parent : round.frontier[0] || null;
}

/**
 * The verdicts with a test that the step has reached, in the order of the tests; below one node, where one is given.
 * @param {Round} round @param {Step} step @param {TreeNode | null} [parent]
 */
export function testsSeen(round, step, parent) {
  return round.verdicts.filter(
    (verdict) =>
      verdict.index < step.verdicts && verdict.outcome !== "not_tested" && (!parent || verdict.node.parent === parent),
  );
}

/**
 * The draws below a node that the step has reached, in draw order.
 * @param {Round} round @param {Step} step @param {TreeNode | null} node
 */
export function drawsBelow(round, step, node) {
  return round.layers
    .slice(0, step.layers)
    .flatMap((layer) => layer.draws)
    .filter((draw) => draw.node.parent === node);
}

/**
 * Whether the step comes after the target's answer, so that p may be told.
 * @param {Round} round @param {Step} step
 */
export const isAnswered = (round, step) => Boolean(round.call) && step.kind !== "drafted" && step.kind !== "start";

/**
 * Whether the step comes at or after the round's end.
 * @param {Step} step
 */
export const isOver = (step) => step.kind === "committed" || step.kind === "finished";

/**
 * "Round 3, 4 draws after “the”".
 * @param {Round} round @param {TreeNode} node @param {import("../trace/records.js").Draw[]} draws
 */
export function headingAt(round, node, draws) {
  const values = { round: round.number, parent: quoted(node.piece), count: draws.length };
  return say("lens_place", values);
}

/**
 * The working of a kind at a node, a depth, or anywhere in the round.
 * @template {import("../trace/records.js").Kind} K
 * @param {Round} round @param {K} kind @param {TreeNode | number | null} [at]
 * @returns {import("../trace/records.js").WorkingOf<K> | null}
 */
export function workingOf(round, kind, at) {
  const first = round.workings.find(
    (working) =>
      working.kind === kind &&
      (at === undefined || ("node" in working && working.node === at) || ("depth" in working && working.depth === at)),
  );
  return /** @type {any} */ (first) ?? null;
}

/**
 * The record of a token below a node, if it hangs in the tree by this step: drafted, or added at the end of the round.
 * @param {Round} round @param {Step} step @param {TreeNode | null} parent @param {number} token
 */
export function childOf(round, step, parent, token) {
  const drawn = drawsBelow(round, step, parent).map((draw) => draw.node);
  const extras = isOver(step) ? round.extras.filter((node) => node.parent === parent) : [];
  return drawn.concat(extras).find((node) => node.token === token) || null;
}

/** Sum of min(p, q) at a node, where it is known. @param {Round} round @param {TreeNode} node */
export const overlapAt = (round, node) => round.call?.overlaps[round.rowOf.get(node) ?? -1] ?? null;

/** Drafts that became text. @param {Round} round */
export const keptDrafts = (round) => (round.commit?.origins ?? []).filter((origin) => origin === "accepted").length;

/** True if the drafting has come to a node of its round. @param {TreeNode} node @param {Step} step */
export const isDrafted = (node, step) => step.kind !== "drafted" || (node.layer ?? 0) <= step.layers;

/** A name for what a lens looks at: a node, a round, or a text of its own. @param {any} spot */
function nameOf(spot) {
  if (spot?.key !== undefined) return "node" + spot.key;
  return spot?.number !== undefined ? "round" + spot.number : String(spot);
}

/** @param {() => any} work */
function safely(work) {
  try {
    return work();
  } catch {
    return false;
  }
}

/** One lens on the page. */
class Panel {
  /** @param {Lens} lens @param {At & {unfold: (panel: Panel) => void}} at */
  constructor(lens, at) {
    this.lens = lens;
    this.at = at;
    this.stamp = this.keyStamp = "";
    this.tallest = 0; // px of the highest picture so far
    this.longest = 0; // px of the longest sentence
    this.headed = 0; // px of the highest head
    this.width = 0;
    this.high = 0;
    this.restoring = false;
    /** @type {Map<number, TreeNode>} */
    this.nodes = new Map();
    this.name = pressButton("sp-lens-name", say(lens.title), () => at.unfold(this));
    this.title = element("h3", "sp-panel-title", say(lens.title));
    this.place = element("span", "sp-quiet sp-lens-place");
    this.head = element("header", "sp-lens-head", [this.title, this.place]);
    this.sentence = element("p", "sp-lens-sentence");
    this.stage = element("div", "sp-lens-stage");
    this.signs = element("button", "sp-lens-signs", say("legend_title"), { type: "button", "aria-expanded": "false" });
    this.signs.addEventListener("click", () => {
      const isOpen = this.root.classList.toggle("sp-lens-explained");
      setAttribute(this.signs, "aria-expanded", isOpen);
      if (isOpen) this.key.scrollIntoView({ block: "nearest" });
    });
    this.key = element("ul", "sp-lens-key", null, { "aria-label": say("legend_label") });
    const about = { "aria-label": say(lens.title), "data-lens": lens.id, ...languageOf(lens.title) };
    this.root = element("section", "sp-panel sp-lens", null, about, [
      this.head,
      this.sentence,
      element("p", "sp-visually-hidden", say("lens_hint")),
      this.stage,
      this.signs,
      this.key,
    ]);
    this.listen();
  }

  listen() {
    /** @param {any} event */
    const nodeAt = (event) => {
      const item = event.target.closest ? event.target.closest(".sp-lens-item") : null;
      return item ? this.nodes.get(Number(item.dataset.key)) || null : null;
    };
    this.stage.addEventListener(
      "pointerover",
      (event) => event.pointerType !== "touch" && this.at.point(nodeAt(event)),
    );
    this.stage.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && this.at.point(null));
    this.stage.addEventListener("click", (event) => nodeAt(event) && this.at.pick(nodeAt(event)));
    this.stage.addEventListener("focusin", (event) => this.restoring || this.at.point(nodeAt(event)));
    this.stage.addEventListener("focusout", () => this.restoring || this.at.point(null));
    this.stage.addEventListener("keydown", (event) => this.move(event, nodeAt(event)));
  }

  /** Arrows move between the items of this lens, Enter and Space choose. @param {any} event @param {?TreeNode} node */
  move(event, node) {
    if (!node || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = this.items();
    const at = items.indexOf(event.target.closest(".sp-lens-item"));
    /** @type {Record<string, number>} */
    const moves = {
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      Home: 0,
      End: items.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (to === undefined) return this.at.pick(node);
    const next = items[Math.max(0, Math.min(items.length - 1, to))];
    items.forEach((item) => item.setAttribute("tabindex", item === next ? "0" : "-1"));
    next.focus();
  }

  items() {
    return Array.from(/** @type {NodeListOf<SVGElement>} */ (this.stage.querySelectorAll(".sp-lens-item")));
  }

  /**
   * One of several has its name as a button; folded it is all that is shown.
   * @param {boolean} isOneOfSeveral @param {boolean} isOpen
   */
  fold(isOneOfSeveral, isOpen) {
    if (isOneOfSeveral && !this.name.parentNode) this.title.replaceChildren(this.name);
    setAttribute(this.name, "aria-expanded", isOpen);
    const isFolded = isOneOfSeveral && !isOpen;
    if (isFolded === this.root.classList.contains("sp-lens-folded")) return;
    this.root.classList.toggle("sp-lens-folded", isFolded);
    this.width = 0; // folded, nothing had a height
    this.stamp = "";
  }

  /** @param {View} view @param {boolean} playing @param {number} high */
  show(view, playing, high) {
    // Spoken when the reader steps. While the run plays, or something is pointed at, sentences would only pile up.
    setAttribute(this.sentence, "aria-live", playing || view.marked ? "off" : "polite");
    const width = shownWidth(this.stage) || Math.floor(shownWidth(this.root) / LETTERS);
    const stamp = [view.step.index, nameOf(safely(() => this.lens.spot(view))), width, high, view.trace.count].join();
    if (stamp === this.stamp || width <= 0) return;
    this.stamp = stamp;
    if (width !== this.width || high !== this.high || !this.tallest) this.reserve(view, width, high);
    const held = this.items().find((item) => item === document.activeElement)?.dataset.key;
    const picture = new Picture(width, getComputedStyle(this.root).fontFamily || "sans-serif", high);
    this.fill(picture, this.drawn(picture, view), view);
    if (held) this.restore(held);
  }

  /** Answer of the lens to its drawing. @returns {Told | null} @param {Picture} picture @param {View} view */
  drawn(picture, view) {
    try {
      const answer = view.round && this.lens.draw(picture, view);
      return answer ? { place: say("round", { round: view.round.number }), key: this.lens.key, ...answer } : null;
    } catch (problem) {
      return { sentence: say("lens_failed", { why: problem.message }), failed: true };
    }
  }

  /**
   * Room for what will come, by the first rounds: what is below should not jump when the run begins to play.
   * @param {View} view @param {number} width @param {number} high
   */
  reserve(view, width, high) {
    this.width = width;
    this.high = high;
    this.tallest = this.longest = this.headed = 0;
    this.sentence.style.minHeight = "";
    this.root.style.removeProperty("--sp-lens-head");
    for (const round of view.trace.rounds.slice(0, 3))
      for (const step of [round.lastStep - 1, round.lastStep]) {
        const picture = new Picture(width, "sans-serif", high);
        const answer = this.drawn(picture, viewOf(view.trace, view.trace.steps[step], null));
        this.tallest = Math.max(this.tallest, picture.height);
        if (!answer || answer.failed) continue;
        if (answer.key) this.showKey(answer.key);
        this.tell(answer.place, answer.sentence);
      }
  }

  /**
   * Writes place and sentence, which keep the most room they have taken: what is below stays where it is.
   * @param {string | undefined} place @param {string} sentence
   */
  tell(place, sentence) {
    setText(this.place, place || "");
    setText(this.sentence, sentence);
    // both are read before either is written, which would have the page laid out once more
    const [headed, longest] = [this.head.offsetHeight, this.sentence.offsetHeight];
    if (headed > this.headed) this.root.style.setProperty("--sp-lens-head", headed + "px");
    if (longest > this.longest) this.sentence.style.minHeight = longest + "px";
    this.headed = Math.max(this.headed, headed);
    this.longest = Math.max(this.longest, longest);
  }

  /** @param {Picture} picture @param {Told | null} answer @param {View} view */
  fill(picture, answer, view) {
    const nothing = !answer || answer.failed;
    this.tell(answer?.place, answer ? answer.sentence : say(view.round ? "lens_nothing" : "lens_start"));
    empty(this.stage);
    if (!nothing) {
      this.stage.appendChild(picture.root);
      picture.root.setAttribute("aria-label", say(this.lens.title));
      this.tallest = Math.max(this.tallest, picture.height);
    }
    this.stage.style.minHeight = this.tallest + "px"; // what is below stays where it is
    if (answer && answer.key) this.showKey(answer.key);
    this.nodes = picture.nodes;
    const first = this.stage.querySelector(".sp-lens-item");
    if (first) first.setAttribute("tabindex", "0");
  }

  /** @param {Key} key */
  showKey(key) {
    const texts = key.map(([, word, values]) => say(word, values));
    const stamp = texts.join("\n");
    if (this.keyStamp === stamp) return;
    this.keyStamp = stamp;
    empty(this.key);
    key.forEach(([mark], i) => {
      const shown = typeof mark === "string" ? element("b", "sp-lens-symbol", mark) : sign(mark);
      this.key.append(element("li", "", [shown, element("span", "", texts[i])]));
    });
  }

  /** Keep the focus on the reader's item when the picture is redrawn, or move it to the first. @param {string} key */
  restore(key) {
    const items = this.items();
    const item = items.find((candidate) => candidate.dataset.key === key) || items[0];
    this.restoring = true;
    if (item) item.focus();
    else /** @type {HTMLElement | null} */ (this.root.closest(".spec-player"))?.focus();
    this.restoring = false;
  }

  /** @param {TreeNode | null} node */
  highlight(node) {
    for (const item of this.items()) item.classList.toggle("sp-pointed", Number(item.dataset.key) === node?.key);
  }
}
