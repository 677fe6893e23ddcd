"""From a folder or a Hub id to a language model, refusing in one sentence what cannot work.

A pair is refused before its weights are read when it would not fit, when its tokenizers have too little in common, or
when no pass computes in a tree what it computes along a path. What was loaded is kept as long as there is room.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.models.catalog import Pair, find_pair
from playground.models.drafters.choice import DRAFT, FOREIGN, NO_FOREIGN, NO_OTHER, OTHER, drafter_title, with_drafter
from playground.models.drafters.eagle3 import Eagle3Head, HeadFolder
from playground.models.drafters.translated_model import translated
from playground.models.forward import Model
from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.modes import own_modes
from playground.models.own_settings import left_out_settings
from playground.models.passes.block_pass import BlockPass
from playground.models.passes.lean_pass import LeanPass, is_of_family
from playground.models.passes.plain_pass import PlainPass
from playground.models.products import compiled_kernel
from playground.models.proof import prove, try_block_pass, try_fast_pass, warm_up
from playground.models.sources.checkpoint import has_tokenizer, listed, planned_bytes, read, read_model
from playground.models.sources.file_model import file_model
from playground.models.sources.gguf_blocks import record_bytes
from playground.models.sources.gguf_file import forget_readers, is_gguf, reader_of
from playground.models.sources.heads import RUNS, head_kind, head_refused
from playground.models.sources.hub import Source, Tell, fetch, find_source, is_on_this_machine, say_nothing
from playground.models.sources.memory_estimate import MemoryEstimate, amount, tensor_sizes, token_bytes
from playground.models.sources.model_cache import ModelCache
from playground.models.sources.number_formats import HALVED, bits_of
from playground.models.sources.placement import Placement, find_placement, is_out_of_memory, release
from playground.models.sources.quantised import find_quantised
from playground.models.vocabulary import TokenizerVocabulary

SIZES, HEADS = ("vocab_size", "hidden_size", "num_hidden_layers"), "num_attention_heads"
TELL_S = 0.5  # between two sentences on how much has been read
LEAST_KNOWN = 0.9  # of a tokenizer's tokens, for which a model has rows; with fewer it is another model's
SHARE = 0.9  # of what is free may be filled with models; texts and everything else take the rest


_caches: defaultdict[str, ModelCache[LoadedPair]] = defaultdict(ModelCache)  # by device


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run by their names: checked, then fetched, then loaded."""

    target: str  # a folder, a GGUF file or a Hub id, which may name a revision after an "@"
    # the same, or None for methods that draft without a model. One with another tokenizer drafts the tokens that both
    # know
    draft: str | None = None
    others: tuple[str, ...] = ()  # further drafts, for methods that take several
    drafter: str = DRAFT  # who drafts, by its word in drafters/choice.py
    placement: Placement | None = None  # where they run; None: what `find_placement` says
    pair: Pair | None = None  # the pair of the catalog that they are; None for any others

    @classmethod
    def named(
        cls,
        pair: Pair | str = "bundled",
        target: str | None = None,
        draft: str | None = None,
        others: Sequence[str] = (),
        *,
        drafter: str = DRAFT,
        placement: Placement | None = None,
    ) -> Models:
        """Return a pair of the catalog, or the models beside `target` where that is named.

        Raises:
            PlaygroundError: if there is no such pair, its package is not installed, or a draft has no target.
        """
        if draft is not None and target is None:
            raise PlaygroundError("A draft model needs a target. Name both, or choose a pair of the catalog.")
        if others and draft is None:
            raise PlaygroundError("Further draft models need a first one. Name it as the draft.")
        if target is not None:  # one without a letter is refused where its files are looked for
            return cls(target, draft, tuple(others), drafter, placement)
        pair = find_pair(pair) if isinstance(pair, str) else pair
        return cls(pair.target_name, pair.draft or None, pair.others, drafter, placement, pair)

    def check(self) -> None:
        """Refuse, before any weight is read, a drafter that these models do not have.

        Raises:
            PlaygroundError: on an unknown word, or such a drafter; tokenizers on this machine are compared.
        """
        drafter_title(self.drafter)
        drafts = self._names()[1:]
        if self.drafter == OTHER and len(drafts) < 2:
            raise PlaygroundError(NO_OTHER)
        if self.drafter == FOREIGN and all(
            is_on_this_machine(self.target) and is_on_this_machine(each) and same_tokenizer(self.target, each)
            for each in drafts
        ):
            raise PlaygroundError(NO_FOREIGN)

    def vet(self, sources: Sequence[Source], stop: Callable[[], bool]) -> None:
        """Refuse models before anything of them is read here; `rehearsal` has those that somebody else named."""

    def memory(self) -> MemoryEstimate:
        """Return memory and download that they would take; only sizes and configurations are read, no weight.

        Raises:
            PlaygroundError: if one cannot be found, or cannot be run.
        """
        return _estimate(self._sources(), self.placement or find_placement())

    def fetch(self, tell: Tell = say_nothing, stop: Callable[[], bool] = lambda: False) -> None:
        """Download what `load` needs, before anything waits for the device.

        Raises:
            PlaygroundError: if a model cannot be had, would not fit, the disk is full, or `stop` said True.
        """
        if not (self.pair and self.pair.is_bundled):
            placement = self.placement or find_placement()
            if _caches[str(placement.device)].find(self._key(placement)) is None:
                self._fetched(placement, tell, stop)

    @own_modes
    def load(self, tell: Tell = say_nothing) -> LoadedPair:
        """Return the models, ready to run; kept, so that loading them again costs nothing.

        Args:
            tell: takes a sentence now and then on how far loading is.

        Raises:
            PlaygroundError: if a model cannot be found or read, or they do not fit together or into the memory.
        """
        placement = self.placement or find_placement()
        loaded = _caches[str(placement.device)].find(self._key(placement))
        if loaded is None:
            self._sources()
        self.check()
        loaded = loaded or self._read(placement, tell)
        return with_drafter(with_drafter(loaded, self.pair.drafter) if self.pair else loaded, self.drafter)

    def loaded(self) -> LoadedPair | None:
        """Return the models if they are kept from an earlier load, without what else drafts."""
        placement = self.placement or find_placement()
        return _caches[str(placement.device)].find(self._key(placement))

    def _names(self) -> list[str]:
        return [self.target, *([] if self.draft is None else [self.draft]), *self.others]

    def _sources(self, stop: Callable[[], bool] = lambda: False) -> list[Source]:
        sources = [find_source(name) for name in self._names()]
        self.vet(sources, stop)
        return sources

    def _fetched(
        self, placement: Placement, tell: Tell, stop: Callable[[], bool] = lambda: False
    ) -> tuple[list[Source], MemoryEstimate]:
        """Return the models, all on this machine, and what they take; refuse before a download where memory lacks."""
        sources = self._sources(stop)
        estimate = _estimate(sources, placement)
        own = _placements(sources, placement)[0]
        _refuse_too_large(_titles(sources), estimate.memory_bytes(), own)
        tell(estimate.sentence(own))
        here = [fetch(source, tell, stop) for source in sources]
        self.vet(here, stop)
        return here, estimate

    def _key(self, placement: Placement) -> tuple[Placement | str, ...]:
        return placement, self.target, self.draft or "", *self.others

    def _read(self, placement: Placement, tell: Tell) -> LoadedPair:
        if self.pair:  # by its published size, before the Hub is asked
            sizes = [(number, 2) for number in (self.pair.target_parameters, self.pair.draft_parameters)]
            placements = placement.for_pair(sizes)
            num_bytes = sum(each.weights_bytes(*size) for each, size in zip(placements, sizes, strict=True))
            _refuse_too_large(self.pair.title, num_bytes, placements[0])
        cache = _caches[str(placement.device)]
        sources, estimate = self._fetched(placement, tell)
        budget = round(SHARE * placement.free_bytes()) + cache.num_bytes()
        key, num_bytes = self._key(placement), estimate.memory_bytes()
        try:
            return cache.get(key, num_bytes, lambda: _load(sources, self.draft, placement, tell), budget=budget)
        except PlaygroundError as error:
            refusal = error.with_traceback(None)
            refusal.__cause__ = refusal.__context__ = None
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            refusal = PlaygroundError(
                f"The memory of {placement.device} was full before {_titles(sources)} was read; it is free again. "
                "Choose a smaller pair."
            )
        release()  # behind the except clauses, whose errors hold on to what was half read
        raise refusal


