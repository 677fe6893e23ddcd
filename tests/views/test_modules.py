"""Scripts and styles of assets/: what a page imports, and the rules of the house that no browser is needed for."""

import re
from collections import Counter

import pytest

from playground.paths import ASSETS
from playground.views.modules import bundle, styles_of
from tests.browser.hostile import FORBIDDEN
from tests.javascript.node import ran

PANELS = sorted(file.name for file in (ASSETS / "page" / "panels").glob("*.js"))
ENTRIES = [
    *(f"page/panels/{name}" for name in PANELS),
    "page/presses.js",
    "site/site.js",
    "site/lessons.js",
    "site/races.js",
]
FOLDERS = ["languages", "shared", "player", "runs", "lab", "recommend", "learn", "page", "site"]
FILES = {
    file.relative_to(ASSETS).as_posix(): file
    for folder in FOLDERS
    for file in (ASSETS / folder).rglob("*")
    if file.suffix in {".js", ".css"}
}


def linked(folder, modules):
    """The bundle of modules that are written into a folder; the first is the entry."""
    for name, text in modules.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return bundle(next(iter(modules)), root=folder, address="`file:///${name}`")


def test_linked_modules_do_what_they_do_one_by_one(tmp_path):
    """Every form of import and export that there is; each module runs once, after what it imports."""
    text = linked(
        tmp_path,
        {
            "a/b.js": """import "./first.js";
import {
  one,
  two as second,
} from "../d.js";
import * as all from "../d.js";
import table from "../e.json" with { type: "json" };
export { one as same, three } from "../d.js";
/** Left out: import { x } from "./none.js"; */
globalThis.log.push("b");
const inner = [one, second(), all.Four.name, import.meta.url, table.a];
export { inner };
export const html = "</script><!-- 100 % ä";
""",
            "a/first.js": 'import "../d.js";\nglobalThis.log = [...(globalThis.log ?? []), "first"];\n',
            "e.json": '{"a": [1]}',
            "d.js": """globalThis.log = [...(globalThis.log ?? []), "d"];
export const one = await Promise.resolve(1);
export function two() { return one + 1; }
export async function three() { return 3; }
export class Four {}
""",
        },
    )
    values, three, log = ran(f"{text}const b = await need('a/b.js'); print([b, await b.three(), globalThis.log]);")
    assert values == {"same": 1, "inner": [1, 2, "Four", "file:///a/b.js", [1]], "html": "</script><!-- 100 % ä"}
    assert three == 3 and log == ["d", "first", "b"]
    assert "</script" not in text and "<!--" not in text and "Left out" not in text


def test_modules_in_a_circle_are_refused(tmp_path):
    with pytest.raises(ValueError, match=re.escape("a.js -> b.js -> a.js")):
        linked(tmp_path, {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import "./a.js";\nexport const b = 1;\n'})


def test_every_module_is_imported_by_a_panel_and_every_style_is_listed():
    assert set(re.findall('^"(.*)": async', bundle(*ENTRIES), re.MULTILINE)) == {
        name for name in FILES if name.endswith(".js")
    } | {
        "languages/en.json",
        "player/trace/contract.json",
        "player/trace/option_labels.json",
        "verification_costs.json",
    }
    listed = [file.relative_to(ASSETS).as_posix() for file in styles_of(*FOLDERS)]
    assert sorted(listed) == sorted(name for name in FILES if name.endswith(".css"))


def test_no_file_has_a_way_to_run_a_text():
    for name, file in FILES.items():
        run = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
        run = re.sub(r"http://www\.w3\.org/(2000/svg|XML/1998/namespace)\b", "", run)  # names, which nobody fetches
        assert not [word for word in FORBIDDEN if word in run], name


def test_a_folder_can_be_taken_in_at_a_glance():
    """Lenses aside, of which each rule has one."""
    counts = Counter(path.parent for folder in FOLDERS for path in (ASSETS / folder).rglob("*"))
    del counts[ASSETS / "player" / "lenses"]
    assert max(counts.values()) <= 15, counts.most_common(1)
