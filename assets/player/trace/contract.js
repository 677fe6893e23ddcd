/**
 * The contract of a trace, made by `python -m tests.contract` from playground/trace/events.py and
 * playground/decoding/workings/records.py: do not edit. checks.js holds events against it.
 */

/**
 * @typedef {object} Branch The change that somebody has made in a run
 * @property {number} round In which the change comes
 * @property {number | null} node The tested node that it is about
 * @property {"accepted" | "rejected" | null} outcome The verdict that was forced on it
 * @property {number | null} token What was put in its place
 * @property {Record<string, any>} options Options of the method that were changed, from this round on
 * @property {string} of When the original was created
 *
 * @typedef {object} RunStarted Configuration of the run, and the prompt as the trunk of the tree
 * @property {"run_started"} event
 * @property {string} method Id of the method: the file name in decoding/methods/
 * @property {string} title Name of the method for people
 * @property {boolean} lossless Whether the method claims the distribution it reproduces exactly
 * @property {string} reproduces What the method claims to sample from: "target sampling", ..., "none"
 * @property {Record<string, any>} options The method's own options
 * @property {Record<string, any>} sampling temperature, top_k and top_p
 * @property {number} seed The one seed of the run
 * @property {number} max_new_tokens No more tokens than this are emitted
 * @property {Record<string, any>} target name, parameters, layers, vocab_size, dtype, device of the target model
 * @property {Record<string, any> | null} draft The same of the draft model
 * @property {string} prompt The prompt as typed
 * @property {number[]} prompt_ids (T,) The prompt's tokens: nodes 0
 * @property {number[]} frontier The node(s) decoding starts from: T-1
 * @property {Record<string, string>} pieces Token id to how to print it, for the tokens first seen in this event
 * @property {number} prefill_s Models over the prompt without its last token
 * @property {Record<string, any>} [machine] processor, threads, products (by which operations), gpu
 * @property {Record<string, string>} [versions] Versions of the software that ran
 * @property {string} [created] UTC, ISO 8601
 * @property {Record<string, any>[]} [other_drafts] Further draft models, as `draft`
 * @property {"draws" | "layers" | "prefixes" | "selected draws" | ""} [tests] What one test of the method's rule is
 *   about: one draw
 * @property {Branch | null} [branch] What was changed in another run, of which this one is a branch
 * @property {number} [num_allowed] The run could write one of so many sequences of tokens
 *
 * @typedef {object} Drafted The draws at one depth
 * @property {"drafted"} event
 * @property {number} round From 1
 * @property {number} depth Below the frontier, from 1
 * @property {number[]} parents The node each draw hangs from
 * @property {number[]} nodes The node each draw is
 * @property {number[]} tokens The token each draw is
 * @property {number[]} draft_probs q of each draw: its probability under what it was drawn from, so 1 where no chance
 *   was in it and the rule says so
 * @property {number} seconds Inside the draft models
 * @property {Record<string, string>} pieces Token id to how to print it, for the tokens first seen in this event
 * @property {number[]} [draft_models] Which draft model each draw is from, 0 is `draft`
 *
 * @typedef {object} Scored One target call: which nodes it was asked for, which it had to run, and what it may attend
 *   to
 * @property {"scored"} event
 * @property {number} round From 1
 * @property {number[]} nodes Asked: the distribution AFTER each of these nodes
 * @property {(number | null)[]} overlaps sum_x min(p, q) at each asked node: the exact acceptance probability of one
 *   draw in speculative sampling's test
 * @property {(((number | null)[])[])[]} alternatives Per asked node, rows [token, p, q or null] by falling p, with the
 *   q of the overlap
 * @property {number[]} fed Nodes run through the target in this call, in order: the rows of the mask
 * @property {number} num_cached Tokens already in the target's cache before the call
 * @property {number[]} columns Nodes of the mask's columns
 * @property {string[] | null} mask A row of 1 and 0 per fed node, one letter per column
 * @property {number} seconds Inside the target model
 * @property {Record<string, string>} pieces Token id to how to print it, for the tokens first seen in this event
 *
 * @typedef {object} Verified The verdict on every draw of the round, in the order of the test
 * @property {"verified"} event
 * @property {number} round From 1
 * @property {number[]} nodes The drafted node of each verdict
 * @property {("accepted" | "not_tested" | "rejected")[]} outcomes not_tested: no test was made
 * @property {(number | null)[]} target_probs p of the drafted token
 * @property {(number | null)[]} draft_probs q of the drafted token
 * @property {(number | null)[]} accept_probs The probability with which the test accepts
 * @property {(number | null)[]} uniforms u in [0, 1)
 * @property {string[]} reasons Why, a code each
 * @property {Record<string, number>[]} [reason_values] Numbers of each reason's sentence by name
 * @property {Record<string, any>[]} [workings] What a rule computed on the way, for a lens to draw
 *
 * @typedef {object} Committed Tokens that the round emitted, and the node(s) the next round grows from: one, or with
 *   beams their last nodes
 * @property {"committed"} event
 * @property {number} round From 1
 * @property {number[]} nodes Emitted tokens, in the order of the text
 * @property {number[]} tokens The emitted tokens
 * @property {("accepted" | "bonus" | "correction" | "plain")[]} origins An accepted draft, or the one extra token of
 *   the round
 * @property {number[]} log_probs Natural log, under the unwarped target, renormalised over what may be written
 * @property {number | null} extra_prob Probability of the last token under what it was drawn from, if it is not a draft
 * @property {string} text What these tokens add to the text
 * @property {number[]} frontier The node(s) the next round grows from
 * @property {number} draft_s Drafting in this round
 * @property {number} verify_s The target call of this round
 * @property {number} other_s The rest of the round: sampling, acceptance tests, tree
 * @property {number} clock_s Decoding clock at the end of the round: the sum of all phases so far, prefill excluded
 * @property {Record<string, string>} pieces Token id to how to print it, for the tokens first seen in this event
 * @property {number[]} [parents] Of the nodes
 * @property {number[]} [frontier_log_probs] With beams: natural log of each beam's whole text, under the unwarped
 *   target
 * @property {number | null} [best] With beams: where the best text ends, live or ended
 * @property {number | null} [text_offset] Characters of the text so far that stay, before `text` is added
 * @property {number[]} [draft_work] The draft model's forward passes in this round, the tokens that ran in them, and
 *   the tokens whose keys and values they read
 * @property {number[]} [draft_cache_bytes] Keys and values in each draft model's cache behind its last pass so far
 *
 * @typedef {object} RunFinished Reason why the run ended, and its totals: each equals the fold of the events before it
 *   (see invariants.py)
 * @property {"run_finished"} event
 * @property {"context" | "eos" | "length" | "stopped"} finish_reason Budget, end of text, stopped by a person, or
 *   context full
 * @property {string} text Everything emitted, without the prompt
 * @property {number} num_tokens Emitted tokens, correction and bonus tokens included
 * @property {number} rounds Rounds committed
 * @property {number} target_calls Prefill excluded
 * @property {number} draft_calls Prefill excluded
 * @property {number} num_drafted Draws drafted
 * @property {number} num_tested Draws whose test was made
 * @property {number} num_accepted Draws that were accepted
 * @property {number} draft_s Sum over the rounds
 * @property {number} verify_s Sum over the rounds
 * @property {number} other_s Sum over the rounds
 * @property {number | null} perplexity Of the emitted tokens under the unwarped target
 * @property {number} peak_cache_bytes Largest key and value cache of all models together
 * @property {Record<string, any>} [energy] joules (null when not measurable), source, reason, window_s, resolution_s
 *
 * @typedef {RunStarted | Drafted | Scored | Verified | Committed | RunFinished} TraceEvent
 */

