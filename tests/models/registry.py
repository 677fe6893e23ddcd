"""Every causal language model of transformers, tiny and at random: it runs as `generate` does, or is refused.

`python -m tests.models.registry` goes through the registry of AutoModelForCausalLM, or the types that are named; with
--page first it writes assets/architectures.md, after each type; what it says of other types stays. The suite tries a
sample. Each gets as small a configuration as its own class allows, from the names that sizes have across architectures;
one for which this does not do is told as such.
"""

import os
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from tokenizers import Tokenizer, models
from transformers import AutoConfig, AutoModelForCausalLM, GenerationConfig, PreTrainedTokenizerFast
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
from transformers.utils import logging

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.forward import Forward, Model
from playground.models.loading import Models
from playground.models.sampling import Sampling
from playground.models.sources.placement import find_placement
from playground.tree import TokenTree
from tests.decoding.runs import tokens
from tests.models.small import generated

EQUAL, REFUSED, NEITHER, NOT_MADE = WORDS = "equal", "refused", "neither", "not made"
TABLE = Path(__file__).parents[2] / "assets" / "architectures.md"
PROMPT, LENGTH, LIMIT_S, LARGEST = (5, 9, 17, 3), 24, 240, 20_000_000  # seconds of processor time
GREEDY, BEAMS, NUM_BEAMS = ("speculative_sampling", "rsd_s", "dynamic_tree"), ("beam_search", "atspeed_strict"), 3
NUM_WORDS = 56  # classes of tokenizers add some of their own
VOCAB, WIDTH, LAYERS, HEADS, WINDOW = 61, 32, 2, 4, 8
SIZES = (
    (VOCAB, ("vocab_size", "vocab_size_per_layer_input")),
    (WIDTH, ("hidden_size", "d_model", "n_embd", "emb_dim", "embedding_size", "word_embed_proj_dim", "dim")),
    (LAYERS, (
        "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers",
        "num_decoder_layers", "num_encoder_layers",
    )),
    (HEADS, (
        "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
        "num_key_value_heads", "num_kv_heads", "num_encoder_attention_heads", "num_decoder_attention_heads",
        "num_local_experts", "num_experts", "n_routed_experts",
    )),
    (2 * WIDTH, (
        "intermediate_size", "n_inner", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "moe_intermediate_size",
        "shared_expert_intermediate_size", "ffn_hidden_size", "dff", "intermediate_size_mlp", "dim_ff",
    )),
    (8, (
        "head_dim", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "rotary_dim", "d_kv", "dim_head",
        "hidden_size_per_layer_input",
    )),
    (16, ("kv_lora_rank", "q_lora_rank")),
    (1, ("n_group", "topk_group", "num_expert_group")),
    (2, ("num_experts_per_tok", "moe_topk", "top_k_experts")),
    (256, ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx")),
    (WINDOW, ("sliding_window", "window_size", "attention_chunk_size", "keep_window_size")),
)  # fmt: skip
DEPTHS = (LAYERS, 4, 7)  # the next, where so few layers have no attention among them
HEAD = {"head_dim": 8}
STATES = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_expand": 2, "mamba_n_groups": 1, "mamba_chunk_size": 8}
DELTA = {
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
}  # fmt: skip
TWO_LAYERS, PARTS = {"num_hidden_layers": 2}, ["sliding_attention", "full_attention"]
INKLING = TWO_LAYERS | {
    "unpadded_vocab_size": VOCAB, "swa_num_attention_heads": HEADS, "swa_num_key_value_heads": HEADS, "swa_head_dim": 8,
    "sliding_window_size": WINDOW, "rel_extent": 16, "layer_types": ["hybrid_sliding", "hybrid"],
}  # fmt: skip
INDEXED = DELTA | TWO_LAYERS | {
    "layer_types": ["linear_attention", "indexed_attention"], "indexer_n_heads": 2, "indexer_kv_heads": 1,
    "indexer_head_dim": 8, "indexer_budget": 4, "indexer_compress_ratio": 2, "hc_lowrank": 8,
    "ngram_vocab_size_base": 64,
}  # fmt: skip
OWN: dict[str, dict[str, Any]] = {  # A class needs these, too.
    "bamba": STATES | {"attn_layer_indices": [1]},
    "bailing_hybrid": HEAD,
    "big_bird": {"block_size": 4, "num_random_blocks": 1},  # from 28 tokens on it leaves some out
    "blt": {"encoder_hash_byte_group_vocab": 64},
    "cohere_compass_text": TWO_LAYERS
    | {"layer_types": PARTS, "rope_parameters": {part: {"rope_type": "default", "rope_theta": 1e4} for part in PARTS}},
    "dbrx": {
        "attn_config": {"rope_theta": 1e4, "kv_n_heads": 2, "clip_qkv": 8.0},
        "ffn_config": {"hidden_size": WIDTH, "ffn_hidden_size": 2 * WIDTH},
    },
    "deepseek_v2": {"num_experts_per_tok": 2, "n_routed_experts": 4},
    "dots1": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1},
    "falcon_h1": STATES | HEAD | {"mamba_d_ssm": 2 * WIDTH},
    "gemma3n_text": {"num_kv_shared_layers": 0},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "granitemoehybrid": STATES | {"layer_types": ["mamba", "attention"]},
    "hunyuan_v1_dense": HEAD,
    "hunyuan_v1_moe": HEAD,
    "inkling2_loop_text": INKLING,
    "inkling2_text": INKLING,
    "kimi_linear": TWO_LAYERS | {
        "linear_head_dim": 8, "linear_num_heads": HEADS, "layer_types": ["linear_attention", "full_attention"],
    },
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "mamba2": {"num_heads": 8, "head_dim": 8, "chunk_size": 8},
    "mimo_v2_flash": {"num_key_value_heads": 2},
    "ministral": HEAD,
    "nemotron": {"num_key_value_heads": 2},
    "nemotron_h": {"chunk_size": 8},
    "phi3": {"sliding_window": WINDOW},
    "qwen3_5_moe_text": DELTA,
    "qwen3_5_text": DELTA,
    "qwen4_exp_text": INDEXED,
    "reformer": {"axial_pos_embds": False},
    "rwkv": {"attention_hidden_size": WIDTH},
    "xlstm": {"hidden_size": 4 * WIDTH, "chunk_size": 8},
    "xmod": {"default_language": "en_XX"},
    "zamba": {
        "num_hidden_layers": 4, "layers_block_type": ["linear_attention", "hybrid"] * 2, "attention_hidden_size": 64,
        "attention_head_dim": 16, "mamba_dt_rank": 8, "use_mamba_kernels": False,
    },
    "zamba2": TWO_LAYERS | {
        "layers_block_type": ["linear_attention", "hybrid"], "hybrid_layer_ids": [1], "mamba_headdim": 8,
        "n_mamba_heads": 8, "mamba_ngroups": 1, "chunk_size": 8, "attention_hidden_size": 64, "attention_head_dim": 16,
        "adapter_rank": 8, "kv_channels": 8, "num_query_groups": HEADS, "use_mamba_kernels": False,
    },
    "zaya": TWO_LAYERS | {"num_experts_per_tok": 1, "layer_types": ["hybrid", "hybrid"]},
}  # fmt: skip


