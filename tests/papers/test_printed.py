"""Results of the papers: shape, places, and numbers read a second time in the papers."""

import copy
import json
import re

import pytest

from playground.decoding.method import methods
from playground.errors import PlaygroundError
from playground.papers.printed import RESULTS, find_paper, papers, read_papers

ALL = [result for paper in papers().values() for result in paper.results]


def value(paper, result, method, x=None):
    [outcome] = [each for each in papers()[paper].results if each.id == result]
    [number] = [each for each in outcome.values if each.method == method and each.x == x]
    return number


@pytest.mark.parametrize(
    ("paper", "result", "method", "x", "expected"),
    [
        ("mtad", "table4-cp-llama-2-speed", "MTAD", None, (63.0, 0.20)),
        ("mtad", "table4-cp-llama-2-energy", "speculative", None, (6.62, 0.91)),
        ("mtad", "table4-sp-opt-perplexity", "BiLD", None, (1.90, 0.01)),
        ("mtad", "table4-mt-opt-perplexity", "MTAD", None, (1.10, 0.03)),
        ("mtad", "table5-opt", "Spectr", None, (3.45, 0.42)),
        ("mtad", "table7-llama-2-energy", "MTAD", 2, (2.43, None)),
        ("mtad", "table7-opt-perplexity", "MTAD", 8, (3.19, None)),
        ("dsbd", "table1-llama-2-13b-speed", "DSBD", None, (16.5, None)),
        ("dsbd", "table1-llama-3-8b-energy", "Beam sampling", None, (33.3, None)),
        ("dsbd", "table2-squad-exact-match", "DSBD", None, (86, None)),
        ("dsbd", "table2-spider-energy", "SpD", None, (7.06, None)),
        ("importance_sampling", "table1", "IS", 2, (2.13, 0.05)),
        ("importance_sampling", "table1", "SpecTr", 6, (2.08, 0.04)),
        ("importance_sampling", "table2-alphabet-token-rate", "IS", 10, (-0.57, 3.38)),
        ("importance_sampling", "table2-lp-size-block-efficiency", "IS", 15, (2.04, 0.04)),
        ("atspeed", "table1-beauty-strict-speed-up", "AtSpeed-S", 1, (2.33, None)),
        ("atspeed", "table1-games-relaxed-accepted-steps", "AtSpeed-R", 20, (1.35, None)),
    ],
)
def test_numbers_are_those_of_the_tables(paper, result, method, x, expected):
    outcome = value(paper, result, method, x)
    assert (outcome.value, outcome.spread) == expected


def test_the_five_papers_are_those_that_the_methods_name():
    named = " ".join(method.paper for method in methods().values())
    assert len(papers()) == 5
    assert all(f"arXiv {paper.arxiv}" in named for paper in papers().values())
    assert {each.ours for result in ALL for each in result.values} <= methods().keys()


def test_every_number_has_its_conditions():
    for result in ALL:
        assert result.place.startswith(("Table", "Section")) and result.dataset in result.conditions()
        assert all((each.x is not None) == (result.x is not None) for each in result.values), result.id
        keys = [(each.method, each.x) for each in result.values]
        assert len(set(keys)) == len(keys), result.id


def test_what_was_only_drawn_is_left_out_and_says_so():
    indices = {paper.id: {each.place for each in paper.left_out} for paper in papers().values()}
    assert {"Figure 4", "Figure 5"} <= indices["rsd"] and not papers()["rsd"].results
    assert "Figure 3" in indices["mtad"] and "Figure 4" in indices["dsbd"]
    assert {"Figure 3", "Figure 4"} <= indices["importance_sampling"]


def numbers_of_tables(titles):
    """Numbers of the tables with such titles: of "Tables 5 to 8" these four."""
    for title in titles:
        if match := re.fullmatch(r"Tables? (\d+)(?: (to|and) (\d+))?", title):
            first, _, last = match.groups()
            yield from range(int(first), int(last or first) + 1)


def test_every_table_of_a_paper_is_here_or_named_as_left_out():
    """Counted in the papers' texts; of RSD's only the abstract was at hand. A table may be here in part."""
    counted = {"atspeed": 4, "importance_sampling": 8, "dsbd": 2, "mtad": 13, "rsd": 0}
    for paper in papers().values():
        titles = [each.place for each in (*paper.results, *paper.left_out)]
        assert {*numbers_of_tables(titles)} == {*range(1, counted[paper.id] + 1)}, paper.id
    assert any("OPT" in each.why for each in papers()["rsd"].left_out)


def test_results_are_found_by_their_place():
    assert {result.place for result in find_paper("mtad").at("Table 5", "Table 7")} == {"Table 5", "Table 7"}
    with pytest.raises(PlaygroundError, match="Did you mean 'mtad'"):
        find_paper("mtd")


def broken(change):
    data = copy.deepcopy(json.loads(RESULTS.read_text()))
    change(data["papers"][1]["results"][0], data)
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda result, _: result.pop("hardware"), "missing required field `hardware`.*papers"),
        (lambda result, _: result.update(better="faster"), r"papers\[1\]\.results\[0\]\.better"),
        (lambda result, _: result["values"][0].pop("value"), r"a number, or a range.*results\[0\]\.values\[0\]"),
        (lambda result, _: result["values"][0].update(value="2.13"), r"values\[0\]\.value"),
        (lambda result, _: result.update(colour="red"), "unknown field `colour`"),
        (lambda _, data: data["papers"].append(data["papers"][0]), "has atspeed twice"),
        (lambda _, data: data.update(version=2), r"is wrong: .*\$\.version"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(change, message):
    with pytest.raises(PlaygroundError, match=message):
        read_papers(broken(change))
