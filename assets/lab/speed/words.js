/** Every word of the section on expected speed. */

import { learn } from "../../shared/words.js";

export const COSTS = [
  ["straight", "each node costs the same"],
  ["l40", "memory roofline: NVIDIA L40"],
  ["a100", "memory roofline: NVIDIA A100 80 GB"],
  ["cpu_core", "memory roofline: one core of a server CPU"],
];
export const BYTES = [
  ["2", "16-bit weights"],
  ["4", "32-bit weights"],
  ["1", "8-bit weights"],
];

export const TABLES = [
  ["measured", "measured by the makers: the bundled target, one core"],
  ["h100", "measured by the makers: 1.6 B parameters on an NVIDIA H100"],
  ["mi50", "published: Qwen3.8-27B on an MI50 (llama.cpp)"],
  ["deepseek", "published: DeepSeek-R1, a mixture of experts (llama.cpp)"],
  ["typed", "typed in"],
];

export const SHAPES = {
  chain: ["Chain", "One draft below the other. (1 − α^(γ+1)) / (1 − α) tokens, Leviathan et al., equation 1."],
  branching: [
    "Every node branches",
    "Every node has as many children, in as many layers as 64 nodes allow. The sum, over its nodes, of the chance that a node is on the accepted path.",
  ],
  best: [
    "Sequoia's best tree",
    "Of so many nodes the one that emits most, by dynamic programming; of the draft length at which it is fastest.",
  ],
  beams: [
    "Beams (DSBD)",
    "Steps of beam sampling per call: (1 − a^(γ+1)) / (1 − a), Qin et al., Theorem 3.2. The speed-up is over beam sampling of the same width. The theorem offers every layer all its drafts; real layers below the first have fewer, see Beam width.",
  ],
};

