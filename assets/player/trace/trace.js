/**
 * A trace folded into what the views ask for: rounds, nodes, steps, and the totals at every step.
 *
 * Events come in order, all at once or one by one while a run is live. Each is cut into steps, the positions the cursor
 * can take, and every step carries the totals up to it, so that seeking is a look-up. Nothing here draws.
 */

import { say } from "../../shared/words.js";
import { breach } from "./contract.js";
import { unpack } from "./unpack.js";
import { readWorkings } from "./workings.js";

const NOTHING = {
  tokens: 0, rounds: 0, target_calls: 0, drafted: 0, judged: 0, accepted: 0, clock_s: 0,
  block_efficiency: null, acceptance_rate: null, draft_efficiency: null, tokens_per_second: null,
};

/**
 * Fields a reader needs:
 *   run, finished   the first and the last event, or null
 *   steps           [{kind, round, totals, emitted, ...}], round null at the ends
 *   rounds          see `openRound`
 *   words           the text: emitted tokens in order, [{node, origin, round, logProb, extraProb, step}]
 *
 * With beams the text is the best one's. It grows in place; where another beam overtakes, a new list begins, and every
 * step keeps the list it was made with.
 */
export class Trace {
  constructor() {
    this.run = null;
    this.finished = null;
    this.steps = [];
    this.rounds = [];
    this.words = [];
    this.pieces = new Map();
    this.said = new Set(); // reasons given so far, see unpack.js
    this.live = new Map(); // node id -> record, the newest that bears the id
    this.frontier = [];
    this.kinds = new Set(); // of the workings read so far
    this.totals = { ...NOTHING };
    this.count = 0; // events taken
    this.serial = 0;
  }

  /** Takes one event; throws an Error with a sentence when it breaks the contract. */
  push(packed) {
    const event = unpack(packed, this.said);
    const why = breach(event);
    if (why) throw new Error(why);
    if (event.event !== "run_started" && !this.run) throw new Error(say("error_order", { event: event.event }));
    for (const token in event.pieces || {}) this.pieces.set(Number(token), event.pieces[token]);
    this[event.event](event);
    this.count += 1;
  }

  piece(token) {
    return this.pieces.has(token) ? this.pieces.get(token) : "⟨" + token + "⟩";
  }

  // -- one method per event ----------------------------------------------------------------------------------

  run_started(event) {
    if (this.run) throw new Error(say("error_unknown", { event: "run_started twice" }));
    this.run = event;
    event.prompt_ids.forEach((token, id) => this.addNode({ id, token, parent: this.live.get(id - 1) || null, kind: "prompt" }));
    this.frontier = event.frontier.map((id) => this.nodeOf(id, event));
    this.addStep("start", null);
  }

  drafted(event) {
    const round = this.openRound(event);
    const layer = { number: event.layer, seconds: event.seconds, draws: [] };
    event.nodes.forEach((id, i) => {
      const parent = this.nodeOf(event.parents[i], event);
      let node = this.live.get(id);
      if (!node || node.round !== round.number) {
        node = this.addNode({ id, token: event.tokens[i], parent, kind: "draft", round: round.number, layer: event.layer });
        round.nodes.push(node);
      }
      const writer = event.writers && event.writers.length ? event.writers[i] : null;
      node.draws.push({ node, q: event.draft_probs[i], layer: event.layer, index: node.draws.length, verdict: null, writer });
      layer.draws.push(node.draws[node.draws.length - 1]);
    });
    round.layers.push(layer);
    this.totals.drafted += event.nodes.length;
    this.addStep("drafted", round, { layers: round.layers.length });
  }

  scored(event) {
    const round = this.openRound(event);
    round.call = event;
    round.rowOf = new Map(event.nodes.map((id, i) => [this.nodeOf(id, event), i]));
    round.fed = event.fed.map((id) => this.nodeOf(id, event));
    round.columns = event.columns.map((id) => this.nodeOf(id, event));
    this.totals.target_calls += 1;
    this.addStep("scored", round);
  }

  judged(event) {
    const round = this.openRound(event);
    [round.workings, round.unread] = readWorkings(event.workings, (id) => this.live.get(id));
    for (const working of round.workings) this.kinds.add(working.kind);
    const taken = new Map(); // how many verdicts each node has had: its draws are judged in draw order
    event.nodes.forEach((id, i) => {
      const node = this.nodeOf(id, event);
      const draw = node.draws[taken.get(node) || 0] || null;
      taken.set(node, (taken.get(node) || 0) + 1);
      const verdict = {
        node, draw, outcome: event.outcomes[i], p: event.target_probs[i], q: event.draft_probs[i],
        accept: event.accept_probs[i], coin: event.coins[i], reason: event.reasons[i], index: round.verdicts.length,
      };
      if (draw) draw.verdict = verdict;
      round.verdicts.push(verdict);
      if (verdict.outcome !== "unjudged") this.totals.judged += 1;
      if (verdict.outcome === "accepted") this.totals.accepted += 1;
      const next = event.outcomes[i + 1];
      // One step per judgement; draws nobody asked about are told together.
      if (verdict.outcome !== "unjudged" || next !== "unjudged")
        this.addStep(verdict.outcome === "unjudged" ? "unjudged" : "judged", round, { verdict });
    });
  }

