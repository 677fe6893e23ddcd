"""The tests that a change can break, for `tests/run --changed`: their files, one a line.

A test is chosen if what it imports, at any depth, was changed. What no import tells is added: a method's tests name it
or ask for all methods, a script's run it or one that imports it, some start the app or the command line, and data are
read by whoever names them. Of a change below the page the browser's tests are those that read it themselves, and
THROUGH; of a change in one tab, that tab's; of a script that all tabs share, those that name it, and OF_EACH_TAB. A
change whose reach nobody knows chooses every test.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import grimp

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "assets"
EVERYTHING = ["tests"]
GUARDS = [
    f"tests/test_{name}.py" for name in ("files", "functions", "imports", "readme", "words")
]  # they read all files
TABS = {  # folders of assets/ and playground/ui/ that one tab alone has, and its tests of the whole page
    "lab": "lab losslessness",
    "learn": "site",
    "recommend": "recommend",
    "runs": "race race_looks compare sweep",
    "site": "site",
}
OF_ALL_TABS = {f"tests.browser.test_{name}" for name in ("accessible", "languages")}
METHODS = "playground.decoding.methods."
FOUND_BY_NAME = {  # an importer, and the folder or file that it imports without saying so
    "playground.decoding.method": METHODS,
    "playground.models.products": "playground.models.passes.compiled",
}
PAGE = "playground.ui.build"
STARTED = {  # by a test, as a process
    r"\bapp\.py\b": PAGE,
    r'"-m", "playground"': "playground.makers.commands",
}
LATE = ("playground.cli.traces", "playground.ui.runs.race.recorded")  # an import of the command `site` alone
HANDS = "tests.browser.app_fixture"  # starts the app, and reads what it saved
OF_APP = {"address", "visit", "visit_watch", "watch"}  # fixtures of a test that looks at the whole page
THROUGH = {f"tests.browser.test_{name}" for name in ("compare", "programs", "sweep", "watch")}  # from page to models
OF_EACH_TAB = {f"tests.browser.test_{name}" for name in ("compare", "lab", "recommend", "site", "sweep", "watch")}
SHARED = "shared/"  # Scripts below it are imported, at some depth, by nearly every other.
SCRIPT, IMPORT = re.compile(r"""["'](\w+/[\w/]+\.js)["']"""), re.compile(r'"(\.[^"]+\.js)"')
READS_ALL_SCRIPTS = re.compile(r'glob\("\*\.js"\)|\bbuild_site\b')
ENTRANCE = re.compile(r"playground($|\.ui\.|\.cli\b)")  # has all that there is, and reads no script of its own
READS_STYLES = re.compile(r"\bstyles_of\b|\.css\b")


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
def imports() -> Any:
    """Build the graph of who imports whom, with what no import statement says."""
    graph = grimp.build_graph("playground", "tests", cache_dir=None)
    names = sorted(graph.modules)
    for importer, result in FOUND_BY_NAME.items():
        for name in names:
            if name.startswith(result):
                graph.add_import(importer=importer, imported=name)
    graph.remove_import(importer=LATE[0], imported=LATE[1])
    for imported in graph.find_modules_directly_imported_by(HANDS):
        graph.remove_import(importer=HANDS, imported=imported)
    for name in names:
        if not name.startswith("tests.") or name == HANDS:
            continue
        text = _text(name)
        for pattern, started in STARTED.items():
            if re.search(pattern, text):
                graph.add_import(importer=name, imported=started)
        if '"site"' in text:
            graph.add_import(importer=name, imported=LATE[1])
        for folder in _path(name).parents[: len(_path(name).relative_to(ROOT).parts) - 1]:
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
        return {"tests/test_environment.py", "tests/test_exit_status.py"}
    if parts[0] == "assets" and path.endswith((".css", ".js")):
        return _files(_of_style(path, graph) if path.endswith(".css") else _of_script(path, graph))
    if parts[0] == "assets" and parts[1] != "models":
        readers = _readers(parts[1] if len(parts) > 2 else Path(path).stem, graph)
        return set[str]().union(*(_of_module(name, graph) for name in readers)) if readers else None
    name = ".".join(parts).removesuffix(".py").removesuffix(".__init__")
    if parts[0] in ("tests", "playground") and path.endswith(".py") and not (ROOT / path).exists():
        # Its importers are among the changes, or pyright says so.
        finders = [importer for importer, result in FOUND_BY_NAME.items() if name.startswith(result)]
        return {*GUARDS}.union(*(_of_module(finder, graph) for finder in finders))
    if name.startswith(METHODS):
        return _files(_of_method(name, graph))
    return _of_module(name, graph) if path.endswith(".py") and name in graph.modules else None


