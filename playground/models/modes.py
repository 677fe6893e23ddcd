"""Threads of models, and a shield against what a caller of the library has told torch to do."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar

import torch

from playground.models.passes.team import team

P = ParamSpec("P")
Result = TypeVar("Result")


# A caller may let torch round these products and convolutions to 16 bits, or to TF32's 19
ROUNDED = (("mkldnn", "matmul"), ("mkldnn", "conv"), ("cuda", "matmul"))
_precision: Any = torch._C._get_fp32_precision_getter
_set_precision: Any = torch._C._set_fp32_precision_setter


class FullPrecision:
    """Products of float32 in float32, whatever `set_float32_matmul_precision` or `allow_tf32` say.

    The setting is one of the whole process: the first that enters notes the caller's, the last that leaves gives it
    back.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._callers: list[str] = []

    def is_needed(self) -> bool:
        """Return whether torch would round now, or would again once another thread leaves."""
        return self._inside > 0 or any(_precision(*each) in ("bf16", "tf32") for each in ROUNDED)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._callers = [_precision(*each) for each in ROUNDED]
                for each in ROUNDED:
                    _set_precision(*each, "ieee")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for each, callers in zip(ROUNDED, self._callers, strict=True):
                    _set_precision(*each, callers)


full_precision = FullPrecision()


if hasattr(os, "register_at_fork"):  # A forked process waits for torch's threads for ever.
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


def use_threads(number: int) -> None:
    """Let models run on this many threads: ours where their pass is compiled, torch's during any other pass.

    Beside a pass torch has one. Its threads look for more work for a while after each operation, and over a row of
    logits they kept ours from running: two wrote fewer tokens a second than one.
    """
    team.number = number
    torch.set_num_threads(1)


@contextmanager
def torch_threads() -> Iterator[None]:
    """Give torch the threads that were asked for, during a pass that it computes."""
    if team.number == 1:
        yield
        return
    torch.set_num_threads(team.number)
    try:
        yield
    finally:
        torch.set_num_threads(1)


def own_modes(function: Callable[P, Result]) -> Callable[P, Result]:
    """Let a function run without autocast, rounded products and a default device, which would change its numbers.

    The default number format is one of the whole process, which other threads share: whoever makes a tensor of numbers
    names its own.
    """

    @wraps(function)
    def run(*args: P.args, **options: P.kwargs) -> Result:
        casts = [kind for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
        is_elsewhere = torch.empty(0).device.type != "cpu"  # a fifth of the time of torch.get_default_device
        is_rounded = full_precision.is_needed()
        if not (casts or is_elsewhere or is_rounded):
            return function(*args, **options)
        with ExitStack() as stack:
            if is_rounded:
                stack.enter_context(full_precision)
            for kind in casts:
                stack.enter_context(torch.autocast(kind, enabled=False))
            stack.enter_context(torch.device("cpu"))
            return function(*args, **options)

    return run
