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
from typing import TYPE_CHECKING, Any

from playground.environment import check_environment  # first: it refuses a Python that is too old for the others
from playground.options import taking
from playground.run_options import RunOptions
from playground.version import __version__

if TYPE_CHECKING:
    from playground.decoding.batch import Batch
    from playground.decoding.method import DecodingMethod

with suppress(ModuleNotFoundError):  # of msgspec: setting up and --help work before it is there
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
    from playground.decoding.method import make_method
    from playground.decoding.run_spec import RunSpec
    from playground.errors import PlaygroundError

    of_run = {name: options.pop(name) for name in RunOptions.__dataclass_fields__ if name in options}
    if options and not isinstance(method, str):
        raise PlaygroundError("A method that was made has its options already. Give its id with them instead.")
    if isinstance(bias := of_run.get("logit_bias"), Mapping):
        of_run["logit_bias"] = ", ".join(f"{token}={added}" for token, added in bias.items())
    settings = RunOptions(**of_run)
    spec = RunSpec.of(make_method(method, options) if isinstance(method, str) else method, prompt, settings)
    return record.run(spec.request(tell), layers=settings.layers)


def run_batch(
    method: str,
    prompts: Sequence[str],
    *,
    pair: str = "bundled",
    target: str | None = None,
    draft: str | None = None,
    temperature: float = 1.0,
    seed: int = 0,
    max_new_tokens: int = 128,
    padded: bool = False,
    **options: Any,
) -> Batch:
    """Decode one to eight prompts together; each gives the tokens and the verdicts that `run` gives it alone.

    Args:
        method: a method's id.
        prompts: of the sequences.
        pair, target, draft, temperature, max_new_tokens: see `run`.
        seed: of the first sequence; the next ones have the numbers that follow.
        padded: whether the shorter sequences of a model call are padded to the longest; else they are packed.
        options: of the method, by name.

    Returns:
        A trace of each sequence, and the model calls of the batch with their padding, idle sequences and seconds.

    Raises:
        PlaygroundError: as `run`, and if a model reads one sequence at a time.
    """
    check_environment()
    from playground.decoding import batch
    from playground.decoding.decode import Request
    from playground.decoding.method import make_method
    from playground.models.loading import Models
    from playground.models.sampling import Sampling

    decoding_method, sampling = make_method(method, options), Sampling(temperature)
    models = Models.named(pair, target, draft).load()
    return batch.run_batch(
        [
            Request(decoding_method, models.target, prompt, models.draft, sampling, seed + index, max_new_tokens)
            for index, prompt in enumerate(prompts)
        ],
        padded=padded,
    )