@lru_cache(maxsize=32)
@own_modes
def load_beside(target: str, draft: str) -> LoadedPair:
    """Two small models that stay on the processor, and do not take the place of those that `Models.load` keeps.

    Args:
        target, draft: folders.

    Raises:
        PlaygroundError: as `Models.load`.
    """
    return _load([find_source(target), find_source(draft)], draft, find_placement("cpu"), say_nothing)


def same_tokenizer(target: str, draft: str) -> bool:
    """Return whether two models on this machine have the same tokenizer, as a head has its target's."""
    if _head_of(find_source(draft)):
        return True
    first, second = (_tokenizer(find_source(name)) for name in (target, draft))
    return first.get_vocab() == second.get_vocab()


def _titles(sources: Sequence[Source]) -> str:
    return " + ".join(_title(source.name) for source in sources)


def read_but_weights(source: Source) -> None:
    """Read what `Models.load` reads of a model before its weights, and plan those.

    Raises:
        PlaygroundError: as `Models.load`.
    """
    from transformers import AutoModelForCausalLM

    if _head_of(source):
        return
    config = _config(source)
    if not source.gguf:
        planned_bytes(AutoModelForCausalLM, config, _title(source.name), 2)
    if not source.files and (source.gguf or has_tokenizer(source.folder)):
        TokenizerVocabulary(_tokenizer(source)).rehearse()