def _of_method(name: str, graph: Any) -> set[str]:
    """Give the tests of a method: those that name it or ask for all, and those of modules that name or import it."""
    own = name.removeprefix(METHODS)
    in_product, in_tests = re.compile(f'"{own}"'), re.compile(rf"\b{own}\b|\bmethods\(\)")
    users = {
        each for each in graph.modules if (in_tests if each.startswith("tests.") else in_product).search(_text(each))
    }
    registries = {*FOUND_BY_NAME, "playground.decoding.decode"}
    return THROUGH | _below({name, *users} - registries, graph, but=registries)


def _of_script(path: str, graph: Any) -> set[str]:
    """Give the tests that run a script, or one that imports it at any depth, and those that read all scripts."""
    importers = _script_importers()
    reached, left = set[str](), [path.removeprefix("assets/")]
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += importers.get(name, [])
    users = {
        name
        for name in graph.modules
        if reached.intersection(SCRIPT.findall(text := _text(name))) or READS_ALL_SCRIPTS.search(text)
    }
    if (own := path.removeprefix("assets/")).startswith(SHARED):
        naming = {name for name in _below(users, graph) if not name.startswith("tests.browser.") or own in _text(name)}
        return naming | OF_EACH_TAB
    panels = {Path(name).stem for name in reached if name.startswith("page/panels/")}
    return _below(users, graph) | _on_page(panels | {name.split("/")[0] for name in reached} & {*TABS}, graph)


@cache
def _script_importers() -> dict[str, list[str]]:
    """Map each script of assets/ to those that import it."""
    importers: dict[str, list[str]] = {}
    for file in ASSETS.rglob("*.js"):
        for address in IMPORT.findall(file.read_text(encoding="utf-8")):
            imported = (file.parent / address).resolve().relative_to(ASSETS).as_posix()
            importers.setdefault(imported, []).append(file.relative_to(ASSETS).as_posix())
    return importers


def _of_style(path: str, graph: Any) -> set[str]:
    """Give the tests that read style sheets, and those of the whole page that see this one."""
    users = {name for name in graph.modules if READS_STYLES.search(_text(name))}
    return _below(users, graph) | _on_page({Path(path).parts[1]} & {*TABS}, graph)


def _on_page(parts: set[str], graph: Any) -> set[str]:
    """Give the tests of the whole page that see these parts of it, all of them where none is known.

    Args:
        parts: tabs, and panels of others: what is reached beside the tabs of TABS is seen by all tests but theirs.
        graph: of imports.
    """
    tests = {name for name in _tests(graph) if _is_of_app(name)}
    if not parts:
        return tests
    of_tab = {tab: {f"tests.browser.test_{name}" for name in names.split()} for tab, names in TABS.items()}
    others = tests.difference(*of_tab.values()) if parts - {*TABS} else OF_ALL_TABS
    return tests & others.union(*(of_tab[tab] for tab in parts & {*TABS}))


def _below(users: set[str], graph: Any, but: Iterable[str] = ()) -> set[str]:
    """Give the tests among these modules, and those that import one of them at any depth, but not by an entrance."""
    reached, left = set[str](), [*users]
    while left:
        name = left.pop()
        if name not in reached and name not in but and not ENTRANCE.match(name):
            reached.add(name)
            left += graph.find_modules_that_directly_import(name)
    return {name for name in reached & _tests(graph) if not _is_of_app(name)}


def _readers(name: str, graph: Any) -> set[str]:
    """Return the modules that name a folder of assets/, or a file there that is in none."""
    named = re.compile(rf"""["'/]{re.escape(name)}\b""")
    return {each for each in graph.modules if named.search(_text(each))}


def _of_module(name: str, graph: Any) -> set[str]:
    """Give the test files that a module reaches."""
    reached = {name, *graph.find_downstream_modules(name)}
    tests = reached & _tests(graph)
    if PAGE in reached:
        tabs = {each.split(".")[2] for each in reached if each.startswith("playground.ui.")} & {*TABS, "watch"}
        tests |= _on_page(tabs, graph) if name.startswith("playground.ui.") else THROUGH
    return _files(tests)


@cache
def _is_of_app(name: str) -> bool:
    """Tell whether a test looks at the whole page, by the fixtures that its functions name."""
    if not name.startswith("tests.browser.test_"):
        return False
    functions = [each for each in ast.walk(ast.parse(_text(name))) if isinstance(each, ast.FunctionDef)]
    return any(argument.arg in OF_APP for each in functions for argument in each.args.args)


def _tests(graph: Any) -> set[str]:
    return {name for name in graph.modules if re.fullmatch(r"tests\.(?:\w+\.)*test_\w+", name)}


def _files(names: set[str]) -> set[str]:
    return {_path(name).relative_to(ROOT).as_posix() for name in names}


@cache
def _text(name: str) -> str:
    return _path(name).read_text(encoding="utf-8")


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
