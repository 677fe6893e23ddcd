"""Cache of loaded pairs, as large as memory allows: the least recently used is dropped first.

So two visitors with two pairs alternate without loading anything twice, where both fit.
"""

import os
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from playground.errors import PlaygroundError
from playground.models.sources.memory_estimate import amount
from playground.models.sources.placement import Placement, release

SHARE = 0.9  # Models may fill this share of what is free; texts and everything else take the rest.

Thing = TypeVar("Thing")


class ModelCache(Generic[Thing]):
    """Things by key, each with its bytes, within a budget.

    A thing that makes way is freed once it is no longer used: a run that goes on keeps its models.
    """

    def __init__(self) -> None:
        self._things: OrderedDict[Hashable, tuple[Thing, int]] = OrderedDict()  # the one used last at the end
        self._renew_lock()
        if hasattr(os, "register_at_fork"):  # a process made by a fork, as on ZeroGPU, would find it locked for ever
            os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        self._lock = threading.RLock()

    def find(self, key: Hashable) -> Thing | None:
        """Return the thing of this key, used once more; None where it is not kept."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def get(self, key: Hashable, num_bytes: int, make: Callable[[], Thing], *, budget: int) -> Thing:
        """Return the thing of this key; made where it is not kept, after others have made way for it.

        Args:
            num_bytes: what it takes.
            make: makes it; one at a time.
            budget: bytes of all that are kept, this one included.
        """
        with self._lock:
            if key not in self._things:
                self.make_way(num_bytes, budget=budget)
                self._things[key] = make(), num_bytes
            self._things.move_to_end(key)
            return self._things[key][0]

    def make_way(self, num_bytes: int, *, budget: int) -> None:
        """Evict the least recently used until this many bytes fit, or nothing is left."""
        with self._lock:
            before = len(self._things)
            while self._things and self.num_bytes() + num_bytes > budget:
                self._things.popitem(last=False)
            if len(self._things) < before:
                release()

    def num_bytes(self) -> int:
        """Bytes of all pairs in the cache."""
        with self._lock:
            return sum(size for _, size in self._things.values())

    def __len__(self) -> int:
        return len(self._things)


_caches: defaultdict[str, ModelCache[Any]] = defaultdict(ModelCache)  # by device


def cache_of(placement: Placement) -> ModelCache[Any]:
    """Return the models that are kept on a device."""
    return _caches[str(placement.device)]


def refuse_too_large(title: str, num_bytes: float, placement: Placement) -> None:
    """Refuse what does not fit into what is free, and what others could make way from."""
    free = SHARE * placement.free_bytes() + cache_of(placement).num_bytes()
    if num_bytes > free:
        raise PlaygroundError(
            f"{title} needs {amount(num_bytes)} of memory {placement.title()}, where {amount(free)} are free for "
            "models. Choose a smaller pair."
        )
