"""A function fits on a screen."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST = 60  # lines


def lengths() -> dict[str, int]:
    paths = [ROOT / "app.py", *sorted((ROOT / "playground").rglob("*.py"))]
    return {
        f"{path.relative_to(ROOT).as_posix()}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_no_function_is_longer_than_a_screen():
    assert not {name: lines for name, lines in lengths().items() if lines > MOST}