learn({
  group_accepted: "How often drafts are accepted",
  group_cost: "What a round costs",
  group_tree: "Trees",
  group_beams: "Beams",
  alpha: "α, acceptance rate of the first draft",
  passing_2: "second child, if the first fails",
  passing_3: "third child, if both fail",
  passing_4: "fourth child, if all fail",
  draft_length: "γ, draft length; layers",
  cost_ratio: "c, a draft call / a target call",
  nodes_cost: "What more nodes cost the target",
  per_node: "v, cost of one more node",
  bytes: "Weights of the target",
  num_nodes: "nodes of the best tree",
  children: "children of every node",
  layer_acceptance: "a, chance that a layer is accepted",
  num_beams: "beams (W)",
  num_draws: "drafts per layer (W_S)",
  shapes_title: "What a target call brings, and what it costs",
  shapes_note:
    "Expected by formula. Costs are in target calls on one node; a layer is one draft call, however wide; nothing outside the models takes time.",
  shape: "shape",
  shape_nodes: "nodes",
  shape_levels: "layers",
  shape_emitted: "tokens per call",
  shape_cost: "cost of a round",
  shape_speed_up: "speed-up",
  steps: "{value} steps",
  verdict_win:
    "A chain of {length} is expected to be {speed_up}× as fast as plain decoding. It breaks even at α = {break_even}.",
  verdict_lose:
    "A chain of {length} is expected to slow decoding down, to {speed_up}×. It would break even at α = {break_even}.",
  verdict_never:
    "A chain of {length} is expected to reach {speed_up}×. Even if every draft were accepted it could not break even: a round costs {cost} target calls and brings {most} tokens at most.",
  verdict_best: "The best length at this α is {best} ({best_speed_up}×).",
  verdict_best_none: "At this α no length pays: it is best not to draft.",
  verdict_textbook:
    "The textbook formula, in which more nodes cost nothing, says {textbook}× here, break-even at α = {textbook_break_even} and best length {textbook_best}; with it, a chain of {length} pays up to c = {break_even_cost}.",
  none: "no α",
  rate_title: "Speed-up by acceptance rate",
  tokens_title: "Tokens per target call by acceptance rate",
  nodes_title: "Speed-up by the number of drafted nodes",
  cost_title: "What a target call over many nodes costs",
  tree_title: "Sequoia's best tree of {nodes} nodes",
  axis_rate: "α of a single draft; hollow: acceptance per position",
  axis_speed_up: "speed-up",
  axis_emitted: "tokens per target call",
  axis_nodes: "drafted nodes",
  axis_call: "nodes in one target call",
  axis_growth: "times one node",
  line_here: "chain of {length}",
  line_best: "best length at every α",
  line_textbook: "chain of {length}, textbook: nodes cost nothing",
  line_chain: "chain",
  line_tree: "Sequoia's best tree",
  line_growth: "T(n) / T(1)",
  rule_even: "break-even",
  rule_best: "{best} nodes: {speed_up}×",
  rule_free: "{nodes} nodes are free",
  rule_free_none: "not even one node is free",
  point_formula: "here, by formula",
  point_measured: "measured",
  point_measured_hollow: "measured, not a chain",
  cost_note_measured:
    "Measured: the time of a target call over that of a plain step; in runs of Compare with what is outside both models.",
  cost_note_straight: "Assumed: T(n) / T(1) = 1 + v (n − 1).",
  cost_note_roofline:
    "An estimate: a call takes as long as reading the weights or as its arithmetic, whichever is longer; caches and attention are left out. {source}",
  tree_note:
    "Thick and dark: likely to be on the accepted path. Children in draw order from the left; the k-th child is accepted with a = {vector}.",
  tree_empty: "No child has a chance to be accepted, so the best tree is none.",
  tree_node: "layer {level}, child {place}: on the accepted path with {chance}",
  runs_title: "Measured runs",
  runs_note:
    "Your own, measured on this page since it was opened, in Watch and in Compare; the run in the player; and traces that you open here. A speed-up is over autoregressive decoding: in Compare over the runs beside it; in Watch over an autoregressive run of the same target model, if there is one.",
  runs_none: "None yet. Run something in Watch, race in Compare, or open a trace.",
  runs_open: "Open a trace (JSON)",
  runs_bad: "That file is no trace that can be read: {why}",
  runs_empty:
    "That run has no finished round, or its rule judges no position by itself, so there is nothing to put on a curve.",
  run_title: "run",
  run_from: "from",
  run_alpha: "acceptance per position",
  run_emitted: "tokens per call",
  run_speed_up: "speed-up",
  run_take: "Take",
  run_take_title: "Set the sliders to what was measured in this run",
  from_watch: "Watch",
  from_compare: "Compare",
  from_player: "the player",
  from_file: "file, recorded",
  no_speed_up: "no plain run to compare with",
  taken: "Set to what “{title}” measured: {what}. The rest stands as it was.",
  taken_alpha: "α {alpha}",
  taken_passing: "the chances of later children",
  taken_length: "γ {length}",
  taken_cost: "c {cost}",
  taken_nodes: "v {per_node}",
  taken_capped: "{name} is beyond the slider and stands at its end",
  point_text: "{title}, measured: acceptance per position {alpha}, {what}",
  load_title: "Under load",
  load_pays: "What pays at this load",
  load_table: "Costs of a step",
  load_costs: "Tokens in a step: milliseconds, a line each",
  batch: "batch size, sequences decoded together",
  load_cost: "c, a draft call / a target call, both for the batch",
  round_ms: "fixed cost of a round that drafts, ms",
  num_experts: "experts of a layer, 0: dense",
  per_token: "experts for each token",
  load_typed: "Typed in. A link keeps the table.",
  load_note:
    "By arithmetic on the costs: a round of B sequences that draft L tokens each is one step over B × (L + 1) tokens, L draft calls and the fixed cost. An estimate: attention over each sequence's own text is left out, and acceptance is the same at every load.",
  load_win:
    "At batch size {batch} a draft length of {best} is expected to bring {tokens} tokens/s, {ratio}× plain decoding's {plain}.",
  load_lose:
    "At batch size {batch} no draft length pays: the best, {drafted}, is expected to bring {tokens} tokens/s, {ratio}× plain decoding's {plain}.",
  load_perfect_loses: "At this load even a perfect drafter would lose.",
  load_from: "From batch size {from} on none ever pays.",
  load_never: "At no batch size up to 128 does a draft length pay.",
  load_always: "A draft length pays up to batch size 128.",
  load_dense: "A dense model reads all its weights in every step. Set the experts of a layer for a mixture of experts.",
  load_experts:
    "Estimate: in each layer a plain step of {batch} touches {plain} of {experts} experts, and a round of draft length {length} touches {drafted}, so it reads {growth} times as many of the experts' weights. Every set of experts is taken to be equally likely, for each token by itself; tokens that follow one another touch fewer.",
  load_lengths_title: "Goodput by draft length",
  load_batches_title: "Goodput of the best draft length by batch size",
  load_axis_length: "draft length; 0: plain decoding",
  load_axis_batch: "batch size, sequences",
  load_axis_ratio: "tokens/s over plain decoding's",
  load_perfect: "perfect drafter: acceptance 1",
  load_here: "acceptance {rate}, batch size {batch}",
  load_best: "acceptance {rate}, best length above 0",
  load_rule_from: "from {from} on none pays",
  load_beyond:
    "Beyond {tokens} tokens in a step, where the table ends, costs go on along its last slope, or its mean one where that is steeper.",
  not_a_chain: "not a chain: the line is not about it",
});
