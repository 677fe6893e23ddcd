"""A GGUF file, as llama.cpp and Ollama have models: transformers makes its quantised weights numbers again.

Its configuration, tokenizer and chat template are in the file, so a folder or a repository may hold many.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from playground.errors import PlaygroundError
from playground.models.sources.gguf_header import num_weights
from playground.models.sources.memory_estimate import Weights
from playground.models.sources.number_formats import refuse_without

SUFFIX = ".gguf"
ON_HUB = re.compile(r"(?P<repository>[\w.-]+(?:/[\w.-]+)?)(?:@(?P<revision>[\w./-]+))?:(?P<file>[^:]+)")
PART = re.compile(r"-\d{5}-of-(?!00001)\d{5}\.gguf$", re.IGNORECASE)
ITEM_BYTES = 4  # transformers dequantises a weight to float32.
LEAST_BITS = 4  # a weight of a file whose number of weights the Hub does not say: rather too many than too few

_patching = RLock()


def is_gguf(name: str) -> bool:
    """Return whether a model's name is that of a GGUF file, here or on the Hub."""
    return name.lower().endswith(SUFFIX)


def local_file(name: str) -> Path | None:
    """Return the GGUF file of this name on this machine, if there is one."""
    try:
        path = Path(name).expanduser()
        return path.absolute() if path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # too long, of a user who is not there, with a zero in it
        return None


def on_hub(name: str) -> tuple[str, str | None, str]:
    """(repository, revision or None, file) of `id:file.gguf` or `id@revision:file.gguf`.

    Raises:
        PlaygroundError: if it is not written so.
    """
    match = ON_HUB.fullmatch(name)
    if not match:
        raise PlaygroundError(
            f"This machine has no file {name}. Give a GGUF file that it has, or id:file.gguf of the Hub."
        )
    return match["repository"], match["revision"], match["file"]


def check_readable(name: str) -> None:
    """Refuse a GGUF file that cannot be read whatever is in it.

    Raises:
        PlaygroundError: if packages are missing, or it is one of several parts.
    """
    refuse_without("A GGUF file needs", "gguf", "accelerate")
    if PART.search(name):
        raise PlaygroundError(
            f"{name} is one of several parts of a model. Join them with llama-gguf-split --merge, or choose a whole "
            "file."
        )


def weights_of(file: Path) -> Weights:
    """Return the number of weights in a file, as they will be once loaded.

    Raises:
        PlaygroundError: if it is not a GGUF file, or its header is out of bounds.
    """
    number = num_weights(file)
    return Weights(number, ITEM_BYTES * number)


def weights_told(num_weights: int | None, file_bytes: int) -> Weights:
    """Return the number of weights by what the Hub says of a file."""
    number = num_weights or 8 * file_bytes // LEAST_BITS
    return Weights(number, ITEM_BYTES * number)


@contextmanager
def parsed_once() -> Iterator[None]:
    """Give transformers one reader for a file, its header parsed, and one table of names, within the block.

    For a model it asks for reader and header four times and for the table once a weight: of a vocabulary of 49,152
    tokens and 272 weights, that was 40 s of 47.
    """
    package: Any = import_module("gguf")
    ours: Any = import_module("transformers.modeling_gguf_pytorch_utils")
    with _patching:
        before = package.GGUFReader, package.get_tensor_name_map, ours.load_gguf_checkpoint
        package.GGUFReader, package.get_tensor_name_map = reader_of, lru_cache(maxsize=2)(before[1])
        ours.load_gguf_checkpoint = partial(_loaded, before[2])
        try:
            yield
        finally:
            package.GGUFReader, package.get_tensor_name_map, ours.load_gguf_checkpoint = before


def _loaded(load: Callable[..., Any], file: str, **options: Any) -> Any:
    """Return what transformers makes of a file: its header as it was parsed last, where no tensor is wanted."""
    if options.get("return_tensors"):
        return load(file, **options)
    return deepcopy(_header(load, file, Path(file).stat().st_mtime_ns))


@lru_cache(maxsize=1)
def _header(load: Callable[..., Any], file: str, _: int) -> Any:
    return load(file, return_tensors=False)


def forget_readers() -> None:
    """Drop reader and header of the file that was read last."""
    _reader.cache_clear()
    _header.cache_clear()


def reader_of(file: str | Path, *_: Any) -> Any:
    """Return the reader of a file, the last one again where it is the same."""
    return _reader(str(file), Path(file).stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _reader(file: str, _: int) -> Any:
    class Reader(import_module("gguf.gguf_reader").GGUFReader):
        """The package's reader, whose slices of the file are plain arrays: making a memmap of each takes longer."""

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "data":
                self.mapping, value = value._mmap, value.view(np.ndarray)
            super().__setattr__(name, value)

    return Reader(file)
