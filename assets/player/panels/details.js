/**
 * The inspector: one panel, always in the same place, about one token at a time.
 *
 * It says what was measured about the token: p, q, the acceptance probability, the coin, the verdict and its reason,
 * and what else could have followed its parent. It never tells more than the cursor has reached.
 */

import { drawing, element, fillPiece, pressButton, quoted, svg, visible } from "../../shared/elements.js";
import { term } from "../../shared/glossary/glossary.js";
import { probability } from "../../shared/numbers.js";
import { say, words } from "../../shared/words.js";
import { makeBadge } from "../stage/glyphs.js";
import { positionOf } from "../trace/position.js";
import { hasResidual, jointDraftProbability, stateOf, weighsLayers } from "../trace/records.js";

const ALTERNATIVES = 6;
const REMOVED = 4;
const SMALLEST_REMOVED = 0.005; // one that nobody misses is not named

export class Details {
  /** `at`: release() lets a kept token go; openInLab(position) is null where there is no Lab. */
  constructor(at) {
    this.at = at;
    this.position = null; // of the token shown, if the Lab can take it
    this.isChain = false; // the round of the token shown
    this.root = element("aside", "sp-details", null, { "aria-label": say("inspector_label") });
    this.shown = null;
  }

  /** Shows `node` as known at `step`; null shows what to do. */
  show(trace, step, node, pinned) {
    const stamp = node && step ? [trace.stepFor(node, step).index, node.key, pinned, trace.count].join() : "";
    // While the cursor runs on, the panel of a kept token stays as it is, with the focus inside it.
    if (this.shown === stamp && this.trace === trace) return;
    this.shown = stamp;
    this.trace = trace;
    this.position = null;
    if (node && step) this.root.replaceChildren(...this.about(trace, step, node, pinned));
    else
      this.root.replaceChildren(
        element("p", "sp-details-empty", say("inspector_empty")),
        element("p", "sp-quiet", say("inspector_hint")),
      );
  }

  /** Parts about a node: its head, its numbers, and what else the models thought possible. */
  about(trace, step, node, pinned) {
    const seen = trace.stepFor(node, step);
    const round = trace.roundOf(node);
    const isScored = round && node.parent && seen.kind !== "drafted";
    // of a chain q of the path weighs nothing; a rule by joint probabilities names its own
    this.isChain = !round || round.layers.every((layer) => layer.draws.length === 1);
    /** @type {HTMLElement[]} */
    const parts = [this.head(node, stateOf(node, seen), round, pinned)];
    if (node.draws.length) parts.push(...this.tests(node, seen, isScored ? scoredAt(round, node) : null));
    else if (node.word) parts.push(this.wordNumbers(node, round));
    if (isScored) parts.push(...this.alternatives(trace, round, node, seen));
    if (isScored && this.at.openInLab) parts.push(...this.wayToLab(trace, node));
    return parts;
  }

  /** A drafted node's numbers, those of each of its tests that the cursor has reached. */
  tests(node, seen, scored) {
    const verdicts = node.draws.map((draw) => draw.verdict).filter((verdict) => verdict?.index < seen.verdicts);
    const tested = verdicts.filter((verdict) => verdict.outcome !== "not_tested");
    const shown = tested.length ? tested : verdicts.slice(0, 1);
    if (!shown.length) return [this.numbers(node, null, scored)];
    return shown.flatMap((verdict) => this.judgement(node, verdict, scored));
  }

  /** A button that takes this position to the Lab; of a drafted token also the reason where there is none. */
  wayToLab(trace, node) {
    const opened = positionOf(trace, node);
    if (opened.why) return node.draws.length ? [element("p", "sp-quiet", opened.why)] : [];
    this.position = opened;
    const button = pressButton("sp-to-lab", say("open_in_lab"), () => this.open(), {
      title: say("open_in_lab_title"),
      "aria-keyshortcuts": "L",
    });
    return [button];
  }

  open() {
    if (this.position) this.at.openInLab(this.position);
  }

  head(node, state, round, pinned) {
    const head = element("header", "sp-details-head");
    const chip = element("span", "sp-token sp-is-" + state);
    fillPiece(chip, node.piece, (className, text) => element("span", className, text));
    const badge = drawing("sp-glyph-box", [-9, -9, 18, 18], [makeBadge(state)]);
    const name = words["origin_" + state] && node.kind !== "draft" ? say("origin_" + state) : say("state_" + state);
    const line = element("p", "sp-details-state", state === "prompt" ? [] : [badge]);
    line.append(state === "prompt" ? say("origin_prompt") : name);
    head.append(chip);
    if (pinned) {
      const button = pressButton("sp-unpin", say("unpin"), () => this.at.release());
      head.appendChild(button);
    }
    const heading = !round
      ? say("where_prompt", { position: node.depth + 1 })
      : node.layer
        ? say("where", { round: round.number, layer: node.layer })
        : say("where_extra", { round: round.number, parent: quoted(node.parent ? node.parent.piece : "") });
    const box = element("div");
    box.append(head, line, element("p", "sp-quiet", heading));
    return box;
  }

