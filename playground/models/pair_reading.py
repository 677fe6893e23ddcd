"""The models of a run together: what they take, whether their tokenizers agree, and the fastest pass of each.

They are refused before weights are read when their tokenizers have too little in common, and afterwards when no pass
computes in a tree what it computes along a path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.models.drafters.eagle3 import HeadFolder
from playground.models.drafters.mtp import MtpFolder
from playground.models.drafters.translated_model import translated
from playground.models.forward import Model
from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.model_files import head_of, read_config, read_tokenizers, read_weights, text_of, title_of
from playground.models.own_settings import left_out_settings
from playground.models.passes.block_pass import BlockPass
from playground.models.passes.features import Recorder
from playground.models.passes.lean_pass import LeanPass, is_of_family
from playground.models.passes.plain_pass import PlainPass
from playground.models.products import SMALL, compiled_kernel
from playground.models.proof import planned_state_bytes, prove, try_block_pass, try_fast_pass, warm_up
from playground.models.sources.file_model import file_model
from playground.models.sources.gguf_blocks import file_matrices, folder_matrices, record_bytes
from playground.models.sources.gguf_file import forget_readers, reader_of
from playground.models.sources.hub import Source, Tell
from playground.models.sources.memory_estimate import MemoryEstimate, token_bytes
from playground.models.sources.number_formats import HALVED
from playground.models.sources.placement import Placement, release
from playground.models.sources.quantised import find_quantised
from playground.models.vocabulary import TokenizerVocabulary

GENERATION = "generation_config.json"
LEAST_KNOWN = 0.9  # A model with rows for fewer of a tokenizer's tokens is another tokenizer's.


def estimate_memory(sources: Sequence[Source], placement: Placement) -> MemoryEstimate:
    """Memory and download that these models take together."""
    total = MemoryEstimate()
    for source, own in zip(sources, placements_of(sources, placement), strict=True):
        quantised = None if source.gguf else find_quantised(source.folder, title_of(source.name))
        weights = source.weights.as_numbers(quantised.numbers if quantised else 0)
        item = placement.dtype.itemsize if placement.dtype else weights.saved_bytes / max(weights.parameters, 1)
        if source.gguf and source.files:  # its configuration is in what is to be downloaded
            held = own.weights_bytes(weights.parameters, item)
            total += MemoryEstimate(source.download_bytes, held, None, own.title())
            continue
        head = head_of(source) if source is not sources[0] else None
        config = head.layers if head else text_of(read_config(source))
        in_file, held = _stays_in_file(source, config, own), weights.bytes_at(own, config)
        if in_file:
            held = record_bytes(reader_of(source.folder / source.gguf)) if source.gguf else weights.saved_bytes
        state = planned_state_bytes(config, item)
        total += MemoryEstimate(
            source.download_bytes,
            held,
            token_bytes(config, item),
            own.title(in_file=in_file),
            state,
        )
    return total


def placements_of(sources: Sequence[Source], placement: Placement) -> list[Placement]:
    """Device and number format of each model, the target first; see `Placement.for_pair`."""
    weights = [each.weights for each in sources]
    return placement.for_pair([(each.parameters, each.saved_bytes / max(each.parameters, 1)) for each in weights])


def read_pair(sources: Sequence[Source], draft: str | None, placement: Placement, tell: Tell) -> LoadedPair:
    """Read a target and its drafts, all on this machine; `draft` is None where the first of them is one of several.

    Raises:
        PlaygroundError: if one cannot be read, or they do not fit together.
    """
    heads = [None, *map(head_of, sources[1:])]
    models = [source for source, head in zip(sources, heads, strict=True) if head is None]
    target, *others = _read_models(models, [head for head in heads if head], placement, tell)
    plain = iter(others)
    drafts = [head.set_on(target) if head else next(plain) for head in heads[1:]]
    release()  # Reading took memory besides the models.
    return LoadedPair(target, drafts.pop(0) if draft is not None else None, tuple(drafts))


def _read_models(
    sources: Sequence[Source], heads: Sequence[HeadFolder | MtpFolder], placement: Placement, tell: Tell
) -> tuple[LanguageModel, *tuple[Model, ...]]:
    """Return a target whose pass keeps what these heads read, and the drafts that are models."""
    whole = [read_config(source) for source in sources]
    configs = [text_of(config) for config in whole]
    tokenizers = list(read_tokenizers(sources, configs))
    first = tokenizers[0].get_vocab()
    alike = [tokenizer.get_vocab() == first for tokenizer in tokenizers]
    vocabularies = [TokenizerVocabulary(tokenizer) for tokenizer in tokenizers]
    for source, vocabulary, config in zip(sources, vocabularies, configs, strict=True):
        if config.vocab_size < LEAST_KNOWN * vocabulary.size:
            raise PlaygroundError(
                f"The tokenizer of {title_of(source.name)} has {vocabulary.size} tokens, but the model's vocabulary "
                f"ends at {config.vocab_size}. Choose another model."
            )
        if vocabulary.size > config.vocab_size:  # a token that was added to a tokenizer only: nothing can write it
            tell(
                f"{title_of(source.name)} has no weights for {vocabulary.size - config.vocab_size} of its tokenizer's "
                f"{vocabulary.size} tokens, which are never written."
            )
    plain = []
    placements = placements_of(sources, placement)
    for source, own, saved, config, vocabulary, same in zip(
        sources, placements, whole, configs, vocabularies, alike, strict=True
    ):
        make = partial(
            LanguageModel,
            vocabulary=vocabularies[0] if same else vocabulary,
            name=title_of(source.name),
            # families pad their vocabularies to different sizes: the target's holds, whatever drafts for it
            vocab_size=(configs[0] if same else config).vocab_size,
            revision=source.revision,
        )
        plain.append(_by_blocks(source, saved, own, make) or prove(make(read_weights(source, saved, own, tell))))
    _say_settings(plain[0], tell)
    models = _with_fastest_pass(plain, placements)
    mtp = None if sources[0].gguf else MtpFolder.find(sources[0].folder, models[0].name, configs[0])
    models[0] = _tapped(models[0], [*heads, *([mtp] if mtp else [])])
    models[0].mtp = mtp
    if mtp:
        tell(f"{models[0].name} brings an MTP layer ({mtp.description.families}), which the drafter mtp drafts with.")
    for own in models:
        if placement.reading_options() and own.forward_pass.name == PlainPass.name:
            tell(f"{own.name} runs by transformers' own pass: the lean one is for plain matrices on one device.")
        warm_up(own)
    target, *drafts = models
    wrapped = [
        model if same else translated(model, own, target, vocabularies[0])
        for model, own, same in zip(drafts, vocabularies[1:], alike[1:], strict=True)
    ]
    forget_readers()
    return target, *wrapped


def _say_settings(target: LanguageModel, tell: Tell) -> None:
    """Say what the target's generation_config.json asks for, and what of it a run does."""
    if target.own_settings:
        names = ", ".join(target.own_settings)
        tell(f"{target.name} asks for {names} in its generation_config.json: obeyed, unless generation_config is none.")
    if left_out := left_out_settings(target.model.generation_config):
        tell(f"{target.name} asks for {', '.join(left_out)} in its generation_config.json: left out here.")


