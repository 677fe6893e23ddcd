"""Admission of a folder: every file that will be read is a plain file of bounded size with bounded numbers in it."""

import json
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, is_zipfile

from playground.errors import PlaygroundError
from playground.models.bundled import BUNDLED
from playground.models.sources.admission.limits import (
    CONFIG_BYTES,
    FOLDER_FILES,
    HEADER_BYTES,
    INDEX_BYTES,
    TEMPLATE_BYTES,
    TOKENIZER_BYTES,
    Limit,
    check_numbers,
    refuse,
)

CONFIG, TOKENIZER, ADAPTER = "config.json", "tokenizer.json", "adapter_config.json"
TEMPLATES = "additional_chat_templates"  # a folder that transformers looks into
# files that transformers reads by themselves, and how large they may be; weights are bounded by their headers
BY_NAME = {
    **dict.fromkeys((CONFIG, "generation_config.json", ADAPTER), CONFIG_BYTES),
    **dict.fromkeys((TOKENIZER, "tokenizer_config.json", "added_tokens.json"), TOKENIZER_BYTES),
    **dict.fromkeys(("special_tokens_map.json", "vocab.json", "vocab.txt", "merges.txt"), TOKENIZER_BYTES),
}
BY_SUFFIX = {".jinja": TEMPLATE_BYTES, **dict.fromkeys((".model", ".tiktoken"), TOKENIZER_BYTES)}
INDEX, OLD_WEIGHTS, WEIGHTS = ".index.json", ".bin", ".safetensors"


class Tensor(NamedTuple):
    """A tensor as the header of a safetensors file describes it."""

    name: str
    kind: str
    num_bytes: int


def is_own(folder: Path) -> bool:
    """Return whether a folder came along with the playground."""
    return BUNDLED in folder.absolute().parents


def check_folder(folder: Path, title: str) -> None:
    """Refuse a folder of which something that will be read is no plain file, cannot be read, or is out of bounds."""
    if not is_own(folder):
        _check_folder(str(folder), title, _state(folder, title))


@lru_cache(maxsize=64)
def _check_folder(folder: str, title: str, _: tuple[Any, ...]) -> None:
    """`check_folder`, once for every state of its files."""
    for file in _files(Path(folder)):
        if limit := _limit_of(file.name):
            refuse(title, file.name, "the number of bytes", file.stat().st_size, limit)
        if file.suffix == OLD_WEIGHTS:
            _check_archive(file, title)
    check_config(Path(folder) / CONFIG, title)
    if (Path(folder) / ADAPTER).exists():
        raise PlaygroundError(
            f"{title} cannot be read: {ADAPTER} says that it is an adapter of another model. Merge it into its model "
            f"and save that, or remove {ADAPTER} if that is done."
        )


def check_config(file: Path, title: str) -> None:
    """Refuse a configuration with numbers out of their ranges, or with code of the Hub for its attention."""
    refuse(title, file.name, "the number of bytes", file.stat().st_size, CONFIG_BYTES)
    config = read_object(file, title)
    check_numbers(title, file.name, config)
    for key in ("attn_implementation", "_attn_implementation", "experts_implementation"):
        if "/" in str(config.get(key, "")):
            raise PlaygroundError(
                f"{title} cannot be read: {key} in {file.name} names code of the Hub, which is never run here. Choose "
                "another model."
            )


def read_object(file: Path, title: str) -> dict[str, Any]:
    """Read a file that holds a JSON object.

    Raises:
        PlaygroundError: if it holds anything else.
    """
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        reason = "is nested too deeply" if isinstance(error, RecursionError) else f"is not JSON ({error})"
        raise PlaygroundError(f"{title} cannot be loaded: {file.name} {reason}. Choose another model.") from None
    if not isinstance(value, dict):
        raise PlaygroundError(f"{title} cannot be loaded: {file.name} is not a JSON object. Choose another model.")
    return value


def tensors_in(file: Path, title: str) -> list[Tensor]:
    """Describe the tensors of a safetensors file, which begins with its header's length, then the header as JSON.

    Raises:
        PlaygroundError: if it is not such a file, or its header is out of bounds.
    """
    check_plain(file, title)
    size = file.stat().st_size
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if 0 < length <= size:
            refuse(title, file.name, "the number of bytes of its header", length, HEADER_BYTES)
        content = opened.read(min(length, size))
    try:
        header = json.loads(content)
        header.pop("__metadata__", None)
        tensors = []
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            if not 0 <= begin <= end <= size:
                raise ValueError(f"{name} ends beyond the end of the file")
            tensors.append(Tensor(name, entry["dtype"], end - begin))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PlaygroundError(
            f"{title} cannot be loaded: {file.name} is not a safetensors file. Choose another model."
        ) from error
    return tensors


def read_part(config: Path, weights: Path) -> dict[str, Any]:
    """Admit a trained part saved next to a model, and read its configuration.

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
    except PlaygroundError as error:  # whose part it is, and what to do, says who asks
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
    most = Limit(2 * file.stat().st_size, "torch.save packs nothing")
    refuse(title, file.name, "the number of bytes unpacked", unpacked, most)


def _limit_of(name: str) -> Limit | None:
    """Return the bytes that a file of this name may have; None for one that is not read as a whole."""
    if name.endswith(INDEX):
        return INDEX_BYTES
    return BY_NAME.get(name) or BY_SUFFIX.get(Path(name).suffix)


def _files(folder: Path) -> list[Path]:
    """List the files of a model's folder that transformers may read."""
    folders = [each for each in (folder, folder / TEMPLATES) if each.is_dir()]
    files = [file for each in folders for file in sorted(each.iterdir())]
    return [file for file in files if _limit_of(file.name) or file.suffix in (OLD_WEIGHTS, WEIGHTS)]


def _state(folder: Path, title: str) -> tuple[Any, ...]:
    """Return names, sizes and times of a folder's files, which identify its state."""
    try:
        with os.scandir(folder) as entries:
            num_files = sum(1 for _, _ in zip(entries, range(int(FOLDER_FILES.most) + 1), strict=False))
        refuse(title, folder.name, "the number of files", num_files, FOLDER_FILES)
        files = _files(folder)
        for file in files:
            check_plain(file, title)
        return tuple((file.name, status.st_size, status.st_mtime_ns) for file in files if (status := file.stat()))
    except OSError as error:
        raise PlaygroundError(f"{title} cannot be loaded: {error.strerror or error}. Choose another model.") from None
