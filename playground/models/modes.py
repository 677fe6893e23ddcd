"""Shield against what a caller of the library has told torch to do, and models do without."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import ParamSpec, TypeVar

import torch

P = ParamSpec("P")
Result = TypeVar("Result")


def own_modes(function: Callable[P, Result]) -> Callable[P, Result]:
    """Let a function run without autocast and without a default device, which would change its numbers or their place.

    The default number format is one of the whole process, which other threads share: whoever makes a tensor of numbers
    names its own.
    """

    @wraps(function)
    def run(*args: P.args, **options: P.kwargs) -> Result:
        casts = [kind for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
        is_elsewhere = torch.empty(0).device.type != "cpu"  # a fifth of the time of torch.get_default_device
        if not (casts or is_elsewhere):
            return function(*args, **options)
        with ExitStack() as stack:
            for kind in casts:
                stack.enter_context(torch.autocast(kind, enabled=False))
            stack.enter_context(torch.device("cpu"))
            return function(*args, **options)

    return run
