/**
 * The workings in a trace: what a rule worked out on the way, for a lens to draw, one contract per kind.
 *
 * A file may hold anything here. Whatever breaks its contract is left out and counted, and the run plays on; kinds that
 * no lens knows are passed over. The rules' own modules say what the numbers mean.
 */

import { kinds } from "./contract.js";

const { isNumber, isText, isTable, maybe } = kinds;

const MOST = 200; // workings read in a round
const LONGEST = 80; // entries of a list
const LARGEST = 1e9; // no count and no number of ours is larger; a picture of one would be none
const ROUNDED = 1.001; // shares have come with four digits

const isCount = (value) => kinds.isCount(value) && value <= LARGEST;
const isShare = (value) => isNumber(value) && value >= 0 && value <= ROUNDED;
const isPositive = (value) => isNumber(value) && value >= 0 && value <= LARGEST;
const isLogarithm = (value) => isNumber(value) && value <= ROUNDED - 1;
const isFlag = (value) => typeof value === "boolean";
const few = (kind) => (value) => Array.isArray(value) && value.length <= LONGEST && value.every(kind);
const isRow = few(isShare);

const KINDS = {
  k_seq: { node: isCount, num_draws: isCount, factor: isPositive, one: isShare, all: isShare },
  layers: { node: isCount, tokens: few(isCount), best: isRow, drafted: isRow },
  matching: { node: isCount, tokens: few(isCount), target: isRow, draft: isRow, chance: isShare },
  recursive: { node: isCount, tokens: few(isCount), draws: few(isCount), rests: few(isRow), offers: few(isRow) },
  importance: {
    node: isCount,
    tokens: few(isCount),
    target: isRow,
    draft: isRow,
    law: isRow,
    draws: few(isCount),
    selected: isCount,
    chances: isRow,
    one: isShare,
    all: isShare,
  },
  sequoia: {
    node: isCount,
    acceptance: isRow,
    expected: maybe(isPositive),
    tested: few(isCount),
    passed: few(isPositive),
  },
  relaxed: {
    layer: isCount,
    num_draws: isCount,
    width: isCount,
    accepted: isCount,
    rate: isShare,
    whole: isShare,
    share: isShare,
    distance: maybe(isShare),
  },
  joint_search: {
    layer: isCount,
    length: isCount,
    width: isCount,
    num_candidates: isCount,
    log_prob: isLogarithm,
    exact: isFlag,
    drawn: isFlag,
  },
  beam_width: {
    layer: isCount,
    num_draws: isCount,
    rates: isRow,
    probabilities: isRow,
    threshold: maybe(isShare),
    min_width: maybe(isCount),
    reached: maybe(isCount),
    width: isCount,
    accepted: isCount,
  },
  rollback: {
    confidences: isRow,
    surprises: few(maybe(isPositive)),
    fallback: isPositive,
    rollback: isPositive,
    tokens: few(isCount),
  },
  typical: { epsilon: isShare, delta: isShare, bars: isRow, entropies: few(isPositive) },
  prompt_lookup: { start: isCount, length: isCount },
  suffix: {
    length: isCount,
    places: few(isCount),
    num_places: isCount,
    score: isPositive,
    nodes: few(isCount),
    values: isRow,
  },
  speculative: { tested: isCount },
  block: { reaches: isRow },
  traversal: { tested: isCount },
  top_set: { width: isCount },
  joint: { tau: isShare, ratios: isRow },
  dynamic_tree: { nodes: few(isCount), values: isRow, tokens: few(isCount), cut: isRow, num_cut: isCount },
};

const equal = (...lists) => new Set(lists.map((list) => list.length)).size === 1;

/** What the lists of one working must have in common. */
const AGREE = {
  recursive: (it) =>
    it.rests.concat(it.offers).every((row) => row.length === it.tokens.length + 1) &&
    it.draws.length > 0 &&
    it.draws.every((token) => it.draws.length > 8 || it.tokens.includes(token)) &&
    [it.draws.length, it.draws.length + 1].includes(it.rests.length) &&
    [1, it.draws.length].includes(it.offers.length),
  importance: (it) =>
    equal(it.draws, it.chances) &&
    it.selected < it.draws.length &&
    [it.target, it.draft, it.law].every((row) => row.length === it.tokens.length + 1),
  matching: (it) => it.tokens.length > 0 && [it.target, it.draft].every((row) => row.length === it.tokens.length + 1),
  beam_width: (it) =>
    it.probabilities.length === it.num_draws + 1 && it.width <= LONGEST && it.accepted <= it.num_draws,
  sequoia: (it) => equal(it.tested, it.passed) && it.passed.every((sum, i) => sum <= it.tested[i] * ROUNDED),
  relaxed: (it) => it.width <= LONGEST && it.accepted <= it.num_draws,
  joint_search: (it) => it.layer >= 1 && it.layer <= it.length && it.length <= LONGEST,
  rollback: (it) => it.confidences.length === it.surprises.length + it.tokens.length && it.tokens.length <= 1,
  typical: (it) => equal(it.bars, it.entropies),
  layers: (it) => equal(it.tokens, it.best, it.drafted) && it.tokens.length > 0,
  suffix: (it) => equal(it.nodes, it.values) && it.length >= 1 && it.places.every((place) => place >= it.length),
  dynamic_tree: (it) => equal(it.nodes, it.values) && equal(it.tokens, it.cut),
};

/**
 * The workings that can be read, with node records for node ids, and how many cannot.
 *
 * @param {unknown} list
 * @param {(id: number) => import("./records.js").TreeNode | undefined} nodeOf the record of a node, if an event introduced it
 * @returns {[any[], number]}
 */
export function readWorkings(list, nodeOf) {
  if (list === undefined || list === null) return [[], 0];
  if (!Array.isArray(list)) return [[], 1];
  const known = list
    .slice(0, MOST)
    .filter((working) => !isTable(working) || !isText(working.kind) || Object.hasOwn(KINDS, working.kind));
  const read = known.map((working) => asRead(working, nodeOf)).filter(Boolean);
  return [read, known.length - read.length + Math.max(0, list.length - MOST)];
}

function asRead(working, nodeOf) {
  if (!isTable(working) || !isText(working.kind)) return null;
  const fields = KINDS[working.kind];
  const agree = AGREE[working.kind];
  if (!Object.keys(fields).every((name) => fields[name](working[name]))) return null;
  if (agree && !agree(working)) return null;
  const read = { ...working };
  if ("node" in fields) read.node = nodeOf(working.node);
  if ("nodes" in fields) read.nodes = working.nodes.map(nodeOf);
  const known = (!("node" in fields) || read.node) && (!("nodes" in fields) || read.nodes.every(Boolean));
  return known ? read : null;
}
