"""A library's warning of a call that it will refuse one day: a failure here, and nothing that a user sees."""

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
def test_no_call_of_a_run_is_deprecated():
    arguments = ["run", "--method", "rsd_s", "--prompt", "Tom had", "--max-new-tokens", "12"]
    ran = python(*AS_ERRORS, "-m", "playground", *arguments)
    assert ran.returncode == 0 and ran.stdout.startswith("Tom had") and ran.stderr == "", ran.stderr


@pytest.mark.parametrize("module", ["playground.__main__", "app"])
def test_a_user_sees_no_warning_of_a_library_unless_asked_for(module):
    warn = f"import {module}, warnings; warnings.warn('going', FutureWarning)"
    assert python("-c", warn).stderr == ""
    assert "going" in python("-W", "default", "-c", warn).stderr
