"""From a folder or a Hub id to a language model, refusing in one sentence what cannot work.

Weights that are on this machine are loaded without asking the network. A pair is refused before its weights are read
when its tokenizers differ, when it would not fit, or when its attention cannot hold a tree.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil
import torch

from playground.errors import PlaygroundError
from playground.models.catalog import Pair, find_pair
from playground.models.forward import Model
from playground.models.language_model import LanguageModel
from playground.models.lean_pass import LeanPass, is_llama_shaped
from playground.models.vocabulary import TokenizerVocabulary
from playground.tree import TokenTree

NO_ANSWER_S = 5.0  # how long the Hub may take to say whether a model exists
ALIBI = ("bloom", "mpt", "gpt_neo")  # biases by distance, or windows that the configuration does not show in the cache


@dataclass(frozen=True, slots=True)
class LoadedPair:
    """Models ready to run: a target, its draft and further drafts, of one tokenizer and one width of logits."""

    target: LanguageModel
    draft: Model | None
    others: tuple[Model, ...] = ()


_loaded: dict[tuple[str, ...], LoadedPair] = {}
_loading = threading.Lock()


def load_pair(pair: Pair | str, *, dtype: str = "auto") -> LoadedPair:
    """The models of a catalog pair; kept, so that asking again costs nothing.

    Args:
        pair: a pair, or its id in the catalog.
        dtype: "float32", "bfloat16", "float16", or "auto": float32 on a CPU, as saved on a GPU.

    Raises:
        PlaygroundError: if it cannot be loaded here.
    """
    pair = find_pair(pair) if isinstance(pair, str) else pair
    number_format = _number_format(dtype)
    twice = number_format == torch.bfloat16 and not torch.cuda.is_available()  # as they are and packed: see `products`
    _check_memory(pair.title, pair.memory_bytes(4 if twice or number_format == torch.float32 else 2))
    return load_models(pair.target, pair.draft, pair.others, dtype=dtype)


def load_models(target: str, draft: str | None, others: Sequence[str] = (), *, dtype: str = "auto") -> LoadedPair:
    """Any models of one family, by folder or Hub id.

    Args:
        target: folder or Hub id.
        draft: folder or Hub id, or None for methods that draft without a model.
        others: further drafts, for methods that take several.
        dtype: as for `load_pair`.

    Raises:
        PlaygroundError: if a model cannot be found or read, or they do not fit together.
    """
    key = (dtype, target, draft or "", *others)
    with _loading:
        if key not in _loaded:
            _loaded.clear()  # one pair at a time: two large ones would not fit
            _loaded[key] = _load(target, draft, others, _number_format(dtype))
        return _loaded[key]


@lru_cache(maxsize=32)
def load_beside(target: str, draft: str) -> LoadedPair:
    """Two small models that stay, and do not take the place of the pair that `load_models` keeps.

    Args:
        target, draft: folders.

    Raises:
        PlaygroundError: as `load_models`.
    """
    with _loading:
        return _load(target, draft, (), _number_format("auto"))


def is_on_this_machine(name: str) -> bool:
    """Whether a model can be loaded without the network."""
    from huggingface_hub import errors, try_to_load_from_cache

    if Path(name).is_dir():
        return True
    try:
        return not _is_folder(name) and isinstance(try_to_load_from_cache(name, "config.json"), str)
    except errors.HFValidationError:
        return False


def same_tokenizer(target: str, draft: str) -> bool:
    """Whether two models that are on this machine read text alike."""
    return _tokenizer(target).get_vocab() == _tokenizer(draft).get_vocab()


def _load(target: str, draft: str | None, others: Sequence[str], dtype: Any) -> LoadedPair:
    asked = [target, *([] if draft is None else [draft]), *others]
    names = [_present(name) for name in asked]
    configs = [_config(name) for name in names]
    tokenizers = [_tokenizer(name) for name in names]
    for name, tokenizer in zip(asked, tokenizers, strict=True):
        if tokenizer.get_vocab() != tokenizers[0].get_vocab():
            raise PlaygroundError(
                f"{_title(target)} and {_title(name)} use different tokenizers, so their probabilities do not compare. "
                "Choose two models of one family."
            )
    vocabulary = TokenizerVocabulary(tokenizers[0])
    width = min(config.vocab_size for config in configs)  # families pad their vocabularies to different sizes
    if vocabulary.size > width:
        raise PlaygroundError(
            f"The tokenizer of {_title(target)} has {vocabulary.size} tokens, but a vocabulary ends at {width}. "
            "Choose two models of one family."
        )
    models = [_model(name, config, dtype) for name, config in zip(names, configs, strict=True)]
    wrapped = [
        LanguageModel(model, vocabulary, name=_title(name), vocab_size=width)
        for name, model in zip(asked, models, strict=True)
    ]
    wrapped = [_leaner(_proved(model)) for model in wrapped]
    for model in wrapped:
        _warm_up(model)
    first, *drafts = wrapped
    return LoadedPair(first, drafts.pop(0) if draft is not None else None, tuple(drafts))


def _number_format(dtype: str) -> Any:
    if dtype == "auto":
        return "auto" if torch.cuda.is_available() else torch.float32
    known = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if dtype not in known:
        raise PlaygroundError(f"Unknown number format {dtype!r}. Choose auto, float32, bfloat16 or float16.")
    return known[dtype]


def _title(name: str) -> str:
    """A folder by its last part; bundled models by what they are."""
    path = Path(name)
    return f"bundled {path.name}" if path.is_absolute() and path.parent.name == "models" else name


def _is_folder(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name


def _present(name: str) -> str:
    """The name as `from_pretrained` takes it, once it is clear that it can be had."""
    if not name.strip():
        raise PlaygroundError("The model's name is empty. Give a Hub id such as gpt2, or a folder.")
    if _is_folder(name) or Path(name).is_dir():
        folder = Path(name).expanduser()
        if not folder.is_dir():
            raise PlaygroundError(f"There is no folder {name}. Give a folder with a config.json, or a Hub id.")
        if not (folder / "config.json").exists():
            raise PlaygroundError(f"The folder {name} holds no model: config.json is missing. Choose another folder.")
        return str(folder)
    if not is_on_this_machine(name):
        _ask_hub(name)
    return name


def _ask_hub(name: str) -> None:
    """Find out quickly why a download would fail: loading it blindly blocks for half a minute without a network."""
    from huggingface_hub import HfApi, errors

    try:
        HfApi().model_info(name, timeout=NO_ANSWER_S)
    except errors.HFValidationError:
        raise PlaygroundError(f"{name!r} is no model name. Hub ids look like gpt2 or Qwen/Qwen3-0.6B.") from None
    except errors.GatedRepoError:
        raise PlaygroundError(f"{name} is gated. Accept its licence on its Hub page, then run hf auth login.") from None
    except errors.RepositoryNotFoundError:
        raise PlaygroundError(f"The Hub has no model {name!r}, or it is private. Check its spelling.") from None
    except Exception as error:  # every kind of network trouble, and offline mode
        raise PlaygroundError(
            f"{name} is not on this machine and the Hugging Face Hub does not answer ({type(error).__name__}). "
            "Connect to the network, or choose the bundled pair or a folder."
        ) from None


def _config(name: str) -> Any:
    from transformers import AutoConfig, DynamicCache
    from transformers.cache_utils import DynamicLayer

    config = _read(AutoConfig, name)
    if getattr(config, "is_encoder_decoder", False):
        raise PlaygroundError(f"{_title(name)} is an encoder-decoder model. Choose a decoder-only language model.")
    if config.model_type in ALIBI or getattr(config, "alibi", False):
        raise PlaygroundError(
            f"{_title(name)} ({config.model_type}) has attention that ignores positions or hides a window, "
            "so it cannot read a token tree. Choose another model."
        )
    if not hasattr(config, "vocab_size") or not hasattr(config, "num_hidden_layers"):
        raise PlaygroundError(
            f"{_title(name)} ({config.model_type}) is not a text-only language model. Choose another."
        )
    if any(type(layer) is not DynamicLayer for layer in DynamicCache(config=config).layers):
        raise PlaygroundError(
            f"{_title(name)} ({config.model_type}) has sliding-window or recurrent layers, whose cache cannot hold a "
            "token tree. Choose a model with full attention in every layer."
        )
    return config


def _tokenizer(name: str) -> Any:
    from transformers import AutoTokenizer

    return _read(AutoTokenizer, name)


def _model(name: str, config: Any, dtype: Any) -> Any:
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if Path(name).is_dir():
        _check_memory(_title(name), sum(file.stat().st_size for file in Path(name).glob("*.safetensors")))
    model = _read(AutoModelForCausalLM, name, config=config, dtype=dtype)
    return model.to(device)


def _check_memory(title: str, needed: int) -> None:
    free = torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else psutil.virtual_memory().available
    if needed > free:
        raise PlaygroundError(
            f"{title} needs {needed / 2**30:.1f} GiB for its weights and {free / 2**30:.1f} GiB are free. "
            "Choose a smaller pair."
        )


def _read(auto: Any, name: str, **kwargs: Any) -> Any:
    """`from_pretrained`, with its many errors turned into one sentence."""
    from safetensors import SafetensorError

    try:
        return auto.from_pretrained(name, local_files_only=is_on_this_machine(name), **kwargs)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PlaygroundError(f"{_title(name)} cannot be loaded: {first_line} Choose another model.") from error


def _warm_up(model: LanguageModel, passes: int = 8) -> None:
    """The first passes of a process are up to twice as slow; spend them here, not in a reader's first rounds."""
    tree = TokenTree([1, 2])
    for width in (1, 2, 5, 1):
        for _ in range(passes // 4):
            nodes = [tree.trunk[-1]]
            while len(nodes) < width:
                nodes.append(tree.add(nodes[-1], 3))
            model.forward(tree, nodes)
            tree.retain([tree.add(nodes[-1], 4)])


@torch.inference_mode()
def _proved(model: LanguageModel) -> LanguageModel:
    """The model, unless its logits in a small tree differ from those along the paths: then it is refused."""
    tree = TokenTree([1, 2])
    branches = [tree.add(1, 3), tree.add(1, 4)]
    leaves = [tree.add(branches[0], 5), tree.add(branches[1], 5)]
    in_tree = model.logits(tree, leaves)
    alone = torch.cat([model.logits(TokenTree(tree.context(leaf)), [3]) for leaf in leaves])
    if not _same(model, in_tree, alone):
        raise PlaygroundError(
            f"{model.name} ({model.config.model_type}) does not follow a tree attention mask. Choose another model."
        )
    return model


@torch.inference_mode()
def _leaner(model: LanguageModel) -> LanguageModel:
    """The same model with the lean pass, where that gives the same logits as transformers' own; else as it is."""
    if not is_llama_shaped(model.model):
        return model
    lean = LanguageModel(
        model.model,
        model.vocabulary,
        name=model.name,
        vocab_size=model.vocab_size,
        forward_pass=LeanPass(model.model),
    )
    tree, frontier = TokenTree([1, 2, 3]), 2
    for _ in range(3):  # the prompt, then what was cut off is cut out of both caches
        fork = [tree.add(frontier, 4), tree.add(frontier, 5)]
        nodes = [frontier, *fork, tree.add(fork[1], 1)]
        if not _same(model, lean.logits(tree, nodes), model.logits(tree, nodes)):
            return model
        frontier = nodes[-1]
        tree.retain([frontier])
    return lean


def _same(model: LanguageModel, logits: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two passes agree up to rounding; what is wrong differs by the size of the logits themselves."""
    # half-precision kernels may differ between widths
    tolerance = (1e-3 if model.dtype == torch.float32 else 0.1) * float(expected.abs().max())
    return float((logits.float() - expected.float()).abs().max()) <= tolerance
