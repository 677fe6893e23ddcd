"""A model's folder, read by transformers: every weight from its files and from nowhere else, and none of its code run.

transformers fills a weight that a file does not hold with random numbers and warns; here the model is refused.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError, is_panic
from playground.models.sources.gguf_file import parsed_once
from playground.models.sources.heads import head_refused, kind_by_weights
from playground.models.sources.placement import is_out_of_memory

# Wrappers put these before every name: torch.compile, PEFT, several GPUs, FSDP.
PREFIXES = ("_orig_mod.", "base_model.", "module.", "_fsdp_wrapped_module.", "_forward_module.")
TOKENIZER = ("tokenizer", "vocab", "merges", "spiece", "sentencepiece")  # names of its files begin so
NAMED = 4  # weights in one sentence


def read(auto: Any, folder: str | os.PathLike[str], title: str, **options: Any) -> Any:
    """`from_pretrained` of an auto class, its many errors as one sentence.

    Args:
        auto: AutoConfig, AutoTokenizer, ...
        title: what the sentence calls the model.

    Raises:
        PlaygroundError: if it cannot be read, or only by code of its own.
    """
    with _one_sentence(title), parsed_once() if "gguf_file" in options else nullcontext():
        return auto.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False, **options)


def planned_bytes(auto: Any, config: Any, title: str, item_bytes: float) -> int:
    """Bytes of the model that a configuration describes, whatever its files hold; nothing of that size is made.

    Args:
        config: of transformers.
        item_bytes: of one weight.

    Raises:
        PlaygroundError: if there is no such model.
    """
    import torch

    with _one_sentence(title), torch.device("meta"):
        planned = auto.from_config(config)
    return round(item_bytes * planned.num_parameters()) + sum(each.nbytes for each in planned.buffers())


@contextmanager
def _one_sentence(title: str) -> Iterator[None]:
    """Raise the many errors of transformers as a PlaygroundError each; full memory stays what it is."""
    try:
        yield
    except PlaygroundError:  # A caller who is told how far reading is may have raised it.
        raise
    except BaseException as error:  # hundreds of architectures, each with errors of its own, and libraries that panic
        if is_out_of_memory(error) or not (isinstance(error, Exception) or is_panic(error)):
            raise
        if "trust_remote_code" in str(error):
            raise PlaygroundError(
                f"{title} needs code from its own folder, which is never run here. Choose a model that transformers "
                "knows by itself."
            ) from None
        raise PlaygroundError(f"{title} cannot be loaded: {_reason(error)}. Choose another model.") from error


def _reason(error: BaseException) -> str:
    """Return what transformers says of a model; what Python says of a value goes into brackets."""
    first, *others = str(error).strip().splitlines() or [type(error).__name__]
    said = others[0].strip() if others and first.endswith(":") else first
    said = said.rpartition("Error: ")[2].partition(". ")[0].rstrip(".")
    is_of_python = isinstance(error, ArithmeticError | LookupError | AttributeError | AssertionError)
    return f"its config.json has a value that no model can be made of ({said})" if is_of_python else said


def read_model(auto: Any, folder: str | os.PathLike[str], title: str, **options: Any) -> tuple[Any, list[str]]:
    """Return a model whose every weight was in its files, and the names in them that it has no use for.

    Raises:
        PlaygroundError: also if a weight is missing, or of another shape than the configuration says.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()
    report = logging.get_logger("transformers.utils.loading_report")
    before, report.disabled = report.disabled, True  # a table of what is said below in a sentence
    try:
        model, loading = read(auto, folder, title, output_loading_info=True, ignore_mismatched_sizes=True, **options)
    finally:
        report.disabled = before
    unexpected = sorted(loading["unexpected_keys"])
    if missing := sorted(loading["missing_keys"]):
        if kind := kind_by_weights(missing, unexpected):
            raise head_refused(title, kind)
        raise PlaygroundError(_missing(title, missing, len(model.state_dict()), unexpected))
    if mismatched := sorted(loading["mismatched_keys"]):
        raise PlaygroundError(_mismatched(title, mismatched))
    return model, unexpected


def check_weights(weights: Mapping[str, Any], shapes: Mapping[str, Iterable[int]]) -> None:
    """Refuse the weights of a trained part, a head or an exit, where one is not there or of another shape.

    Raises:
        ValueError: naming it.
    """
    if missing := sorted(shapes.keys() - weights.keys()):
        raise ValueError(f"{len(missing)} of its {len(shapes)} weights are missing: {listed(missing)}.")
    for name, shape in shapes.items():
        if tuple(weights[name].shape) != tuple(shape):
            raise ValueError(f"{name} is {_shape(weights[name].shape)} and should be {_shape(shape)}.")


def has_tokenizer(folder: Path) -> bool:
    """Return whether a model was saved with its tokenizer, of whatever kind."""
    return any(file.name.startswith(TOKENIZER) or file.suffix in (".model", ".tiktoken") for file in folder.iterdir())


def listed(names: Collection[str]) -> str:
    """Return a few of these names, and how many more there are."""
    shown = ", ".join(list(names)[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"


def _missing(title: str, missing: list[str], num_weights: int, unexpected: list[str]) -> str:
    are = "is" if len(missing) == 1 else "are"
    sentence = (
        f"{title} cannot be loaded: {len(missing)} of its {num_weights} weights {are} not in its files, and would be "
        f"random numbers: {listed(missing)}."
    )
    prefix, count = _wrapping(unexpected)
    if prefix:
        return f"{sentence} {count} names in them have {prefix!r}: save the model that was wrapped, without it."
    return f"{sentence} Fetch it again, or choose another model."


def _wrapping(names: Iterable[str]) -> tuple[str, int]:
    """Return the wrapper's prefix that most of these names have, and how many do; empty where none does."""
    counts = Counter(prefix for name in names for prefix in PREFIXES if f".{prefix}" in f".{name}")
    return counts.most_common(1)[0] if counts else ("", 0)


def _mismatched(title: str, mismatched: list[tuple[str, Any, Any]]) -> str:
    name, shape, expected = mismatched[0]
    others = f", and {len(mismatched) - 1} more do not fit" if len(mismatched) > 1 else ""
    return (
        f"{title} cannot be loaded: {name} is {_shape(shape)} in its files and {_shape(expected)} by its "
        f"configuration{others}. Choose another model, or mend its config.json."
    )


def _shape(sizes: Iterable[int]) -> str:
    return " x ".join(str(size) for size in sizes) or "one number"
