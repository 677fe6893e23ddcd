"""The word list: the code speaks the field's words, and what is left of its old dialect only gets less.

Counted in every package, in the tests, and in every folder of scripts: names bound to a word of the dialect, docstrings
that begin like a question, with "Of" or with "The same", and messages that say "is no number". A test's own name is a
sentence, and may have any word. `python -m tests.test_words` prints the counts, and with the name of a package every
line.
"""

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# word of the dialect -> what to say instead
PARTICIPLES = dict.fromkeys(
    [
        *("asked", "begun", "found", "gone", "hung", "kept", "lent"),
        *("made", "parted", "settled", "taken", "thrown", "told"),
    ],
    "a noun for what it holds: results, request, top_tokens, saved_run, ...",
)
WHOLE = PARTICIPLES | {
    "crew": "worker_pool",
    "doors": "request_limits",
    "fits": "validate",
    "hand": "job_runner, sampler",
    "hands": "samplers",
    "hire": "spawn",
    "leaner": "try_fast_pass",
    "narrower": "try_16_bit",
    "need": "memory_estimate",
    "proved": "check_...",
    "rest": "residual, others",
    "rests": "residuals",
    "room": "tokens_left",
    "visit": "request",
    "visits": "requests",
    "visitor": "session, client",
    "whoever": "client",
    "writer": "draft_sampler",
    "writers": "draft_samplers",
}
PARTS = {  # also inside a longer name: output_law, coin_for
    "coin": "uniform",
    "coins": "uniforms, rng",
    "law": "distribution",
    "laws": "distributions, invariants",
    "place": "index, position",
    "places": "indices, positions",
}
QUESTION = re.compile(r"(who|what|how|where|whether|which|when|why|of|the same)\b", re.IGNORECASE)
IS_NO = re.compile(r"\b(is|are) no (?!longer|more)")

# package -> names, docstrings, messages that may be left of the dialect. Lower them after a sweep; never raise one.
ALLOWED = {
    "assets/lab": (26, 0, 0),
    "assets/learn": (5, 0, 0),
    "assets/page": (7, 0, 0),
    "assets/player": (50, 0, 0),
    "assets/runs": (12, 0, 0),
    "assets/recommend": (2, 0, 0),
    "assets/shared": (15, 0, 0),
    "exactness": (1, 0, 0),
    "makers": (1, 0, 0),
    "papers": (3, 0, 0),
    "recommender": (1, 0, 0),
    "tests": (431, 98, 10),
    "ui": (1, 0, 0),
    "views": (1, 0, 0),
}


def bound(tree):
    """Every name that a module binds, and its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.MatchAs(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name, node.lineno
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from ((alias.asname, node.lineno) for alias in aliases if alias.asname)


def field_word(name):
    """Return the word in place of a name of the dialect; None for any other."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_")
    return WHOLE.get(words) or next((PARTS[part] for part in words.split("_") if part in PARTS), None)