def _estimate(sources: Sequence[Source], placement: Placement) -> MemoryEstimate:
    """Memory and download that these models take together."""
    total = MemoryEstimate()
    for source, own in zip(sources, _placements(sources, placement), strict=True):
        quantised = None if source.gguf else find_quantised(source.folder, _title(source.name))
        weights = source.weights.as_numbers(quantised.numbers if quantised else 0)
        item = placement.dtype.itemsize if placement.dtype else weights.saved_bytes / max(weights.parameters, 1)
        if source.gguf and source.files:  # its configuration is in what is to be downloaded
            held = own.weights_bytes(weights.parameters, item)
            total += MemoryEstimate(source.download_bytes, held, None, own.title())
            continue
        head = _head_of(source) if source is not sources[0] else None
        config = head.layers if head else _text_of(_config(source))
        in_file = _stays_in_file(source, config, own)
        held = record_bytes(reader_of(source.folder / source.gguf)) if in_file else weights.bytes_at(own, config)
        total += MemoryEstimate(source.download_bytes, held, token_bytes(config, item), own.title())
    return total


def _placements(sources: Sequence[Source], placement: Placement) -> list[Placement]:
    """Device and number format of each model, the target first; see `Placement.for_pair`."""
    weights = [each.weights for each in sources]
    return placement.for_pair([(each.parameters, each.saved_bytes / max(each.parameters, 1)) for each in weights])


def _head_of(source: Source) -> HeadFolder | None:
    """Return the head that a source is, if it is one that runs here."""
    title = _title(source.name)
    is_head = not source.gguf and head_kind(source.folder, title) == RUNS
    return HeadFolder.read(source.folder, title) if is_head else None


def _load(sources: Sequence[Source], draft: str | None, placement: Placement, tell: Tell) -> LoadedPair:
    heads = [None, *map(_head_of, sources[1:])]
    models = [source for source, head in zip(sources, heads, strict=True) if head is None]
    target, *others = _read_models(models, [head for head in heads if head], placement, tell)
    plain = iter(others)
    drafts = [Eagle3Head(target, head) if head else next(plain) for head in heads[1:]]
    release()  # what reading took besides the models
    return LoadedPair(target, drafts.pop(0) if draft is not None else None, tuple(drafts))


def _read_models(
    sources: Sequence[Source], heads: Sequence[HeadFolder], placement: Placement, tell: Tell
) -> tuple[LanguageModel, *tuple[Model, ...]]:
    """Return a target whose pass keeps what these heads read, and the drafts that are models."""
    whole = [_config(source) for source in sources]
    configs = [_text_of(config) for config in whole]
    tokenizers = list(_tokenizers(sources, configs))
    first = tokenizers[0].get_vocab()
    alike = [tokenizer.get_vocab() == first for tokenizer in tokenizers]
    vocabularies = [TokenizerVocabulary(tokenizer) for tokenizer in tokenizers]
    for source, vocabulary, config in zip(sources, vocabularies, configs, strict=True):
        if config.vocab_size < LEAST_KNOWN * vocabulary.size:
            raise PlaygroundError(
                f"The tokenizer of {_title(source.name)} has {vocabulary.size} tokens, but the model's vocabulary ends "
                f"at {config.vocab_size}. Choose another model."
            )
        if vocabulary.size > config.vocab_size:  # a token that was added to a tokenizer only: nothing can write it
            tell(
                f"{_title(source.name)} has no weights for {vocabulary.size - config.vocab_size} of its tokenizer's "
                f"{vocabulary.size} tokens, which are never written."
            )
    plain = []
    placements = _placements(sources, placement)
    for source, own, saved, config, vocabulary, same in zip(
        sources, placements, whole, configs, vocabularies, alike, strict=True
    ):
        make = partial(
            LanguageModel,
            vocabulary=vocabularies[0] if same else vocabulary,
            name=_title(source.name),
            # families pad their vocabularies to different sizes: the target's holds, whatever drafts for it
            vocab_size=(configs[0] if same else config).vocab_size,
            revision=source.revision,
        )
        plain.append(_by_blocks(source, saved, own, make) or prove(make(_model(source, saved, own, tell))))
    _say_settings(plain[0], tell)
    models = _with_fastest_pass(plain, placements)
    models[0] = _tapped(models[0], heads)
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
        asked = ", ".join(target.own_settings)
        tell(f"{target.name} asks for {asked} in its generation_config.json: obeyed, unless generation_config is none.")
    if left_out := left_out_settings(target.model.generation_config):
        tell(f"{target.name} asks for {', '.join(left_out)} in its generation_config.json: left out here.")