  committed(event) {
    const round = this.openRound(event);
    let above = null;
    round.commit = event;
    round.committed = event.nodes.map((id, i) => {
      const origin = event.origins[i];
      const root = round.frontier[Math.min(i, round.frontier.length - 1)] || null;
      // The last token may be one that was drafted and hangs in the tree already.
      const known = this.live.get(id) && this.live.get(id).token === event.tokens[i] ? this.live.get(id) : null;
      const parent = event.parents && event.parents.length ? this.nodeOf(event.parents[i], event) : above || root;
      const node = known || this.addNode({ id, token: event.tokens[i], parent, kind: "extra", round: round.number, layer: null });
      if (!known) round.extras.push(node);
      node.origin = origin;
      node.word = { node, origin, round: round.number, logProb: event.log_probs[i], extraProb: null, step: this.steps.length };
      if (origin !== "accepted") node.word.extraProb = event.extra_prob;
      above = node;
      return node;
    });
    this.frontier = event.frontier.map((id) => this.nodeOf(id, event));
    round.next = this.frontier;
    round.beams = event.best !== null && event.best !== undefined;
    round.best = round.beams ? this.nodeOf(event.best, event) : above;
    this.write(round);
    this.totals.tokens = this.words.length;
    this.totals.rounds += 1;
    this.totals.clock_s = event.clock_s;
    // Ratios move once per round: in the middle of one they would compare drafts with verdicts not yet given.
    this.totals.block_efficiency = ratio(this.totals.tokens, this.totals.target_calls);
    this.totals.acceptance_rate = ratio(this.totals.accepted, this.totals.judged);
    this.totals.draft_efficiency = ratio(this.totals.accepted, this.totals.drafted);
    this.totals.tokens_per_second = ratio(this.totals.tokens, this.totals.clock_s);
    this.addStep("committed", round);
  }

  run_finished(event) {
    this.finished = event;
    this.addStep("finished", this.rounds[this.rounds.length - 1] || null);
  }

  // -- the parts they share ----------------------------------------------------------------------------------

  /** The round an event belongs to; a new number opens it. */
  openRound(event) {
    const last = this.rounds[this.rounds.length - 1];
    if (last && last.number === event.round && !last.commit) return last;
    if (last && event.round <= last.number)
      throw new Error(say("error_round", { event: event.event, round: event.round, last: last.number }));
    const round = {
      number: event.round,
      frontier: this.frontier, // where it starts
      nodes: [], // drafted nodes, each once
      layers: [], // [{number, seconds, draws: [{node, q, layer, index, verdict}]}]
      call: null, // the scored event
      rowOf: new Map(), // node -> row of the scored event
      fed: [],
      columns: [],
      verdicts: [],
      workings: [], // what the rule worked out on the way, as far as it can be read; see workings.js
      unread: 0, // how many of them could not be read
      commit: null, // the committed event
      committed: [], // its nodes
      extras: [], // those of them that were not drafted
      next: null, // the frontier after it
      beams: false, // whether the method carries several texts
      best: null, // the node the text ends at after it
      rewritten: false, // whether another beam overtook, so that words before it were taken back
      firstStep: this.steps.length,
      lastStep: this.steps.length,
    };
    this.rounds.push(round);
    return round;
  }

  /** Makes `words` the path to the round's best node. */
  write(round) {
    const path = [];
    for (let at = round.best; at && at.word; at = at.parent) path.push(at.word);
    path.reverse();
    round.rewritten = this.words.some((word, i) => word !== path[i]);
    if (round.rewritten) this.words = path;
    else this.words.push(...path.slice(this.words.length));
  }

  addNode({ id, token, parent, kind, round = 0, layer = null }) {
    const node = { key: this.serial++, id, token, piece: this.piece(token), parent, kind, round, layer, draws: [], origin: null, word: null };
    node.depth = parent ? parent.depth + 1 : 0;
    this.live.set(id, node);
    return node;
  }

  nodeOf(id, event) {
    const node = this.live.get(id);
    if (!node) throw new Error(say("error_node", { event: event.event, node: id }));
    return node;
  }

  /** The round a node was made in, or null for the prompt. */
  roundOf(node) {
    return this.rounds.find((round) => round.number === node.round) || null;
  }

  /** The step that tells most about a node without looking beyond `step`: its round's last, or `step` itself. */
  stepFor(node, step) {
    const round = this.roundOf(node);
    return round ? this.steps[Math.min(step.index, round.lastStep)] : step;
  }

  addStep(kind, round, more) {
    const layers = round ? round.layers.length : 0;
    const verdicts = round ? round.verdicts.length : 0;
    this.steps.push({ index: this.steps.length, kind, round, layers, verdicts, totals: { ...this.totals }, words: this.words, emitted: this.words.length, verdict: null, ...more });
    if (round) round.lastStep = this.steps.length - 1;
  }
}

function ratio(above, below) {
  return below > 0 ? above / below : null;
}

/** What a node is at a step of its own round: pending, scored, accepted, rejected, unjudged, or an origin once committed. */
export function stateOf(node, step) {
  if (node.kind === "prompt") return "prompt";
  if (node.word && node.origin !== "accepted" && node.word.step <= step.index) return node.origin;
  let state = step.kind !== "drafted" && step.round && step.round.rowOf.has(node) ? "scored" : "pending";
  for (const draw of node.draws) {
    const verdict = draw.verdict;
    if (!verdict || verdict.index >= step.verdicts) continue;
    if (verdict.outcome === "accepted") return "accepted";
    if (verdict.outcome === "rejected" || state !== "rejected") state = verdict.outcome;
  }
  return state;
}

/** Draft probability of the path from the frontier to the node: the product of q along it. */
export function jointDraftProbability(node) {
  let joint = 1;
  for (let at = node; at && at.kind === "draft" && at.round === node.round; at = at.parent)
    joint = at.draws[0].q === null || joint === null ? null : joint * at.draws[0].q;
  return joint;
}

/** The node and all above it, nearest first. */
export function pathOf(node) {
  const path = [];
  for (let at = node; at; at = at.parent) path.push(at);
  return path;
}