def docstrings(tree):
    """The string node of every docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            match first:
                case ast.Expr(value=ast.Constant(value=str()) as text):
                    yield text


def offences(source, module_name=""):
    """(kind, line, text) of everything in a source that the word list names."""
    tree = ast.parse(source)
    texts = list(docstrings(tree))
    for name, line in [(module_name, 1), *bound(tree)]:
        if not name.startswith("test_") and (instead := field_word(name)):
            yield "names", line, f"{name}: {instead}"
    for node in texts:
        if QUESTION.match(node.value.strip()):
            yield "docstrings", node.lineno, node.value.strip().splitlines()[0]
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in texts
        if is_text and IS_NO.search(node.value):
            yield "messages", node.lineno, node.value


DECLARED = re.compile(r"\b(?:const|let|var|class|function\*?) +(\w+)")
METHOD = re.compile(r"^ +(?:(?:static|async|get|set) )*[*#]?(?!(?:if|for|while|switch|catch)\b)(\w+)\(([^()]*)\) \{$")
# names that are destructured, or parameters
SEVERAL = re.compile(
    r"\b(?:const|let) ([\[{][^=]*[\]}]) =|\bfor \(const ([\[{].*?[\]}]) of|"
    r"\(([^()]*)\) =>|\b(\w+) =>|\bfunction\*? ?\w*\(([^()]*)\)"
)
NOT_BOUND = re.compile(r"=[^,}\]]*|\w+\s*:")  # defaults, and names of properties that get another one here
COMMENT = re.compile(r"/\*\* +(.*)")


def bound_in_script(line):
    """The names that a line of JavaScript binds."""
    method = METHOD.match(line)
    parts = [method[2]] if method else []
    parts += [part for match in SEVERAL.finditer(line) for part in match.groups() if part]
    several = {name for part in parts for name in re.findall(r"[A-Za-z_]\w*", NOT_BOUND.sub("", part))}
    return sorted({*DECLARED.findall(line), *([method[1]] if method else []), *several})


def offences_of_script(source):
    """Names and comments of JavaScript, line by line; its docstrings are the comments that begin with /**."""
    for number, line in enumerate(source.splitlines(), 1):
        for name in bound_in_script(line):
            if instead := field_word(name):
                yield "names", number, f"{name}: {instead}"
        if (comment := COMMENT.search(line)) and QUESTION.match(comment[1]):
            yield "docstrings", number, comment[1]


def package_of(file):
    """`playground/ui/live/turns.py` is in ui, `playground/tree.py` in playground, a script in its folder of assets."""
    folder, *parts = file.relative_to(ROOT).parts
    if folder == "assets":
        return f"assets/{parts[0]}"
    if folder == "tests":
        return folder
    return parts[0] if len(parts) > 1 else "playground"


def dialect():
    """Package -> kind -> a line of report for each offence."""
    reports = defaultdict(lambda: {"names": [], "docstrings": [], "messages": []})
    for file in sorted([*(ROOT / "playground").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]):
        package = reports[package_of(file)]
        for kind, line, text in offences(file.read_text(encoding="utf-8"), file.stem):
            package[kind].append(f"{file.relative_to(ROOT)}:{line}: {text}")
    for file in sorted((ROOT / "assets").rglob("*.js")):
        for kind, line, text in offences_of_script(file.read_text(encoding="utf-8")):
            reports[package_of(file)][kind].append(f"{file.relative_to(ROOT)}:{line}: {text}")
    return reports


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("found = 1", ["names"]),
        ("def output_law(p): pass", ["names"]),
        ("class _Laws: pass", ["names"]),
        ("def f(place, self): self.kept = 1", ["names", "names"]),
        ("def f():\n    'How far it goes.'", ["docstrings"]),
        ("class A:\n    'The same for several.'", ["docstrings"]),
        ("raise ValueError(f'{x!r} is no number.')", ["messages"]),
        ("foundation = placeholder = 'it is no longer there'\ndef f():\n    'Rows of a table.'", []),
    ],
)
def test_the_word_list_knows_the_dialect_from_the_field_s_words(source, kinds):
    assert [kind for kind, *_ in offences(source)] == kinds


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("const { found, place: index } = told;", ["found", "index"]),
        ("  for (const [place, node] of kept) use(node);", ["node", "place"]),
        ("  visit(node, { rest = 3 } = {}) {", ["node", "rest", "visit"]),
        ("rows.map(({ coin }) => coin).filter(made => made)", ["coin", "made"]),
        ("if (found) return place;", []),
    ],
)
def test_names_of_scripts_are_found_wherever_they_are_bound(line, names):
    assert bound_in_script(line) == names


def test_the_dialect_only_gets_less():
    more = []
    for package, kinds in dialect().items():
        for (kind, lines), allowed in zip(kinds.items(), ALLOWED.get(package, (0, 0, 0)), strict=True):
            if len(lines) > allowed:
                more += [f"{package}: {len(lines)} {kind}, {allowed} allowed:", *(f"  {line}" for line in lines)]
    assert not more, "\n".join(more)


if __name__ == "__main__":
    for package, kinds in sorted(dialect().items()):
        print(f"{package:12}", {kind: len(lines) for kind, lines in kinds.items()})
        if package in sys.argv[1:]:
            print(*(line for lines in kinds.values() for line in lines), sep="\n")
