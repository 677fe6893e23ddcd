"""A playground for seeing speculative decoding.

The whole pipeline, in the order to read it:

    models       a target and a draft language model; one question: the logits at these nodes of the token tree
    decoding     one loop, one file per method, verification rules as pure functions
    trace        what happened in a run, as events; JSON with a schema
    metrics      numbers folded from a trace
    views        pictures drawn from a trace
    ui           the page

Letters in shape comments: T context tokens, N nodes of the draft tree (root excluded), V vocabulary, L layers, H heads,
D head size, R rounds. The batch is one and never written; `run_batch` runs several sequences together. p is the target,
q is the draft, everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playground.environment import check_environment  # first: it refuses a Python that is too old for the others
from playground.options import taking, texts_of
from playground.run_options import RunOptions
from playground.version import __version__

if TYPE_CHECKING:
    from playground.decoding.batch import Batch
    from playground.decoding.method import DecodingMethod
    from playground.decoding.run_spec import RunSpec

with suppress(ModuleNotFoundError):  # Setting up and --help work before msgspec is there.
    from playground.trace.events import Trace

    setattr(Trace, "_repr_html_", lambda trace: _html(trace))  # noqa: B010  # a trace imports none of its pictures

__all__ = ["Trace", "__version__", "run", "run_batch"]


def _html(trace: Trace) -> str:
    """Return the output of a notebook cell that ends with a trace: the player, in a frame."""
    from playground.notebook import show

    return show(trace)._repr_html_()


@taking(RunOptions)
def run(
    method: str | DecodingMethod, prompt: str, *, tell: Callable[[str], None] = lambda _: None, **options: Any
) -> Trace:
    """Decode a prompt once, and give all that happened.

    Args:
        method: a method's id, as `python -m playground methods` lists them; or a method that was made.
        prompt: what to continue.
        tell: takes a sentence now and then on how far loading is.
        options: of the method, by name; those that are left out have their defaults.

    Raises:
        PlaygroundError: if there is no such method, option or model, or a value is out of range.
    """
    check_environment()
    from playground.decoding import record

    spec, settings = _spec(method, prompt, options)
    return record.run(spec.request(tell), layers=settings.layers)


@taking(RunOptions)
def run_batch(
    method: str | DecodingMethod,
    prompts: Sequence[str],
    *,
    padded: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> Batch:
    """Decode one to eight prompts together; each gives the tokens and the verdicts that `run` gives it alone.

    Args:
        method: as for `run`.
        prompts: of the sequences. The first one has the seed, the next ones have the numbers that follow.
        padded: whether the shorter sequences of a model call are padded to the longest; else they are packed.
        tell: takes a sentence now and then on how far loading is.
        options: of the method, by name; those that are left out have their defaults.

    Returns:
        A trace of each sequence, and the model calls of the batch with their padding, idle sequences and seconds.

    Raises:
        PlaygroundError: as `run`, and if a model reads one sequence at a time, or layers are asked for.
    """
    check_environment()
    from playground.decoding import batch
    from playground.errors import PlaygroundError

    texts = texts_of(prompts)
    if texts is None or isinstance(prompts, str):
        raise PlaygroundError(f"The prompts must be a list of texts, not {prompts!r:.40}.")
    spec, settings = _spec(method, "", options)
    if settings.layers:
        raise PlaygroundError("A batch tells nothing of layers. Leave them out, or run the prompts one by one.")
    specs = [replace(spec, prompt=prompt, seed=settings.seed + index) for index, prompt in enumerate(texts)]
    return batch.run_batch([each.request(tell) for each in specs], padded=padded)


def _spec(method: str | DecodingMethod, prompt: str, options: dict[str, Any]) -> tuple[RunSpec, RunOptions]:
    """Return a run and its options, by the names of `run`; no model is read."""
    from playground.decoding.method import DecodingMethod, make_method
    from playground.decoding.run_spec import RunSpec
    from playground.errors import PlaygroundError

    of_run = {name: options.pop(name) for name in RunOptions.__dataclass_fields__ if name in options}
    if options and not isinstance(method, str):
        raise PlaygroundError("A method that was made has its options already. Give its id with them instead.")
    if not isinstance(method, str | DecodingMethod):
        raise PlaygroundError(f"The method must be an id, or a method that was made, not {method!r:.40}.")
    if isinstance(bias := of_run.get("logit_bias"), Mapping):
        of_run["logit_bias"] = ", ".join(f"{token}={added}" for token, added in bias.items())
    settings = RunOptions(**of_run)
    return RunSpec.of(make_method(method, options) if isinstance(method, str) else method, prompt, settings), settings
