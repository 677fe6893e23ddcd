/**
 * What a round brings onto the stage, and what of it is to be seen at a step: records in, plain values out, no page.
 */

import { quoted } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { braidOf } from "../trace/beams.js";
import { jointDraftProbability, pathOf, stateOf } from "../trace/records.js";
import { MATTERS } from "./fold.js";

const WORDS = 7; // of committed text at most
const STEPS = 16; // of the beams at most

/** @typedef {import("../trace/records.js").TreeNode} TreeNode */

/** How many of `nodes` are this one: draws, and beams, that coincide. */
const copies = (nodes, node) => nodes.filter((other) => other === node).length;

/** Where a beam stands in its column: rows from the middle, the best on top; beams that coincide have a row each. */
const rowOf = (beam, { beams }) =>
  beam.rank + (beam.times - 1) / 2 - (beams.reduce((sum, each) => sum + each.times, 0) + 1) / 2;

/**
 * The trunk and the nodes of a round as items for layout.js, each with its node; `wanted` are keys of nodes whose tuft is open.
 * @param {import("../trace/trace.js").Trace} trace
 * @param {import("../trace/records.js").Round | null} round
 * @param {Set<number>} wanted
 */
export function sceneOf(trace, round, wanted) {
  const frontier = round ? round.frontier : trace.frontier;
  const several = trace.rounds.some((each) => each.beams && (each.next?.length ?? 0) > 1);
  const braid = several ? braidOf(trace) : { columns: [], most: 0 };
  const item = (node, more) => ({
    key: node.key,
    parent: node.parent ? node.parent.key : null,
    depth: node.depth,
    piece: node.piece,
    named: node.named,
    node,
    times: 1,
    ...more,
  });

  const trunk = new Map();
  const past = braid.columns.filter((column) => round && column.round.number < round.number).slice(-STEPS);
  const goesOn = new Set(frontier.flatMap((node) => pathOf(node).slice(0, WORDS + STEPS)));
  past.forEach((column, i) => {
    for (const beam of column.beams) {
      const above = new Set(past[i + 1] ? past[i + 1].beams.map((next) => next.node.parent) : frontier);
      trunk.set(
        beam.node.key,
        item(beam.node, {
          times: beam.times,
          row: rowOf(beam, column),
          dead: !above.has(beam.node) && !goesOn.has(beam.node),
        }),
      );
    }
  });
  const whole = past.length === 0 || past[0] === braid.columns[0];
  const heads = past.length ? (whole ? past[0].beams.map((beam) => beam.node.parent) : []) : frontier;
  for (const leaf of new Set(heads.concat(frontier)))
    pathOf(leaf)
      .slice(0, WORDS)
      .forEach(
        (node) =>
          trunk.has(node.key) || (past.length && node.depth >= past[0].depth) || trunk.set(node.key, item(node, {})),
      );
  const ranked = frontier.some((node) => node !== frontier[0]);
  for (const each of trunk.values()) {
    each.frontier = frontier.includes(each.node);
    if (each.frontier)
      Object.assign(each, { rank: ranked ? frontier.indexOf(each.node) + 1 : 0, times: copies(frontier, each.node) });
  }

  const committed = new Set(round ? round.committed : []);
  const rows = new Map();
  if (round && round.nodes.length === 0)
    for (const column of braid.columns)
      if (column.round === round) for (const beam of column.beams) rows.set(beam.node, rowOf(beam, column));
  const matters = (node) =>
    committed.has(node)
      ? MATTERS.kept
      : wanted.has(node.key)
        ? MATTERS.wanted
        : node.draws.some((draw) => draw.verdict && draw.verdict.outcome !== "unjudged")
          ? MATTERS.judged
          : MATTERS.never_judged;
  const times = (node) => Math.max(1, node.draws.length, round?.beams ? copies(round.next || [], node) : 0);
  const all = round ? round.nodes.concat(round.extras) : [];
  return {
    trunk: Array.from(trunk.values()).sort((a, b) => a.depth - b.depth),
    nodes: all.map((node) =>
      item(node, {
        times: times(node),
        aside: node.kind !== "draft",
        row: rows.get(node) ?? null,
        matters: matters(node),
        weight: wanted.has(node.key) ? 0 : (jointDraftProbability(node) ?? 0),
      }),
    ),
    beams: braid.most,
  };
}

const isOver = (step) => step.kind === "committed" || step.kind === "finished";

/** Whether a node of the step's round hangs in the tree by then. */
export function isSeen(node, step) {
  if (node.kind !== "draft") return isOver(step);
  return node.draws.some((draw) => draw.layer <= step.round.layers[step.layers - 1]?.number);
}

/**
 * What is to be seen at a step of the layout's round: key -> the view that a chip or a tuft is told.
 * @param {import("../trace/trace.js").Trace} trace
 * @param {import("../trace/records.js").Step} step
 */
export function viewsAt(trace, step, layout, opened) {
  const views = new Map();
  const round = step.round;
  const over = isOver(step);
  const kept = new Set(over && round ? round.committed : []);
  const before = round ? trace.rounds[trace.rounds.indexOf(round) - 1] : null;
  const best = new Set(
    layout.beams ? pathOf(over && round ? round.best : before ? before.best : null).filter((node) => node.word) : [],
  );
  const view = (item, more) => {
    const { width, before: left, after: right, label } = layout.places.get(item.key);
    views.set(item.key, {
      density: layout.density,
      width,
      label,
      left,
      right,
      rank: item.rank || 0,
      times: 1,
      p: null,
      q: null,
      best: best.has(item.node),
      ...more,
    });
  };
  for (const item of layout.trunk) {
    const state = item.node.kind === "prompt" ? "prompt" : item.node.origin || "accepted";
    const asked = item.frontier && round && round.call && step.kind !== "drafted" && !over;
    view(item, { state, trunk: true, frontier: item.frontier, asked, times: item.times, faded: Boolean(item.dead) });
  }
  if (!round) return views;
  for (const item of layout.nodes) {
    const node = item.node;
    if (!isSeen(node, step)) continue;
    const drafted = node.kind === "draft";
    const seen = node.draws
      .map((draw) => draw.verdict)
      .find((verdict) => verdict && verdict.index < step.verdicts && verdict.p !== null);
    view(item, {
      state: stateOf(node, step),
      q: node.draws[0]?.q ?? null,
      p: seen ? seen.p : drafted ? null : node.word && node.origin !== "correction" ? node.word.extraProb : null,
      times: Math.max(node.draws.length, over && round.beams ? copies(round.next, node) : 0),
      faded: over && !kept.has(node),
      judged: step.kind === "judged" && step.verdict?.node === node,
    });
  }
  for (const tuft of layout.tufts) {
    const count = tuft.keys.filter((key) => isSeen(layout.records.get(key), step)).length;
    const isOpen = tuft.parent === opened;
    if (!count && !isOpen) continue;
    const after = quoted(layout.records.get(tuft.parent).piece);
    const names = say(count === 0 ? "tuft_opened" : count === 1 ? "tuft_label_one" : "tuft_label", { count, after });
    view(tuft, {
      tuft: true,
      state: over ? "unjudged" : "pending",
      label: count ? "+" + count : "–",
      names,
      opened: isOpen,
      faded: over,
    });
  }
  return views;
}