  /** p, q, the acceptance probability and the joint draft probability, as figures; `scored`: p as the call gave it. */
  numbers(node, verdict, scored) {
    const q = verdict && verdict.q !== null ? verdict.q : node.draws[0].q;
    const of = weighsLayers(this.trace) ? "_layer" : "";
    const joint = of || this.isChain ? null : jointDraftProbability(node);
    return figures([
      ["p", say("p" + of), verdict?.p ?? (of ? null : scored), say(`p${of}_long`), "sp-p"],
      ["q", say("q" + of), q, say(`q${of}_long`), "sp-q"],
      ["acceptance", say("accept"), verdict && verdict.coin !== null ? verdict.accept : null, say("accept_long")],
      ...(joint === null ? [] : [["joint", say("joint"), joint, say("joint_long")]]),
    ]);
  }

  judgement(node, verdict, scored) {
    const parts = [];
    if (node.draws.length > 1 && verdict.draw)
      parts.push(
        element("p", "sp-details-draw", say("draw_of", { draw: verdict.draw.index + 1, draws: node.draws.length })),
      );
    if (verdict.draw && verdict.draw.writer !== null)
      parts.push(element("p", "sp-quiet", say("written_by", { writer: verdict.draw.writer + 1 })));
    parts.push(this.numbers(node, verdict, scored));
    if (verdict.coin !== null && verdict.accept !== null) parts.push(uniformPicture(verdict));
    if (verdict.reason) parts.push(element("p", "sp-reason sp-is-" + verdict.outcome, verdict.reason));
    if (isJudgedByTheRest(this.trace, node, verdict)) parts.push(element("p", "sp-quiet", say("judged_by_rest")));
    return parts;
  }

  wordNumbers(node, round) {
    const word = node.word;
    const fromResidual = word.origin === "correction" && node.parent && hasResidual(round, node.parent);
    const drawn = [
      fromResidual ? "residual" : "p",
      say(fromResidual ? "residual" : "p"),
      word.extraProb,
      say("extra_prob_long"),
    ];
    const rows = word.extraProb === null ? [] : [drawn]; // beams are chosen among each other's tokens
    return figures([...rows, ["p", say("log_prob"), word.logProb, say("log_prob_long")]]);
  }

  /** Alternatives after the parent with their p and q, as recorded at the target call. */
  alternatives(trace, round, node, seen) {
    const row = round.rowOf.get(node.parent);
    if (row === undefined) return [];
    // The likeliest few, and the token itself wherever it ranks.
    const rows = round.call.alternatives[row].filter(([token], i) => i < ALTERNATIVES || token === node.token);
    const overlap = round.call.overlaps[row];
    const corrected = hasResidual(round, node.parent) && isTested(round, node.parent, seen);
    const title = say("alternatives", { parent: quoted(node.parent.piece) });
    const raw = new Map(round.call.raw_probs?.[row]);
    const parts = [element("h3", "sp-details-title", title)];
    const known = say("overlap", { value: probability(overlap) });
    if (overlap !== null)
      parts.push(element("p", "sp-overlap", null, { title: say("overlap_note") }, [term("overlap", known)]));
    return [
      ...parts,
      ...(rows.length ? [this.listed(trace, rows, raw, { token: node.token, corrected })] : []),
      ...(corrected ? [noteWithSwatch("sp-residual", say("residual_note"))] : []),
      ...this.changed(trace, rows, raw),
    ];
  }

  /** The tokens with bars, on one scale; `raw`: token -> p before the settings changed it. */
  listed(trace, rows, raw, { token: shown, corrected }) {
    const list = element("ol", "sp-alternatives", null, { title: say("alternatives_note") });
    const values = rows.flatMap(([token, ...probs]) => [...probs, raw.get(token)]);
    const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
    const isChosen = rows.every(([, , q = null]) => q === null || q === 0 || q === 1); // said above: no bar shows it
    for (const [token, p, q = null, residual = null] of rows) {
      const numbers = { p, q: isChosen ? null : q, residual: corrected ? residual : null, raw: raw.get(token) ?? null };
      list.appendChild(alternative(visible(trace.piece(token), 12), token === shown, numbers, most));
    }
    return list;
  }

  /** Explain the pale bars, and strike out the likeliest tokens that the settings removed. */
  changed(trace, rows, raw) {
    if (!raw.size) return [];
    const note = noteWithSwatch("sp-raw", say("raw_note"));
    const left = new Set(rows.filter(([, p]) => p > 0).map(([token]) => token));
    const removed = [...raw].filter(([token, value]) => !left.has(token) && value >= SMALLEST_REMOVED);
    if (!removed.length) return [note];
    const chips = removed
      .slice(0, REMOVED)
      .map(([token, value]) =>
        element("span", "sp-removed", [element("s", "", visible(trace.piece(token), 12)), ` ${probability(value)}`]),
      );
    return [note, element("p", "sp-quiet sp-removed-line", [say("removed"), ...chips])];
  }
}

