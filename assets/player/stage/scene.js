/**
 * What a round brings onto the stage, and what of it is to be seen at a step: records in, plain values out, no page.
 */

import { quoted } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { braidOf } from "../trace/beams.js";
import { calledAt, jointDraftProbability, pathOf, stateOf } from "../trace/records.js";
import { levels, MATTERS } from "./fold.js";

const WORDS = 7; // of committed text at most
const STEPS = 16; // of the beams at most

/**
 * @typedef {import("../trace/records.js").TreeNode} TreeNode
 * @typedef {import("../trace/records.js").Round} Round
 * @typedef {import("../trace/records.js").Step} Step
 * @typedef {import("../trace/trace.js").Trace} Trace
 * @typedef {import("../trace/beams.js").BeamColumn} BeamColumn
 * @typedef {{columns: BeamColumn[], most: number}} Braid
 * @typedef {import("./layout.js").Item & {node: TreeNode, dead?: boolean}} Item
 * @typedef {Record<string, any>} View of a chip or a tuft
 */

/**
 * Number of `nodes` that are this one: draws, and beams, that coincide.
 * @param {TreeNode[]} nodes
 * @param {TreeNode} node
 */
const copies = (nodes, node) => nodes.filter((other) => other === node).length;

/**
 * Row of a beam in its column: rows from the middle, the best on top; beams that coincide have a row each.
 * @param {import("../trace/beams.js").Beam} beam
 * @param {BeamColumn} column
 */
const rowOf = (beam, { beams }) =>
  beam.rank + (beam.times - 1) / 2 - (beams.reduce((sum, each) => sum + each.times, 0) + 1) / 2;

/**
 * The trunk and the nodes of a round as items for layout.js, each with its node; `wanted` are keys of nodes whose tuft
 * is open.
 * @param {import("../trace/trace.js").Trace} trace
 * @param {import("../trace/records.js").Round | null} round
 * @param {Set<number>} wanted
 */
export function sceneOf(trace, round, wanted) {
  const frontier = round ? round.frontier : trace.frontier;
  const several = trace.rounds.some((each) => each.beams && (each.next?.length ?? 0) > 1);
  const braid = several ? braidOf(trace) : { columns: [], most: 0 };
  return {
    trunk: trunkOf(round, frontier, braid),
    nodes: round ? itemsOf(round, braid, wanted) : [],
    beams: braid.most,
  };
}

/** @param {TreeNode} node @param {Partial<Item>} more @returns {Item} */
const itemOf = (node, more) => ({
  key: node.key,
  parent: node.parent ? node.parent.key : null,
  depth: node.depth,
  piece: node.piece,
  named: node.named,
  node,
  times: 1,
  ...more,
});

/**
 * The tail of the text, or of every beam: the beams of the rounds before, and the words above them.
 * @param {Round | null} round
 * @param {TreeNode[]} frontier
 * @param {Braid} braid
 */
function trunkOf(round, frontier, braid) {
  const past = braid.columns.filter((column) => round && column.round.number < round.number).slice(-STEPS);
  const trunk = new Map(pastBeams(past, frontier).map((beam) => [beam.key, beam]));
  const whole = past.length === 0 || past[0] === braid.columns[0];
  const heads = past.length ? (whole ? past[0].beams.map((beam) => beam.node.parent) : []) : frontier;
  const first = past.length ? past[0].depth : Infinity;
  for (const leaf of new Set(heads.concat(frontier)))
    for (const node of pathOf(leaf).slice(0, WORDS))
      if (!trunk.has(node.key) && node.depth < first) trunk.set(node.key, itemOf(node, {}));
  const ranked = frontier.some((node) => node !== frontier[0]);
  for (const each of trunk.values()) {
    each.frontier = frontier.includes(each.node);
    if (each.frontier)
      Object.assign(each, { rank: ranked ? frontier.indexOf(each.node) + 1 : 0, times: copies(frontier, each.node) });
  }
  return Array.from(trunk.values()).sort((a, b) => a.depth - b.depth);
}

/**
 * The beams of earlier rounds; one that no later beam continues is `dead`.
 * @param {BeamColumn[]} past
 * @param {TreeNode[]} frontier
 */
function pastBeams(past, frontier) {
  const goesOn = new Set(frontier.flatMap((node) => pathOf(node).slice(0, WORDS + STEPS)));
  return past.flatMap((column, i) => {
    const above = new Set(past[i + 1] ? past[i + 1].beams.map((next) => next.node.parent) : frontier);
    return column.beams.map((beam) =>
      itemOf(beam.node, {
        times: beam.times,
        row: rowOf(beam, column),
        dead: !above.has(beam.node) && !goesOn.has(beam.node),
      }),
    );
  });
}

/**
 * Items of a round: its drafts, and the tokens emitted beyond them.
 * @param {Round} round
 * @param {Braid} braid
 * @param {Set<number>} wanted
 */
