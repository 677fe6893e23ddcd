"""`tests/run` fails if one of its checks does, and only then."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKS = ["python", "ruff", "lint-imports", "pyright", "node", "npm", "chromium"]
OF_SCRIPTS = ["prettier", "oxlint", "tsc"]


@pytest.mark.parametrize("words", [(), ("--no-browser",), ("tests/trace",)], ids=" ".join)
@pytest.mark.parametrize("failing", ["nothing", "--ignore tests/browser", "-m pytest", "ruff check", "tsc"])
def test_the_command_fails_where_a_check_does(tmp_path, failing, words):
    """Every program that it starts is a stub, which fails where its name and arguments hold `failing`."""
    scripts = tmp_path / "tests" / "javascript" / "node_modules" / ".bin"
    for folder in (tmp_path / "bin", scripts, tmp_path / "playground" / "models" / "passes" / "__pycache__"):
        folder.mkdir(parents=True)
    for folder, names in ((tmp_path / "bin", CHECKS), (scripts, OF_SCRIPTS)):
        for name in names:
            (folder / name).write_text(f'#!/bin/sh\ncase "${{0##*/}} $*" in *"{failing}"*) exit 1 ;; esac\n')
            (folder / name).chmod(0o755)
    shutil.copy(Path(__file__).with_name("run"), tmp_path / "tests" / "run")
    environment = os.environ | {"VIRTUAL_ENV": str(tmp_path), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "tests/run", *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
    is_failure = failing != "nothing" and not (failing.startswith("--ignore") and words)
    assert ran.returncode == is_failure, ran.stderr
    assert ("Everything passed." in ran.stderr) != is_failure
