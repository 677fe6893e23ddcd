"""One layout of a tree, in Python and in the browser, held to pictures made by hand."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from playground.paths import ASSETS
from playground.views.tree_layout import tree_layout

CASES = json.loads((Path(__file__).parents[1] / "golden" / "tree_layout.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_rows_and_depths_are_those_of_the_picture(case):
    layout = tree_layout(case["parents"], set(case["aside"]))
    assert layout._asdict() == {name: case[name] for name in ("rows", "depths", "leaves")}


def test_the_browser_lays_the_same_trees_out_alike():
    script = f"""
        const {{ treeLayout }} = await import("{ASSETS}/shared/plots/tree_layout.js");
        const cases = JSON.parse(await new Response(process.stdin).text());
        console.log(JSON.stringify(cases.map(({{ parents, aside }}) =>
          treeLayout(parents, parents.map((_, node) => aside.includes(node))))));
    """
    node = shutil.which("node")
    assert node, "tests/run installs Node.js where there is none"
    done = subprocess.run(
        [node, "--input-type=module", "-e", script], input=json.dumps(CASES), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [{name: case[name] for name in ("rows", "depths", "leaves")} for case in CASES]


def test_a_thousand_nodes_in_a_line_are_one_row():
    assert tree_layout(range(-1, 999)).rows == [0.0] * 1000
