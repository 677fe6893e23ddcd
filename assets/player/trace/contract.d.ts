// Events of a trace, made by `python -m tests.contract` from events.py and workings/records.py: do not edit.

/** The change that a user has made to a run */
export interface Branch {
  /** In which the change comes */
  round: number;
  /** The tested node that it is about */
  node: number | null;
  /** The verdict that was forced on it */
  outcome: "accepted" | "rejected" | null;
  /** What was put in its place */
  token: number | null;
  /** Options of the method that were changed, from this round on */
  options: Record<string, any>;
  /** When the original was created */
  of: string;
}

/** Work of a call to a target that reads paths as rows, of which some are read twice */
export interface Paths {
  /** Forward passes of the call */
  passes: number;
  /** Paths that were read, over all passes */
  rows: number;
  /** Tokens that were read, over all rows, padding included */
  tokens: number;
  /** Of them, those that an earlier call had read: its state was taken back */
  again: number;
  /** In passes that read nothing else */
  again_s: number;
}

/** Configuration of the run, and the prompt as the trunk of the tree */
export interface RunStarted {
  event: "run_started";
  /** Id of the method: the file name in decoding/methods/ */
  method: string;
  /** Name of the method for people */
  title: string;
  /** Whether the method claims the distribution it reproduces exactly */
  lossless: boolean;
  /** What the method claims to sample from: "target sampling", ..., "none" */
  reproduces: string;
  /** The method's own options */
  options: Record<string, any>;
  /** temperature, top_k and top_p */
  sampling: Record<string, any>;
  /** The one seed of the run */
  seed: number;
  /** No more tokens than this are emitted */
  max_new_tokens: number;
  /** name, parameters, layers, vocab_size, dtype, device of the target model */
  target: Record<string, any>;
  /** The same of the draft model */
  draft: Record<string, any> | null;
  /** The prompt as typed */
  prompt: string;
  /** (T,) The prompt's tokens: nodes 0  */
  prompt_ids: number[];
  /** The node(s) decoding starts from: T-1 */
  frontier: number[];
  /** Token id to how to print it, for the tokens first seen in this event */
  pieces: Record<string, string>;
  /** Models over the prompt without its last token */
  prefill_s: number;
  /** processor, threads, products (by which operations), gpu */
  machine?: Record<string, any>;
  /** Versions of the software that ran */
  versions?: Record<string, string>;
  /** UTC, ISO 8601 */
  created?: string;
  /** Further draft models, as `draft` */
  other_drafts?: Record<string, any>[];
  /** What one test of the method's rule is about: one draw */
  tests?: "draws" | "layers" | "prefixes" | "selected draws" | "";
  /** What was changed in another run, of which this one is a branch */
  branch?: Branch | null;
  /** The run could write one of this many token sequences */
  num_allowed?: number;
  /** Regular expression or JSON schema of the text */
  grammar?: string;
  /** The text ends before the first of them that is complete */
  stop_strings?: string[];
  /** The text of which the target's chat template made the prompt */
  message?: string;
}

/** The draws at one depth */
export interface Drafted {
  event: "drafted";
  /** From 1 */
  round: number;
  /** Below the frontier, from 1 */
  depth: number;
  /** The node each draw hangs from */
  parents: number[];
  /** The node each draw is */
  nodes: number[];
  /** The token each draw is */
  tokens: number[];
  /** q of each draw: its probability under what it was drawn from, so 1 where no chance was in it and the rule says so */
  draft_probs: number[];
  /** Inside the draft models */
  seconds: number;
  /** Token id to how to print it, for the tokens first seen in this event */
  pieces: Record<string, string>;
  /** Which draft model each draw is from, 0 is `draft` */
  draft_models?: number[];
}

/** One target call: which nodes it was asked for, which it had to run, and what it may attend to */
export interface Scored {
  event: "scored";
  /** From 1 */
  round: number;
  /** Asked: the distribution AFTER each of these nodes */
  nodes: number[];
  /** sum_x min(p, q) at each asked node: the exact acceptance probability of one draw in speculative sampling's test */
  overlaps: (number | null)[];
  /** Per asked node, rows [token, p, q or null] by falling p, with the q of the overlap */
  alternatives: (((number | null)[])[])[];
  /** Nodes run through the target in this call, in order: the rows of the mask */
  fed: number[];
  /** Tokens already in the target's cache before the call */
  num_cached: number;
  /** Nodes of the mask's columns */
  columns: number[];
  /** A row of 1 and 0 per fed node, one letter per column */
  mask: string[] | null;
  /** Inside the target model */
  seconds: number;
  /** Token id to how to print it, for the tokens first seen in this event */
  pieces: Record<string, string>;
  /** Per asked node, rows [token, probability] of the target's own softmax, before bias, penalties, grammar, temperature and cut-offs, by falling probability: its likeliest tokens and those of `alternatives` */
  raw_probs?: number[][][];
  /** Of a target that reads paths as rows */
  paths?: Paths | null;
}

