"""The core that decoding/README.md walks through: small enough for an afternoon, and closed."""

import ast
import re
from pathlib import Path

import pytest

from playground.bench.entry import read_choices
from playground.decoding.method import make_method
from playground.exactness.enumeration import runs_distribution
from playground.models.table_model import TableModel

ROOT = Path(__file__).parents[1]
README = ROOT / "playground" / "decoding" / "README.md"
MOST = 1500  # lines that are not blank
# file -> its definitions that a reader of the core skips
CORE = {
    "tree.py": (),
    "models/forward.py": ("PathWork", "DepthLimited", "check_logits", "check_largest"),
    "decoding/reader.py": (),
    "decoding/setting.py": (),
    "decoding/decode.py": ("Request", "check_prompt", "_named"),
    "decoding/drafting/draft.py": (),
    "decoding/verdict.py": (),
    "decoding/categorical.py": (),
    "decoding/verifying.py": (),
    "decoding/verification/ruling.py": (),
    "decoding/verification/speculative.py": (),
    "decoding/verification/recursive.py": (),
    "decoding/methods/speculative_sampling.py": (),
    "decoding/methods/specinfer.py": (),
    "trace/events.py": ("Branch", "RunStarted", "Round", "BegunRound", "Trace"),
    "exactness/enumeration.py": ("method_round", "texts_distribution", "_write_on"),
}


def section() -> str:
    """The part of the page between its heading and the next one."""
    return README.read_text(encoding="utf-8").partition("## The core: a run in eight steps\n")[2].partition("\n## ")[0]


def linked() -> set[str]:
    """The files that the page links to, by their paths in `playground`."""
    folder = ROOT / "playground"
    links = [(README.parent / link).resolve() for link in re.findall(r"\]\(([^)]+\.py)\)", section())]
    return {path.relative_to(folder).as_posix() for path in links if path.is_relative_to(folder)}


def read(name: str) -> tuple[list[str], list[ast.stmt]]:
    """The lines of a file of the core that are not blank or skipped, and its statements that are not."""
    text = (ROOT / "playground" / name).read_text(encoding="utf-8")
    body = ast.parse(text).body
    skipped = [node for node in body if getattr(node, "name", "") in CORE[name]]
    assert len(skipped) == len(CORE[name]), f"{name} no longer defines all of {CORE[name]}"
    numbers = set()
    for node in skipped:
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        numbers |= set(range(first, node.end_lineno + 1))
    lines = [line for number, line in enumerate(text.splitlines(), 1) if line.strip() and number not in numbers]
    return lines, [node for node in body if node not in skipped]


def imported(name: str) -> set[str]:
    """The files of ours that a file of the core imports anywhere, for its types too."""
    found = set()
    for node in ast.walk(ast.Module(read(name)[1], [])):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("playground."):
            package = ROOT / node.module.replace(".", "/")
            for alias in node.names:
                file = package / f"{alias.name}.py"
                found.add(file if file.is_file() else package.with_suffix(".py"))
    return {file.relative_to(ROOT / "playground").as_posix() for file in found}


def test_the_core_is_read_in_an_afternoon():
    assert sum(len(read(name)[0]) for name in CORE) <= MOST


def test_the_page_walks_through_every_file_of_the_core_in_eight_steps():
    assert set(CORE) <= linked()
    assert re.findall(r"^(\d)\. ", section(), re.MULTILINE) == [str(number) for number in range(1, 9)]
    assert section().split()[:2] == ["Sixteen", "files"] and len(CORE) == 16


@pytest.mark.parametrize("name", CORE)
def test_the_core_imports_nothing_but_itself_and_what_the_page_names(name):
    assert imported(name) - set(CORE) <= linked()


@pytest.mark.parametrize("method", ["speculative_sampling:draft_length=2", "specinfer:draft_length=1"])
def test_its_last_step_holds_for_both_of_its_methods(method):
    """The joint distribution of two tokens, exactly."""
    target, draft = TableModel.random(3, seed=1), TableModel.random(3, seed=2)
    [(name, options)] = read_choices(method)
    texts, num_courses = runs_distribution(make_method(name, dict(options)), target, draft, (0,), 2)
    assert num_courses > 9
    for text, chance in texts.items():
        assert chance == pytest.approx(float(target.table[0, text[0]] * target.table[text[0], text[1]]), abs=1e-9)
