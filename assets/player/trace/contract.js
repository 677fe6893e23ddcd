/**
 * The contract with the recorder: what each event must hold, the same fields as playground/trace/events.py.
 *
 * The server checks traces too; this check is for files a reader opens, so that a damaged one gives a sentence instead
 * of a half-drawn page. It looks at kinds and lengths, not at the counting laws. Workings are looked at in workings.js:
 * a run plays without them.
 */

import { say } from "../../shared/words.js";

const VERSION = 2; // of a trace file, as in playground/trace/storage.py

/**
 * @typedef {Record<string, string>} Pieces token id -> its text
 * @typedef {number | null | undefined} Maybe a number that may be unknown
 * @typedef {{name: string, parameters: number, layers: number, dtype: string, device: string, forward_pass?: string, revision?: string, context?: number, shared_vocabulary?: {tokens: number, of_target: number}}} ModelFacts
 *
 * @typedef {object} RunStarted
 * @property {"run_started"} event
 * @property {string} method
 * @property {string} title
 * @property {boolean} lossless
 * @property {string} reproduces the law whose samples the method gives
 * @property {Record<string, any>} options
 * @property {Record<string, any>} sampling
 * @property {number} seed
 * @property {number} max_new_tokens
 * @property {ModelFacts} target
 * @property {ModelFacts | null} draft
 * @property {string} prompt
 * @property {number[]} prompt_ids tokens; their nodes are 0, 1, ...
 * @property {number[]} frontier nodes where the first round begins
 * @property {Pieces} pieces
 * @property {number} prefill_s
 * @property {Record<string, any> | null} [machine]
 * @property {Record<string, any> | null} [versions]
 * @property {string | null} [created]
 * @property {ModelFacts[]} [other_drafts]
 * @property {{round: number, node: number | null, outcome: "accepted" | "rejected" | null, token: number | null, options: Record<string, any>} | null} [branch] what was changed in another run
 * @property {"draws" | "selected draws" | "prefixes" | "layers" | "" | null} [tests] what one test of the rule is about; left out: not recorded
 * @property {number | null} [num_allowed] the run could write one of so many sequences; left out: anything
 *
 * @typedef {object} Drafted the draws of a layer, entry by entry
 * @property {"drafted"} event
 * @property {number} round
 * @property {number} layer
 * @property {number[]} parents
 * @property {number[]} nodes
 * @property {number[]} tokens
 * @property {Maybe[]} draft_probs q of each
 * @property {number} seconds
 * @property {Pieces} pieces
 * @property {number[] | null} [writers] which draft model drew each
 *
 * @typedef {object} Scored one target call
 * @property {"scored"} event
 * @property {number} round
 * @property {number[]} nodes
 * @property {Maybe[]} overlaps sum of min(p, q) after each
 * @property {[number, number, Maybe?, Maybe?][][]} alternatives after each: [token, p, q, residual]
 * @property {number[]} fed nodes that were run
 * @property {number} cached
 * @property {number[]} columns nodes that the mask is about
 * @property {string[] | null} mask a row for each node fed, "1" where it may attend
 * @property {number} seconds
 * @property {Pieces} pieces
 *
 * @typedef {"accepted" | "rejected" | "unjudged"} Outcome
 * @typedef {"accepted" | "correction" | "bonus" | "plain"} Origin
 *
 * @typedef {object} Judged verdicts on draws, entry by entry
 * @property {"judged"} event
 * @property {number} round
 * @property {number[]} nodes
 * @property {Outcome[]} outcomes
 * @property {Maybe[]} target_probs
 * @property {Maybe[]} draft_probs
 * @property {Maybe[]} accept_probs
 * @property {Maybe[]} coins
 * @property {string[]} reasons
 * @property {unknown} [workings] see workings.js
 *
 * @typedef {object} Committed the end of a round
 * @property {"committed"} event
 * @property {number} round
 * @property {number[]} nodes
 * @property {number[]} tokens
 * @property {Origin[]} origins
 * @property {Maybe[]} log_probs
 * @property {Maybe} extra_prob
 * @property {string} text
 * @property {number[]} frontier
 * @property {number} draft_s
 * @property {number} verify_s
 * @property {number} other_s
 * @property {number} clock_s
 * @property {Pieces} pieces
 * @property {number[] | null} [parents]
 * @property {Maybe[] | null} [frontier_log_probs]
 * @property {number | null} [best] the node the best text ends at, where there are beams
 * @property {number | null} [kept]
 * @property {number[] | null} [draft_work]
 *
 * @typedef {object} RunFinished
 * @property {"run_finished"} event
 * @property {string} reason
 * @property {string} text
 * @property {number} num_tokens
 * @property {number} rounds
 * @property {number} target_calls
 *
 * @typedef {RunStarted | Drafted | Scored | Judged | Committed | RunFinished} TraceEvent
 */

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isCount = (value) => Number.isInteger(value) && value >= 0;
const isText = (value) => typeof value === "string";
const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const maybe = (kind) => (value) => value === null || value === undefined || kind(value);
const listOf = (kind) => (value) => Array.isArray(value) && value.every(kind);
const oneOf =
  (...names) =>
  (value) =>
    names.includes(value);
