"""One layout of a tree, in Python and in the browser, held to pictures made by hand."""

import json
from pathlib import Path

import pytest

from playground.views.tree_layout import tree_layout
from tests.javascript.node import ran

CASES = json.loads((Path(__file__).parents[1] / "golden" / "tree_layout.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_rows_and_depths_are_those_of_the_picture(case):
    layout = tree_layout(case["parents"], set(case["aside"]))
    assert layout._asdict() == {name: case[name] for name in ("rows", "depths", "leaves")}


def test_the_browser_lays_the_same_trees_out_alike():
    script = f"""
        const {{ treeLayout }} = await load("shared/plots/tree_layout.js");
        print({json.dumps(CASES)}.map(({{ parents, aside }}) =>
          treeLayout(parents, parents.map((_, node) => aside.includes(node)))));
    """
    assert ran(script) == [{name: case[name] for name in ("rows", "depths", "leaves")} for case in CASES]


def test_a_thousand_nodes_in_a_line_are_one_row():
    assert tree_layout(range(-1, 999)).rows == [0.0] * 1000
