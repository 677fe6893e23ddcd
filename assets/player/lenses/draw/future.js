/**
 * The other outcome of a test, next to its card: a sentence on what would be decided otherwise and, where the page
 * makes runs, the tokens that come of it, which grow to the right as a second, pale tree.
 */

import { element, quoted, setAttribute, setText, visible } from "../../../shared/elements.js";
import { probability } from "../../../shared/numbers.js";
import { say } from "../../../shared/words.js";
import { current } from "../../trace/version_2.js";
import { Trace } from "../../trace/trace.js";
import { changeText } from "../../what_if/change.js";

const BEFORE = 1; // tokens before the two texts part
const SHOWN = 24; // tokens of the other text
const GAP = 14; // px between the card and what would follow
const APART = 38; // ms between two of them

/**
 * @typedef {import("../../trace/records.js").Verdict} Verdict
 * @typedef {import("../../trace/records.js").Round} Round
 * @typedef {import("../../trace/records.js").TreeNode} TreeNode
 * @typedef {{trace: Trace, turn: () => void}} Other the run of the other outcome; `turn` brings it onto the stage
 */

export class Future {
  /** @param {any} player */
  constructor(player) {
    this.player = player;
    /** @type {WeakMap<Trace, Map<string, Other | "asked" | "refused">>} by the run and the change in it */
    this.known = new WeakMap();
    this.shown = ""; // the change
    this.sentence = element("p", "sp-future-said");
    this.text = element("p", "sp-future-text", null, { "aria-label": say("future_text") });
    this.counts = element("span", "sp-future-counts");
    this.turn = element("button", "sp-future-turn", say("future_turn"), {
      type: "button",
      title: say("flip_to_branch"),
    });
    this.foot = element("div", "sp-future-foot", [this.counts, this.turn]);
    this.root = element("div", "sp-future", null, { hidden: "", "aria-live": "polite" }, [
      this.sentence,
      this.text,
      this.foot,
    ]);
    for (const type of ["pointerdown", "click"]) this.root.addEventListener(type, (event) => event.stopPropagation());
  }

  /**
   * Shows the outcome that a test did not have.
   * @param {Round} round @param {Verdict} verdict
   */
  show(round, verdict) {
    const outcome = verdict.outcome === "accepted" ? "rejected" : "accepted";
    const change = { round: round.number, node: verdict.node.id, outcome };
    const name = changeText(change);
    if (this.shown === name) return;
    this.shown = name;
    this.root.hidden = false;
    setText(this.sentence, sentenceOf(this.player.trace, round, verdict));
    const { trace, whatIf } = this.player;
    const isMade = whatIf.maker && trace.finished && !trace.run.branch;
    this.text.hidden = this.foot.hidden = !isMade;
    setAttribute(this.root, "class", isMade ? "sp-future sp-future-made" : "sp-future");
    if (!isMade) return;
    const known = this.known.get(trace) ?? new Map();
    this.known.set(trace, known);
    if (!known.has(name)) {
      known.set(name, "asked");
      whatIf.maker.beside(change, (/** @type {any} */ answer) => this.hear(trace, name, answer));
    }
    this.fill(known.get(name));
  }

  /** Stands to the right of the card, or to its left where that is wider; over it on a phone. */
  stand(/** @type {number} */ left, /** @type {number} */ right, /** @type {number} */ across) {
    const isRight = across - right >= left;
    const wide = (isRight ? across - right : left) - 2 * GAP;
    const isBeside = wide >= 240;
    Object.assign(this.root.style, {
      left: `${!isBeside ? GAP : isRight ? right + GAP : GAP}px`,
      width: `${isBeside ? wide : across - 2 * GAP}px`,
    });
    this.root.classList.toggle("sp-future-over", !isBeside);
  }

  hide() {
    if (!this.shown) return;
    this.shown = "";
    this.root.hidden = true;
    this.player.tree.markOther(NOTHING);
  }