class OftenWrong:
    """A model as a draft that takes the two likeliest tokens for one another at every other depth."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Return the model's logits, those of the two likeliest tokens swapped at odd depths."""
        forward = self._model.forward(tree, nodes)
        logits = forward.logits.clone()
        wrong = [row for row, node in enumerate(nodes) if tree.depths[node] % 2]
        top = logits[wrong].topk(2)
        logits[wrong] = logits[wrong].scatter(1, top.indices.flip(1), top.values)
        return forward._replace(logits=logits)


class Outcome(NamedTuple):
    """The outcome of one model: one of the four words above, and by which pass or why."""

    word: str
    why: str = ""
    num_equal: int = 0  # So many methods write the same text.


def try_model(name: str, folder: Path) -> Outcome:
    """Make a model of this type, and hold its greedy text by several methods against `generate`."""
    try:
        greedy, *best = _saved(name, folder)
    except Exception as error:
        return Outcome(NOT_MADE, _line(error))
    try:
        pair = Models(str(folder), str(folder), placement=find_placement("cpu")).load()
        draft = OftenWrong(pair.draft)
        wrong = []
        for method in (*GREEDY, *BEAMS):
            own, options = (best, {"width": NUM_BEAMS}) if method in BEAMS else ([greedy], {})
            request = Request(make_method(method, options), pair.target, "", draft, Sampling(0.0), 0, LENGTH, PROMPT)
            if (written := tokens(request)) not in own:
                pairs = enumerate(zip(written, own[0], strict=False))
                wrong.append(f"{method} differs from token {next((n for n, (a, b) in pairs if a != b), 'end')} on")
    except PlaygroundError as error:
        return Outcome(REFUSED, str(error).replace(str(folder), "it"))
    except Exception as error:
        return Outcome(NEITHER, _line(error))
    num_equal = len(GREEDY) + len(BEAMS) - len(wrong)
    return Outcome(NEITHER if wrong else EQUAL, "; ".join([*wrong, pair.target.forward_pass.name]), num_equal)


