/** The records that a trace is folded into, and what follows from them alone. */

/**
 * @typedef {import("./contract.js").Verified["outcomes"][number]} Outcome
 * @typedef {import("./contract.js").Committed["origins"][number]} Origin
 * @typedef {import("./checks.js").Maybe} Maybe
 *
 * @typedef {object} Totals counts and ratios up to a step; a ratio is null before the end of the first round
 * @property {number} tokens
 * @property {number} rounds
 * @property {number} target_calls
 * @property {number} drafted
 * @property {number} judged
 * @property {number} accepted
 * @property {number} clock_s
 * @property {number | null} block_efficiency
 * @property {number} reached drafted positions at which a draw was tested
 * @property {number} passed those where one was accepted
 * @property {number | null} acceptance_per_position
 * @property {number | null} acceptance_per_draw
 * @property {number | null} draft_efficiency
 * @property {number | null} tokens_per_second
 *
 * @typedef {object} TreeNode a token of the tree
 * @property {number} key of this record: an id can come again once its node is pruned
 * @property {number} id
 * @property {number} token
 * @property {string} piece
 * @property {boolean} named its piece is the name of all that ends here, and worth more room
 * @property {TreeNode | null} parent
 * @property {number} depth
 * @property {"prompt" | "draft" | "extra"} kind
 * @property {number} round 0 for the prompt
 * @property {number | null} layer
 * @property {Draw[]} draws how often it was drafted, in draw order
 * @property {Origin | null} origin once it is text
 * @property {Word | null} word
 *
 * @typedef {{node: TreeNode, q: Maybe, layer: number, index: number, verdict: ?Verdict, writer: ?number}} Draw
 * @typedef {{number: number, seconds: number, draws: Draw[]}} Layer
 * @typedef {{node: TreeNode, origin: Origin, round: number, logProb: Maybe, extraProb: Maybe, step: number}} Word
 *
 * @typedef {object} Verdict
 * @property {TreeNode} node
 * @property {Draw | null} draw
 * @property {Outcome} outcome
 * @property {Maybe} p
 * @property {Maybe} q
 * @property {Maybe} accept probability
 * @property {Maybe} coin
 * @property {string} reason
 * @property {number} index among the verdicts of the round
 */

/**
 * @template {keyof import("./contract.js").Workings} K
 * @typedef {{[F in keyof import("./contract.js").Workings[K]]: F extends "node" ? TreeNode : F extends "nodes" ? TreeNode[] :
 *   import("./contract.js").Workings[K][F]}} WorkingOf one of a kind, with node records for node ids
 */

/**
 * @typedef {keyof import("./contract.js").Workings} Kind of workings
 * @typedef {{[K in Kind]: WorkingOf<K>}[Kind]} Working
 *
 * @typedef {object} Round
 * @property {number} number
 * @property {TreeNode[]} frontier where it starts
 * @property {TreeNode[]} nodes drafted nodes, each once
 * @property {Layer[]} layers
 * @property {import("./contract.js").Scored | null} call
 * @property {Map<TreeNode, number>} rowOf node -> row of the scored event
 * @property {TreeNode[]} fed
 * @property {TreeNode[]} columns
 * @property {Verdict[]} verdicts
 * @property {Working[]} workings what the rule worked out on the way, as far as it can be read; see workings.js
 * @property {number} unread how many of them could not be read
 * @property {import("./contract.js").Committed | null} commit
 * @property {TreeNode[]} committed its nodes
 * @property {TreeNode[]} extras those of them that were not drafted
 * @property {TreeNode[] | null} next the frontier after it
 * @property {boolean} beams whether the method carries several texts
 * @property {TreeNode | null} best the node the text ends at after it
 * @property {boolean} rewritten whether another beam overtook, so that words before it were taken back
 * @property {number} numKept words of the text before it that stay
 * @property {number} firstStep
 * @property {number} lastStep
 *
 * @typedef {object} Step a position that the cursor can take
 * @property {number} index
 * @property {"start" | "drafted" | "scored" | "verified" | "not_tested" | "committed" | "finished"} kind
 * @property {Round | null} round null at the ends
 * @property {number} layers of the round, up to it
 * @property {number} verdicts of the round, up to it
 * @property {Totals} totals
 * @property {Word[]} words
 * @property {number} emitted how many of them
 * @property {Verdict | null} verdict
 */

/**
 * State of a node at a step of its own round: pending, scored, accepted, rejected, not_tested; once committed, an
 * origin.
 * @param {TreeNode} node
 * @param {Step} step
 */
export function stateOf(node, step) {
  if (node.kind === "prompt") return "prompt";
  if (node.word && node.origin !== "accepted" && node.word.step <= step.index) return node.origin;
  const outcomes = node.draws
    .map((draw) => draw.verdict)
    .filter((verdict) => verdict && verdict.index < step.verdicts)
    .map((verdict) => verdict?.outcome);
  if (outcomes.includes("accepted")) return "accepted";
  if (outcomes.includes("rejected")) return "rejected";
  if (outcomes.length) return outcomes[outcomes.length - 1];
  return step.kind !== "drafted" && step.round?.rowOf.has(node) ? "scored" : "pending";
}

/**
 * Draft probability of the path from the frontier to the node: the product of q along it. Null where the path was
 * chosen, not drawn: then every q is 1, and says nothing about what the draft model thinks of it.
 * @param {TreeNode} node
 */
export function jointDraftProbability(node) {
  const path = pathOf(node);
  const end = path.findIndex((at) => at.kind !== "draft" || at.round !== node.round);
  const qs = (end < 0 ? path : path.slice(0, end)).map((at) => at.draws[0].q ?? NaN);
  return qs.some(Number.isNaN) || qs.every((q) => q === 1) ? null : qs.reduce((joint, q) => joint * q, 1);
}

/**
 * Whether p and q of a verdict are shares in all continuations of a depth's beams, not what follows one of them.
 * @param {{kinds: Set<string>}} trace
 */
export const weighsLayers = (trace) => trace.kinds.has("beam_width") || trace.kinds.has("relaxed");

/**
 * Rows [token, p, q, probability in the residual] of the target's call at a node; none where it was not asked.
 * @param {Round} round
 * @param {TreeNode} node
 */
export const alternativesAt = (round, node) => round.call?.alternatives[round.rowOf.get(node) ?? -1] ?? [];

/**
 * Whether the correction below a node was drawn from a residual: a method without one has p there.
 * @param {Round} round
 * @param {TreeNode} node
 */
export const hasResidual = (round, node) =>
  alternativesAt(round, node).some((entry) => entry.length > 3 && entry[3] !== entry[1]);

/**
 * The node and all above it, nearest first.
 * @param {TreeNode | null} node
 */
export function pathOf(node) {
  const path = [];
  for (let at = node; at; at = at.parent) path.push(at);
  return path;
}

/**
 * The token a step is about when none is pointed at.
 * @param {Step} step
 * @returns {TreeNode | null}
 */
export function subjectOf({ kind, round, verdict, layers }) {
  if (verdict) return verdict.node;
  if (!round) return null;
  if (kind === "committed" || kind === "finished") return round.best;
  if (kind === "scored") return round.nodes[0] || null;
  return kind === "drafted" ? round.layers[layers - 1].draws[0]?.node || null : null;
}

/** The round whose target call is known at a step, or null. @param {Step | null} step @returns {Round | null} */
export function calledAt(step) {
  const round = step ? step.round : null;
  return round && round.call && step?.kind !== "drafted" ? round : null;
}