  /**
   * The page has made the run of a change, or could not.
   * @param {Trace} trace @param {string} name @param {{file: any, turn: () => void} | null} answer
   */
  hear(trace, name, answer) {
    this.known.get(trace)?.set(name, answer ? { trace: folded(answer.file), turn: answer.turn } : "refused");
    if (this.player.trace !== trace || this.shown !== name) return;
    this.fill(this.known.get(trace)?.get(name));
  }

  /** @param {Other | "asked" | "refused" | undefined} other */
  fill(other) {
    const isThere = typeof other === "object";
    this.foot.hidden = !isThere;
    if (!isThere) return setText(this.text, say(other === "refused" ? "future_refused" : "future_waiting"));
    const { trace } = this.player;
    const round = Number(this.shown.split(".")[0]);
    const [was, is] = [trace.words, other.trace.words];
    const same = is.findIndex((word, i) => word.node.token !== was[i]?.node.token);
    this.unroll(same < 0 ? [] : is.slice(Math.max(0, same - BEFORE)), Math.min(BEFORE, Math.max(0, same)));
    const [now, before] = [countsFrom(other.trace, round), countsFrom(trace, round)];
    setText(this.counts, say("future_counts", { ...now, tokens_before: before.tokens, calls_before: before.calls }));
    this.turn.onclick = other.turn;
    this.mark(other.trace, round);
  }

  /**
   * The other text, token by token; the first that differs is marked.
   * @param {Trace["words"]} words @param {number} differs
   */
  unroll(words, differs) {
    if (!words.length) return setText(this.text, say("future_same"));
    const spans = words.slice(0, SHOWN).map(({ node, origin }, i) => {
      const kind = i < differs ? " sp-future-before" : i === differs ? " sp-future-first" : "";
      return element("span", `sp-future-token sp-is-${origin}${kind}`, visible(node.piece, 14));
    });
    this.text.replaceChildren(...spans);
    if (this.player.playhead.still.matches) return;
    spans.slice(differs).forEach((span, i) => {
      span.animate?.([{ opacity: 0 }, { opacity: 1 }], { duration: 160, delay: i * APART, fill: "backwards" });
    });
  }

  /**
   * Drafts of the round that the other outcome emits are marked in the tree.
   * @param {Trace} other @param {number} round
   */
  mark(other, round) {
    const there = other.rounds.find((each) => each.number === round);
    const emitted = new Set((there?.committed ?? []).map((node) => node.id));
    const here = this.player.trace.rounds.find((/** @type {Round} */ each) => each.number === round);
    const nodes = (here?.nodes ?? []).filter((/** @type {TreeNode} */ node) => emitted.has(node.id));
    this.player.tree.markOther(new Set(nodes.map((/** @type {TreeNode} */ node) => node.key)));
  }
}

/** @type {Set<number>} */
const NOTHING = new Set();

/** @param {any} file */
function folded(file) {
  const trace = new Trace();
  for (const event of current(file).events) trace.push(event);
  return trace;
}

/** Tokens and target calls of a run from a round on. @param {Trace} trace @param {number} round */
function countsFrom({ words, rounds }, round) {
  return {
    tokens: words.filter((word) => word.round >= round).length,
    calls: rounds.filter((each) => each.number >= round).length,
  };
}

/**
 * Sentence on what would be decided, had u fallen on the other side of the acceptance probability.
 * @param {Trace} trace @param {Round} round @param {Verdict} verdict
 */
export function sentenceOf(trace, round, verdict) {
  const values = { accept: probability(verdict.accept), token: quoted(verdict.node.piece) };
  const followed = trace.run?.tests === "draws" && !round.beams;
  /** @param {string} more */
  const of = (more) => (followed ? more : "");
  if (verdict.outcome === "rejected") {
    const isLast = !round.nodes.some((node) => node.parent === verdict.node);
    return say("future_accepted" + of(isLast ? "_last" : "_on"), values);
  }
  const draws = round.layers.flatMap((layer) => layer.draws).filter((draw) => draw.node.parent === verdict.node.parent);
  const isLast = draws.every(({ verdict: own }) => own && own.outcome !== "not_tested" && own.index <= verdict.index);
  return say("future_rejected" + of(isLast ? "_last" : "_sibling"), values);
}