def _saved(name: str, folder: Path) -> list[list[int]]:
    """Save a random model of this type; its greedy text by `generate`, and its best by beams with a cache, and without.

    The best two are mostly one, and the second is all that some have. With a cache, transformers leaves the states of
    some (MiniMax, RecurrentGemma) in their old order when the beams change theirs, and scores texts by other texts'
    states; without one, others (Doge) read a text at once, and compute other logits than token by token.
    """
    for depth in DEPTHS:
        try:
            return _saved_at(name, folder, depth)
        except Exception:
            if depth == DEPTHS[-1]:
                raise
    raise AssertionError("no depth was tried")


def _saved_at(name: str, folder: Path, depth: int) -> list[list[int]]:
    """The same with so many layers."""
    config = AutoConfig.for_model(name, **_small(AutoConfig.for_model(name), depth) | OWN.get(name, {}))
    with torch.device("meta"):
        size = sum(weight.numel() for weight in AutoModelForCausalLM.from_config(config).parameters())
    assert size < LARGEST, f"{size:,} parameters"
    torch.manual_seed(7)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.mul_(3.0)
    model.generation_config = GenerationConfig()  # some force a token at the end, which is no matter of passes
    model.save_pretrained(folder)
    words = Tokenizer(models.WordLevel({f"t{number}": number for number in range(NUM_WORDS)}, unk_token="t0"))
    PreTrainedTokenizerFast(tokenizer_object=words).save_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    texts = [generated(model, PROMPT, LENGTH)]
    for way in ({"num_beams": NUM_BEAMS}, {"num_beams": NUM_BEAMS, "use_cache": False}):
        with suppress(ValueError):  # A few (RWKV, xLSTM) refuse beams with a cache.
            texts.append(generated(model, PROMPT, LENGTH, **way))
    return texts


def _small(default: Any, depth: int) -> dict[str, Any]:
    """What a configuration is made of to be small: the sizes above where it has such names, and so on inside it."""
    sizes = {name: value for value, names in SIZES for name in names if _is_size(default, name)}
    sizes |= {name: depth for name, value in sizes.items() if "layer" in name and value == LAYERS}
    sizes |= {name: True for name in ("is_decoder", "use_cache") if hasattr(default, name)}
    inside = {
        name: _small(each, depth) | OWN.get(each.model_type, {})
        for name, each in vars(default).items()
        if hasattr(each, "model_type")
    }
    return sizes | inside | {"bos_token_id": 0, "eos_token_id": None, "pad_token_id": 0}


