/**
 * What if a verdict had been another? The choices are below the token that they are about; the page around makes the
 * run again, and the reader switches between both runs at the same point of the same round.
 */

import { element, empty, pressButton, quoted, setText } from "../../shared/elements.js";
import { optionName, say } from "../../shared/words.js";
import { optionsOf } from "../trace/settings.js";

/** @typedef {import("../trace/records.js").TreeNode} TreeNode */
/** @typedef {import("./change.js").Change} Change */
/**
 * @typedef {{name: string, key: string, label: string, unit: string, min: number, max: number}} Size an option that
 * says how large drafts are
 * @typedef {{file: any, turn: () => void}} Made a branch as a file; `turn` brings it onto the stage
 */

const CHOICES = 8; // tokens that may take a place

export class WhatIf {
  /** @param {any} player */
  constructor(player) {
    this.player = player;
    /**
     * What the page around can do; `beside` makes the branch and leaves the run on the stage.
     * @type {{ask: (change: Change) => void, beside: (change: Change, answer: (made: Made | null) => void) => void,
     *   sizes: Record<string, Size[]>} | null}
     */
    this.maker = null;
    this.flip = () => {};
    this.stamp = "";
    this.body = element("div", "sp-if-body");
    this.root = element("details", "sp-if", null, { hidden: "" }, [element("summary", "", say("if_title")), this.body]);
    this.said = element("span", "sp-branch-said");
    this.turn = pressButton("sp-branch-turn", "", () => this.flip(), { "aria-keyshortcuts": "X" });
    this.bar = element("span", "sp-branch", null, { hidden: "" }, [this.said, this.turn]);
  }

  /** @param {WhatIf["maker"]} maker */
  offer(maker) {
    this.maker = maker;
  }

  /**
   * Whether the run on the stage has another next to it.
   * @param {(() => void) | null} flip
   * @param {boolean} isQuiet the head of the stage stays as it is: another place says so
   */
  pair(flip, isQuiet = false) {
    this.flip = flip || (() => {});
    this.turn.hidden = !flip || isQuiet;
    this.name();
  }

  /** Says at the head of the stage which of the two it is. */
  name() {
    const { run } = this.player.trace;
    const isBranch = Boolean(run && run.branch);
    this.bar.hidden = !isBranch && this.turn.hidden;
    setText(this.said, isBranch ? sentenceOf(this.player.trace) : say("said_original"));
    setText(this.turn, say(isBranch ? "flip_to_original" : "flip_to_branch"));
  }

  /**
   * The choices for a token whose verdict is known.
   * @param {TreeNode | null} node
   */
  show(node) {
    const { trace, step } = this.player;
    const round = node && trace.roundOf(node);
    const seen = node && step && round ? trace.stepFor(node, step) : null;
    const verdict = node && seen ? judgedBy(node, seen.verdicts) : null;
    this.root.hidden = !verdict;
    const stamp = node && verdict ? [node.key, verdict.index, trace.count, this.maker !== null].join() : "";
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    empty(this.body);
    if (verdict) this.body.append(...this.wishes(node, round, verdict));
  }

  wishes(node, round, verdict) {
    const { trace } = this.player;
    const quiet = (key) => [element("p", "sp-quiet", say(key))];
    if (!this.maker) return quiet("if_elsewhere");
    if (trace.run.branch) return quiet("if_branch");
    if (!trace.finished) return quiet("if_running");
    const beams = trace.rounds.some((each) => each.frontier.length > 1);
    const about = { round: round.number, node: node.id };
    return [
      this.otherVerdict(node, verdict, about),
      ...(beams ? [] : [this.otherToken(trace, node, round, about)]),
      ...this.otherSize(about),
      element("p", "sp-quiet", say("if_hint")),
    ];
  }

  ask(change) {
    this.maker?.ask(change);
  }

  otherVerdict(node, verdict, about) {
    const token = quoted(node.piece);
    const accepted = verdict.outcome === "accepted";
    const why =
      verdict.coin === null
        ? "if_threshold"
        : accepted && verdict.accept >= 1
          ? "if_every_coin"
          : !accepted && verdict.accept <= 0
            ? "if_no_coin"
            : "";
    if (why) return element("p", "sp-quiet", say(why, { token }));
    return pressButton("sp-if-do sp-if-verdict", say(accepted ? "if_refuse" : "if_accept", { token }), () =>
      this.ask({ ...about, outcome: accepted ? "rejected" : "accepted" }),
    );
  }