function itemsOf(round, braid, wanted) {
  const committed = new Set(round.committed);
  const isTested = (/** @type {TreeNode} */ node) =>
    node.draws.some((draw) => draw.verdict && draw.verdict.outcome !== "not_tested");
  const matters = (/** @type {TreeNode} */ node) => {
    if (committed.has(node)) return MATTERS.kept;
    if (wanted.has(node.key)) return MATTERS.wanted;
    return isTested(node) ? MATTERS.judged : MATTERS.never_judged;
  };
  const rows = new Map();
  for (const column of round.nodes.length ? [] : braid.columns)
    if (column.round === round) for (const beam of column.beams) rows.set(beam.node, rowOf(beam, column));
  return round.nodes.concat(round.extras).map((node) =>
    itemOf(node, {
      times: Math.max(1, node.draws.length, round.beams ? copies(round.next || [], node) : 0),
      aside: node.kind !== "draft",
      row: rows.get(node) ?? null,
      matters: matters(node),
      weight: wanted.has(node.key) ? 0 : (jointDraftProbability(node) ?? 0),
    }),
  );
}

/** @param {Pick<Step, "kind">} step */
const isOver = (step) => step.kind === "committed" || step.kind === "finished";

/** True if a node of the step's round hangs in the tree by then. @param {TreeNode} node @param {Step} step */
export function isSeen(node, step) {
  if (node.kind !== "draft") return isOver(step);
  return node.draws.some((draw) => draw.layer <= (step.round?.layers[step.layers - 1]?.number ?? 0));
}

/**
 * What is to be seen at a step of the layout's round: key -> the view of a chip or a tuft.
 * @param {import("../trace/trace.js").Trace} trace
 * @param {import("../trace/records.js").Step} step
 * @param {any} layout
 * @param {number | null} opened
 */
export function viewsAt(trace, step, layout, opened) {
  const views = new Map();
  const best = layout.beams ? bestPath(trace, step) : new Set();
  const add = (/** @type {any} */ item, /** @type {View} */ more) => {
    const { width, before: left, after: right, label } = layout.places.get(item.key);
    const own = { density: layout.density, width, label, left, right, rank: item.rank || 0, best: best.has(item.node) };
    views.set(item.key, { times: 1, p: null, q: null, ...own, ...more });
  };
  const asking = calledAt(step) !== null && !isOver(step);
  for (const item of layout.trunk) add(item, trunkView(item, asking));
  if (!step.round) return views;
  for (const item of layout.nodes) if (isSeen(item.node, step)) add(item, nodeView(item.node, step, step.round));
  for (const tuft of layout.tufts) {
    const view = tuftView(tuft, step, layout, tuft.parent === opened);
    if (view) add(tuft, view);
  }
  return views;
}

/** The nodes of the best beam's text at a step. @param {Trace} trace @param {Step} step */
function bestPath(trace, { kind, round }) {
  const before = round ? trace.rounds[trace.rounds.indexOf(round) - 1] : null;
  const end = isOver({ kind }) && round ? round.best : before ? before.best : null;
  return new Set(pathOf(end).filter((node) => node.word));
}

/** @param {Item} item @param {boolean} asking */
function trunkView({ node, frontier, times, dead }, asking) {
  const state = node.kind === "prompt" ? "prompt" : node.origin || "accepted";
  return { state, trunk: true, frontier, asked: frontier && asking, times, faded: Boolean(dead) };
}

/** True where no draft of a round was drawn: each was chosen, and its q is 1. @param {Pick<Round, "layers">} round */
export const areCertain = (round) => round.layers.every((layer) => layer.draws.every((draw) => draw.q === 1));

/** @param {TreeNode} node @param {Step} step @param {Round} round */
function nodeView(node, step, round) {
  const over = isOver(step);
  const dropped = over && !round.committed.includes(node);
  return {
    state: stateOf(node, step),
    q: areCertain(round) ? null : (node.draws[0]?.q ?? null),
    p: seenProbability(node, step),
    times: Math.max(node.draws.length, over && round.beams ? copies(round.next ?? [], node) : 0),
    faded: dropped,
    thrown: dropped && !round.beams && stateOf(node, step) === "accepted",
    judged: step.kind === "verified" && step.verdict?.node === node,
  };
}

/** p of a node, where the cursor has reached it. @param {TreeNode} node @param {Step} step */
function seenProbability(node, step) {
  const verdicts = node.draws.flatMap(({ verdict }) => (verdict && verdict.index < step.verdicts ? [verdict] : []));
  const tested = verdicts.find((verdict) => verdict.p !== null);
  if (tested) return tested.p;
  return node.kind !== "draft" && node.word && node.origin !== "correction" ? node.word.extraProb : null;
}

/**
 * A tuft as it is at a step; null where nothing of it has been drafted.
 * @param {import("./layout.js").Tuft} tuft
 * @param {Step} step
 * @param {any} layout
 * @param {boolean} isOpen
 */
function tuftView({ keys, parent }, step, { records }, isOpen) {
  const seen = keys.map((key) => records.get(key)).filter((node) => isSeen(node, step));
  const count = seen.length;
  if (!count && !isOpen) return null;
  const after = quoted(records.get(parent).piece);
  const over = isOver(step);
  const label = levels(seen.map((node) => node.layer));
  const said = say(count === 0 ? "tuft_opened" : count === 1 ? "tuft_label_one" : "tuft_label", { count, after });
  return {
    tuft: true,
    state: over ? "not_tested" : "pending",
    label,
    names: label.includes("·") ? `${label}: ${said}` : said, // Who speaks to the page says what is written there.
    opened: isOpen,
    faded: over,
  };
}