def _is_size(config: Any, name: str) -> bool:
    try:
        return type(getattr(config, name, None)) is int and not isinstance(getattr(type(config), name, None), property)
    except Exception:  # Some attributes every layer has for itself.
        return False


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {(str(error).strip() or '?').splitlines()[0][:160]}"


@contextmanager
def _limit(seconds: int) -> Iterator[None]:
    def end(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds} s of the processor")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main(arguments: list[str]) -> int:
    """Try these types, or all, and with --page write the table, where others keep their rows; prints a line for each.

    Returns:
        How many did neither.
    """
    is_page, types = arguments[:1] == ["--page"], sorted(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
    names = arguments[is_page:] or types
    outcomes = _rows() if is_page else {}
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), _be_quiet) as pool:
        tried = {pool.submit(_try_in_time, name): name for name in names}
        for each in as_completed(tried):
            outcome = outcomes[tried[each]] = each.result()
            print(f"{tried[each]}: {outcome.word}. {outcome.why}", flush=True)
            if is_page:
                TABLE.write_text(table(dict(sorted(outcomes.items()))), encoding="utf-8")
    result = Counter(outcome.word for outcome in outcomes.values())
    print(", ".join(f"{number} {word}" for word, number in result.most_common()))
    return result[NEITHER]


def _rows() -> dict[str, Outcome]:
    """Return the outcomes that the table has."""
    rows = re.findall(
        r"^\| (\S+) \| (equal|refused|neither|not made) \| (\d*).* \| (.*) \|$", TABLE.read_text("utf-8"), re.M
    )
    return {name: Outcome(outcome, why, int(number or 0)) for name, outcome, number, why in rows}


def _be_quiet() -> None:
    """Set a process up for trying models: no warnings, and one thread, since each processor has a process."""
    warnings.filterwarnings("ignore")
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    torch.set_num_threads(1)


def _try_in_time(name: str) -> Outcome:
    folder = Path(tempfile.mkdtemp())
    try:
        with _limit(LIMIT_S):
            return try_model(name, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(outcomes: dict[str, Outcome]) -> str:
    """The page of these types, in Markdown."""
    counts = Counter(outcome.word for outcome in outcomes.values())
    by_pass = Counter(outcome.why for outcome in outcomes.values() if outcome.word == EQUAL)
    passes = "\n".join(f"| {name} | {number} |" for name, number in by_pass.most_common())
    num_methods = len(GREEDY) + len(BEAMS)
    rows = "\n".join(
        f"| {name} | {outcome.word} | {f'{outcome.num_equal} of {num_methods}' if outcome.num_equal else ''} "
        f"| {outcome.why.replace('|', ' ')} |"
        for name, outcome in outcomes.items()
    )
    return f"""# Architectures

{len(outcomes)} of the {len(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)} types that AutoModelForCausalLM of transformers
{transformers.__version__} knows were tried, tiny and with random weights, by
{", ".join((*GREEDY, *BEAMS))}:
*{EQUAL}* writes what `generate` writes, greedily and by {NUM_BEAMS} beams, from a draft that is often wrong;
*{REFUSED}* is refused in a sentence; *{NEITHER}* differs somewhere; *{NOT_MADE}* has no small model here that
`generate` itself runs. By beams, `generate` with its cache or without: the two differ where transformers does not
reorder a state with the beams, or computes otherwise token by token.

`python -m tests.models.registry --page` wrote this page:
{", ".join(f"{counts[word]} {word}" for word in WORDS)}.

| pass of those that are equal | types |
| --- | --- |
{passes}

| type | outcome | methods | pass, or reason |
| --- | --- | --- | --- |
{rows}
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
