"""One model from its files: its configuration, its tokenizer and its weights, or a sentence on what cannot work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.models.drafters.eagle3 import HeadFolder
from playground.models.drafters.mtp import MtpFolder
from playground.models.sources.checkpoint import has_tokenizer, listed, planned_bytes, read, read_model
from playground.models.sources.gguf_file import is_gguf
from playground.models.sources.heads import EAGLE3, MTP, head_kind, head_refused
from playground.models.sources.hub import Source, Tell
from playground.models.sources.memory_estimate import amount, tensor_sizes
from playground.models.sources.model_cache import refuse_too_large
from playground.models.sources.number_formats import bits_of
from playground.models.sources.placement import Placement
from playground.models.sources.quantised import find_quantised
from playground.models.vocabulary import TokenizerVocabulary

SIZES, HEADS = ("vocab_size", "hidden_size", "num_hidden_layers"), "num_attention_heads"
TELL_S = 0.5  # between two sentences on how much has been read


def title_of(name: str) -> str:
    """Return the name in sentences and traces: bundled models by what they are, a GGUF file without its folders."""
    path = Path(name)
    if is_gguf(name) and path.is_absolute():
        return path.name
    return f"bundled {path.name}" if path.is_absolute() and path.parent.name == "models" else name


def head_of(source: Source) -> HeadFolder | MtpFolder | None:
    """Return the head that a source is, if it is one that runs here."""
    title = title_of(source.name)
    readers = {EAGLE3: HeadFolder.read, MTP: MtpFolder.read}
    reader = None if source.gguf else readers.get(head_kind(source.folder, title))
    return reader(source.folder, title) if reader else None


def read_config(source: Source) -> Any:
    """Read a model's configuration.

    Raises:
        PlaygroundError: if it is not that of a decoder that can be loaded.
    """
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoConfig

    title = title_of(source.name)
    if kind := head_kind(source.folder, title):
        raise head_refused(title, kind)
    quantised = None if source.gguf else find_quantised(source.folder, title)
    config = read(AutoConfig, source.folder, title, **source.options)
    if quantised and quantised.numbers:
        config.quantization_config["dequantize"] = True
    if getattr(config, "is_encoder_decoder", False):
        raise PlaygroundError(f"{title} is an encoder-decoder model. Choose a decoder-only language model.")
    text = text_of(config)
    if unsaid := [name for name in SIZES if not isinstance(getattr(text, name, None), int)]:
        raise PlaygroundError(
            f"{title} ({config.model_type}) is not a language model of layers: its configuration has no "
            f"{unsaid[0]}. Choose another."
        )
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING:
        raise PlaygroundError(
            f"{title} ({config.model_type}) is not among the types with which transformers writes text from text alone "
            "(AutoModelForCausalLM). Choose a language model of its family."
        )
    if small := next((name for name in (*SIZES, HEADS) if getattr(text, name, 1) < 1), ""):
        raise PlaygroundError(
            f"{title} cannot be loaded: its {small} is {getattr(text, small)}, and must be at least 1. Choose another "
            "model."
        )
    return config


def text_of(config: Any) -> Any:
    """Return the configuration of what writes the text: of a model that also sees or hears it is a part."""
    return config.get_text_config(decoder=True)


def read_tokenizers(sources: Sequence[Source], configs: Sequence[Any]) -> Iterator[Any]:
    """Tokenizer of each model; the target's for a draft saved without one, where the vocabularies are as large."""
    target, first = read_tokenizer(sources[0]), configs[0].vocab_size
    yield target
    for source, config in zip(sources[1:], configs[1:], strict=True):
        if source.gguf or has_tokenizer(source.folder) or config.vocab_size != first:
            yield read_tokenizer(source)
        else:
            yield target


def read_tokenizer(source: Source) -> Any:
    """Read a model's tokenizer.

    Raises:
        PlaygroundError: if it was saved without one, or it cannot be read.
    """
    from transformers import AutoTokenizer

    if not (source.gguf or has_tokenizer(source.folder)):
        raise PlaygroundError(
            f"{title_of(source.name)} was saved without its tokenizer. Copy the files of its tokenizer, tokenizer.json "
            "above all, into its folder."
        )
    return read(AutoTokenizer, source.folder, title_of(source.name), **source.options)


def read_weights(source: Source, config: Any, placement: Placement, tell: Tell) -> Any:
    """Read a model with its weights onto its device.

    Raises:
        PlaygroundError: if it does not fit or cannot be read.
    """
    from transformers import AutoModelForCausalLM

    title, options = title_of(source.name), placement.reading_options()
    if "quantization_config" in options and (source.gguf or getattr(config, "quantization_config", None)):
        raise PlaygroundError(f"{title} is quantised already. Leave the bits out.")
    if not (source.gguf or options):
        item = placement.dtype.itemsize if placement.dtype else 2
        refuse_too_large(title, planned_bytes(AutoModelForCausalLM, config, title, item), placement)
    with _reporting(source, tell):
        model, unused = read_model(
            AutoModelForCausalLM,
            source.folder,
            title,
            config=config,
            dtype=placement.dtype or "auto",
            **options,
            **source.options,
        )
    if unused:
        tell(f"{title} runs without {len(unused)} weights of its files that it has no place for: {listed(unused)}.")
    return model if options or bits_of(model) else model.to(placement.device)


@contextmanager
def _reporting(source: Source, tell: Tell) -> Iterator[None]:
    """Say how many bytes of the weights have been read, as transformers goes from tensor to tensor."""
    from transformers.utils import logging

    def counted(make: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        items = arguments[0] if arguments else options.get("iterable")
        return _counted(list(items), source, tell) if items is not None else make(*arguments, **options)

    before = logging.set_tqdm_hook(counted)
    try:
        yield
    finally:
        logging.set_tqdm_hook(before)


def _counted(items: list[Any], source: Source, tell: Tell) -> Iterator[Any]:
    """Count bytes of tensors, (name, ...) each, as they are read; a tensor unknown to the file counts as average."""
    sizes, whole = tensor_sizes(source.folder), source.weights.saved_bytes
    done, last_s = 0.0, time.monotonic()
    for item in items:
        yield item
        name = item[0] if isinstance(item, tuple) else item
        done += sizes.get(name, whole / len(items))
        if time.monotonic() - last_s > TELL_S:
            last_s = time.monotonic()
            tell(f"Reading {title_of(source.name)}: {amount(min(done, whole))} of {amount(whole)} ...")


def read_but_weights(source: Source) -> None:
    """Read what `Models.load` reads of a model before its weights, and plan those.

    Raises:
        PlaygroundError: as `Models.load`.
    """
    from transformers import AutoModelForCausalLM

    if head_of(source):
        return
    config = read_config(source)
    if not source.gguf:
        planned_bytes(AutoModelForCausalLM, config, title_of(source.name), 2)
    if not source.files and (source.gguf or has_tokenizer(source.folder)):
        TokenizerVocabulary(read_tokenizer(source)).rehearse()
