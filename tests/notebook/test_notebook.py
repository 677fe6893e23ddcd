"""The example notebook and the README's code, where neither torch nor Gradio can be imported."""

import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from playground.errors import PlaygroundError
from playground.notebook import show
from tests.trace.example import speculative_trace

ROOT = Path(__file__).parents[2]
BLOCKED = """
import sys
for name in ("torch", "transformers", "gradio", "plotly", "networkx", "scipy", "huggingface_hub", "tokenizers"):
    sys.modules[name] = None  # importing it now fails
"""
RUN = """
import ast, json
told = []
for source in json.loads(sys.stdin.read()):
    *body, last = ast.parse(source).body
    exec(compile(ast.Module(body, []), "cell", "exec"), globals())
    value = eval(compile(ast.Expression(last.value), "cell", "eval")) if isinstance(last, ast.Expr) else exec(
        compile(ast.Module([last], []), "cell", "exec"), globals())
    shown = getattr(value, "_repr_html_", None) or getattr(value, "_repr_svg_", None)
    told.append(shown()[:40] if shown else None)
print("SHOWN", json.dumps(told))
"""


def shown_by(sources: list[str], folder: Path) -> list[str | None]:
    """How what each cell ends with begins."""
    command = [sys.executable, "-c", BLOCKED + RUN]
    done = subprocess.run(command, input=json.dumps(sources), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.rpartition("SHOWN ")[2])


def test_the_notebook_runs_without_torch_and_gradio_from_its_own_folder():
    notebook = json.loads((ROOT / "assets" / "notebook.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and not any(cell.get("outputs") for cell in notebook["cells"])
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = [each[:7] for each in shown_by(sources, ROOT / "assets") if each]
    assert shown == ["<iframe", "<iframe", "<svg xm"]


def test_the_code_of_the_readme_runs_too(tmp_path):
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "playground" / "notebook" / "README.md").read_text(), re.DOTALL)
    where = f"import sys, os; sys.path.insert(0, {str(ROOT)!r})\nsave = {str(tmp_path / 'tree.svg')!r}\n"
    code = code.replace('"assets/', f'"{ROOT}/assets/').replace('"tree.svg"', "save")
    assert shown_by([where + code], tmp_path) == [None] and (tmp_path / "tree.svg").is_file()


class Frame(HTMLParser):
    """The one element that a cell shows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_a_frame_holds_the_whole_page_and_reaches_nothing_of_the_notebook():
    [(tag, attributes)] = Frame(show(speculative_trace(), 3)._repr_html_()).found
    page = attributes["srcdoc"] or ""
    assert tag == "iframe" and "allow-same-origin" not in (attributes["sandbox"] or "")
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert '<script type="application/json" id="step">3</script>' in page
    assert html.escape(page) in show(speculative_trace(), 3)._repr_html_()


def test_a_trace_shows_itself(tmp_path):
    assert speculative_trace()._repr_html_() == show(speculative_trace())._repr_html_()
    cell = f"from playground.trace import load\nload({str(ROOT / 'assets' / 'traces' / 'greedy.json.gz')!r})"
    assert shown_by([f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{cell}"], tmp_path)[0].startswith("<iframe")


def test_a_step_that_is_not_there_is_refused():
    with pytest.raises(PlaygroundError, match="from 0 to"):
        show(speculative_trace(), 99)
