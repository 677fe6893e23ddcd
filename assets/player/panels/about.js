/**
 * Which run this is: its line above everything, and all that is known of it, in a panel.
 */

import { element, empty, legible, setText, withSigns } from "../../shared/elements.js";
import { magnitude, milliseconds } from "../../shared/numbers.js";
import { phrase, say } from "../../shared/words.js";
import { optionsOf, settingsOf } from "../trace/settings.js";

// values that change nothing
const OFF = { stop_below: 0, adapt: 0, draft_temperature_factor: 1, temperature_spread: 0 };
const GOODPUT = 2; // of `adapt`: the only one that counts a token's cost

// forward passes with a sentence of their own, by the name in a trace
const PASSES = {
  lean: "pass_lean",
  "lean, compiled": "pass_compiled",
  "lean, in CUDA graphs": "pass_graphs",
  transformers: "pass_transformers",
};

export class About {
  /** @param {(run: any) => void} changed another run is described, or none */
  constructor(changed) {
    this.changed = changed;
    this.origin = element("span", "sp-origin");
    this.title = element("h2", "sp-title");
    this.claim = element("button", "sp-claim sp-term", null, { type: "button", "data-term": "lossless" });
    this.head = element("header", "sp-head", [this.origin, this.title, this.claim]);
    this.table = element("dl", "sp-fact-list");
    this.root = element("div", "sp-about", [this.table]);
  }

  /** `origin` says where the run is from: "recorded", "live" or "made", as `words.origin_run_...`. */
  show(trace, origin) {
    const stamp = [origin, trace.run !== null, trace.finished !== null].join();
    if (this.told === trace.run && this.stamp === stamp) return;
    this.told = trace.run;
    this.stamp = stamp;
    const run = trace.run;
    this.origin.className = "sp-origin sp-origin-" + origin;
    this.origin.hidden = !run;
    if (run) this.name(run, origin);
    else for (const part of [this.origin, this.title, this.claim]) setText(part, "");
    this.tell(run, trace.finished);
    this.changed(run);
  }

  /** The line above everything. */
  name(run, origin) {
    const { gpu, processor } = run.machine || {};
    const created = legible([run.created, gpu || processor].filter(Boolean).join(", "));
    setText(this.origin, say("origin_run_" + origin));
    const parts = [
      say("origin_run_" + origin + "_title", { created }),
      optionsOf(run.method, withoutOff(run.options)),
      warps(run.sampling),
      say("seed", { seed: run.seed }),
      allowed(run),
    ];
    this.head.title = legible(parts.filter(Boolean).join(" · "));
    setText(this.title, legible(run.title));
    const reproduced = phrase(`claim.${run.reproduces}`, run.reproduces);
    setText(this.claim, run.branch ? "" : say(run.lossless ? "lossless_short" : "lossy"));
    this.claim.className = "sp-claim sp-term" + (run.lossless || run.branch ? "" : " sp-lossy");
    this.claim.title = run.lossless ? say("claim_title", { law: reproduced }) : say("lossy_title");
  }

  tell(run, finished) {
    empty(this.table);
    if (!run) return;
    const facts = [
      ["fact_prompt", withSigns(String(run.prompt ?? ""))],
      ["fact_method", run.method],
      ["fact_target", model(run.target)],
      ["fact_draft", run.draft ? model(run.draft) : say("no_draft_model")],
      ["fact_shared", shared(run.draft)],
      ["fact_context", context(run.draft)],
      ["fact_pass", passes(run)],
      ["fact_revision", revisions(run)],
      ["fact_sampling", settingsOf(run.sampling)],
      ["fact_options", optionsOf(run.method, run.options)],
      ["fact_seed", run.seed],
      ["fact_allowed", allowed(run)],
      ["fact_budget", say("tokens", { count: run.max_new_tokens })],
      ["fact_prefill", milliseconds(run.prefill_s)],
      ["fact_machine", settingsOf(run.machine)],
      ["fact_versions", settingsOf(run.versions)],
      ["fact_created", run.created],
      ["fact_energy", finished ? energy(finished.energy) : ""],
      ["fact_perplexity", finished && typeof finished.perplexity === "number" ? finished.perplexity.toFixed(2) : ""],
    ];
    for (const [name, value] of facts)
      if (value !== "" && value !== undefined && value !== null)
        this.table.append(element("dt", "", say(name)), element("dd", "", legible(String(value))));
  }
}

function allowed(run) {
  return run.num_allowed ? say("allowed", { count: run.num_allowed }) : "";
}

function model(facts) {
  return say("model", { ...facts, dtype: numberFormat(facts), parameters: magnitude(facts.parameters) });
}

/** The number format of the weights; where they stay in the blocks of a file the name of the pass says it. */
function numberFormat({ dtype, reads, bits, forward_pass: pass }) {
  return reads && !bits ? pass.replace("lean, compiled, ", "") : dtype;
}

/** Tokens that a draft with another tokenizer can propose; nothing where both have one. */
function shared(draft) {
  const { tokens, of_target } = (draft && draft.shared_vocabulary) || {};
  return typeof tokens === "number" && typeof of_target === "number" ? say("shared", { tokens, of_target }) : "";
}

/** The end of drafting, where the text may become longer than the draft model reads. */
function context(draft) {
  return draft && typeof draft.context === "number" ? say("context", { count: draft.context }) : "";
}

/** Forward passes that ran the models, and why one was given up. */
function passes({ target, draft }) {
  const names = [target, draft].flatMap((facts) =>
    facts && typeof facts.forward_pass === "string" ? [facts.forward_pass] : [],
  );
  return [...new Set(names)].map((name) => (Object.hasOwn(PASSES, name) ? say(PASSES[name]) : name)).join("; ");
}

/** The commits of the Hub that the models are. */
function revisions({ target, draft }) {
  return [target, draft]
    .flatMap((facts) => (facts && typeof facts.revision === "string" ? [facts.revision.slice(0, 12)] : []))
    .join(", ");
}

/** Options without those that are off. */
function withoutOff(options) {
  const unused = options?.adapt === GOODPUT ? [] : ["token_cost"];
  const shown = ([name, value]) => OFF[name] !== value && !unused.includes(name);
  return Object.fromEntries(Object.entries(options || {}).filter(shown));
}

/** The sampling without what is off, in the order applied: bias and penalties first. */
function warps({ temperature, top_k, top_p, min_p, ...penalties }) {
  const order = ["logit_bias", "repetition_penalty", "presence_penalty", "frequency_penalty", "generation_config"];
  const named = order.filter((name) => name in penalties).map((name) => [name.replace("_", " "), penalties[name]]);
  const warped = { temperature, "top-k": top_k || null, "top-p": top_p < 1 ? top_p : null, "min-p": min_p || null };
  return settingsOf({ ...Object.fromEntries(named), ...warped });
}

// Only what a meter read; the estimate has its own chart and never replaces it.
function energy(facts) {
  return facts && typeof facts.joules === "number" ? `${facts.joules.toFixed(2)} J (${facts.source})` : "";
}
