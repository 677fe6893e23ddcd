/** Choices and presets of the lab's sections, by the keys of their words. */

/** @typedef {[string, number[], number[], number]} Preset key of its name, p, q and the number of drafts */

export const SCHEMES = [
  { group: "one", schemes: ["speculative"] },
  { group: "independent", schemes: ["naive", "spec_infer", "k_seq", "importance", "optimal_with_replacement"] },
  { group: "different", schemes: ["recursive", "optimal_without_replacement"] },
  { group: "chosen", schemes: ["deterministic", "greedy_draft"] },
];

export const RULES = ["spec_infer", "recursive", "k_seq", "importance"];

export const CURVES = ["towards", "flatness", "bernoulli", "uniform_draft", "uniform_draft_right"];

/** @type {Preset[]} */
export const PRESETS = [
  ["preset_five_tokens", [0.15, 0.35, 0.1, 0.25, 0.15], [0.4, 0.25, 0.2, 0.1, 0.05], 2],
  ["preset_two_coins", [0.4, 0.6], [0.7, 0.3], 2],
  ["preset_three_tokens", [0.2, 0.3, 0.5], [0.6, 0.3, 0.1], 2],
  ["preset_equal", [0.5, 0.3, 0.2], [0.5, 0.3, 0.2], 2],
  ["preset_disjoint", [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], 2],
  ["preset_too_sure", [0.3, 0.25, 0.2, 0.15, 0.1], [0.9, 0.04, 0.03, 0.02, 0.01], 3],
];

// of the expected speed
export const MEASURED_COSTS = ["engine", "engine_float32", "smollm2", "smollm2_two_threads"];
export const PUBLISHED_COSTS = ["mlx_4bit", "mlx_bf16", "llama_cpp_deepseek", "llama_cpp_mi50"];
export const COSTS = ["straight", "l40", "a100", "cpu_core", ...MEASURED_COSTS, ...PUBLISHED_COSTS];
export const BYTES = ["2", "4", "1"]; // per parameter
export const TABLES = ["measured", "h100", "mi50", "deepseek", "typed"];
export const SHAPES = ["chain", "branching", "best", "beams"];

/** A probability for reading. */
export const shown = (value, digits = 4) =>
  value === null || value === undefined ? "–" : Number(value).toFixed(digits);
