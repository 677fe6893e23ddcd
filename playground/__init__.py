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


def run(
    method: str | DecodingMethod,
    prompt: str,
    *,
    pair: str = "bundled",
    target: str | None = None,
    draft: str | None = None,
    other_drafts: Sequence[str] = (),
    drafter: str = "draft",
    device: str = "auto",
    dtype: str = "auto",
    bits: int | None = None,
    draft_bits: int | None = None,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    repetition_penalty: float = 1.0,
    presence_penalty: float = 0.0,
    frequency_penalty: float = 0.0,
    logit_bias: str | Mapping[int, float] = "",
    seed: int = 0,
    max_new_tokens: int = 128,
    allow: Sequence[str] = (),
    grammar: str = "",
    stop: Sequence[str] = (),
    chat: bool = False,
    layers: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> Trace:
    """Decode a prompt once, and give all that happened.

    Args:
        method: a method's id, as `python -m playground methods` lists them; or a method that was made.
        prompt: what to continue.
        pair: a pair of the catalog, unless `target` names a model.
        target: Hub id or folder of the target model.
        draft: Hub id or folder of its draft model. One with another tokenizer drafts the tokens that both know.
        other_drafts: of further draft models.
        drafter: who drafts: "draft", "other", "foreign", "head", "block", "block-markov", "block-confidence",
            "exit4" or "suffix"; see models/drafters/choice.py.
        device: "cpu", "cuda", "cuda:1", or "auto": CUDA where there is some, else the processor; or "spread": over all
            devices, where accelerate is installed.
        dtype: "float32", "bfloat16", "float16", or "auto": float32 on a processor, as saved elsewhere.
        bits: of the layers' matrices: 16, which changes no number of weights that were saved so and reads half as much
            on a processor; 8 or 4, where bitsandbytes is installed; None: with dtype "auto", 16 for both models of a
            small pair on one thread of a processor, if both were saved so.
        draft_bits: of the draft's alone, 32, 16, 8 or 4; None: as the target's.
        temperature: 0 is greedy.
        top_k: 0 is off.
        top_p: 1 is off.
        min_p: 0 is off.
        repetition_penalty: of every token in the prompt or the text; 1 is off.
        presence_penalty: of every token in the text; 0 is off.
        frequency_penalty: of every token in the text, for each time it occurs; 0 is off.
        logit_bias: token -> what is added to its logit, or as text, "198=-5, 50=2".
        seed: the one seed of the run: the same seed, the same tokens.
        max_new_tokens: fewer come where the text ends.
        allow: the texts that may be written; none: any text.
        grammar: a regular expression, or a JSON schema, that the text has to match; empty: any text.
        stop: the text ends before the first of these strings that is complete.
        chat: whether the prompt is a message that the target's chat template makes a turn of; the trace has the whole.
        layers: whether the trace tells what every layer of the target says of the drafted tokens.
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
    from playground.models.loading import Models
    from playground.models.sampling import Sampling
    from playground.models.sources.placement import find_placement

    if options and not isinstance(method, str):
        raise PlaygroundError("A method that was made has its options already. Give its id with them instead.")
    if not isinstance(logit_bias, str):
        logit_bias = ", ".join(f"{token}={bias}" for token, bias in logit_bias.items())
    penalties = (repetition_penalty, presence_penalty, frequency_penalty, logit_bias)
    placement = find_placement(device, dtype, bits, draft_bits)
    spec = RunSpec(
        make_method(method, options) if isinstance(method, str) else method,
        prompt,
        Models.named(pair, target, draft, other_drafts, drafter=drafter, placement=placement),
        Sampling(temperature, top_k, top_p, min_p, *penalties),
        seed,
        max_new_tokens,
        chat=chat,
        allow=tuple(allow),
        grammar=grammar,
        stop_strings=(stop,) if isinstance(stop, str) else tuple(stop),
    )
    return record.run(spec.request(tell), layers=layers)


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
