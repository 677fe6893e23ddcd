"""Take the duties of a round out of the shared code, one at a time: `python -m tests.decoding.duties`

A method need not think of the budget, end tokens, the round's end or q (playground/decoding/README.md), so nothing in a
method's own tests would miss them. Each line below takes one away from a copy of the project; the tests that all
methods share are run on it up to the first that fails. One that survives is a duty that nothing holds.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LEFT_OUT = (".git", "node_modules", ".venv", "runs", "__pycache__")
SHARED = ("tests/decoding", "tests/exactness", "tests/trace")
SETTING, VERIFYING, DECODE, DISTRIBUTION, DRAFT = (
    f"playground/decoding/{name}.py" for name in ("setting", "verifying", "decode", "distribution", "drafting/draft")
)


class Duty(NamedTuple):
    """What is taken away, where it stands, and what stands there instead."""

    name: str
    file: str
    text: str
    instead: str


DUTIES = [
    Duty("depths keep within the budget", SETTING, "min(limit, self.tokens_left - 1, ", "min(limit, "),
    Duty("depths keep within the context of the drafts", SETTING, ", *(context - start for context in contexts)", ""),
    Duty("depths stop at end tokens", SETTING, "dict.fromkeys(nodes) if not self.ends(node)", "dict.fromkeys(nodes)"),
    Duty("a depth holds a node once", SETTING, "in dict.fromkeys(nodes) if", "in nodes if"),
    Duty("what was accepted is cut to the budget", VERIFYING, "list(path[: setting.tokens_left])", "list(path)"),
    Duty(
        "what follows an accepted end token is cut",
        VERIFYING,
        "if setting.ends(node)), len(accepted))]",
        "if False), len(accepted))]",
    ),
    Duty("no token more where the budget is used up", VERIFYING, " or len(accepted) == setting.tokens_left", ""),
    Duty("no token more behind an end token", VERIFYING, " or (accepted and setting.ends(end))", ""),
    Duty("the correction is drawn from what is left", VERIFYING, " if extra_probs is None else extra_probs", ""),
    Duty("a correction is called one", VERIFYING, "if end in draft.draws:", "if False:"),
    Duty("a token without a draft is called plain", VERIFYING, "elif not draft.depths:", "elif False:"),
    Duty("draws that nobody came to are told", VERIFYING, ", *unreached(setting, draft, judgements)]", "]"),
    Duty("an empty draft asks no chain rule", VERIFYING, "if not draws:", "if False:"),
    Duty(
        "a node's judgements have the node's own p",
        VERIFYING,
        "p = probs[below.tokens]",
        "p = reading.probs[0][below.tokens]",
    ),
    Duty("q of a deterministic draw is 1", DISTRIBUTION, "return [1.0] * len(tokens)", "return [0.5] * len(tokens)"),
    Duty("a rule sees a deterministic draw as such", DISTRIBUTION, "row[list(tokens)] = 1", "row[list(tokens)] = 0.5"),
    Duty(
        "distinct draws are renormalised",
        DISTRIBUTION,
        "return left / mass if float(mass) > 0 else left",
        "return left",
    ),
    Duty(
        "distinct draws are struck out",
        DISTRIBUTION,
        "    left = zeroed(distribution, token)\n",
        "    left = distribution.copy()\n",
    ),
    Duty(
        "a token drawn twice is two draws",
        DRAFT,
        "            below.tokens.append(token)\n",
        "            below.tokens += {token}.difference(below.tokens)\n",
    ),
    Duty(
        "the run ends at its end token", DECODE, 'return "eos" if ended and not verdict.beams else None', "return None"
    ),
    Duty("tokens behind an end token are refused", DECODE, "    assert not late,", "    assert True,"),
    Duty(
        "more tokens than there is room for are refused",
        DECODE,
        "assert 1 <= len(nodes) <= setting.tokens_left,",
        "assert True,",
    ),
    Duty(
        "drafting has coins of its own",
        DECODE,
        "np.random.SeedSequence(request.seed).spawn(2)",
        "[np.random.SeedSequence(request.seed)] * 2",
    ),
]


def main(wanted: str = "") -> int:
    """Print of every duty with `wanted` in its name the first test that misses it; how many nothing misses."""
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for duty in DUTIES:
            if wanted not in duty.name:
                continue
            whole = (copy / duty.file).read_text()
            assert whole.count(duty.text) == 1, f"{duty.file} has {duty.text!r} {whole.count(duty.text)} times"
            (copy / duty.file).write_text(whole.replace(duty.text, duty.instead))
            missed = first_failure(copy)
            (copy / duty.file).write_text(whole)
            survived += not missed
            print(f"{duty.name}: {missed or 'NOTHING MISSES IT'}", flush=True)
    return survived


def first_failure(project: Path) -> str:
    """The first of the shared tests that fails there; empty where none does."""
    ignored = [f"--ignore=tests/decoding/{name}" for name in ("methods", "test_duties.py")]  # which reads these texts
    flags = ["-c", ".pytest.ini", "-x", "-p", "no:cacheprovider", *ignored, *SHARED]
    found = subprocess.run([sys.executable, "-m", "pytest", *flags], cwd=project, capture_output=True, text=True)
    named = re.search(r"^(?:FAILED|ERROR) (\S+)", found.stdout, re.MULTILINE)
    return named[1] if named else "" if found.returncode == 0 else f"pytest ended with {found.returncode}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
