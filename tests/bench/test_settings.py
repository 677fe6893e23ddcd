"""One row per setting."""

from playground.bench.grid import Grid
from playground.bench.results import read_results
from playground.bench.settings import by_setting, median_run
from playground.bench.sweep import sweep
from playground.models.loading import LoadedPair
from playground.theory.pareto import pareto_front
from tests.decoding.runs import DRAFT, TARGET


def row(label, run, **numbers):
    sampling = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "max_new_tokens": 8}
    return {"run": run, "label": label, "method": "m", "options": {}, **sampling, "prompt": 1, "seed": run} | numbers


def test_numbers_become_medians_and_the_rest_stays():
    rows = [row("a", 1, speed=1.0), row("b", 2, speed=9.0), row("a", 3, speed=3.0), row("a", 4, speed=None, text="x")]
    first, second = by_setting(rows)
    assert (first["label"], first["speed"], first["num_runs"], first["runs"]) == ("a", 2.0, 3, [1, 3, 4])
    assert (second["label"], second["speed"]) == ("b", 9.0)
    assert "text" not in first and "seed" not in first and first["temperature"] == 1.0
    assert median_run([row("a", 1, tokens_per_s=3.0), row("a", 2, tokens_per_s=1.0)])["run"] == 2, "the slower of two"


def test_failed_runs_are_counted_and_in_no_median():
    [result] = by_setting([row("a", 1, failed="no"), row("a", 2, speed=5.0)])
    assert (result["num_failed"], result["speed"], result["runs"]) == (1, 5.0, [2])
    [nothing] = by_setting([row("a", 1, failed="no")])
    assert nothing["runs"] == [] and "speed" not in nothing and by_setting([]) == []


def test_a_sweeps_rows_have_a_front(tmp_path):
    grid = Grid((("rsd_s", {}),), {"width": (1, 2, 4)}, prompts=("ab", "ba"), seeds=(0, 1), max_new_tokens=24)
    list(sweep(grid, tmp_path, pair=LoadedPair(TARGET, DRAFT)))
    settings = by_setting(read_results(tmp_path)[1])
    assert [each["label"] for each in settings] == [f"rsd_s width={width}" for width in (1, 2, 4)]
    front = pareto_front(settings, x="verified_nodes", y="block_efficiency", x_better="smaller")
    assert front[0]["label"] == "rsd_s width=1"  # nothing verifies fewer nodes
    assert [each["block_efficiency"] for each in front] == sorted(each["block_efficiency"] for each in front)
