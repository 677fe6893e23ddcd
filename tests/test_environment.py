"""A machine without the packages, or with an older Python, is told what to do in a sentence, or has it done."""

import ast
import hashlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from playground import environment
from playground.environment import (
    check_environment,
    is_within,
    prepare,
    torch_index,
    unmet_requirements,
)

ROOT = Path(__file__).parents[1]
NUMPY = {"numpy": "numpy 2.3.1 (needed: 2.4 or newer, below 3)"}
UNMET = {"torch": "no torch"} | NUMPY
FIRST_READ = ("app.py", "playground/__init__.py", "playground/environment.py")


@pytest.fixture
def bare(tmp_path):
    """`bare(*arguments)` runs a copy of the code by a Python that has no packages; (code, stderr)."""
    for folder in ("playground", "assets/languages"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)

    def run(*arguments):
        command = [sys.executable, "-S", *arguments]
        ended = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return ended.returncode, ended.stderr

    return run


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """Collect the calls on Linux without a GPU, in a Python that lacks torch and numpy; none is made."""
    called = []
    monkeypatch.setattr(environment, "FOLDER", tmp_path / ".venv")
    monkeypatch.setattr(environment, "PYTHON", tmp_path / ".venv/bin/python")
    monkeypatch.setattr(environment, "unmet_requirements", lru_cache(lambda: UNMET))
    monkeypatch.setattr(environment, "torch_index", lambda: environment.TORCH_FOR_PROCESSORS)
    monkeypatch.setattr(environment, "_is_own_environment", lambda: False)
    monkeypatch.setattr(environment, "_call", called.append)
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: name)  # pip and ensurepip are here
    monkeypatch.setattr(os, "execv", lambda path, command: sys.exit(command))
    monkeypatch.setattr(sys, "argv", ["app.py", "--port", "7870"])
    return called


class Terminal:
    def isatty(self):
        return True


def answering(monkeypatch, answer):
    def read(question):
        requests.append(question)
        if answer is None:
            raise EOFError
        return answer

    requests = []
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("builtins.input", read)
    return requests


@pytest.mark.parametrize("name", FIRST_READ)
def test_an_older_python_can_read_what_refuses_it(name):
    """It reads these before it is refused: none may have newer syntax, or import ours before the one that refuses."""
    tree = ast.parse((ROOT / name).read_text(), feature_version=(3, 8))
    imported = [each.module for each in tree.body if isinstance(each, ast.ImportFrom)]
    imported += [name.name for each in tree.body if isinstance(each, ast.Import) for name in each.names]
    ours = [module for module in imported if module.startswith("playground")]
    assert ours[:1] == ([] if name.endswith("environment.py") else ["playground.environment"])
    assert {module.partition(".")[0] for module in imported} - {"playground"} <= sys.stdlib_module_names


@pytest.mark.parametrize("version", [(3, 8, 18), (3, 10, 13)])
def test_an_older_python_is_refused_in_a_sentence_and_not_with_a_traceback(monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", version)
    message = r"^The playground needs Python 3\.11 or newer, and this is .*\. .*\.$"
    with pytest.raises(SystemExit, match=message):
        runpy.run_path(str(ROOT / "playground/environment.py"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["app.py"], "Run `python3 app.py --install` to have what it needs"),
        (["-m", "playground", "methods"], "Set the playground up with `python3 app.py --install`"),
        (["-c", "import playground; playground.run('rsd_s', 'x')"], "no torch, no transformers, no tokenizers, no saf"),
    ],
)
def test_without_packages_there_is_a_sentence_and_no_traceback(bare, arguments, sentence):
    code, said = bare(*arguments)
    assert code == 1 and sentence in said and said.count("\n") == 1


def test_what_needs_no_package_works_without(bare):
    assert bare("app.py", "--help") == (0, "")
    assert bare("-c", "import playground; playground.run") == (0, "")


@pytest.mark.parametrize(("version", "bounds", "expected"), [
    ("5.10.2", ">=5.24,<6", False), ("5.24", ">=5.24,<6", True), ("6.0.0", ">=5.24,<6", False),
    ("2.13.0+cpu", ">=2.9,<3", True), ("2.9.0a0+50eac811a6.nv25.09", ">=2.9,<3", True), ("2", ">=2.0,<3", True),
    ("0.9", ">=0.23.1,<1", False),
])  # fmt: skip
def test_a_version_is_within_bounds_by_its_release_and_no_other_bounds_are_required(version, bounds, expected):
    assert is_within(version, bounds) is expected
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[\w.-]+>=[\d.]+,<[\d.]+", line), line


def test_a_python_without_docstrings_is_refused_and_one_without_asserts_is_not():
    """Transformers reads its own docstrings while it loads a model."""
    ended = [
        subprocess.run([sys.executable, flag, "-c", "import playground"], cwd=ROOT, capture_output=True, text=True)
        for flag in ("-O", "-OO")
    ]
    assert [each.returncode for each in ended] == [0, 1]
    assert ended[1].stderr.startswith("-OO takes away the docstrings") and ended[1].stderr.count("\n") == 1


