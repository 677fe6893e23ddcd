"""Scripts and styles of assets/ for a page that may load nothing: modules as an import map that holds their text.

In the app the browser fetches the same files one by one, as they import each other.
"""

from __future__ import annotations

import json
import re
import string
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import quote

from playground.paths import ASSETS

# import "./a.js"; import { b } from "../b.js"; export { c } from "./c.js"; each at the start of a line
_IMPORT = re.compile(r'^((?:import|export)(?:\s+[\w*{}\s,]+\s+from)?\s+)"(\.[^"]+)"', re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)  # on lines of its own
_PLAIN = string.punctuation.replace("%", "").replace("#", "") + " "  # stand in a data address as they are


def import_map(entry: str, root: Path = ASSETS) -> dict[str, dict[str, str]]:
    """Make the import map of a module and all that it imports, each named by its path below `root`, without comments.

    Args:
        entry: such a path, "player/player.js".
    """
    sources: dict[str, str] = {}
    open_names = [entry]
    while open_names:
        name = open_names.pop()
        if name in sources:
            continue
        text = (root / name).read_text(encoding="utf-8")
        open_names += [_name(name, address) for _, address in _IMPORT.findall(text)]
        inside = _IMPORT.sub(lambda match, name=name: f'{match[1]}"{_name(name, match[2])}"', text)
        # the last line is what the browser calls it where something fails
        sources[name] = f"{_COMMENT.sub('', inside)}//# sourceURL={name}\n"
    address = "data:text/javascript;charset=utf-8,"
    return {"imports": {name: address + quote(text, safe=_PLAIN) for name, text in sorted(sources.items())}}


def styles_of(*folders: str, root: Path = ASSETS) -> list[Path]:
    """Return the style sheets that the manifests of these folders list, in order."""
    return [
        root / folder / name
        for folder in folders
        for name in json.loads((root / folder / "manifest.json").read_text(encoding="utf-8"))["styles"]
    ]


def _name(importer: str, address: str) -> str:
    return normpath(join(dirname(importer), address))
