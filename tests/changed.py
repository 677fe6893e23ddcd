"""The tests that a change can break, for `tests/run --changed`: their files, one a line.

A test is chosen if what it imports, at any depth, was changed. What no import tells is added: methods are found by the
names of their files, some tests start the app or the command line, scripts are read by their folder, data by whoever
names it. Of a change below the page the browser's tests are those that read it themselves, and THROUGH. A change whose
reach nobody knows chooses every test.
"""

import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import grimp

ROOT = Path(__file__).resolve().parents[1]
EVERYTHING = ["tests"]
GUARDS = [
    f"tests/test_{name}.py" for name in ("files", "functions", "imports", "readme", "words")
]  # they read all files
TABS = {  # folders of assets/ and playground/ui/ that one tab alone has, and the tests of the page that look at it
    "lab": "lab lab_sections losslessness editor",
    "learn": "site",
    "race": "race race_looks race_table compare",
    "recommend": "recommend",
    "sweep": "sweep",
    "site": "site",
}
SCRIPTS = {*TABS, "languages", "player", "page", "shared"}  # folders of assets/ with scripts and styles
FOUND_BY_NAME = {  # an importer, and the folder or file that it imports without saying so
    "playground.decoding.method": "playground.decoding.methods.",
    "playground.models.products": "playground.models.passes.compiled",
}
STARTED = {  # by a test, as a process
    r"\bapp\.py\b": "playground.ui.build",
    r'"-m", "playground"': "playground.makers.commands",
}
HANDS = "tests.browser.app_fixture"  # starts the app, and reads what it saved
THROUGH = {f"tests.browser.test_{name}" for name in ("compare", "programs", "sweep", "watch")}  # from page to models
READS_ASSETS = re.compile(r"\bASSETS\b|\bassets\b|\.javascript\b")


def main() -> None:
    """Print the files for the changes since the revision on the command line, or since the branch left main."""
    print(*files_for(changed_since(sys.argv[1] if len(sys.argv) > 1 else "")), sep="\n")


def changed_since(revision: str) -> list[str]:
    """List the files that differ from a revision, committed or not, and those that git does not know yet."""
    base = revision or _git("merge-base", "HEAD", _main())[0]
    return sorted({*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")})


def files_for(changed: Iterable[str]) -> list[str]:
    """List the test files that these changes can break; EVERYTHING where the reach of one is not known."""
    tests, graph = {*GUARDS}, imports()
    for path in changed:
        reached = _reached(path, graph)
        if reached is None:
            return EVERYTHING
        tests |= reached
    return sorted(tests)


@cache
def imports(*, of_app: bool = True) -> Any:
    """Build the graph of who imports whom, with what no import statement says.

    Args:
        of_app: a test that looks at the page reaches all that the app imports; else what it imports itself.
    """
    graph = grimp.build_graph("playground", "tests", cache_dir=None)
    names = sorted(graph.modules)
    for importer, result in FOUND_BY_NAME.items():
        for name in names:
            if name.startswith(result):
                graph.add_import(importer=importer, imported=name)
    if not of_app:
        for imported in graph.find_modules_directly_imported_by(HANDS):
            graph.remove_import(importer=HANDS, imported=imported)
        return graph
    for name in names:
        if not name.startswith("tests."):
            continue
        path = _path(name)
        text = path.read_text(encoding="utf-8")
        for pattern, started in STARTED.items():
            if re.search(pattern, text):
                graph.add_import(importer=name, imported=started)
        for folder in path.parents[: len(path.relative_to(ROOT).parts) - 1]:
            conftest = ".".join([*folder.relative_to(ROOT).parts, "conftest"])
            if conftest in graph.modules and conftest != name:
                graph.add_import(importer=name, imported=conftest)
    return graph


def _reached(path: str, graph: Any) -> set[str] | None:
    """Give the test files that a changed file can break; None for every one."""
    parts = Path(path).parts
    if path.endswith(".md") or parts[0] == ".github":
        return {*GUARDS}
    if path in ("tests/run", ".ci/run"):
        return {"tests/test_environment.py"}
    if parts[0] == "assets" and (path.endswith(".css") or (len(parts) > 2 and parts[1] in SCRIPTS)):
        tests = {name for name in _tests(graph) if READS_ASSETS.search(_path(name).read_text(encoding="utf-8"))}
        aside = {f"tests.javascript.{file.stem}" for file in (ROOT / "tests" / "javascript").glob("test_*.py")}
        browser = {name for name in _tests(graph) if name.startswith("tests.browser.")}
        return _files(_of_tabs({parts[1]}, tests | aside | browser))
    if parts[0] == "assets" and parts[1] != "models":
        readers = _readers(parts[1] if len(parts) > 2 else Path(path).stem, graph)
        return set[str]().union(*(_of_module(name, graph) for name in readers)) if readers else None
    name = ".".join(parts).removesuffix(".py").removesuffix(".__init__")
    if parts[0] in ("tests", "playground") and path.endswith(".py") and not (ROOT / path).exists():
        # what imported it is among the changes, or pyright says so
        finders = [importer for importer, result in FOUND_BY_NAME.items() if name.startswith(result)]
        return {*GUARDS}.union(*(_of_module(finder, graph) for finder in finders))
    return _of_module(name, graph) if path.endswith(".py") and name in graph.modules else None


def _readers(name: str, graph: Any) -> set[str]:
    """Return the modules that name a folder of assets/, or a file there that is in none."""
    named = re.compile(rf"""["'/]{re.escape(name)}\b""")
    return {each for each in graph.modules if named.search(_path(each).read_text(encoding="utf-8"))}


def _of_module(name: str, graph: Any) -> set[str]:
    """Give the test files that a module reaches."""
    reached = {name, *graph.find_downstream_modules(name)}
    page = {each.split(".")[2] for each in reached if each.startswith("playground.ui.")} - {"build"}
    tests = _of_tabs(page, reached & _tests(graph))
    if name.startswith("playground.") and not name.startswith("playground.ui."):
        own = imports(of_app=False)
        reading = own.find_downstream_modules(name) | THROUGH
        tests = {each for each in tests if not each.startswith("tests.browser.") or each in reading}
    return _files(tests)


def _of_tabs(folders: set[str], tests: set[str]) -> set[str]:
    """Leave the other tabs' tests of the page out, where these folders of the page are single tabs'."""
    if not folders or not folders.issubset(TABS):
        return tests
    own = {f"tests.browser.test_{name}" for folder in folders for name in TABS[folder].split()}
    own |= {"tests.browser.test_accessible", "tests.browser.test_languages"}
    return {name for name in tests if not name.startswith("tests.browser.") or name in own}


def _tests(graph: Any) -> set[str]:
    return {name for name in graph.modules if re.fullmatch(r"tests\.(?:\w+\.)*test_\w+", name)}


def _files(names: set[str]) -> set[str]:
    return {_path(name).relative_to(ROOT).as_posix() for name in names}


def _path(name: str) -> Path:
    path = ROOT.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _main() -> str:
    return next(
        (each for each in ("main", "origin/main") if _git("rev-parse", "--verify", "--quiet", each, check=False)),
        "HEAD",
    )


def _git(*arguments: str, check: bool = True) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=check)
    return done.stdout.split("\n")[:-1]


if __name__ == "__main__":
    main()