def test_nothing_is_missing_here_and_an_older_package_is_named_with_its_bounds_in_a_sentence(monkeypatch):
    assert unmet_requirements() == {}
    check_environment()
    assert environment.TORCH in (ROOT / "tests/run").read_text(), "the tests and the page install the same torch"
    monkeypatch.setattr(environment, "unmet_requirements", lambda: UNMET)
    with pytest.raises(SystemExit, match=r"has no torch, numpy 2\.3\.1 \(needed: 2\.4 or newer, below 3\)\. "):
        check_environment()


@pytest.mark.parametrize(("answer", "model"), [("", True), ("y", True), ("Yes", True), ("p", False)])
def test_who_agrees_gets_an_environment_and_goes_on_in_it(commands, monkeypatch, answer, model):
    request = answering(monkeypatch, answer)
    with pytest.raises(SystemExit) as gone_on:
        prepare(install=False)
    assert [command[1:3] for command in commands] == [["-m", "venv"]]
    flags = ["--port", "7870", "--install", *(["--with-model"] if model else [])]
    assert gone_on.value.code == [str(environment.PYTHON), str(ROOT / "app.py"), *flags]
    assert "a real chat model, too (93 MB)?" in request[0]


@pytest.mark.parametrize("answer", ["n", "what?", None])
def test_who_does_not_agree_gets_nothing_installed(commands, monkeypatch, answer):
    answering(monkeypatch, answer)
    with pytest.raises(SystemExit, match=r"^Nothing was installed\."):
        prepare(install=False)
    assert commands == []


def test_in_an_environment_the_packages_come_into_it_and_torch_without_cuda(commands, monkeypatch):
    monkeypatch.setattr(environment, "_is_own_environment", lambda: True)
    prepare(install=True)
    pip = [sys.executable, "-m", "pip", "install"]
    index = ["--index-url", "https://download.pytorch.org/whl/cpu"]
    assert commands == [[*pip, "torch==2.13.0", *index], [*pip, "-r", str(ROOT / "requirements.txt")]]


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("lacks_packages", [False, True])
def test_the_chat_model_comes_without_its_dependencies_and_its_failure_stops_nothing(
    commands, monkeypatch, capsys, lacks_packages, fails
):
    monkeypatch.setattr(environment, "_is_own_environment", lambda: True)
    monkeypatch.setattr(environment, "unmet_requirements", lru_cache(lambda: NUMPY if lacks_packages else {}))
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: name != environment.MODEL_MODULE)
    tried = []
    monkeypatch.setattr(subprocess, "call", lambda command: tried.append(command) or fails)
    prepare(install=True, with_model=False)
    assert tried == []
    prepare(install=True, with_model=True)
    first, *then = [command[4:] for command in tried]
    assert first == ["--no-deps", environment.MODEL] and bool(then) is not fails
    assert ("everything runs on the bundled pair" in capsys.readouterr().err) is fails


def test_an_environment_that_is_there_is_gone_on_in(commands):
    environment.PYTHON.parent.mkdir(parents=True)
    environment.PYTHON.touch()
    with pytest.raises(SystemExit) as gone_on:
        prepare(install=False)
    assert commands == [] and gone_on.value.code[0] == str(environment.PYTHON) and "--install" not in gone_on.value.code


def test_without_ensurepip_the_environment_gets_pip_from_its_own_wheel(commands, monkeypatch):
    """Debian keeps ensurepip in a package of its own."""
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    wheel = b"a wheel"
    digests = {"sha256": hashlib.sha256(wheel).hexdigest()}
    files = [
        {"filename": "pip-1.tar.gz", "url": "sdist", "digests": digests},
        {"filename": "pip-1-py3-none-any.whl", "url": "../../pip.whl", "digests": digests},
    ]
    fetched = {environment.PIP: json.dumps({"urls": files}).encode(), "https://pypi.org/pip.whl": wheel}
    monkeypatch.setattr(environment, "_fetch", fetched.get)
    environment.make_environment()
    made, given = commands
    assert "--without-pip" in made and given[0] == str(environment.PYTHON) and given[1].endswith("-any.whl/pip")
    for broken in ({"https://pypi.org/pip.whl": b"another"}, {environment.PIP: None}):
        monkeypatch.setattr(environment, "_fetch", (fetched | broken).get)
        with pytest.raises(SystemExit, match="sudo apt install python3-venv"):
            environment.make_environment()


@pytest.mark.parametrize(("platform", "gpu", "reached", "is_used"), [
    ("linux", False, True, True), ("linux", True, True, False), ("linux", False, False, False),
    ("darwin", False, True, False), ("win32", False, True, False),
])  # fmt: skip
def test_only_linux_without_a_gpu_takes_torch_from_where_it_has_no_cuda(monkeypatch, platform, gpu, reached, is_used):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/nvidia-smi" if gpu else None)
    monkeypatch.setattr(Path, "exists", lambda path: False)
    monkeypatch.setattr(environment, "_fetch", lambda address: b"<" if reached else None)
    assert torch_index() == (environment.TORCH_FOR_PROCESSORS if is_used else None)
