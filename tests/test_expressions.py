"""Every regular expression of the package takes time that grows with its text, whoever writes that text.

Each is tried on texts made from itself: the beginning of a text that it matches, one of its parts again and again, and
an end that it does not match. One that looks for its end from every letter, or in several ways, is thousands of times
over the bound.
"""

import ast
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playground.models.drafters.mtp import DESCRIPTIONS, SPECULATORS
from playground.models.sources.heads import NAMES
from playground.trace.version_2 import _patterns
from playground.ui.served.request_limits import REQUEST_KINDS

ROOT = Path(__file__).parents[1]
MOST_S = 0.05  # Processor time for 32,000 letters: a linear expression takes some thousandths of a second.
SIZES = (12, 16, 20, 23, 100, 1000, 12_000, 32_000)  # an exponential one is found before it takes for ever
CANDIDATES = "a1 ./_-\n\"'({<[=:,A\x00é"
OWN_FILES = {"playground/views/modules.py", "playground/views/standalone.py"}  # read the page's scripts alone
BUILT = {  # of other texts than a constant: those of tables are tried beside the others, the others are
    "playground/words.py": "matched with 500 letters at most",
    "playground/trace/version_2.py": "of the table below",
    "playground/ui/served/request_limits.py": "of the table below",
    "playground/models/sources/heads.py": "of the table below",
    "playground/models/drafters/mtp.py": "of the table below",
}
FUNCTIONS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}


def expressions() -> Iterator[tuple[str, Any, int, set[str]]]:
    """Yield file and line, pattern, flags, and the functions it is used by, of each expression that is not built."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "playground").rglob("*.py"))}
    trees = {
        path: ast.parse(text) for path, text in texts.items() if re.search(r"^(import|from) re\b", text, re.MULTILINE)
    }
    uses: dict[str, set[str]] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
                name = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
                uses.setdefault(name, set()).add(node.attr)
    for path, tree in trees.items():
        name = path.relative_to(ROOT).as_posix()
        compiled = {
            id(call): {each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
            for node in ast.walk(tree) if isinstance(node, ast.Assign) for call in ast.walk(node.value)
        }  # fmt: skip
        constants = {
            target.id: node.value for node in tree.body if isinstance(node, ast.Assign)
            for target in node.targets if isinstance(target, ast.Name)
        }  # fmt: skip
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if (
                not isinstance(node.func.value, ast.Name)
                or node.func.value.id != "re"
                or node.func.attr not in FUNCTIONS
            ):
                continue
            pattern = node.args[0]
            pattern = constants.get(pattern.id, pattern) if isinstance(pattern, ast.Name) else pattern
            value = pattern.value if isinstance(pattern, ast.Constant) else None
            methods = {node.func.attr}
            if node.func.attr == "compile":
                methods = set().union(*(uses.get(each, set()) for each in compiled.get(id(node), ()))) or {"search"}
            yield f"{name}:{node.lineno}", value, _flags(node), methods


def _flags(node: ast.Call) -> int:
    """Add up the flags that a call names."""
    given = [each for value in (*node.args[1:], *(key.value for key in node.keywords)) for each in ast.walk(value)]
    named = {each.attr for each in given if isinstance(each, ast.Attribute)}
    return sum(flag for flag in re.RegexFlag if flag.name in named)


def witness(tree: Iterable) -> str:
    """Write a text that the parsed expression, or one like it, matches."""
    text = ""
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            text += chr(argument)
        elif name in ("IN", "NOT_LITERAL", "ANY"):
            text += next((each for each in CANDIDATES if _has(name, argument, each)), "a")
        elif name.endswith("REPEAT"):
            text += witness(argument[2]) * max(argument[0], 1)
        elif name == "SUBPATTERN":
            text += witness(argument[3])
        elif name == "BRANCH":
            text += witness(argument[1][0])
    return text


def _has(name: str, argument, letter: str) -> bool:
    if name != "IN":
        return name == "ANY" or ord(letter) != argument
    kinds = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": lambda each: each.isalnum() or each == "_"}
    is_in = False
    for operation, value in argument:
        if str(operation) == "LITERAL":
            is_in |= ord(letter) == value
        elif str(operation) == "RANGE":
            is_in |= value[0] <= ord(letter) <= value[1]
        elif str(operation) == "CATEGORY":
            kind = str(value).removeprefix("CATEGORY_")
            is_in |= kinds[kind.removeprefix("NOT_")](letter) != kind.startswith("NOT_")
    return is_in != any(str(operation) == "NEGATE" for operation, _ in argument)


def texts(pattern: str, flags: int) -> Iterator[tuple[str, str]]:
    """Yield beginnings and parts of a text that the pattern matches."""
    whole = witness(re._parser.parse(pattern, flags))[:60]  # pyright: ignore[reportAttributeAccessIssue]
    parts = {whole[at : at + length] for at in range(len(whole)) for length in (1, 2, 3)} | {whole, whole[:-1], " "}
    for part in parts - {""}:
        for start in {whole[: whole.find(part)], whole[: whole.find(part) + len(part)], ""}:
            yield start, part


def slowest(pattern: str | bytes, flags: int, methods: set[str]) -> tuple[float, str]:
    """Return the longest processor time, and what it was taken on; of two measurements the shorter."""
    compiled = re.compile(pattern, flags)
    worst = (0.0, "")
    for start, part in texts(pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern, flags & ~re.UNICODE):
        for size in SIZES:
            text = start + part * (size // len(part)) + "\x00"
            text = text.encode() if isinstance(pattern, bytes) else text
            seconds = min(_seconds(compiled, methods, text) for _ in range(2))
            worst = max(worst, (seconds, f"{start!r} + {part!r} * {size // len(part)}"))
            if seconds > MOST_S:
                return worst
    return worst


def _seconds(compiled: re.Pattern, methods: set[str], text: str | bytes) -> float:
    begun = time.process_time()
    if methods <= {"match", "fullmatch"}:
        for method in methods:
            getattr(compiled, method)(text)
    else:
        for _ in compiled.finditer(text):
            pass
    return time.process_time() - begun


ALL = list(expressions())
FOUND = [
    *(each for each in ALL if each[0].rpartition(":")[0] not in OWN_FILES),
    *((f"address {kind.path}", kind.path, 0, {"fullmatch"}) for kind in REQUEST_KINDS),
    *((f"head {pattern}", pattern, 0, {"search"}) for pattern, _ in NAMES),
    *(
        (f"prefix of {each.families}", each.prefix.format(last=1), 0, {"match"})
        for each in (*DESCRIPTIONS, SPECULATORS)
    ),
    *((f"reason {code}", pattern.pattern, 0, {"fullmatch"}) for code, pattern in _patterns()),
]


@pytest.mark.parametrize(("where", "pattern", "flags", "methods"), FOUND, ids=[each[0] for each in FOUND])
def test_an_expression_takes_time_that_grows_with_its_text(where, pattern, flags, methods):
    if pattern is None:
        assert where.rpartition(":")[0] in BUILT, "write it out, so that it can be tried here"
        return
    seconds, text = slowest(pattern, flags, methods)
    assert seconds <= MOST_S, f"{pattern!r} took {seconds:.3f} s on {text}"


@pytest.mark.parametrize("pattern", [r"=+ Result =+", r"(a+)+b", r"\s*\.\s*"])
def test_one_that_does_not_is_found(pattern):
    assert slowest(pattern, re.DOTALL, {"search"})[0] > MOST_S


def test_no_room_that_reads_logs_has_an_expression():
    assert not [where for where, *_ in ALL if where.startswith("playground/servers/")]
