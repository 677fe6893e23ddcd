"""The Python and the packages that the playground needs, and a virtual environment that has them.

Standard library only, and read by any Python from 3.8: whoever lacks the rest is told in a sentence what to do, or has
it done by `python3 app.py`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import TracebackType

HOME = Path(__file__).resolve().parents[1]
FOLDER = HOME / ".venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST, NEWER = (3, 11), ("python3.14", "python3.13", "python3.12", "python3.11")
TORCH = "torch==2.13.0"  # as tests/run has it; whatever else is there already is kept
TORCH_FOR_PROCESSORS = "https://download.pytorch.org/whl/cpu"  # where a package of torch has no CUDA with it
PIP = "https://pypi.org/pypi/pip/json"
SMALL = "some 0.3 GB to fetch, 1.5 GB on the disk"
LARGE = "3 GB to fetch and more where torch comes with CUDA"
WAIT_S = 10.0  # for the first word of a server


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


def refuse_missing(error: ModuleNotFoundError) -> None:
    """End where a package of requirements.txt was to be imported and is not here; leave any other error alone.

    Raises:
        SetupError: if it is one of those.
    """
    if (error.name or "").partition(".")[0] != "playground" and missing_packages():
        there = (
            f"Run this with {PYTHON}, which has it"
            if PYTHON.exists() and not _is_own_environment()
            else ("Set the playground up with `python3 app.py --install`, and run this with the Python in .venv")
        )
        refuse(f"The package {error.name} is not in this Python ({sys.executable}). {there}.")


def missing_packages() -> list[str]:
    """The packages of requirements.txt that this Python does not have, whatever their versions."""
    import re
    from importlib.metadata import PackageNotFoundError, distribution

    def is_missing(name: str) -> bool:
        try:
            distribution(name)
        except PackageNotFoundError:
            return True
        return False

    file = HOME / "requirements.txt"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [name for name in re.findall(r"^[\w.-]+", text, re.MULTILINE) if is_missing(name)]


def prepare(*, install: bool) -> None:
    """See that every package is here: go on in `.venv`, or make it and install them, once that is agreed to.

    In a virtual environment that somebody made they are installed there.

    Args:
        install: whether it was agreed to beforehand.
    """
    missing = missing_packages()
    if not missing:
        return
    if not _is_own_environment() and PYTHON.exists():
        _go_on(install=install)
    if not install:
        _ask(missing)
    if not _is_own_environment():
        make_environment()
        _go_on(install=True)
    if importlib.util.find_spec("pip") is None:
        _give_pip()
    pip = [sys.executable, "-m", "pip", "install"]
    if "torch" in missing:
        index = torch_index()
        _call([*pip, TORCH, *(["--index-url", index] if index else [])])
    _call([*pip, "-r", str(HOME / "requirements.txt")])
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
    """True if this Python is of `.venv`, or of another environment in which pip may install; uv's own has no pip."""
    is_own = sys.prefix != sys.base_prefix or os.environ.get("CONDA_PREFIX") == sys.prefix
    return Path(sys.prefix) == FOLDER or (is_own and importlib.util.find_spec("pip") is not None)


def _ask(missing: list[str]) -> None:
    """Go on if somebody agrees; where nobody can be asked, end with what to do."""
    lacking = f"This Python ({sys.executable}) lacks {missing[0]}"
    lacking += f" and {len(missing) - 1} more packages." if len(missing) > 1 else "."
    where = Path(sys.prefix) if _is_own_environment() else FOLDER
    if not (sys.stdin and sys.stdin.isatty()):
        sys.exit(f"{lacking} Run `python3 app.py --install` to have them in {where}: {SMALL}, or {LARGE}.")
    size = LARGE if "torch" in missing and _is_linux() and torch_index() is None else SMALL
    try:
        answer = input(f"{lacking}\nInstall into {where}: {size}? [Y/n] ")
    except (EOFError, KeyboardInterrupt):
        answer = "n"
    if answer.strip().lower() not in ("", "y", "yes"):
        sys.exit("Nothing was installed. Run this again, or install requirements.txt into an environment of yours.")


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


def _go_on(*, install: bool) -> None:
    """Runs the command again in `.venv`; this process ends with it."""
    flags = [*sys.argv[1:], *(["--install"] if install and "--install" not in sys.argv else [])]
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
