"""Scripts and styles of assets/: what a page imports, and the rules of the house that no browser is needed for."""

import re
from collections import Counter
from urllib.parse import unquote

import pytest

from playground.paths import ASSETS
from playground.views.modules import import_map, styles_of
from tests.browser.hostile import FORBIDDEN

PANELS = sorted(file.name for file in (ASSETS / "page" / "panels").glob("*.js"))
ENTRIES = [*(f"page/panels/{name}" for name in PANELS), "page/presses.js", "site/site.js", "site/lessons.js"]
FOLDERS = ["languages", "shared", "player", "race", "sweep", "lab", "recommend", "learn", "page", "site"]
FILES = {
    file.relative_to(ASSETS).as_posix(): file
    for folder in FOLDERS
    for file in (ASSETS / folder).rglob("*")
    if file.suffix in {".js", ".css"}
}


def test_a_map_holds_what_the_module_imports_under_the_names_it_imports_it_by(tmp_path):
    for name, text in {
        "a/b.js": 'import "./c.js";\nimport {\n  d,\n  e as f,\n} from "../d.js";\nexport { g } from "../d.js";\n',
        "a/c.js": 'export const c = "import x from \\"./none.js\\""; // 100 % # ä </script>\n',
        "d.js": 'import { c } from "./a/c.js"; // a circle is no trouble\nimport "./a/b.js";\n',
        "other.js": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = import_map("a/b.js", tmp_path)["imports"]
    sources = {name: unquote(address.split(",", 1)[1]) for name, address in found.items()}
    assert list(sources) == ["a/b.js", "a/c.js", "d.js"]
    imports = 'import "a/c.js";\nimport {\n  d,\n  e as f,\n} from "d.js";\nexport { g } from "d.js";\n'
    assert sources["a/b.js"] == imports + "//# sourceURL=a/b.js\n"
    assert sources["a/c.js"] == (tmp_path / "a" / "c.js").read_text() + "//# sourceURL=a/c.js\n"
    assert not re.search("[\n#]", "".join(found.values()))


def test_every_module_is_imported_by_a_panel_and_every_style_is_listed():
    reached = {name for entry in ENTRIES for name in import_map(entry)["imports"]}
    assert reached == {name for name in FILES if name.endswith(".js")}
    listed = [file.relative_to(ASSETS).as_posix() for file in styles_of(*FOLDERS)]
    assert sorted(listed) == sorted(name for name in FILES if name.endswith(".css"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_no_way_to_run_a_text(name):
    source = FILES[name].read_text()
    run = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    run = re.sub(r"http://www\.w3\.org/(2000/svg|XML/1998/namespace)\b", "", run)  # names, which nobody fetches
    assert not [word for word in FORBIDDEN if word in run]


def test_a_folder_can_be_taken_in_at_a_glance():
    """Lenses aside, of which each rule has one."""
    counts = Counter(path.parent for folder in FOLDERS for path in (ASSETS / folder).rglob("*"))
    del counts[ASSETS / "player" / "lenses"]
    assert max(counts.values()) <= 15, counts.most_common(1)
