"""A model's folder before anything is made of it: plain files only, sizes and numbers that a model can have."""

import json
import os
import stat
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, is_zipfile

from safetensors import SafetensorError, safe_open

from playground.errors import PlaygroundError

CONFIG, ADAPTER = "config.json", "adapter_config.json"
CODE = ("attn_implementation", "_attn_implementation", "experts_implementation")  # keys that may name code of the Hub
TEMPLATES = "additional_chat_templates"  # a folder that transformers looks into
READ = (".json", ".txt", ".model", ".tiktoken", ".jinja", ".bin", ".safetensors")  # suffixes of files that it reads
CONFIG_BYTES = 1_000_000  # Configurations have a few kB.
LARGEST = 100_000_000  # Llama 4 Scout's 10,485,760 positions are the largest number of a published config.json.
ANGLES = ("theta", "base")  # parts of a key whose number is a base of rotary angles, and counts nothing


class Tensor(NamedTuple):
    """A tensor as the header of a safetensors file describes it."""

    name: str
    kind: str
    num_weights: int


def check_folder(folder: Path, title: str) -> None:
    """Refuse a folder of which something that will be read is no plain file, cannot be read, or is out of bounds.

    Raises:
        PlaygroundError: naming the file, and the key where it is one.
    """
    try:
        folders = [each for each in (folder, folder / TEMPLATES) if each.is_dir()]
        files = [file for each in folders for file in sorted(each.iterdir()) if file.suffix in READ]
    except OSError as error:
        raise PlaygroundError(f"{title} cannot be loaded: {error.strerror or error}. Choose another model.") from None
    for file in files:
        check_plain(file, title)
        if file.suffix == ".bin":
            _check_archive(file, title)
    check_config(folder / CONFIG, title)
    if (folder / ADAPTER).exists():
        raise PlaygroundError(
            f"{title} cannot be read: {ADAPTER} says that it is an adapter of another model. Merge it into its model "
            f"and save that, or remove {ADAPTER} if that is done."
        )


def check_config(file: Path, title: str) -> None:
    """Refuse a configuration with a number that no model has, or with code of the Hub for its attention."""
    config = read_object(file, title)
    for key, number in _numbers(config, ""):
        if number > LARGEST and not any(part in key for part in ANGLES):
            refuse_above(title, f"{key} in {file.name}", number, LARGEST)
    for key in CODE:
        if "/" in str(config.get(key, "")):
            raise PlaygroundError(
                f"{title} cannot be read: {key} in {file.name} names code of the Hub, which is never run here. Choose "
                "another model."
            )


def refuse_above(title: str, what: str, number: float, most: int) -> None:
    """Refuse a number of a model's file that is larger than those of all published models.

    Raises:
        PlaygroundError: naming it and the bound.
    """
    if number > most:
        raise PlaygroundError(
            f"{title} cannot be read: {what} is {number:,.12g}, and published models have at most {most:,}. Choose "
            "another model."
        )


def read_object(file: Path, title: str) -> dict[str, Any]:
    """Read a file that holds a JSON object.

    Raises:
        PlaygroundError: if it holds anything else, or is too long for a configuration.
    """
    try:
        refuse_above(title, f"the number of bytes of {file.name}", file.stat().st_size, CONFIG_BYTES)
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        reason = "is nested too deeply" if isinstance(error, RecursionError) else f"is not JSON ({error})"
        raise PlaygroundError(f"{title} cannot be loaded: {file.name} {reason}. Choose another model.") from None
    if not isinstance(value, dict):
        raise PlaygroundError(f"{title} cannot be loaded: {file.name} is not a JSON object. Choose another model.")
    return value


def tensors_in(file: Path, title: str) -> list[Tensor]:
    """Describe the tensors of a safetensors file by its header, which that library checks against the file.

    Raises:
        PlaygroundError: if it is not such a file.
    """
    check_plain(file, title)
    try:
        with safe_open(file, "pt") as opened:
            slices = {name: opened.get_slice(name) for name in opened.keys()}  # noqa: SIM118 is no dictionary
            return [Tensor(name, each.get_dtype(), prod(each.get_shape())) for name, each in slices.items()]
    except (SafetensorError, OSError) as error:
        raise PlaygroundError(
            f"{title} cannot be loaded: {file.name} is not a safetensors file. Choose another model."
        ) from error


def read_part(config: Path, weights: Path) -> dict[str, object]:
    """Check the files of a trained part saved next to a model, and read its configuration.

    Raises:
        ValueError: if one of its files is no plain file, or out of bounds.
    """
    title = config.parent.name
    try:
        for file in (config, weights):
            check_plain(file, title)
        check_config(config, title)
        tensors_in(weights, title)
        return read_object(config, title)
    except PlaygroundError as error:  # The caller says whose part it is, and what to do.
        raise ValueError(f"{str(error).partition('. ')[0]}.") from None


def check_plain(file: Path, title: str) -> None:
    """Refuse a folder, a pipe or a device under a file's name, and a file that may not be read."""
    try:
        mode = file.stat().st_mode
    except OSError as error:
        raise PlaygroundError(f"{title} cannot be loaded: {file.name}: {error.strerror}. Choose another.") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
        raise PlaygroundError(f"{title} cannot be loaded: {file.name} is {what}, not a file. Choose another model.")
    if not os.access(file, os.R_OK):
        raise PlaygroundError(f"{title} cannot be loaded: {file.name} may not be read here. Choose another model.")


def _check_archive(file: Path, title: str) -> None:
    """Refuse weights of the old format that would unpack to more than they are."""
    if not is_zipfile(file):
        return
    try:
        with ZipFile(file) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (BadZipFile, OSError, ValueError) as error:
        raise PlaygroundError(f"{title} cannot be loaded: {file.name}: {error}. Choose another model.") from None
    if unpacked > 2 * file.stat().st_size:
        raise PlaygroundError(
            f"{title} cannot be loaded: {file.name} unpacks to {unpacked:,} bytes, and torch.save packs nothing. "
            "Choose another model."
        )


def _numbers(value: Any, key: str) -> Iterator[tuple[str, float]]:
    """(key, number) of a value of JSON; those of a list have the list's key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _numbers(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner, key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value
