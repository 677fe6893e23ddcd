/** Each method's paper, as its file names it: written by `python -m tests.tables`. */

/** @type {Record<string, string>} */
export const PAPERS = {
  atspeed_relaxed:
    "Lin et al. 2024, Efficient Inference for Large Language Model-based Generative Recommendation, arXiv 2410.05165",
  atspeed_strict:
    "Lin et al. 2024, Efficient Inference for Large Language Model-based Generative Recommendation, arXiv 2410.05165",
  beam_sampling: "Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560",
  beam_search: "Graves 2012, Sequence Transduction with Recurrent Neural Networks, arXiv 1211.3711",
  bild: "Kim et al. 2023, Speculative Decoding with Big Little Decoder, arXiv 2302.07863",
  block_verification: "Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444",
  dsbd: "Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560",
  dsbd_one_cache: "Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560",
  dynamic_tree: "Li et al. 2024, EAGLE-2, arXiv 2406.16858",
  entropy_verification:
    "Entropy verification of vLLM Ascend, docs.vllm.ai/projects/ascend/en/latest/user_guide/feature_guide/speculative_decoding",
  fly: "FLy verification of vLLM, docs.vllm.ai/en/latest/features/speculative_decoding/fly",
  greedy_draft: "vLLM's rejection sampler, github.com/vllm-project/vllm/pull/40651",
  hybrid: "Oliaro et al. 2024, SuffixDecoding, arXiv 2411.04975",
  importance_sampling: "Khisti et al. 2025, Multi-Draft Speculative Sampling, arXiv 2410.18234",
  lookahead: "Fu et al. 2024, Lookahead Decoding, arXiv 2402.02057",
  mtad: "Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model, arXiv 2407.09722",
  mtjd: "Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model, arXiv 2407.09722",
  prompt_lookup: "Saxena 2023, Prompt Lookup Decoding, github.com/apoorvumang/prompt-lookup-decoding",
  rsd_c: "Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160",
  rsd_s: "Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160",
  sample_and_match: "vLLM's strict rejection sampling, github.com/vllm-project/vllm/pull/35461",
  sequoia: "Chen et al. 2024, Sequoia, arXiv 2402.12374",
  specinfer: "Miao et al. 2024, SpecInfer, arXiv 2305.09781",
  spectr: "Sun et al. 2023, SpecTr, arXiv 2310.15141",
  speculative_sampling:
    "Leviathan et al. 2023, Fast Inference from Transformers via Speculative Decoding, arXiv 2211.17192",
  static_ensemble: "Wang et al. 2026, DIVERSED, arXiv 2604.07622",
  suffix_decoding: "Oliaro et al. 2024, SuffixDecoding, arXiv 2411.04975",
  token_recycling: "Luo et al. 2024, Token Recycling, arXiv 2408.08696",
  traversal_verification: "Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398",
  typical_acceptance: "Cai et al. 2024, Medusa, arXiv 2401.10774",
};
