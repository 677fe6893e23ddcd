"""One system of refusals, see CONTRIBUTING: by key behind translated parts of the page, English everywhere else.

A refusal by key is in the tables of the languages, which their own tests hold whole; a literal would be English amid
another language, and a key where nothing is translated would hide the sentence from whoever reads the code.
"""

import ast
from pathlib import Path

import pytest

import playground
from playground import child, errors, files
from playground.bench import results
from playground.ui.served import calls

PACKAGE = Path(playground.__file__).parent
REFUSALS = {
    *("PlaygroundError", "StoppedError", "BrokenOffError", "CannotWriteError", "InUseError", "RefusedCallError"),
}
# Rooms and files whose refusals Watch, Compare's race or Learn can show, and what in them no reader of these meets.
KEYED = (
    *("decoding/", "trace/", "options.py", "bench/entry.py", "bench/prompts.py"),
    *("models/catalog.py", "models/language_model.py", "models/penalties.py", "models/drafters/choice.py"),
    *("ui/contract/", "ui/live/", "ui/page/", "ui/recorded.py", "ui/runs/", "ui/watch/"),
)
ENGLISH = ("decoding/methods/", "decoding/batch.py", "trace/invariants.py", "ui/runs/sweep/")


def refusals(source: str) -> list[tuple[int, bool, bool]]:
    """Return of each refusal in a source its line, whether it has a literal sentence, and whether it is by key."""
    raised = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REFUSALS and node.args:
            parts = [node.args[0]]
            called = getattr(getattr(parts[0], "func", None), "id", "")
            if called == "paragraph":
                parts = parts[0].args
            is_literal = any(isinstance(part, ast.Constant | ast.JoinedStr | ast.BinOp) for part in parts)
            raised.append((node.lineno, is_literal, called in ("word", "paragraph")))
    return raised


def is_keyed(file: str) -> bool:
    return file.startswith(KEYED) and not file.startswith(ENGLISH)


@pytest.mark.parametrize(
    ("source", "is_literal", "by_key"),
    [
        ('raise PlaygroundError(f"{name} is empty.")', True, False),
        ('raise StoppedError("Stopped.")', True, False),
        ('raise PlaygroundError(word("refused_seed", seed=1))', False, True),
        ('raise PlaygroundError(paragraph(word("unknown_pair"), "Choose another."))', True, True),
        ("raise PlaygroundError(RACE_IS_OVER)", False, False),
    ],
)
def test_a_literal_is_told_from_a_key(source, is_literal, by_key):
    assert refusals(source) == [(1, is_literal, by_key)]


def test_every_refusal_is_by_key_where_it_is_translated_and_english_elsewhere():
    wrong, count = [], 0
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        for line, is_literal, by_key in refusals(path.read_text("utf-8")):
            count += 1
            if is_literal if is_keyed(file) else by_key:
                wrong.append(f"{file}:{line}: {'write it by key' if is_literal else 'write its English here'}")
    assert count > 450 and wrong == []


def test_every_kind_of_refusal_is_looked_at():
    kinds = [errors.PlaygroundError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert {kind.__name__ for kind in kinds if kind.__module__.startswith("playground.")} == REFUSALS
    assert all(map(callable, (child.ask, files.export_file, results.InUseError, calls.RefusedCallError)))