def _tapped(target: LanguageModel, heads: Sequence[HeadFolder | MtpFolder]) -> LanguageModel:
    """Return a target whose pass keeps the hidden states that these heads read, or a recorder around it."""
    taps = tuple(sorted({depth for head in heads for depth in head.taps(target)}))
    if isinstance(target.forward_pass, LeanPass):
        return target.by(target.forward_pass.tapping(taps)) if taps else target
    if heads:
        target.recorder = Recorder(target.model, taps)
    return target


def _with_fastest_pass(models: Sequence[LanguageModel], placements: Sequence[Placement]) -> list[LanguageModel]:
    """Return the models, each by the fastest correct pass; all in 16 bits or none unless a format was requested."""
    wide = [None if isinstance(model.forward_pass, BlockPass) else model for model in models]
    try:
        return [
            try_fast_pass(each, halved=placement.bits == HALVED) if each else model
            for each, model, placement in zip(wide, models, placements, strict=True)
        ]
    except PlaygroundError:
        if not placements[0].tries_16_bits:
            raise
    return [try_fast_pass(each) if each else model for each, model in zip(wide, models, strict=True)]


def _by_blocks(
    source: Source, config: Any, placement: Placement, make: Callable[[Any], LanguageModel]
) -> LanguageModel | None:
    """Return a model whose matrices stay in their file; None where it has to be widened whole."""
    from transformers.generation.configuration_utils import GenerationConfig

    if not _stays_in_file(source, config, placement):
        return None
    in_folder = partial(folder_matrices, source.folder)
    reader = reader_of(source.folder / source.gguf) if source.gguf else None
    model = file_model(config, partial(file_matrices, reader, config) if reader else in_folder)
    forget_readers()  # a header is as large as a tenth of its model
    if model and not source.gguf and (source.folder / GENERATION).is_file():
        model.generation_config = GenerationConfig.from_pretrained(source.folder)
    return try_block_pass(make(model), rounded=placement.rounds_rows) if model else None


def _stays_in_file(source: Source, config: Any, placement: Placement) -> bool:
    """Return whether a model is tried on the matrices of its file, as one of a Llama-shaped family on a processor is.

    Of folders only those that are to be held in 16 bits and are too large to be held in float32, too.
    """
    is_float = placement.device.type == "cpu" and placement.dtype == torch.float32
    is_large = placement.bits == HALVED and source.weights.parameters > SMALL
    is_large = is_large and not getattr(config, "quantization_config", None)
    return (
        (not placement.bits if source.gguf else is_large)
        and is_float
        and not placement.is_spread
        and is_of_family(config)
        and bool(compiled_kernel())
    )