export const FORMAT = "speculative-decoding-trace";

export const VERSION = 3;

/** @type {Record<string, any>} */
export const EVENTS = {
  run_started: {
    type: "object",
    properties: {
      event: { enum: ["run_started"] },
      method: { type: "string", maxLength: 200 },
      title: { type: "string", maxLength: 200 },
      lossless: { type: "boolean" },
      reproduces: { type: "string", maxLength: 200 },
      options: { type: "object" },
      sampling: { type: "object" },
      seed: { type: "integer", minimum: 0 },
      max_new_tokens: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      target: { type: "object" },
      draft: { type: "object", maybe: true },
      prompt: { type: "string", maxLength: 1000000 },
      prompt_ids: {
        type: "array",
        items: { type: "integer", minimum: 0, maximum: 2147483647 },
        maxItems: 100000,
        minItems: 1,
      },
      frontier: {
        type: "array",
        items: { type: "integer", minimum: 0, maximum: 2147483647 },
        maxItems: 100000,
        minItems: 1,
      },
      pieces: {
        type: "object",
        propertyNames: { pattern: "^[0-9]{1,10}$", maxLength: 10 },
        additionalProperties: { type: "string", maxLength: 1000 },
        maxProperties: 100000,
      },
      prefill_s: { type: "number", minimum: 0, maximum: 1000000000 },
      machine: { type: "object" },
      versions: { type: "object", additionalProperties: { type: "string", maxLength: 200 }, maxProperties: 100 },
      created: { type: "string", maxLength: 40 },
      other_drafts: { type: "array", items: { type: "object" }, maxItems: 100 },
      tests: { anyOf: [{ enum: ["draws", "layers", "prefixes", "selected draws"] }, { enum: [""] }] },
      branch: {
        type: "object",
        properties: {
          round: { type: "integer", minimum: 1, maximum: 1000000 },
          node: { type: "integer", minimum: 0, maximum: 2147483647, maybe: true },
          outcome: { enum: ["accepted", "rejected"], maybe: true },
          token: { type: "integer", minimum: 0, maximum: 2147483647, maybe: true },
          options: { type: "object" },
          of: { type: "string", maxLength: 40 },
        },
        maybe: true,
      },
      num_allowed: { type: "integer", minimum: 0, maximum: 1000000000000000 },
    },
    optional: ["machine", "versions", "created", "other_drafts", "tests", "branch", "num_allowed"],
  },
  drafted: {
    type: "object",
    properties: {
      event: { enum: ["drafted"] },
      round: { type: "integer", minimum: 1, maximum: 1000000 },
      depth: { type: "integer", minimum: 1, maximum: 1000000 },
      parents: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      nodes: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      draft_probs: { type: "array", items: { type: "number", minimum: -1e-6, maximum: 1.000001 }, maxItems: 100000 },
      seconds: { type: "number", minimum: 0, maximum: 1000000000 },
      pieces: {
        type: "object",
        propertyNames: { pattern: "^[0-9]{1,10}$", maxLength: 10 },
        additionalProperties: { type: "string", maxLength: 1000 },
        maxProperties: 100000,
      },
      draft_models: {
        type: "array",
        items: { type: "integer", minimum: 0, maximum: 1000000000000000 },
        maxItems: 100000,
      },
    },
    optional: ["draft_models"],
  },
  scored: {
    type: "object",
    properties: {
      event: { enum: ["scored"] },
      round: { type: "integer", minimum: 1, maximum: 1000000 },
      nodes: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      overlaps: {
        type: "array",
        items: { type: "number", minimum: -1e-6, maximum: 1.000001, maybe: true },
        maxItems: 100000,
      },
      alternatives: {
        type: "array",
        items: {
          type: "array",
          items: {
            type: "array",
            items: {
              anyOf: [
                { type: "integer", minimum: 0, maximum: 2147483647 },
                { type: "number", minimum: -1e-6, maximum: 1.000001 },
                { type: "null" },
              ],
            },
            maxItems: 4,
            minItems: 3,
          },
          maxItems: 1000,
        },
        maxItems: 100000,
      },
      fed: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      num_cached: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      columns: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      mask: {
        type: "array",
        items: { type: "string", maxLength: 100000, pattern: "^[01]*$" },
        maxItems: 100000,
        maybe: true,
      },
      seconds: { type: "number", minimum: 0, maximum: 1000000000 },
      pieces: {
        type: "object",
        propertyNames: { pattern: "^[0-9]{1,10}$", maxLength: 10 },
        additionalProperties: { type: "string", maxLength: 1000 },
        maxProperties: 100000,
      },
    },
  },
  verified: {
    type: "object",
    properties: {
      event: { enum: ["verified"] },
      round: { type: "integer", minimum: 1, maximum: 1000000 },
      nodes: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      outcomes: { type: "array", items: { enum: ["accepted", "not_tested", "rejected"] }, maxItems: 100000 },
      target_probs: {
        type: "array",
        items: { type: "number", minimum: -1e-6, maximum: 1.000001, maybe: true },
        maxItems: 100000,
      },
      draft_probs: {
        type: "array",
        items: { type: "number", minimum: -1e-6, maximum: 1.000001, maybe: true },
        maxItems: 100000,
      },
      accept_probs: {
        type: "array",
        items: { type: "number", minimum: -1e-6, maximum: 1.000001, maybe: true },
        maxItems: 100000,
      },
      uniforms: {
        type: "array",
        items: { type: "number", minimum: -1e-6, maximum: 1.000001, maybe: true },
        maxItems: 100000,
      },
      reasons: { type: "array", items: { type: "string", maxLength: 1000 }, maxItems: 100000 },
      reason_values: {
        type: "array",
        items: {
          type: "object",
          propertyNames: { maxLength: 200 },
          additionalProperties: { type: "number" },
          maxProperties: 20,
        },
        maxItems: 100000,
      },
      workings: { type: "array", items: { type: "object" }, maxItems: 10000 },
    },
    optional: ["reason_values", "workings"],
  },
  committed: {
    type: "object",
    properties: {
      event: { enum: ["committed"] },
      round: { type: "integer", minimum: 1, maximum: 1000000 },
      nodes: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      origins: { type: "array", items: { enum: ["accepted", "bonus", "correction", "plain"] }, maxItems: 100000 },
      log_probs: { type: "array", items: { type: "number", minimum: -1000000, maximum: 1e-6 }, maxItems: 100000 },
      extra_prob: { type: "number", minimum: -1e-6, maximum: 1.000001, maybe: true },
      text: { type: "string", maxLength: 1000000 },
      frontier: {
        type: "array",
        items: { type: "integer", minimum: 0, maximum: 2147483647 },
        maxItems: 100000,
        minItems: 1,
      },
      draft_s: { type: "number", minimum: 0, maximum: 1000000000 },
      verify_s: { type: "number", minimum: 0, maximum: 1000000000 },
      other_s: { type: "number", minimum: 0, maximum: 1000000000 },
      clock_s: { type: "number", minimum: 0, maximum: 1000000000 },
      pieces: {
        type: "object",
        propertyNames: { pattern: "^[0-9]{1,10}$", maxLength: 10 },
        additionalProperties: { type: "string", maxLength: 1000 },
        maxProperties: 100000,
      },
      parents: { type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 }, maxItems: 100000 },
      frontier_log_probs: {
        type: "array",
        items: { type: "number", minimum: -1000000000, maximum: 0.001 },
        maxItems: 100000,
      },
      best: { type: "integer", minimum: 0, maximum: 2147483647, maybe: true },
      text_offset: { type: "integer", minimum: 0, maximum: 1000000, maybe: true },
      draft_work: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000000000 }, maxItems: 300 },
      draft_cache_bytes: {
        type: "array",
        items: { type: "integer", minimum: 0, maximum: 1000000000000000 },
        maxItems: 100,
      },
    },
    optional: ["parents", "frontier_log_probs", "best", "text_offset", "draft_work", "draft_cache_bytes"],
  },
  run_finished: {
    type: "object",
    properties: {
      event: { enum: ["run_finished"] },
      finish_reason: { enum: ["context", "eos", "length", "stopped"] },
      text: { type: "string", maxLength: 1000000 },
      num_tokens: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      rounds: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      target_calls: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      draft_calls: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      num_drafted: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      num_tested: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      num_accepted: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      draft_s: { type: "number", minimum: 0, maximum: 1000000000 },
      verify_s: { type: "number", minimum: 0, maximum: 1000000000 },
      other_s: { type: "number", minimum: 0, maximum: 1000000000 },
      perplexity: { type: "number", exclusiveMinimum: 0, maybe: true },
      peak_cache_bytes: { type: "integer", minimum: 0, maximum: 1000000000000000 },
      energy: { type: "object" },
    },
    optional: ["energy"],
  },
};

