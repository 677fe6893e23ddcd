"""The ratios of `benchmark`: what they are made of, and that every one is there."""

import json
from functools import partial

import pytest

from playground.bench.prompts import read_prompts
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.lab.load import _costs
from playground.makers.commands import main
from playground.makers.engine import benchmark, growth, rivals
from playground.models.drafters.text_model import TextModel
from playground.models.language_model import LoadedPair
from playground.models.loading import Models
from playground.models.sources.placement import find_placement
from tests.models.small import random_model


def test_a_ratio_is_of_each_sides_fastest_repeat_and_the_median_over_prompts():
    """Three prompts, two repeats; the first reading of each side only warms up."""
    ours = iter([9.0, 2.0, 1.0, 4.0, 5.0, 1.0, 1.0])
    theirs = iter([9.0, 2.0, 3.0, 2.0, 8.0, 9.0, 3.0])
    turns = []

    def side(name, seconds):
        def run(request):
            turns.append(name)
            return next(seconds), 12

        return run

    result = rivals.compare(["a", "b", "c"], side("ours", ours), side("theirs", theirs), repeats=2)
    assert result == {
        "ratio": 2.0,  # The ratios are 2/1, 2/4 and 3/1.
        "lowest": 0.5,
        "highest": 3.0,
        "tokens_per_s": 12.0,  # The rates are 12, 3 and 12.
        "other_tokens_per_s": 6.0,  # The rates are 6, 6 and 4.
    }
    assert turns == ["ours", "theirs"] * 7, "the two sides take turns, so that a busy moment meets both"


@pytest.fixture
def small(monkeypatch):
    """Each thing once or twice, on the bundled pair; how large the numbers are is for a quiet machine to say."""
    monkeypatch.setattr(benchmark, "NUM_TOKENS", 6)
    monkeypatch.setattr(growth, "by_tree", partial(growth.by_tree, sizes=(1, 3), context=16, repeats=1))


def test_benchmark_measures_every_line_and_prints_them_as_json(small, capsys):
    assert main(["benchmark", "--prompts", "2", "--repeats", "1", "--json"]) in (0, None)
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert "1 of 8: plain decoding" in printed.err and "8 of 8:" in printed.err
    assert record["conditions"]["num_prompts"] == 2 and record["conditions"]["num_tokens"] == 6
    beams = ("beam_search_4_vs_generate", "beam_search_8_vs_generate")
    sides = ("autoregressive_vs_generate", "speculative_vs_assisted", *beams)
    for name in (*sides, "prompt_lookup_vs_generate", "speculative_vs_autoregressive"):
        ratio = record[name]
        assert 0 < ratio["lowest"] <= ratio["ratio"] <= ratio["highest"], name
        assert ratio["tokens_per_s"] > 0 and ratio["other_tokens_per_s"] > 0
    for name in ("tree_cost", "draft_tree_cost"):
        assert record[name]["chain"]["1"] == 1 and set(record[name]["chain"]) == {"1", "3"}
        assert _costs({"tree_cost": record[name]}).startswith("1: "), "as the Lab reads it"
    assert record["conditions"]["parameters"] == [16_187_200, 1_967_040]


def test_a_pair_without_a_draft_model_is_refused(monkeypatch, capsys):
    target = random_model("llama", 1, lean=True)
    monkeypatch.setattr(Models, "load", lambda _: LoadedPair(target, TextModel(target)))
    assert main(["benchmark"]) == 2
    assert "has no draft model" in capsys.readouterr().err


def test_beams_write_what_transformers_beams_write():
    """The ratio is one of seconds for the same tokens."""
    pair = Models.named(placement=find_placement(dtype="float32")).load()
    request = Request(
        make_method("beam_search", {"width": 4}), pair.target, read_prompts("quick")[0], max_new_tokens=16
    )
    _, ours = rivals.best_beam(request)
    _, theirs = rivals._beams(pair, 4)(request)
    assert ours == theirs == 16


def test_lines_are_chosen_by_name(small, capsys):
    assert main(["benchmark", "--prompts", "1", "--repeats", "1", "--only", "tree_cost"]) in (0, None)
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("a target call on n nodes over one on 1: {")
    assert main(["benchmark", "--prompts", "1", "--only", "tree"]) == 2
    assert "No line is called 'tree'. Choose from autoregressive_vs_generate" in capsys.readouterr().err
