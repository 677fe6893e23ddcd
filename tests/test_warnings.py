"""A library's warning of a call that it will refuse one day: a failure here, and nothing that a user sees."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
AS_ERRORS = ["-W", "error::FutureWarning", "-W", "error::DeprecationWarning"]


def python(*arguments):
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=clean, capture_output=True, text=True)


@pytest.mark.parametrize("category", [FutureWarning, DeprecationWarning, PendingDeprecationWarning])
@pytest.mark.parametrize("module", ["tests.test_warnings", "playground.models", "torch.nn.modules.module"])
def test_a_deprecated_call_fails_a_test(category, module):
    """Those that models are called with come from torch: it stands between us and transformers."""
    with pytest.raises(category):
        warnings.warn_explicit("going", category, "file.py", 1, module=module)


@pytest.mark.slow
def test_no_call_of_a_run_is_deprecated_and_the_module_prints_nothing_but_json():
    """A whole process: libraries must not print on standard output, and prompts of any characters must survive."""
    arguments = ["run", "--method", "rsd_s", "--prompt", "caf\u00e9 \U0001f642 <img src=x> ${x}", "--json"]
    ran = python(*AS_ERRORS, "-m", "playground", *arguments, "--max-new-tokens", "12")
    assert ran.returncode == 0 and ran.stderr == "", ran.stderr
    assert json.loads(ran.stdout)["num_tokens"] == 12


@pytest.mark.parametrize("module", ["playground.__main__", "app"])
def test_a_user_sees_no_warning_of_a_library_unless_asked_for(module):
    warn = f"import {module}, warnings; warnings.warn('going', FutureWarning)"
    assert python("-c", warn).stderr == ""
    assert "going" in python("-W", "default", "-c", warn).stderr
