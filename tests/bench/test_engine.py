"""The ratios of `benchmark`: what they are made of, and that every one is there."""

import json
from functools import partial

import pytest

from playground.bench import calibration, engine, prediction
from playground.cli import main


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

    found = engine._compare(["a", "b", "c"], side("ours", ours), side("theirs", theirs), repeats=2)
    assert found == {
        "ratio": 2.0,  # of 2/1, 2/4 and 3/1
        "lowest": 0.5,
        "highest": 3.0,
        "tokens_per_s": 12.0,  # of 12, 3 and 12
        "other_tokens_per_s": 6.0,  # of 6, 6 and 4
    }
    assert turns == ["ours", "theirs"] * 7, "the two sides take turns, so that a busy moment meets both"


def test_benchmark_measures_every_ratio_and_prints_them_as_json(monkeypatch, capsys):
    """On the bundled pair, each thing once or twice; how large the ratios are is for a quiet machine to say."""
    monkeypatch.setattr(engine, "NUM_TOKENS", 6)
    monkeypatch.setattr(engine, "_tree_cost", partial(engine._tree_cost, context=16, repeats=1))
    small = partial(engine.milliseconds_by_scheme, vocab_size=500, repeats=1)
    monkeypatch.setattr(engine, "milliseconds_by_scheme", small)
    for name, few in (("CONTEXT", 16), ("SIZES", (1, 2, 3)), ("STEPS", 3), ("ROUNDS", 2), ("REPEATS", 1)):
        monkeypatch.setattr(calibration, name, few)
    monkeypatch.setattr(engine, "methods", lambda: ["autoregressive", "rsd_s"])
    monkeypatch.setattr(prediction, "LENGTHS", range(1, 3))
    assert main(["benchmark", "--prompts", "2", "--repeats", "1"]) in (0, None)
    found = json.loads(capsys.readouterr().out)
    assert found["conditions"]["num_prompts"] == 2 and found["conditions"]["num_tokens"] == 6
    for name in ("autoregressive_vs_generate", "speculative_vs_assisted", "speculative_vs_autoregressive"):
        ratio = found[name]
        assert 0 < ratio["lowest"] <= ratio["ratio"] <= ratio["highest"], name
        assert ratio["tokens_per_s"] > 0 and ratio["other_tokens_per_s"] > 0
    assert found["tracing_overhead"]["lowest"] > 0  # recording takes time
    assert set(found["outside_models"]) == {"autoregressive", "rsd_s"}
    assert all(0 < share < 1 for share in found["outside_models"].values())
    assert [row["draft_length"] for row in found["predicted_speed_up"]] == [1, 2]
    for row in found["predicted_speed_up"]:
        assert row["error"] == pytest.approx(row["predicted"] / row["measured"] - 1)
    for shape in ("chain", "star"):
        assert found["tree_cost"][shape]["1"] == 1 and set(found["tree_cost"][shape]) >= {"2", "64"}
    assert found["acceptance_ms"]
