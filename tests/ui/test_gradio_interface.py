"""Gradio is used by its public interface; what is not public is named here, and stands in one file."""

import ast
import re

from playground.paths import ROOT

UI = ROOT / "playground" / "ui"
PUBLIC = {"gradio", "gradio.components"}
INNARDS = UI / "served" / "gradio_queue.py"
ALLOWED = {"gradio.context", "gradio.route_utils", "_queue", "_id", "_data"}
STANDARD = {"_exit", "_replace"}  # os and named tuples have them.


def modules(tree):
    """Those of Gradio that are imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def private_names(tree):
    """Attributes that begin with an underscore, but for those that the file's own objects have."""
    results = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr)]
    own = {node.attr for node in results if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")}
    yield from {node.attr for node in results} - own - STANDARD


def innards(path):
    tree = ast.parse(path.read_text())
    yield from (name for name in modules(tree) if name.split(".")[0] == "gradio" and name not in PUBLIC)
    yield from private_names(tree)


def test_what_is_not_public_in_gradio_is_used_in_one_file_alone():
    used = {path: set(innards(path)) for path in [*UI.rglob("*.py"), ROOT / "app.py"]}
    assert used.pop(INNARDS) == ALLOWED
    assert not {path: names for path, names in used.items() if names}


def test_the_scripts_of_the_page_change_nothing_of_the_browsers_or_gradios():
    """A function of the window that is replaced, or an element that is known by how Gradio builds it."""
    scripts = [*(ROOT / "assets" / "page").rglob("*.js"), *(ROOT / "assets" / "lab").rglob("*.js")]
    foreign = re.compile(r"window\.\w+ = |prototype\.\w+ = |tab-wrapper|tab-container|data-tab-id|svelte|data-testid")
    assert not {path.name: foreign.findall(path.read_text()) for path in scripts if foreign.search(path.read_text())}