def _tapped(target: LanguageModel, heads: Sequence[HeadFolder]) -> LanguageModel:
    """Return a target whose pass keeps the hidden states that these heads read."""
    taps = tuple(sorted({depth for head in heads for depth in head.taps(target)}))
    target_pass = target.forward_pass
    return target.by(target_pass.tapping(taps)) if taps and isinstance(target_pass, LeanPass) else target


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
    """Return a model whose matrices stay in their GGUF file; None where it has to be widened whole."""
    if not _stays_in_file(source, config, placement):
        return None
    model = file_model(config, reader_of(source.folder / source.gguf))
    forget_readers()  # a header is as large as a tenth of its model
    return try_block_pass(make(model), rounded=placement.rounds_rows) if model else None


def _stays_in_file(source: Source, config: Any, placement: Placement) -> bool:
    """Return whether a model is tried on the blocks of its file, as one of a Llama-shaped family is on a processor."""
    is_float = placement.device.type == "cpu" and placement.dtype == torch.float32 and not placement.bits
    is_own = not (placement.is_spread or torch.get_num_threads() > 1)
    return bool(source.gguf) and is_float and is_own and is_of_family(config) and bool(compiled_kernel())


def _title(name: str) -> str:
    """Return the name in sentences and traces: bundled models by what they are, a GGUF file without its folders."""
    path = Path(name)
    if is_gguf(name) and path.is_absolute():
        return path.name
    return f"bundled {path.name}" if path.is_absolute() and path.parent.name == "models" else name


def _config(source: Source) -> Any:
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoConfig

    title = _title(source.name)
    if kind := head_kind(source.folder, title):
        raise head_refused(title, kind)
    quantised = None if source.gguf else find_quantised(source.folder, title)
    config = read(AutoConfig, source.folder, title, **source.options)
    if quantised and quantised.numbers:
        config.quantization_config["dequantize"] = True
    if getattr(config, "is_encoder_decoder", False):
        raise PlaygroundError(f"{title} is an encoder-decoder model. Choose a decoder-only language model.")
    text = _text_of(config)
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


def _text_of(config: Any) -> Any:
    """Return the configuration of what writes the text: of a model that also sees or hears it is a part."""
    return config.get_text_config(decoder=True)


def _tokenizers(sources: Sequence[Source], configs: Sequence[Any]) -> Iterator[Any]:
    """Tokenizer of each model; the target's for a draft saved without one, where the vocabularies are as large."""
    target, first = _tokenizer(sources[0]), configs[0].vocab_size
    yield target
    for source, config in zip(sources[1:], configs[1:], strict=True):
        if source.gguf or has_tokenizer(source.folder) or config.vocab_size != first:
            yield _tokenizer(source)
        else:
            yield target


def _tokenizer(source: Source) -> Any:
    from transformers import AutoTokenizer

    if not (source.gguf or has_tokenizer(source.folder)):
        raise PlaygroundError(
            f"{_title(source.name)} was saved without its tokenizer. Copy the files of its tokenizer, tokenizer.json "
            "above all, into its folder."
        )
    return read(AutoTokenizer, source.folder, _title(source.name), **source.options)


def _model(source: Source, config: Any, placement: Placement, tell: Tell) -> Any:
    from transformers import AutoModelForCausalLM

    title, options = _title(source.name), placement.reading_options()
    if "quantization_config" in options and (source.gguf or getattr(config, "quantization_config", None)):
        raise PlaygroundError(f"{title} is quantised already. Leave the bits out.")
    if not (source.gguf or options):
        item = placement.dtype.itemsize if placement.dtype else 2
        _refuse_too_large(title, planned_bytes(AutoModelForCausalLM, config, title, item), placement)
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
            tell(f"Reading {_title(source.name)}: {amount(min(done, whole))} of {amount(whole)} ...")


def _refuse_too_large(title: str, num_bytes: float, placement: Placement) -> None:
    """Refuse what does not fit into what is free, and what others could make way from."""
    free = SHARE * placement.free_bytes() + _caches[str(placement.device)].num_bytes()
    if num_bytes > free:
        raise PlaygroundError(
            f"{title} needs {amount(num_bytes)} of memory {placement.title()}, where {amount(free)} are free for "
            "models. Choose a smaller pair."
        )