/** @type {Record<string, any>} */
export const WORKINGS = {
  speculative: {
    type: "object",
    properties: { kind: { enum: ["speculative"] }, tested: { type: "integer", minimum: 0, maximum: 1000000000 } },
    required: ["kind", "tested"],
  },
  block: {
    type: "object",
    properties: {
      kind: { enum: ["block"] },
      reaches: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
    },
    required: ["kind", "reaches"],
  },
  traversal: {
    type: "object",
    properties: { kind: { enum: ["traversal"] }, tested: { type: "integer", minimum: 0, maximum: 1000000000 } },
    required: ["kind", "tested"],
  },
  top_set: {
    type: "object",
    properties: { kind: { enum: ["top_set"] }, width: { type: "integer", minimum: 0, maximum: 1000000000 } },
    required: ["kind", "width"],
  },
  joint: {
    type: "object",
    properties: {
      kind: { enum: ["joint"] },
      tau: { type: "number", minimum: 0, maximum: 1.001 },
      ratios: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
    },
    required: ["kind", "tau", "ratios"],
  },
  rollback: {
    type: "object",
    properties: {
      kind: { enum: ["rollback"] },
      confidences: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      surprises: {
        type: "array",
        items: { type: "number", minimum: 0, maximum: 1000000000, maybe: true },
        maxItems: 80,
      },
      fallback: { type: "number", minimum: 0, maximum: 1000000000 },
      rollback: { type: "number", minimum: 0, maximum: 1000000000 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
    },
    required: ["kind", "confidences", "surprises", "fallback", "rollback", "tokens"],
  },
  typical: {
    type: "object",
    properties: {
      kind: { enum: ["typical"] },
      epsilon: { type: "number", minimum: 0, maximum: 1.001 },
      delta: { type: "number", minimum: 0, maximum: 1.001 },
      thresholds: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      entropies: { type: "array", items: { type: "number", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
    },
    required: ["kind", "epsilon", "delta", "thresholds", "entropies"],
  },
  ensemble: {
    type: "object",
    properties: {
      kind: { enum: ["ensemble"] },
      weight: { type: "number", minimum: 0, maximum: 1.001 },
      mixture: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
    },
    required: ["kind", "weight", "mixture"],
  },
  prompt_lookup: {
    type: "object",
    properties: {
      kind: { enum: ["prompt_lookup"] },
      start: { type: "integer", minimum: 0, maximum: 1000000000 },
      length: { type: "integer", minimum: 0, maximum: 1000000000 },
    },
    required: ["kind", "start", "length"],
  },
  suffix: {
    type: "object",
    properties: {
      kind: { enum: ["suffix"] },
      length: { type: "integer", minimum: 0, maximum: 1000000000 },
      indices: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      num_indices: { type: "integer", minimum: 0, maximum: 1000000000 },
      score: { type: "number", minimum: 0, maximum: 1000000000 },
      nodes: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      values: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
    },
    required: ["kind", "length", "indices", "num_indices", "score", "nodes", "values"],
  },
  dynamic_tree: {
    type: "object",
    properties: {
      kind: { enum: ["dynamic_tree"] },
      nodes: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      values: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      cut: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      num_cut: { type: "integer", minimum: 0, maximum: 1000000000 },
    },
    required: ["kind", "nodes", "values", "tokens", "cut", "num_cut"],
  },
  block_draft: {
    type: "object",
    properties: {
      kind: { enum: ["block_draft"] },
      nodes: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      base: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      biased: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      confidences: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      least_survival: { type: "number", minimum: 0, maximum: 1.001, maybe: true },
    },
    required: ["kind", "nodes", "base", "biased", "confidences", "least_survival"],
  },
  layers: {
    type: "object",
    properties: {
      kind: { enum: ["layers"] },
      node: { type: "integer", minimum: 0, maximum: 1000000000 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      best: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      drafted: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
    },
    required: ["kind", "node", "tokens", "best", "drafted"],
  },
  recursive: {
    type: "object",
    properties: {
      kind: { enum: ["recursive"] },
      node: { type: "integer", minimum: 0, maximum: 1000000000 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      draws: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      residuals: {
        type: "array",
        items: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
        maxItems: 80,
      },
      offers: {
        type: "array",
        items: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
        maxItems: 80,
      },
    },
    required: ["kind", "tokens", "draws", "residuals", "offers"],
  },
  matching: {
    type: "object",
    properties: {
      kind: { enum: ["matching"] },
      node: { type: "integer", minimum: 0, maximum: 1000000000 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      target: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      draft: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      chance: { type: "number", minimum: 0, maximum: 1.001 },
    },
    required: ["kind", "tokens", "target", "draft", "chance"],
  },
  k_seq: {
    type: "object",
    properties: {
      kind: { enum: ["k_seq"] },
      node: { type: "integer", minimum: 0, maximum: 1000000000 },
      num_draws: { type: "integer", minimum: 0, maximum: 1000000000 },
      factor: { type: "number", minimum: 0, maximum: 1000000000 },
      one: { type: "number", minimum: 0, maximum: 1.001 },
      all: { type: "number", minimum: 0, maximum: 1.001 },
    },
    required: ["kind", "num_draws", "factor", "one", "all"],
  },
  importance: {
    type: "object",
    properties: {
      kind: { enum: ["importance"] },
      node: { type: "integer", minimum: 0, maximum: 1000000000 },
      tokens: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      target: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      draft: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      distribution: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      draws: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      selected: { type: "integer", minimum: 0, maximum: 1000000000 },
      chances: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      one: { type: "number", minimum: 0, maximum: 1.001 },
      all: { type: "number", minimum: 0, maximum: 1.001 },
    },
    required: ["kind", "tokens", "target", "draft", "distribution", "draws", "selected", "chances", "one", "all"],
  },
  sequoia: {
    type: "object",
    properties: {
      kind: { enum: ["sequoia"] },
      node: { type: "integer", minimum: 0, maximum: 1000000000 },
      acceptance: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      expected: { type: "number", minimum: 0, maximum: 1000000000, maybe: true },
      tested: { type: "array", items: { type: "integer", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
      passed: { type: "array", items: { type: "number", minimum: 0, maximum: 1000000000 }, maxItems: 80 },
    },
    required: ["kind", "acceptance", "expected", "tested", "passed"],
  },
  relaxed: {
    type: "object",
    properties: {
      kind: { enum: ["relaxed"] },
      depth: { type: "integer", minimum: 0, maximum: 1000000000 },
      num_draws: { type: "integer", minimum: 0, maximum: 1000000000 },
      width: { type: "integer", minimum: 0, maximum: 1000000000 },
      accepted: { type: "integer", minimum: 0, maximum: 1000000000 },
      rate: { type: "number", minimum: 0, maximum: 1.001 },
      whole: { type: "number", minimum: 0, maximum: 1.001 },
      share: { type: "number", minimum: 0, maximum: 1.001 },
      distance: { type: "number", minimum: 0, maximum: 1.001, maybe: true },
    },
    required: ["kind", "num_draws", "width", "accepted", "rate", "whole", "share", "distance"],
  },
  beam_width: {
    type: "object",
    properties: {
      kind: { enum: ["beam_width"] },
      depth: { type: "integer", minimum: 0, maximum: 1000000000 },
      num_draws: { type: "integer", minimum: 0, maximum: 1000000000 },
      rates: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      probabilities: { type: "array", items: { type: "number", minimum: 0, maximum: 1.001 }, maxItems: 80 },
      threshold: { type: "number", minimum: 0, maximum: 1.001, maybe: true },
      min_width: { type: "integer", minimum: 0, maximum: 1000000000 },
      reached: { type: "integer", minimum: 0, maximum: 1000000000, maybe: true },
      width: { type: "integer", minimum: 0, maximum: 1000000000 },
      accepted: { type: "integer", minimum: 0, maximum: 1000000000 },
    },
    required: ["kind", "num_draws", "rates", "probabilities", "threshold", "min_width", "reached", "width", "accepted"],
  },
  joint_search: {
    type: "object",
    properties: {
      kind: { enum: ["joint_search"] },
      depth: { type: "integer", minimum: 0, maximum: 1000000000 },
      length: { type: "integer", minimum: 0, maximum: 1000000000 },
      exact: { type: "boolean" },
      width: { type: "integer", minimum: 0, maximum: 1000000000 },
      num_candidates: { type: "integer", minimum: 0, maximum: 1000000000 },
      log_prob: { type: "number", maximum: 0.001 },
      drawn: { type: "boolean" },
    },
    required: ["kind", "length", "exact", "width", "num_candidates", "log_prob", "drawn"],
  },
};

/** @type {Record<string, any>} */
export const COLUMNS = {
  drafted: [["parents", "nodes", "tokens", "draft_probs"]],
  scored: [["nodes", "overlaps", "alternatives"]],
  verified: [["nodes", "outcomes", "target_probs", "draft_probs", "accept_probs", "uniforms", "reasons"]],
  committed: [["nodes", "tokens", "origins", "log_probs"]],
  typical: [["thresholds", "entropies"]],
  suffix: [["nodes", "values"]],
  dynamic_tree: [
    ["nodes", "values"],
    ["tokens", "cut"],
  ],
  block_draft: [["nodes", "base", "biased"]],
  layers: [["tokens", "best", "drafted"]],
  importance: [["draws", "chances"]],
  sequoia: [["tested", "passed"]],
};

/** @type {Record<string, any>} */
export const VERSION_2 = {
  events: { judged: "verified" },
  fields: {
    drafted: { layer: "depth", writers: "draft_models" },
    scored: { cached: "num_cached" },
    judged: { coins: "uniforms" },
    committed: { kept: "text_offset" },
    run_finished: { reason: "finish_reason", num_judged: "num_tested" },
  },
  outcomes: { unjudged: "not_tested" },
  workings: {
    recursive: { rests: "residuals" },
    importance: { law: "distribution" },
    relaxed: { layer: "depth" },
    beam_width: { layer: "depth" },
    joint_search: { layer: "depth" },
    typical: { bars: "thresholds" },
    suffix: { places: "indices", num_places: "num_indices" },
  },
};