  otherToken(trace, node, round, about) {
    const row = round.rowOf.get(node.parent);
    const all = row === undefined ? [] : round.call.alternatives[row].map(([token]) => token);
    const accepted = node.draws.some((draw) => draw.verdict && draw.verdict.outcome === "accepted");
    const tokens = all.filter((token) => !accepted || token !== node.token).slice(0, CHOICES);
    const choice = element("select", "", null, { "aria-label": say("if_token_choice", { token: quoted(node.piece) }) });
    for (const token of tokens) choice.append(element("option", "", quoted(trace.piece(token)), { value: token }));
    const button = pressButton(
      "sp-if-do",
      say("if_take"),
      () => choice.value && this.ask({ ...about, token: Number(choice.value) }),
    );
    return element("div", "sp-if-wish", [element("span", "", say("if_token")), choice, button]);
  }

  otherSize({ round }) {
    const { run } = this.player.trace;
    const sizes = this.maker?.sizes[run.method] ?? [];
    if (!sizes.length) return [];
    const choice = element("select", "", null, { "aria-label": say("if_option_choice") });
    for (const size of sizes) choice.append(element("option", "", optionName(size), { value: size.name }));
    const value = element("input", "", null, { type: "number", "aria-label": say("if_option_value") });
    const turn = () => {
      const size = sizes.find((each) => each.name === choice.value) || sizes[0];
      const now = Number(run.options[size.name] ?? size.min);
      Object.assign(value, {
        min: String(size.min),
        max: String(size.max),
        value: String(now + 2 <= size.max ? now + 2 : size.min),
      });
    };
    choice.addEventListener("change", turn);
    turn();
    const button = pressButton("sp-if-do", say("if_from", { round }), () =>
      this.ask({ round, options: { [choice.value]: Number(value.value) } }),
    );
    return [element("div", "sp-if-wish", [element("span", "", say("if_option")), choice, value, button])];
  }
}

/**
 * The last of a token's verdicts by then, if one of its draws was judged.
 * @param {TreeNode} node
 * @param {number} verdicts of its round, so far
 */
function judgedBy(node, verdicts) {
  const known = node.draws.flatMap(({ verdict }) =>
    verdict && verdict.outcome !== "not_tested" && verdict.index < verdicts ? [verdict] : [],
  );
  return known[known.length - 1] || null;
}

/** Sentence on what a branch is. */
export function sentenceOf(trace) {
  const { round, node, outcome, token, options } = trace.run.branch;
  const match = trace.rounds.find((each) => each.number === round)?.nodes.find((each) => each.id === node);
  const named = { round, token: quoted(match ? match.piece : "") };
  if (outcome) return say("said_" + outcome, named);
  if (token !== null) return say("said_token", { ...named, other: quoted(trace.piece(token)) });
  return say("said_options", { round, options: optionsOf(trace.run.method, options) });
}

/** Position of a player, in words that hold for another run as well: the round, and how far into it. */
export function positionOf({ step }) {
  return step && step.round
    ? { round: step.round.number, offset: step.index - step.round.firstStep }
    : { round: 0, offset: 0 };
}

/** Goes there, or as near as the run on the stage comes. */
export function goToPosition(player, { round, offset }) {
  const { rounds } = player.trace;
  const match = rounds.find((each) => each.number === round) || (round ? rounds[rounds.length - 1] : null);
  player.goto(match ? Math.min(match.firstStep + offset, match.lastStep) : 0);
}

/**
 * Goes to where a branch leaves the run that it came from, in either of the two.
 *
 * @param {any} player
 * @param {Change} change
 */
export function goToChange(player, { round, node }) {
  if (round > player.trace.rounds.length) return player.goto(player.playhead.last);
  const of = player.trace.steps.filter((step) => step.round && step.round.number === round);
  const match =
    of.find((step) => step.verdict && step.verdict.node.id === node && step.verdict.outcome !== "not_tested") || of[0];
  player.goto(match ? match.index : 0);
}
