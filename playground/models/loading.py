"""From a folder or a Hub id to a language model, refusing in one sentence what cannot work.

A pair is refused before its weights are read when it would not fit, when its tokenizers have too little in common, or
when no pass computes in a tree what it computes along a path. What was loaded is kept as long as there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from playground.errors import PlaygroundError
from playground.models.catalog import Pair, find_pair
from playground.models.drafters.choice import DRAFT, FOREIGN, NO_FOREIGN, NO_OTHER, OTHER, drafter_title, with_drafter
from playground.models.language_model import LoadedPair
from playground.models.model_files import head_of, read_tokenizer, title_of
from playground.models.modes import own_modes
from playground.models.pair_reading import estimate_memory, placements_of, read_pair
from playground.models.sources.hub import Source, Tell, fetch, find_source, is_on_this_machine, say_nothing
from playground.models.sources.memory_estimate import MemoryEstimate
from playground.models.sources.model_cache import SHARE, cache_of, refuse_too_large
from playground.models.sources.placement import Placement, find_placement, is_out_of_memory, release


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run by their names: checked, then fetched, then loaded."""

    target: str  # a folder, a GGUF file or a Hub id, which may name a revision after an "@"
    # None is for methods that draft without a model. A draft with another tokenizer drafts the tokens that both know.
    draft: str | None = None
    others: tuple[str, ...] = ()  # further drafts, for methods that take several
    drafter: str = DRAFT  # It is a word of drafters/choice.py.
    placement: Placement | None = None  # None is what `find_placement` says.
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
        return estimate_memory(self._sources(), self.placement or find_placement())

    def fetch(self, tell: Tell = say_nothing, stop: Callable[[], bool] = lambda: False) -> None:
        """Download what `load` needs, before anything waits for the device.

        Raises:
            PlaygroundError: if a model cannot be had, would not fit, the disk is full, or `stop` said True.
        """
        if not (self.pair and self.pair.is_bundled):
            placement = self.placement or find_placement()
            if cache_of(placement).find(self._key(placement)) is None:
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
        loaded = cache_of(placement).find(self._key(placement))
        if loaded is None and not self.pair:
            self._sources()
        self.check()
        loaded = loaded or self._read(placement, tell)
        return with_drafter(with_drafter(loaded, self.pair.drafter) if self.pair else loaded, self.drafter)

    def loaded(self) -> LoadedPair | None:
        """Return the models if they are kept from an earlier load, without what else drafts."""
        placement = self.placement or find_placement()
        return cache_of(placement).find(self._key(placement))

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
        estimate = estimate_memory(sources, placement)
        own = placements_of(sources, placement)[0]
        refuse_too_large(_titles(sources), estimate.memory_bytes(), own)
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
            refuse_too_large(self.pair.title, num_bytes, placements[0])
        cache = cache_of(placement)
        sources, estimate = self._fetched(placement, tell)
        budget = round(SHARE * placement.free_bytes()) + cache.num_bytes()
        key, num_bytes = self._key(placement), estimate.memory_bytes()
        try:
            return cache.get(key, num_bytes, lambda: read_pair(sources, self.draft, placement, tell), budget=budget)
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
    return read_pair([find_source(target), find_source(draft)], draft, find_placement("cpu"), say_nothing)


def same_tokenizer(target: str, draft: str) -> bool:
    """Return whether two models on this machine have the same tokenizer, as a head has its target's."""
    if head_of(find_source(draft)):
        return True
    first, second = (read_tokenizer(find_source(name)) for name in (target, draft))
    return first.get_vocab() == second.get_vocab()


def _titles(sources: Sequence[Source]) -> str:
    return " + ".join(title_of(source.name) for source in sources)