/** A token that could have followed, with p, p before the settings, q and what a rejection left of p as bars. */
function alternative(piece, isThis, { p, q, residual, raw }, most) {
  const values = [
    ["sp-raw", raw, `${say("raw")} ${probability(raw)}`],
    ["sp-p", p, `p ${probability(p)}`],
    ["sp-q", q, `q ${probability(q)}`],
    ["sp-residual", residual || null, `${say("residual")} ${probability(residual)}`],
  ];
  const bars = values.filter(([, value]) => value !== null).map(([name, value]) => bar(name, value / most));
  const figure = probability(p) + (q === null ? "" : " / " + probability(q));
  const title = values.filter(([, value], i) => i === 1 || i === 2 || value !== null).map(([, , text]) => text);
  return element("li", "sp-alternative" + (isThis ? " sp-this" : ""), null, { title: title.join(", ") }, [
    element("span", "sp-alternative-name", piece),
    element("span", "sp-alternative-bars", bars),
    element("span", "sp-alternative-figures", figure),
  ]);
}

/** True once all tests below a node have been seen: before the last, what the rejections leave of p is not known. */
const isTested = (round, parent, seen) =>
  round.verdicts.every(
    (verdict) => verdict.node.parent !== parent || verdict.outcome === "not_tested" || verdict.index < seen.verdicts,
  );

/**
 * True if an earlier rejection of a sibling draw took its part of p, so that p and q alone do not give the acceptance.
 */
function isJudgedByTheRest(trace, node, verdict) {
  if (
    !trace.kinds.has("recursive") ||
    verdict.coin === null ||
    !verdict.p ||
    !verdict.q ||
    Math.abs(verdict.accept - Math.min(1, verdict.p / verdict.q)) < 0.001
  )
    return false;
  const { verdicts } = trace.roundOf(node);
  return verdicts.some(
    (other) => other.index < verdict.index && other.outcome === "rejected" && other.node.parent === node.parent,
  );
}

function figures(rows) {
  const list = element("dl", "sp-figures");
  for (const [word, name, value, long, className] of rows) {
    const cell = element("div", "sp-figure " + (className || ""), null, { title: long });
    cell.append(element("dt", "", [term(word, name)]), element("dd", "", probability(value).replace(/^-/, "−")));
    list.appendChild(cell);
  }
  return list;
}

function bar(className, share) {
  const line = element("span", "sp-bar " + className);
  line.style.width = (100 * Math.min(1, share)).toFixed(1) + "%";
  return line;
}

function noteWithSwatch(className, text) {
  return element("p", "sp-quiet sp-swatch-note", [element("i", "sp-swatch " + className), text]);
}

/** p of a token by the call that scored it, where it was likely enough to be recorded. */
function scoredAt(round, node) {
  const row = round.rowOf.get(node.parent);
  return row === undefined ? null : (round.call.alternatives[row].find(([token]) => token === node.token)?.[1] ?? null);
}

/** A line from 0 to 1: filled up to the acceptance probability, the coin as a dot. */
function uniformPicture(verdict) {
  const x = (value) => 8 + 264 * Math.max(0, Math.min(1, value));
  const picture = svg("svg", "sp-coin sp-is-" + verdict.outcome, null, { viewBox: "0 0 280 36", role: "img" });
  const text = `${say("coin")} ${probability(verdict.coin)}, ${say("accept_long")} ${probability(verdict.accept)}`;
  const at = Math.min(226, Math.max(54, x(verdict.coin))); // of the coin's words, which an end gives way to
  picture.append(
    svg("title", "", text),
    svg("rect", "sp-coin-track", null, { x: 8, y: 7, width: 264, height: 8, rx: 4 }),
    svg("rect", "sp-coin-fill", null, { x: 8, y: 7, width: Math.max(0, x(verdict.accept) - 8), height: 8, rx: 4 }),
    svg("line", "sp-coin-edge", null, { x1: x(verdict.accept), x2: x(verdict.accept), y1: 3, y2: 19 }),
    svg("circle", "sp-coin-dot", null, { cx: x(verdict.coin), cy: 11, r: 5.5 }),
    svg("text", "sp-coin-text", at < 76 ? "" : "0", { x: 8, y: 32 }),
    svg("text", "sp-coin-text", at > 204 ? "" : "1", { x: 272, y: 32, "text-anchor": "end" }),
    svg("text", "sp-coin-text sp-coin-value", `${say("coin")} ${probability(verdict.coin)}`, {
      x: at,
      y: 32,
      "text-anchor": "middle",
    }),
  );
  const box = element("div", "sp-coin-box", null, { title: say("coin_line") });
  box.appendChild(picture);
  return box;
}
