/**
 * A trace folded into what the views ask for: rounds, nodes, steps, and the totals at every step. The twin of
 * playground/trace/fold.py, held to the same golden file.
 *
 * Events come in order, all at once or one by one while a run is live. Each is cut into steps, the positions the cursor
 * can take, and every step carries the totals up to it, so that seeking is a look-up. Nothing here draws.
 */

import { say } from "../../shared/words.js";
import { reasonSentence } from "./reasons.js";
import { breach } from "./checks.js";
import { readWorkings } from "./workings.js";

/**
 * @typedef {import("./records.js").Totals} Totals
 * @typedef {import("./records.js").TreeNode} TreeNode
 * @typedef {import("./records.js").Layer} Layer
 * @typedef {import("./records.js").Round} Round
 * @typedef {import("./records.js").Step} Step
 * @typedef {import("./records.js").Word} Word
 */

/** @type {Totals} */
const NOTHING = {
  tokens: 0,
  rounds: 0,
  target_calls: 0,
  drafted: 0,
  judged: 0,
  accepted: 0,
  reached: 0,
  passed: 0,
  clock_s: 0,
  block_efficiency: null,
  acceptance_per_position: null,
  acceptance_per_draw: null,
  draft_efficiency: null,
  tokens_per_second: null,
};

/**
 * Whether a rule judges positions by themselves, and draws; see playground/metrics/counts.py.
 * @param {import("./contract.js").RunStarted["tests"]} tests
 */
const judgedForThemselves = (tests) => [
  tests === "draws" || tests === "selected draws",
  tests === "draws" || tests === "layers",
];

/**
 * With beams the text is the best one's. It grows in place; where another beam overtakes, a new list begins, and every
 * step keeps the list it was made with.
 */
