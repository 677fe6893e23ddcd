"""Source of a model: a folder, a copy on this machine, or the Hub, whose size is read before it is downloaded.

What is on this machine is taken without asking the network. A Hub id may name a revision, `gpt2@607a30d`; whichever it
is, the commit that was loaded is known and goes into the trace.
"""

import errno
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from playground.errors import PlaygroundError
from playground.files import bytes_below
from playground.models.sources.address import model_name
from playground.models.sources.download import download, hub_errors_as_sentences
from playground.models.sources.folder import check_config, check_folder
from playground.models.sources.gguf_file import check_readable, is_gguf, local_file, on_hub, weights_of, weights_told
from playground.models.sources.memory_estimate import Weights, amount, weights_by_kind, weights_in

NO_ANSWER_S = 30.0  # The Hub may take so long to say whether a model exists.
LOOK_S = 0.5  # between two looks at how much of a download is there
SMALL = (".json", ".txt", ".model", ".jinja")  # configuration and tokenizer

Tell = Callable[[str], None]  # takes a sentence on how far loading is


def say_nothing(_: str) -> None:
    """Ignore a sentence."""


@dataclass(frozen=True, slots=True)
class Source:
    """A model that was found."""

    name: str  # It is the name that was given, without the revision.
    folder: Path  # It has the configuration, and all of the model once nothing is left to download.
    revision: str  # its commit on the Hub; empty for a folder
    weights: Weights
    files: tuple[tuple[str, int], ...] = ()  # (name, bytes) of what must be downloaded
    wanted_revision: str | None = None  # the one given; None: the newest, which is then found again without the network
    gguf: str = ""  # the file in the folder that all of the model is in; empty where the model is the folder

    @property
    def download_bytes(self) -> int:
        """Over the network."""
        return sum(size for _, size in self.files)

    @property
    def repository(self) -> str:
        """Hub id of the repository, without the name of a GGUF file."""
        return self.name.removesuffix(f":{self.gguf}")

    @property
    def options(self) -> dict[str, str]:
        """Arguments of `from_pretrained` besides the folder; the whole path, as a file here may have the same name."""
        return {"gguf_file": str(self.folder / self.gguf)} if self.gguf else {}


def find_source(name: str) -> Source:
    """Source of a model.

    Args:
        name: a folder, a Hub id, or a Hub id with "@" and a revision; a GGUF file, or a Hub id with ":" and the name of
            one; as people paste them, see `address`.

    Raises:
        PlaygroundError: if it is nowhere, or may not be had.
    """
    name = model_name(name)
    if not name:
        raise PlaygroundError("The model's name is empty. Give a Hub id such as gpt2, or a folder.")
    if "://" in name:
        raise PlaygroundError(f"{name} is an address outside of the Hub. Give a Hub id such as gpt2, or a folder.")
    if is_gguf(name):
        return _gguf_source(name)
    if is_folder(name):
        folder = _folder(name)
        if folder is None:
            raise PlaygroundError(f"This machine has no folder {name}. Give a folder with a config.json, or a Hub id.")
        if not (folder / "config.json").exists():
            files = [file.name for file in sorted(folder.iterdir()) if is_gguf(file.name)]
            way = f"Give its GGUF file: {folder / files[0]}" if files else "Choose another folder"
            raise PlaygroundError(f"The folder {name} holds no model: config.json is missing. {way}.")
        check_folder(folder, name)
        return Source(name, folder, "", weights_in(folder))
    repository, _, revision = name.partition("@")
    copy = _copy(repository, revision)
    if copy is None:
        return _on_hub(repository, revision or None)
    check_folder(copy, repository)
    return Source(repository, copy, copy.name, weights_in(copy))


def is_on_this_machine(name: str) -> bool:
    """Return whether a model can be loaded without the network."""
    name = model_name(name)
    if is_gguf(name):
        return local_file(name) is not None or (":" in name and _cached_folder(*on_hub(name)) is not None)
    if is_folder(name):
        return _folder(name) is not None
    repository, _, revision = name.partition("@")
    return _copy(repository, revision) is not None


