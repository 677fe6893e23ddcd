"""ZeroGPU: a Space that is lent a GPU for one call at a time, each by the seconds it asks for.

A call runs in a process of its own, so what it changes does not come back: a run is made whole in one call, which reads
the models, decodes, and gives back the trace. Where the package `spaces` is missing, or the machine is none of
ZeroGPU's, a lent call is a plain call.

Written after the package's source; it has not run on ZeroGPU.
"""

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import gradio as gr

from playground.errors import PlaygroundError
from playground.words import word

START_S = 5.0  # until a call's process has its GPU
READ_BYTES_PER_S = 0.5e9  # from disk to the GPU
CALL_S = 0.04  # one call of a model of a few billion parameters, and what Python adds
LEAST_S, MOST_S = 10, 120  # the Hub refuses longer calls

Params = ParamSpec("Params")
Answer = TypeVar("Answer")

# Sentences by the titles that the package gives its errors.
EXPLAINED = {
    "ZeroGPU quota exceeded": word("zero_gpu_quota"),
    "ZeroGPU illegal duration": word("zero_gpu_long"),
    "ZeroGPU queue timeout": word("zero_gpu_queue"),
    "ZeroGPU pending credits exceeded": word("zero_gpu_credits"),
    "ZeroGPU worker error": word("zero_gpu_taken"),
}


def is_lent() -> bool:
    """Return whether this is a Space whose GPU is lent by the call."""
    return os.environ.get("SPACES_ZERO_GPU", "").lower() in ("1", "t", "true")


def gpu_call(seconds: Callable[Params, float]) -> Callable[[Callable[Params, Answer]], Callable[Params, Answer]]:
    """Decorate a function that needs the GPU.

    Args:
        seconds: how long it will take, by the same arguments.
    """

    def decorate(work: Callable[Params, Answer]) -> Callable[Params, Answer]:
        try:
            import spaces  # pyright: ignore[reportMissingImports]  optional
        except ImportError:
            return work
        return spaces.GPU(work, duration=seconds)

    return decorate


def seconds_for(*, num_tokens: int, num_draft_calls: int, weight_bytes: float) -> int:
    """Seconds to ask for: a guess, on the safe side.

    Args:
        num_tokens: that the run may write; each may need a round of its own.
        num_draft_calls: calls of the draft model in a round.
        weight_bytes: of both models, which are read first.
    """
    needed = START_S + weight_bytes / READ_BYTES_PER_S + num_tokens * (1 + num_draft_calls) * CALL_S
    return round(min(MOST_S, max(LEAST_S, needed)))


def explained(error: Exception) -> PlaygroundError | None:
    """Return an error of ZeroGPU as a sentence; None where it is another one."""
    if isinstance(error, gr.Error) and (sentence := EXPLAINED.get(getattr(error, "title", ""))):
        return PlaygroundError(sentence)
    return None