export class Trace {
  /**
   * @param {Record<string, string>} [names] what some sequences of tokens, written with spaces, are called at their end
   */
  constructor(names = {}) {
    this.names = names;
    this.longest = Math.max(0, ...Object.keys(names).map((path) => path.split(" ").length));
    /** @type {import("./contract.js").RunStarted | null} */
    this.run = null;
    /** @type {import("./contract.js").RunFinished | null} */
    this.finished = null;
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Round[]} */
    this.rounds = [];
    /** @type {Word[]} the text: emitted tokens in order */
    this.words = [];
    /** @type {Map<number, string>} */
    this.pieces = new Map();
    /** @type {Map<number, TreeNode>} node id -> record, the newest that bears the id */
    this.live = new Map();
    /** @type {TreeNode[]} */
    this.frontier = [];
    /** @type {Set<string>} of the workings read so far */
    this.kinds = new Set();
    this.totals = { ...NOTHING };
    this.count = 0; // events taken
    this.serial = 0;
  }

  /** Takes one event; throws an Error with a sentence when it breaks the contract. @param {any} event */
  push(event) {
    const why = breach(event);
    if (why) throw new Error(why);
    if (event.event !== "run_started" && !this.run) throw new Error(say("error_order", { event: event.event }));
    for (const token in event.pieces || {}) this.pieces.set(Number(token), event.pieces[token]);
    const take = /** @type {Record<string, any>} */ (/** @type {unknown} */ (this));
    take[event.event](event);
    this.count += 1;
  }

  /** @param {number} token */
  piece(token) {
    return this.pieces.get(token) ?? "⟨" + token + "⟩";
  }

  /**
   * The name of the longest sequence that ends with this token after a node, if there is one.
   * @param {TreeNode | null} parent
   * @param {number} token
   */
  name(parent, token) {
    let path = String(token);
    let name = this.names[path];
    for (let at = parent, length = 1; at && length < this.longest; at = at.parent, length++) {
      path = `${at.token} ${path}`;
      name = this.names[path] ?? name;
    }
    return name;
  }

  // -- one method per event ----------------------------------------------------------------------------------

  /** @param {import("./contract.js").RunStarted} event */
  run_started(event) {
    if (this.run) throw new Error(say("error_unknown", { event: "run_started twice" }));
    this.run = event;
    event.prompt_ids.forEach((token, id) =>
      this.addNode({ id, token, parent: this.live.get(id - 1) || null, kind: "prompt" }),
    );
    this.frontier = event.frontier.map((id) => this.nodeOf(id, event));
    this.addStep("start", null);
  }

  /** @param {import("./contract.js").Drafted} event */
  drafted(event) {
    const round = this.openRound(event);
    /** @type {Layer} */
    const layer = { number: event.depth, seconds: event.seconds, draws: [] };
    event.nodes.forEach((id, i) => {
      const parent = this.nodeOf(event.parents[i], event);
      let node = this.live.get(id);
      if (!node || node.round !== round.number) {
        node = this.addNode({
          id,
          token: event.tokens[i],
          parent,
          kind: "draft",
          round: round.number,
          layer: event.depth,
        });
        round.nodes.push(node);
      }
      const drafter = event.draft_models && event.draft_models.length ? event.draft_models[i] : null;
      node.draws.push({
        node,
        q: event.draft_probs[i],
        layer: event.depth,
        index: node.draws.length,
        verdict: null,
        writer: drafter,
      });
      layer.draws.push(node.draws[node.draws.length - 1]);
    });
    round.layers.push(layer);
    this.totals.drafted += event.nodes.length;
    this.addStep("drafted", round, { layers: round.layers.length });
  }

  /** @param {import("./contract.js").Scored} event */
  scored(event) {
    const round = this.openRound(event);
    round.call = event;
    round.rowOf = new Map(event.nodes.map((id, i) => [this.nodeOf(id, event), i]));
    round.fed = event.fed.map((id) => this.nodeOf(id, event));
    round.columns = event.columns.map((id) => this.nodeOf(id, event));
    this.totals.target_calls += 1;
    this.addStep("scored", round);
  }

  /** @param {import("./contract.js").Verified} event */
  verified(event) {
    const round = this.openRound(event);
    [round.workings, round.unread] = readWorkings(event.workings, (id) => this.live.get(id));
    for (const working of round.workings) this.kinds.add(working.kind);
    const used = new Map(); // how many verdicts each node has had: its draws are judged in draw order
    event.nodes.forEach((id, i) => {
      const node = this.nodeOf(id, event);
      const draw = node.draws[used.get(node) || 0] || null;
      used.set(node, (used.get(node) || 0) + 1);
      const verdict = {
        node,
        draw,
        outcome: event.outcomes[i],
        p: event.target_probs[i],
        q: event.draft_probs[i],
        accept: event.accept_probs[i],
        coin: event.uniforms[i],
        reason: reasonSentence(event.reasons[i], event.reason_values?.[i]),
        index: round.verdicts.length,
      };
      if (draw) draw.verdict = verdict;
      round.verdicts.push(verdict);
      if (verdict.outcome !== "not_tested") this.totals.judged += 1;
      if (verdict.outcome === "accepted") this.totals.accepted += 1;
      const next = event.outcomes[i + 1];
      // One step per judgement; draws without a test are one step.
      if (verdict.outcome !== "not_tested" || next !== "not_tested")
        this.addStep(verdict.outcome === "not_tested" ? "not_tested" : "verified", round, { verdict });
    });
  }

  /** @param {import("./contract.js").Committed} event */
  committed(event) {
    const round = this.openRound(event);
    /** @type {TreeNode | null} */
    let above = null;
    round.commit = event;
    round.committed = event.nodes.map((id, i) => {
      const origin = event.origins[i];
      const root = round.frontier[Math.min(i, round.frontier.length - 1)] || null;
      // The last token may be one that was drafted and hangs in the tree already.
      const known = this.live.get(id)?.token === event.tokens[i] ? this.live.get(id) : null;
      const parent = event.parents && event.parents.length ? this.nodeOf(event.parents[i], event) : above || root;
      const node =
        known || this.addNode({ id, token: event.tokens[i], parent, kind: "extra", round: round.number, layer: null });
      if (!known) round.extras.push(node);
      node.origin = origin;
      node.word = {
        node,
        origin,
        round: round.number,
        logProb: event.log_probs[i],
        extraProb: null,
        step: this.steps.length,
      };
      if (origin !== "accepted") node.word.extraProb = event.extra_prob;
      above = node;
      return node;
    });
    this.frontier = event.frontier.map((id) => this.nodeOf(id, event));
    round.next = this.frontier;
    round.beams = event.best !== null && event.best !== undefined;
    round.best = typeof event.best === "number" ? this.nodeOf(event.best, event) : above;
    this.write(round);
    this.totals.tokens = this.words.length;
    this.totals.rounds += 1;
    this.totals.clock_s = event.clock_s;
    // Ratios move once per round: in the middle of one they would compare drafts with verdicts not yet given.
    this.totals.block_efficiency = ratio(this.totals.tokens, this.totals.target_calls);
    const [positions, draws] = judgedForThemselves(this.run?.tests);
    const tested = round.verdicts.filter((verdict) => verdict.outcome !== "not_tested");
    this.totals.reached += new Set(tested.map((verdict) => verdict.node.parent)).size;
    this.totals.passed += new Set(
      tested.filter((verdict) => verdict.outcome === "accepted").map((verdict) => verdict.node.parent),
    ).size;
    this.totals.acceptance_per_position = positions ? ratio(this.totals.passed, this.totals.reached) : null;
    this.totals.acceptance_per_draw = draws ? ratio(this.totals.accepted, this.totals.judged) : null;
    this.totals.draft_efficiency = ratio(this.totals.accepted, this.totals.drafted);
    this.totals.tokens_per_second = ratio(this.totals.tokens, this.totals.clock_s);
    this.addStep("committed", round);
  }

  /** @param {import("./contract.js").RunFinished} event */
  run_finished(event) {
    this.finished = event;
    this.addStep("finished", this.rounds[this.rounds.length - 1] || null);
  }

  // -- the parts they share ----------------------------------------------------------------------------------

  /**
   * The round an event belongs to; a new number opens it.
   * @param {{event: string, round: number}} event
   * @returns {Round}
   */
  openRound(event) {
    const last = this.rounds[this.rounds.length - 1];
    if (last && last.number === event.round && !last.commit) return last;
    if (last && event.round <= last.number)
      throw new Error(say("error_round", { event: event.event, round: event.round, last: last.number }));
    /** @type {Round} */
    const round = {
      number: event.round,
      frontier: this.frontier,
      nodes: [],
      layers: [],
      call: null,
      rowOf: new Map(),
      fed: [],
      columns: [],
      verdicts: [],
      workings: [],
      unread: 0,
      commit: null,
      committed: [],
      extras: [],
      next: null,
      beams: false,
      best: null,
      rewritten: false,
      numKept: 0,
      firstStep: this.steps.length,
      lastStep: this.steps.length,
    };
    this.rounds.push(round);
    return round;
  }

  /**
   * Makes `words` the path to the round's best node.
   * @param {Round} round
   */
  write(round) {
    /** @type {Word[]} */
    const path = [];
    for (let at = round.best; at && at.word; at = at.parent) path.push(at.word);
    path.reverse();
    const other = this.words.findIndex((word, i) => word !== path[i]);
    round.rewritten = other >= 0;
    round.numKept = other < 0 ? this.words.length : other;
    if (round.rewritten) this.words = path;
    else this.words.push(...path.slice(this.words.length));
  }

  /**
   * @param {Pick<TreeNode, "id" | "token" | "parent" | "kind"> & {round?: number, layer?: number | null}} facts
   * @returns {TreeNode}
   */
  addNode({ id, token, parent, kind, round = 0, layer = null }) {
    const depth = parent ? parent.depth + 1 : 0;
    const name = this.name(parent, token);
    /** @type {TreeNode} */
    const node = {
      key: this.serial++,
      id,
      token,
      piece: name ?? this.piece(token),
      named: name !== undefined,
      parent,
      depth,
      kind,
      round,
      layer,
      draws: [],
      origin: null,
      word: null,
    };
    this.live.set(id, node);
    return node;
  }

  /**
   * @param {number} id
   * @param {{event: string}} event
   */
  nodeOf(id, event) {
    const node = this.live.get(id);
    if (!node) throw new Error(say("error_node", { event: event.event, node: id }));
    return node;
  }

  /**
   * The round a node was made in, or null for the prompt.
   * @param {TreeNode} node
   */
  roundOf(node) {
    return this.rounds.find((round) => round.number === node.round) || null;
  }

  /**
   * The step that tells most about a node without looking beyond `step`: its round's last, or `step` itself. Of a
   * token that is still to come, its round's first.
   * @param {TreeNode} node
   * @param {Step} step
   */
  stepFor(node, step) {
    const round = this.roundOf(node);
    return round ? this.steps[Math.max(round.firstStep, Math.min(step.index, round.lastStep))] : step;
  }

  /**
   * @param {Step["kind"]} kind
   * @param {Round | null} round
   * @param {Partial<Step>} [more]
   */
  addStep(kind, round, more) {
    const layers = round ? round.layers.length : 0;
    const verdicts = round ? round.verdicts.length : 0;
    this.steps.push({
      index: this.steps.length,
      kind,
      round,
      layers,
      verdicts,
      totals: { ...this.totals },
      words: this.words,
      emitted: this.words.length,
      verdict: null,
      ...more,
    });
    if (round) round.lastStep = this.steps.length - 1;
  }
}

/**
 * The totals of the rounds that were complete at a step; null before the first. In mid-round a call would be shown next
 * to tokens and verdicts that it has not led to yet.
 * @param {Trace} trace
 * @param {Step | null} step
 */
export function totalsOver(trace, step) {
  const over = step ? trace.rounds[step.totals.rounds - 1] : null;
  return over ? trace.steps[over.lastStep].totals : null;
}

/**
 * @param {number} above
 * @param {number} below
 */
function ratio(above, below) {
  return below > 0 ? above / below : null;
}