def is_folder(name: str) -> bool:
    """Return whether a name is that of a folder; what could be both is a folder where there is one."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name or _folder(name) is not None


def _folder(name: str) -> Path | None:
    """Return the folder of this name, if there is one."""
    try:
        folder = Path(name).expanduser()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long, of a user who is not there, with a zero in it
        return None


def fetch(source: Source, tell: Tell = say_nothing, stop: Callable[[], bool] = lambda: False) -> Source:
    """Download what is missing, and return the source as it is on this machine.

    Args:
        tell: takes a sentence now and then on how much of it is there.
        stop: once it says True the download ends; what came of it is kept.

    Raises:
        PlaygroundError: if the disk is too small, or the network fails; StoppedError where it was stopped.
    """
    if not source.files:
        return source
    from huggingface_hub import constants

    cache = Path(constants.HF_HUB_CACHE)
    cache.mkdir(parents=True, exist_ok=True)
    whole = source.download_bytes
    if whole > (free := shutil.disk_usage(cache).free):
        raise _disk_full(source.name, whole, free)
    store = cache / f"models--{source.repository.replace('/', '--')}" / "blobs"
    before = bytes_below(store)

    def look() -> None:
        done = min(whole, max(0, bytes_below(store) - before))
        tell(f"Downloading {source.name}: {amount(done)} of {amount(whole)} ...")

    names = [name for name, _ in source.files]
    try:
        folder = download(source.repository, source.wanted_revision, names, look=look, look_s=LOOK_S, stop=stop)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise _disk_full(source.name, whole, shutil.disk_usage(cache).free) from None
    return replace(source, folder=Path(folder), revision=Path(folder).name, files=(), wanted_revision=None)


def _gguf_source(name: str) -> Source:
    """Source of a GGUF file."""
    check_readable(name)
    if file := local_file(name):
        return Source(name, file.parent, "", weights_of(file), gguf=file.name)
    repository, revision, file_name = on_hub(name)
    title = f"{repository}:{file_name}"
    if folder := _cached_folder(repository, revision, file_name):
        return Source(title, folder, folder.name, weights_of(folder / file_name), gguf=file_name)
    from huggingface_hub import HfApi

    with hub_errors_as_sentences(repository):
        info = HfApi().model_info(repository, revision=revision, timeout=NO_ANSWER_S, files_metadata=True)
    sizes = {each.rfilename: each.size or 0 for each in info.siblings or []}
    if file_name not in sizes:
        others = ", ".join(sorted(each for each in sizes if is_gguf(each))) or "none"
        raise PlaygroundError(f"{repository} has no file {file_name}. Its GGUF files: {others}.")
    size = sizes[file_name]
    weights = weights_told((info.gguf or {}).get("total"), size)
    return Source(title, Path(), info.sha or "", weights, ((file_name, size),), revision, file_name)


def _copy(repository: str, revision: str) -> Path | None:
    """Return the folder of a whole copy on this machine; None where there is none."""
    folder = _cached_folder(repository, revision or None, "config.json")
    return folder if folder and _is_whole(folder) else None


def _cached_folder(repository: str, revision: str | None, file: str) -> Path | None:
    """Return the folder of a repository's copy on this machine, if it holds this file."""
    from huggingface_hub import errors, try_to_load_from_cache

    try:
        path = try_to_load_from_cache(repository, file, revision=revision)
    except errors.HFValidationError:
        return None
    return Path(path.removesuffix(file)) if isinstance(path, str) else None


def _is_whole(folder: Path) -> bool:
    """Return whether all weights are there; a download that was broken off leaves some out."""
    for index in folder.glob("*.index.json"):
        names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        if all((folder / name).exists() for name in names):
            return True
    return any((folder / name).exists() for name in ("model.safetensors", "pytorch_model.bin"))


def _on_hub(name: str, revision: str | None) -> Source:
    """Information from the Hub about a model: quickly, where loading it blindly would block without a network."""
    from huggingface_hub import HfApi, hf_hub_download

    with hub_errors_as_sentences(name):
        info = HfApi().model_info(name, revision=revision, timeout=NO_ANSWER_S, files_metadata=True)
        files = _wanted({each.rfilename: each.size or 0 for each in info.siblings or []})
        if not any(file.endswith((".safetensors", ".bin")) for file, _ in files):
            raise PlaygroundError(f"{name} has no weights that transformers could load. Choose another model.")
        config = Path(hf_hub_download(name, "config.json", revision=revision))
    check_config(config, name)
    saved = sum(size for file, size in files if file.endswith((".safetensors", ".bin")))
    said = info.safetensors
    return Source(
        name,
        config.parent,
        info.sha or "",
        weights_by_kind(said.parameters) if said else Weights(saved // 2, saved),
        files,
        revision,
    )


def _wanted(sizes: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Files of a repository to load: weights once, in the better format, configuration and tokenizer."""
    top = {name: size for name, size in sizes.items() if "/" not in name}
    weights = [name for name in top if name.startswith("model") and name.endswith(".safetensors")]
    weights = weights or [name for name in top if name.startswith("pytorch_model") and name.endswith(".bin")]
    small = [name for name in top if name.endswith(SMALL)]
    return tuple((name, top[name]) for name in [*weights, *small])


def _disk_full(name: str, needed: int, free: int) -> PlaygroundError:
    return PlaygroundError(
        f"{name} is {amount(needed)} to download, and the disk has {amount(free)} free. Make room, or choose a smaller "
        "model; what was downloaded is kept."
    )
