"""The light parts stay light, and what is imported is declared."""

import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
OPTIONAL = {"gguf", "ray", "spaces"}  # imported where they are wanted, which says in a sentence how to install them


def loaded_by(statement):
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split())


def test_a_trace_opens_measures_and_draws_without_a_heavy_library():
    statement = (
        "from playground.trace import load; from playground.metrics.summary import summarise; "
        "from playground.views.charts import page_charts; t = load('assets/traces/greedy.json.gz'); "
        "summarise(t); page_charts(t)"
    )
    assert not loaded_by(statement) & {"torch", "transformers", "gradio", "jsonschema"}


@pytest.mark.parametrize("module", ["playground", "playground.makers.commands", "playground.trace"])
def test_help_of_the_command_line_and_reading_a_trace_load_nothing_heavy(module):
    heavy = {"torch", "transformers", "gradio", "plotly", "numpy", "scipy", "jsonschema"}
    assert not loaded_by(f"import {module}") & heavy


def declared(*files):
    """The distributions that these files of requirements name."""
    lines = [line for file in files for line in (ROOT / file).read_text().splitlines()]
    return {_name(re.match(r"[\w.-]+", line)[0]) for line in lines if line and not line.startswith("#")}


def imported(*places):
    """Module outside the standard library and this repository -> a file that imports it."""
    results = {}
    for index in places:
        for file in sorted((ROOT / index).rglob("*.py")) if (ROOT / index).is_dir() else [ROOT / index]:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
                results.update((name.split(".")[0], file.relative_to(ROOT)) for name in names)
    known = {*sys.stdlib_module_names, "playground", "tests"}
    return {module: file for module, file in results.items() if module not in known}


def import_graph(package):
    """Module of a package -> those of its modules that it imports: anywhere in it, in a function or for types alone."""
    files = {
        ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): file
        for file in sorted(package.rglob("*.py"))
    }
    graph = {}
    for module, file in files.items():
        names = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{file}, line {node.lineno}: name the package in full"
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                names.update(name if name in files else node.module for name in inner)
        graph[module] = (names & files.keys()) - {module}
    return graph


def circle(graph):
    """Modules, each imported by the next, that begin and end with the same one; empty where there are none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_file_imports_another_that_imports_it():
    """Be it through others, in a function, or for its types: what a file is about can be told without what uses it."""
    graph = import_graph(ROOT / "playground")
    assert len(graph) > 400 and sum(map(len, graph.values())) > len(graph)
    assert circle(graph) == []


@pytest.mark.parametrize(
    "back",
    ["import house.a", "from house import a", "def f():\n    from house.a import x", "if T:\n    import house.a"],
)
def test_an_import_back_makes_a_circle(tmp_path, back):
    package = tmp_path / "house"
    package.mkdir()
    for name, text in {"__init__": "", "a": "from house.b import y", "b": "import house.c", "c": ""}.items():
        (package / f"{name}.py").write_text(text)
    assert circle(import_graph(package)) == []
    (package / "c.py").write_text(back)
    assert set(circle(import_graph(package))) == {"house.a", "house.b", "house.c"}


def _name(distribution):
    return re.sub(r"[-_.]+", "-", distribution).lower()


@pytest.mark.parametrize(
    ("places", "files"),
    [
        (["playground", "app.py"], ["requirements.txt"]),
        (["tests"], ["requirements.txt", "tests/requirements.txt"]),
    ],
)
def test_every_library_that_is_imported_is_declared(places, files):
    """A library that another happens to bring along is gone when that one stops to."""
    provided = packages_distributions()
    missing = {
        module: str(file)
        for module, file in imported(*places).items()
        if module not in OPTIONAL and not {_name(each) for each in provided.get(module, [module])} & declared(*files)
    }
    assert not missing


def test_the_oldest_versions_follow_from_the_lower_bounds():
    """As .github/workflows/bounds.yml makes them: every library of ours is held at exactly one."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/bounds.yml").read_text(encoding="utf-8"))["jobs"]
    command = next(step["run"] for step in jobs["oldest"]["steps"] if "sed" in step.get("run", ""))
    pins = subprocess.check_output(["bash", "-c", command.rpartition(">")[0]], cwd=ROOT, text=True).split()
    assert {_name(pin.partition("==")[0]) for pin in pins} == declared("requirements.txt")
    assert all(re.fullmatch(r"[\w-]+==\d+(\.\d+)*", pin) for pin in pins), pins