/** The verdict on every draw of the round, in the order of the test */
export interface Verified {
  event: "verified";
  /** From 1 */
  round: number;
  /** The drafted node of each verdict */
  nodes: number[];
  /** not_tested: no test was made */
  outcomes: ("accepted" | "not_tested" | "rejected")[];
  /** p of the drafted token */
  target_probs: (number | null)[];
  /** q of the drafted token */
  draft_probs: (number | null)[];
  /** The probability with which the test accepts */
  accept_probs: (number | null)[];
  /** u in [0, 1) */
  uniforms: (number | null)[];
  /** Why, a code each */
  reasons: string[];
  /** Numbers of each reason's sentence by name */
  reason_values?: Record<string, number>[];
  /** What a rule computed on the way, for a lens to draw */
  workings?: Record<string, any>[];
}

/** Tokens that the round emitted, and the node(s) the next round grows from: one, or with beams their last nodes */
export interface Committed {
  event: "committed";
  /** From 1 */
  round: number;
  /** Emitted tokens, in the order of the text */
  nodes: number[];
  /** The emitted tokens */
  tokens: number[];
  /** An accepted draft, or the one extra token of the round */
  origins: ("accepted" | "bonus" | "correction" | "plain")[];
  /** Natural log, under the unwarped target, renormalised over what may be written */
  log_probs: number[];
  /** Probability of the last token under what it was drawn from, if it is not a draft */
  extra_prob: number | null;
  /** What these tokens add to the text */
  text: string;
  /** The node(s) the next round grows from */
  frontier: number[];
  /** Drafting in this round */
  draft_s: number;
  /** The target call of this round */
  verify_s: number;
  /** The rest of the round: sampling, acceptance tests, tree */
  other_s: number;
  /** Decoding clock at the end of the round: the sum of all phases so far, prefill excluded */
  clock_s: number;
  /** Token id to how to print it, for the tokens first seen in this event */
  pieces: Record<string, string>;
  /** Of the nodes */
  parents?: number[];
  /** With beams: natural log of each beam's whole text, under the unwarped target */
  frontier_log_probs?: number[];
  /** With beams: where the best text ends, live or ended */
  best?: number | null;
  /** Characters of the text so far that stay, before `text` is added */
  text_offset?: number | null;
  /** The draft model's forward passes in this round, the tokens that ran in them, and the tokens whose keys and values they read */
  draft_work?: number[];
  /** Keys and values in each draft model's cache behind its last pass so far */
  draft_cache_bytes?: number[];
}

/** Reason why the run ended, and its totals: each equals the fold of the events before it (see invariants.py) */
export interface RunFinished {
  event: "run_finished";
  /** Budget, end of text, stop string, a person, or context full */
  finish_reason: "context" | "eos" | "length" | "stop_string" | "stopped";
  /** Everything emitted, without the prompt */
  text: string;
  /** Emitted tokens, correction and bonus tokens included */
  num_tokens: number;
  /** Rounds committed */
  rounds: number;
  /** Prefill excluded */
  target_calls: number;
  /** Prefill excluded */
  draft_calls: number;
  /** Draws drafted */
  num_drafted: number;
  /** Draws whose test was made */
  num_tested: number;
  /** Draws that were accepted */
  num_accepted: number;
  /** Sum over the rounds */
  draft_s: number;
  /** Sum over the rounds */
  verify_s: number;
  /** Sum over the rounds */
  other_s: number;
  /** Of the emitted tokens under the unwarped target */
  perplexity: number | null;
  /** Largest key and value cache of all models together */
  peak_cache_bytes: number;
  /** joules (null when not measurable), source, reason, window_s, resolution_s */
  energy?: Record<string, any>;
}

/** A chain tested token by token: how many were, which the recorded alternatives tell the rest of */
export type Speculative = { kind: "speculative"; tested: number };

/** A chain tested as a block: the reach P_i of each of its prefixes */
export type Block = { kind: "block"; reaches: number[] };

/** A tree tested from its leaves: how many nodes were tried until one passed */
export type Traversal = { kind: "traversal"; tested: number };

/** A drafted search held against the target's own: the width of both */
export type TopSet = { kind: "top_set"; width: number };

/** The threshold, and the joint ratio of each prefix, 1 at most */
export type Joint = { kind: "joint"; tau: number; ratios: number[] };

