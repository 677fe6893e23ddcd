/**
 * The workings in a trace: what a rule computed on the way, for a lens to draw, one contract per kind.
 *
 * A file may hold anything here. Whatever breaks its contract is left out and counted, and the run plays on; kinds that
 * no lens knows are passed over. The rules' own modules say what the numbers mean.
 */

import { isValid, haveEqualColumns, isTable, isText } from "./checks.js";
import contract from "./contract.json" with { type: "json" };

/** @type {Record<string, any>} */
const WORKINGS = contract.WORKINGS;

const MOST = 200; // workings read in a round
const LONGEST = 80; // entries of a list
const ROUNDED = 1.001; // shares have come with four digits

/** @param {number[]} tokens @param {number[][]} rows */
const rowsOver = (tokens, rows) => rows.every((row) => row.length === tokens.length + 1);

/**
 * Conditions on the fields of one working, besides the lengths of its columns.
 * @type {Record<string, (it: Record<string, any>) => boolean>}
 */
const AGREE = {
  recursive: (it) =>
    rowsOver(it.tokens, it.residuals.concat(it.offers)) &&
    it.draws.length > 0 &&
    it.draws.every((/** @type {number} */ token) => it.draws.length > 8 || it.tokens.includes(token)) &&
    [it.draws.length, it.draws.length + 1].includes(it.residuals.length) &&
    [1, it.draws.length].includes(it.offers.length),
  importance: (it) => it.selected < it.draws.length && rowsOver(it.tokens, [it.target, it.draft, it.distribution]),
  matching: (it) => it.tokens.length > 0 && rowsOver(it.tokens, [it.target, it.draft]),
  beam_width: (it) =>
    it.probabilities.length === it.num_draws + 1 && it.width <= LONGEST && it.accepted <= it.num_draws,
  sequoia: (it) =>
    it.passed.every((/** @type {number} */ sum, /** @type {number} */ i) => sum <= it.tested[i] * ROUNDED),
  relaxed: (it) => it.width <= LONGEST && it.accepted <= it.num_draws,
  joint_search: (it) => it.depth >= 1 && it.depth <= it.length && it.length <= LONGEST,
  rollback: (it) => it.confidences.length === it.surprises.length + it.tokens.length && it.tokens.length <= 1,
  layers: (it) => it.tokens.length > 0,
  block_draft: (it) => it.nodes.length > 0 && it.confidences.length > 0,
  lookahead: (it) =>
    it.tokens.length <= it.lengths.length &&
    it.lengths.every((/** @type {number} */ length) => length > 0) &&
    it.nodes.length === it.lengths.reduce((/** @type {number} */ sum, /** @type {number} */ length) => sum + length, 0),
  token_table: (it) => it.nodes.length > 0 && it.tokens.length === it.nodes.length * it.width,
  suffix: (it) => it.length >= 1 && it.indices.every((/** @type {number} */ index) => index >= it.length),
};

/** @typedef {(id: number) => import("./records.js").TreeNode | undefined} NodeOf the record of a node, if there is one */

/**
 * The workings that can be read, with node records for node ids, and how many cannot.
 *
 * @param {unknown} list
 * @param {NodeOf} nodeOf
 * @returns {[any[], number]}
 */
export function readWorkings(list, nodeOf) {
  if (list === undefined || list === null) return [[], 0];
  if (!Array.isArray(list)) return [[], 1];
  const known = list
    .slice(0, MOST)
    .filter((working) => !isTable(working) || !isText(working.kind) || Object.hasOwn(WORKINGS, working.kind));
  const read = known.map((working) => asRead(working, nodeOf)).filter(Boolean);
  return [read, known.length - read.length + Math.max(0, list.length - MOST)];
}

/** @param {unknown} working @param {NodeOf} nodeOf */
function asRead(working, nodeOf) {
  if (!isTable(working) || !isText(working.kind)) return null;
  const schema = WORKINGS[working.kind];
  if (!isValid(working, schema) || !haveEqualColumns(working.kind, working)) return null;
  const agree = AGREE[working.kind] ?? Boolean;
  if (!agree(working)) return null;
  return withNodes(working, schema.properties, nodeOf);
}

/**
 * A working whose ids are records; null where no event has introduced one of them.
 * @param {Record<string, any>} working
 * @param {Record<string, unknown>} properties
 * @param {NodeOf} nodeOf
 */
function withNodes(working, properties, nodeOf) {
  const read = { ...working };
  if ("node" in properties) read.node = nodeOf(working.node);
  if ("nodes" in properties) read.nodes = working.nodes.map(nodeOf);
  const records = [...("node" in properties ? [read.node] : []), ...("nodes" in properties ? read.nodes : [])];
  return records.every(Boolean) ? read : null;
}
