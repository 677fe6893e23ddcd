"""Scripts and styles of assets/ as one script and one style sheet, for a page that fetches little or nothing.

The scripts are modules of few forms: named imports and exports, each at the start of a line, and tables of JSON. So
they are linked here, with no tool that a reader would have to install. Only that of `node` and of type checkers is the
text of the files. Of the English table they get the words of their own folders.
"""

import json
import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from playground.paths import ASSETS
from playground.words import english_of

ENGLISH = "languages/en.json"

# import "./a.js"; import { b, c as d } from "../b.js"; import * as e from "./e.js"; export { f } from "./f.js";
_IMPORT = re.compile(r'^(import|export)(?:\s+(?:\{([\w\s,]+)\}|\* as (\w+))\s+from)?\s+"(\.[^"]+)";', re.MULTILINE)
_JSON = re.compile(r'^import (\w+) from "(\.[^"]+\.json)" with \{ type: "json" \};', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class|(?:async )?function\*?) (\w+))", re.MULTILINE)
_EXPORTED = re.compile(r"^export \{([\w\s,]+)\};\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)  # on lines of its own

# A module runs when it is first needed, once, after those that it imports.
_LINKED = """const modules = {
%s};
const running = {};
const need = (name) => (running[name] ??= modules[name](need, %s));
"""


@cache
def bundle(*entries: str, address: str = '"data:"', root: Path = ASSETS) -> str:
    """Link modules, and all that they import, into the text of one: `await need("a/b.js")` gives its exports.

    It can be embedded in a `script` element. Comments are left out.

    Args:
        entries: paths of the modules below `root`.
        address: that a module of the path `name` takes for its own, as JavaScript.

    Raises:
        ValueError: if modules import each other in a circle: each would wait for the other.
    """
    linked: dict[str, str] = {}

    def link(name: str, importers: tuple[str, ...]) -> None:
        if name in importers:
            raise ValueError(f"Modules import each other in a circle: {' -> '.join([*importers, name])}.")
        if name.endswith(".json"):
            linked[name] = _table(name, (root / name).read_text(encoding="utf-8"))
        elif name not in linked:
            text, imported = _linked((root / name).read_text(encoding="utf-8"), name)
            for each in imported:
                link(each, (*importers, name))
            linked[name] = text

    for name in entries:
        link(name, ())
    if ENGLISH in linked:
        linked[ENGLISH] = _table(ENGLISH, json.dumps(english_of(linked)))
    text = _LINKED % ("".join(linked.values()), address)
    return re.sub("<(?=/script|!--)", r"\\x3c", text, flags=re.IGNORECASE)


def _linked(source: str, name: str) -> tuple[str, list[str]]:
    """Turn a module into a function that gives its exports; and name those that it imports."""
    imported: list[str] = []
    exports: dict[str, str] = {}

    def imports(match: re.Match[str]) -> str:
        kind, names, namespace, address = match.groups()
        imported.append(normpath(join(dirname(name), address)))
        needed = f'await need("{imported[-1]}")'
        if kind == "export":
            exports.update({new: f"({needed}).{old}" for old, new in _pairs(names)})
            return ""
        if names:
            return f"const {{ {', '.join(f'{old}: {new}' for old, new in _pairs(names))} }} = {needed};"
        return f"const {namespace} = {needed};" if namespace else f"{needed};"

    def declares(match: re.Match[str]) -> str:
        exports[match[1]] = match[1]
        return ""

    def lists(match: re.Match[str]) -> str:
        exports.update({new: old for old, new in _pairs(match[1])})
        return ""

    def reads(match: re.Match[str]) -> str:
        imported.append(normpath(join(dirname(name), match[2])))
        return f'const {match[1]} = await need("{imported[-1]}");'

    text = _IMPORT.sub(imports, _JSON.sub(reads, _COMMENT.sub("", source)))
    text = _EXPORTED.sub(lists, _EXPORT.sub(declares, text))
    given = ", ".join(f"{new}: {old}" for new, old in exports.items())
    text = text.replace("import.meta.url", "here")
    return f'"{name}": async (need, here) => {{\n{text}return {{ {given} }};\n}},\n', imported


def _table(name: str, text: str) -> str:
    return f'"{name}": async () => ({text}),\n'


def _pairs(names: str) -> list[tuple[str, str]]:
    """(name there, name here) of "a, b as c"."""
    pairs = [each.split() for each in names.split(",") if each.strip()]
    return [(pair[0], pair[-1]) for pair in pairs]


def styles_of(*folders: str, root: Path = ASSETS) -> list[Path]:
    """Return the style sheets that the manifests of these folders list, in order."""
    return [
        root / folder / name
        for folder in folders
        for name in json.loads((root / folder / "manifest.json").read_text(encoding="utf-8"))["styles"]
    ]