/** Both thresholds, and what was held against them */
export interface Rollback {
  kind: "rollback";
  confidences: number[];
  surprises: (number | null)[];
  fallback: number;
  rollback: number;
  tokens: number[];
}

/** The bar before each token that was ruled on, and the entropy it came from */
export type Typical = { kind: "typical"; epsilon: number; delta: number; thresholds: number[]; entropies: number[] };

/** Weight of the target in the mixture, and the mixture's probability of each token that was tested */
export type Ensemble = { kind: "ensemble"; weight: number; mixture: number[] };

/** Earlier occurrences of the last tokens: their number, and positions in the text, where the prompt begins at 0 */
export type PromptLookup = { kind: "prompt_lookup"; start: number; length: number };

/** Earlier occurrences of the text's end, and the tree of what followed */
export interface Suffix {
  kind: "suffix";
  length: number;
  indices: number[];
  num_indices: number;
  score: number;
  nodes: number[];
  values: number[];
}

/** Rows that a round's call writes into the table of Token Recycling */
export type TokenTable = { kind: "token_table"; size: number; width: number; nodes: number[]; tokens: number[] };

/** The pool's candidates and the window's trajectories; those that were cut off are left out */
export interface Lookahead {
  kind: "lookahead";
  lengths: number[];
  nodes: number[];
  tokens: number[];
  ngram: number;
  num_ngrams: number;
}

/** Drafts that were kept and drafts that were cut, best first */
export interface DynamicTree {
  kind: "dynamic_tree";
  nodes: number[];
  values: number[];
  tokens: number[];
  cut: number[];
  num_cut: number;
}

/** A path drafted from one call of a block drafter, position by position: at temperature 1, before warping */
export interface BlockDraft {
  kind: "block_draft";
  nodes: number[];
  base: number[];
  biased: number[];
  confidences: number[];
  least_survival: number | null;
}

/** Every layer's prediction at each tested draft token, the first layer first */
export type Layers = { kind: "layers"; node: number; tokens: number[]; best: number[]; drafted: number[] };

/** The residual of p, draw by draw */
export interface Recursive {
  kind: "recursive";
  node: number;
  tokens: number[];
  draws: number[];
  residuals: number[][];
  offers: number[][];
}

/** A token that the target may draw instead of a draft */
export interface Matching {
  kind: "matching";
  node: number;
  tokens: number[];
  target: number[];
  draft: number[];
  chance: number;
}

/** The division factor, and what it makes of the acceptance: `one` of one draw, `all` of all K */
export type KSeq = { kind: "k_seq"; node: number; num_draws: number; factor: number; one: number; all: number };

/** Selection of one of the draws */
export interface Importance {
  kind: "importance";
  node: number;
  tokens: number[];
  target: number[];
  draft: number[];
  distribution: number[];
  draws: number[];
  selected: number;
  chances: number[];
  one: number;
  all: number;
}

/** Acceptance rates that a round's tree was planned for, and those that the run has seen by its end */
export interface Sequoia {
  kind: "sequoia";
  node: number;
  acceptance: number[];
  expected: number | null;
  tested: number[];
  passed: number[];
}

/** State of one depth of N draws and K outputs */
export interface Relaxed {
  kind: "relaxed";
  depth: number;
  num_draws: number;
  width: number;
  accepted: number;
  rate: number;
  whole: number;
  share: number;
  distance: number | null;
}

/** Choice of a depth's width: see theory/beam_width.py */
export interface BeamWidth {
  kind: "beam_width";
  depth: number;
  num_draws: number;
  rates: number[];
  probabilities: number[];
  threshold: number | null;
  min_width: number;
  reached: number | null;
  width: number;
  accepted: number;
}

/** One step of a block's search */
export interface JointSearch {
  kind: "joint_search";
  depth: number;
  length: number;
  exact: boolean;
  width: number;
  num_candidates: number;
  log_prob: number;
  drawn: boolean;
}

/** Workings by their kind */
export interface Workings {
  speculative: Speculative;
  block: Block;
  traversal: Traversal;
  top_set: TopSet;
  joint: Joint;
  rollback: Rollback;
  typical: Typical;
  ensemble: Ensemble;
  prompt_lookup: PromptLookup;
  suffix: Suffix;
  token_table: TokenTable;
  lookahead: Lookahead;
  dynamic_tree: DynamicTree;
  block_draft: BlockDraft;
  layers: Layers;
  recursive: Recursive;
  matching: Matching;
  k_seq: KSeq;
  importance: Importance;
  sequoia: Sequoia;
  relaxed: Relaxed;
  beam_width: BeamWidth;
  joint_search: JointSearch;
}