const isPieces = (value) => isTable(value) && Object.values(value).every(isText);
const isBranch = (value) =>
  isTable(value) &&
  isCount(value.round) &&
  isTable(value.options) &&
  [value.node, value.token].every(maybe(isCount)) &&
  maybe(oneOf("accepted", "rejected"))(value.outcome);
const isAlternative = (row) =>
  Array.isArray(row) && row.length >= 2 && isCount(row[0]) && isNumber(row[1]) && maybe(isNumber)(row[2]);

const FIELDS = {
  run_started: {
    method: isText,
    title: isText,
    lossless: (value) => typeof value === "boolean",
    reproduces: isText,
    options: isTable,
    sampling: isTable,
    seed: isNumber,
    max_new_tokens: isCount,
    target: isTable,
    draft: maybe(isTable),
    prompt: isText,
    prompt_ids: listOf(isCount),
    frontier: listOf(isCount),
    pieces: isPieces,
    prefill_s: isNumber,
    machine: maybe(isTable),
    versions: maybe(isTable),
    created: maybe(isText),
    other_drafts: maybe(listOf(isTable)),
    branch: maybe(isBranch),
    tests: maybe(oneOf("", "draws", "selected draws", "prefixes", "layers")),
    num_allowed: maybe(isCount),
  },
  drafted: {
    round: isCount,
    layer: isCount,
    parents: listOf(isCount),
    nodes: listOf(isCount),
    tokens: listOf(isCount),
    draft_probs: listOf(maybe(isNumber)),
    seconds: isNumber,
    pieces: isPieces,
    writers: maybe(listOf(isCount)),
  },
  scored: {
    round: isCount,
    nodes: listOf(isCount),
    overlaps: listOf(maybe(isNumber)),
    alternatives: listOf(listOf(isAlternative)),
    fed: listOf(isCount),
    cached: isCount,
    columns: listOf(isCount),
    mask: maybe(listOf(isText)),
    seconds: isNumber,
    pieces: isPieces,
  },
  judged: {
    round: isCount,
    nodes: listOf(isCount),
    outcomes: listOf(oneOf("accepted", "rejected", "unjudged")),
    target_probs: listOf(maybe(isNumber)),
    draft_probs: listOf(maybe(isNumber)),
    accept_probs: listOf(maybe(isNumber)),
    coins: listOf(maybe(isNumber)),
    reasons: listOf(isText),
  },
  committed: {
    round: isCount,
    nodes: listOf(isCount),
    tokens: listOf(isCount),
    origins: listOf(oneOf("accepted", "correction", "bonus", "plain")),
    log_probs: listOf(maybe(isNumber)),
    extra_prob: maybe(isNumber),
    text: isText,
    frontier: listOf(isCount),
    draft_s: isNumber,
    verify_s: isNumber,
    other_s: isNumber,
    clock_s: isNumber,
    pieces: isPieces,
    parents: maybe(listOf(isCount)),
    frontier_log_probs: maybe(listOf(isNumber)),
    best: maybe(isCount),
    kept: maybe(isCount),
    draft_work: maybe(listOf(isCount)),
  },
  run_finished: { reason: isText, text: isText, num_tokens: isCount, rounds: isCount, target_calls: isCount },
};

// Lists of one event speak of the same draws, entry by entry.
const SAME_LENGTH = {
  drafted: ["parents", "nodes", "tokens", "draft_probs"],
  scored: ["nodes", "overlaps", "alternatives"],
  judged: ["nodes", "outcomes", "target_probs", "draft_probs", "accept_probs", "coins", "reasons"],
  committed: ["nodes", "tokens", "origins", "log_probs"],
};

export const kinds = { isNumber, isCount, isText, isTable, maybe, listOf };

/** Returns why the event breaks the contract, or null when it keeps it. */
export function breach(event) {
  if (!isTable(event) || !Object.hasOwn(FIELDS, event.event))
    return say("error_unknown", { event: isTable(event) ? event.event : typeof event });
  const name = event.event;
  for (const field in FIELDS[name])
    if (!FIELDS[name][field](event[field])) return say("error_field", { event: name, field });
  const lengths = (SAME_LENGTH[name] || []).map((field) => event[field].length);
  if (new Set(lengths).size > 1) return say("error_length", { event: name });
  if (name === "committed" && event.parents && event.parents.length && event.parents.length !== event.nodes.length)
    return say("error_length", { event: name });
  if (name === "scored" && event.mask) {
    const square =
      event.mask.length === event.fed.length && event.mask.every((row) => row.length === event.columns.length);
    if (!square) return say("error_length", { event: name });
  }
  return null;
}

/** Returns why a file is no trace of ours, or null. */
export function breachOfFile(trace) {
  if (!isTable(trace) || trace.format !== "speculative-decoding-trace" || !Array.isArray(trace.events))
    return say("error_not_trace");
  if (trace.version !== VERSION) return say("error_version", { version: String(trace.version), read: String(VERSION) });
  return null;
}
