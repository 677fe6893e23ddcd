"""Prose on measurements is held to the files that they were written to."""

import gzip
import json
import re
from pathlib import Path
from statistics import median

import pytest

from playground import exactness, recommender
from playground.decoding.methods import importance_sampling
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import visible_distance
from playground.trace.storage import load
from playground.views.standalone import standalone_html
from tests.tables import (
    ASSETS,
    CHAT_TIMES,
    EVALUATION,
    LOSSLESSNESS,
    SEVERAL_DRAFTS,
    SHOP,
    TIMES,
)

TRACES = sorted((ASSETS / "traces").glob("*.json.gz"))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_what_a_check_can_see_is_what_the_exactness_readme_says_and_of_the_claim_that_it_names():
    """The sentence whole: of another claim the distances are others."""
    distribution = EXPERIMENTS["target sampling"].distribution(None)

    def seen(num_runs):
        return visible_distance([({text: round(num_runs * p) for text, p in distribution.items()}, distribution)])

    few, many = (f"{seen(num_runs):.2g}".removeprefix("0") for num_runs in (20_000, 1_000_000))
    sentence = (
        "it says from which distance on a deviation would have shown 9 times in 10, whatever its direction (of target "
        f"sampling {few} with 20,000 runs, {many} with a million)"
    )
    assert sentence in " ".join(Path(exactness.__file__).with_name("README.md").read_text(encoding="utf-8").split())


def test_a_claim_has_a_million_runs_and_what_claims_nothing_as_many_as_the_exactness_readme_says():
    runs = {
        claim: {row["samples"] for row in read(LOSSLESSNESS) if (row["reproduces"] != "none") == claim}
        for claim in (True, False)
    }
    assert runs == {True: {1_000_000}, False: {200_000}}
    readme = Path(exactness.__file__).with_name("README.md").read_text(encoding="utf-8")
    assert "[a million runs](playground/exactness/README.md)" in (ASSETS.parent / "README.md").read_text(
        encoding="utf-8"
    )
    assert "were made apart, by `check METHOD --samples 200000 --seed 0`" in readme


def times(name):
    """Target calls, draft efficiency, tokens/s and speed-up of each row of a table of times."""
    lines = (ASSETS / name).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]
    return [(int(row[1]), float(row[5] or "nan"), *(float(row[at].split()[0]) for at in (7, 8))) for row in rows]


def test_what_the_first_readme_says_below_its_table_of_times_follows_from_it():
    """In 32 bits, too, and with 32 drafts."""
    halves, wholes = (times(name) for name in TIMES)
    many = halves[-1]
    assert many[1] < 0.5, "most are thrown away"
    assert all(half[2] > whole[2] for half, whole in zip(halves, wholes, strict=True)), "32 bits are slower"
    assert all(half[3] < whole[3] for half, whole in zip(halves[1:], wholes[1:], strict=True)), "and gain more"
    assert many[3] < 1 and wholes[-1][3] < 1, "slower than plain decoding"


def test_no_method_is_clearly_faster_on_the_chat_model_as_the_first_readme_says():
    """No interval of its table is above 1."""
    lines = (ASSETS / CHAT_TIMES).read_text(encoding="utf-8").splitlines()
    lows = [float(re.findall(r"\(([\d.]+) to", line.split("|")[-2])[0]) for line in lines if line.startswith("| `")]
    assert len(lows) == 5 and max(lows) <= 1


def test_what_is_said_of_several_drafts_follows_from_their_table():
    """In makers/README, case by case, and in the docstring of the method: beyond chance is an interval without 0."""
    settings = read(SEVERAL_DRAFTS)["settings"]

    def orders(setting):
        return {
            rival: [(row["above"][rival]["low"] > 0) - (row["above"][rival]["high"] < 0) for row in setting["rows"]]
            for rival in ("k_seq", "spec_infer")
        }

    assert [setting["top_p"] for setting in settings] == [1, 0.95]
    assert orders(settings[0]) == {"k_seq": [-1, -1, -1], "spec_infer": [1, 0, -1]}
    assert orders(settings[1]) == {"k_seq": [1, -1, -1], "spec_infer": [1, 1, 0]}
    rows = [row["schemes"] for setting in settings for row in setting["rows"]]
    assert all(0 <= row["optimal_with_replacement"] - row["importance_pooled"] < 0.002 for row in rows)
    named = ("importance_truncated", "spec_infer", "k_seq", "importance_pooled", "optimal_with_replacement")
    four, names = rows[2], (*named, "speculative")
    said = re.findall(r"(?<![\d.])\.\d{3}(?!\d)", importance_sampling.__doc__.partition("By the command")[2])
    assert said == [f"{four[name]:.3f}".removeprefix("0") for name in names]
    assert settings[0]["positions"] == 600


def test_sizes_of_files_are_as_the_docstrings_and_readmes_say():
    """Gzip: three to eight times smaller. A trace: .1 to .5 KB per token. An exported page: 0.8 MB."""
    ratios = [len(gzip.decompress(path.read_bytes())) / path.stat().st_size for path in TRACES]
    assert 3 < min(ratios) < median(ratios) < max(ratios) < 8.5
    per_token = [path.stat().st_size / load(path).events[-1].num_tokens for path in TRACES]
    assert 50 < min(per_token) < max(per_token) < 500
    longest = load(max(TRACES, key=lambda path: path.stat().st_size))
    assert len(standalone_html(longest).encode()) == pytest.approx(800_000, rel=0.15)


def test_what_the_recommenders_readme_says_of_the_papers_versions_follows_from_its_tables():
    """Its list *What the paper leads one to expect*, item by item."""
    rows = read(SHOP)["rows"]

    def column(rule, k, name="as"):
        return {row["version"]: row[name]["mean"] for row in rows if (row["verification"], row["k"]) == (rule, k)}

    def ranked(rule, k, name="as"):
        return sorted(column(rule, k, name), key=lambda version: -column(rule, k, name)[version])

    lengths = (1, 3, 5, 10, 20)
    for version in column("strict", 1):
        strict, relaxed = ([column(rule, k)[version] for k in lengths] for rule in ("strict", "relaxed"))
        assert strict == sorted(strict, reverse=True) and relaxed[0] - relaxed[-1] < strict[0] - strict[-1]
    bounds = {k: [row["as"] for row in rows if (row["verification"], row["k"]) == ("strict", k)] for k in lengths}
    assert all(max(each["low"] for each in bounds[k]) <= min(each["high"] for each in bounds[k]) for k in (1, 3, 5))
    assert ranked("strict", 10)[-1] == ranked("strict", 20)[-1] == "atspeed_s"
    assert (ranked("strict", 10)[0], ranked("strict", 20)[0]) == ("sequence_kd", "word_kd")
    assert all(column("relaxed", k)["atspeed_r"] == min(column("relaxed", k).values()) for k in (1, 3))
    assert all(ranked("relaxed", k)[:2] == ["atspeed_s", "atspeed_r"] for k in (5, 10))
    assert ranked("relaxed", 20)[0] == "atspeed_s"
    assert all(ranked("relaxed", k, "recall")[-1] == "atspeed_s" for k in (3, 5, 10, 20))
    assert all(row["ws"]["median"] < 1 for row in rows if row["verification"] in ("strict", "relaxed")), "not faster"


def test_the_calls_of_strict_verification_are_those_that_recommender_check_counted():
    """500 users, list by list, in the sentence of the README."""
    first, *others = read(SHOP.parent / "strict.json")
    assert all(row["same"] == row["users"] == 500 and not row["unknown"] for row in (first, *others))
    calls = ", ".join(f"{row['strict_calls']:,} at {row['k']}" for row in others)
    instead = f"target calls instead of {first['beam_search_calls']:,} at K = {first['k']}"
    sentence = f"with {first['strict_calls']:,} {instead}, {calls}"
    readme = Path(recommender.__file__).with_name("README.md")
    assert sentence in " ".join(readme.read_text(encoding="utf-8").split())


def test_what_a_readme_says_of_the_targets_own_text_follows_from_measurements():
    measured = read(EVALUATION)
    assert measured["on_text_of_the_target"]["acceptance_1.0"] > measured["on_held_out_text"]["acceptance_1.0"]


# Numbers of the READMEs' prose that are no measurement, or are held by the test named here
SETTLED = {
    "README.md": {
        "3.11": "the oldest Python",
        "0.4": "GB that pip reported to fetch on Linux without CUDA",
        "1.7": "GB that they take on the disk there",
        "0.8": "test_sizes_of_files_are_as_the_docstrings_and_readmes_say",
    },
    "playground/bench/README.md": {
        "95 %": "the level of the intervals",
        "93 of 100": "tests/metrics/test_interval.py",
        "13 in 100": "tests/metrics/test_interval.py",
    },
    "playground/notebook/README.md": {"0.8": "test_sizes_of_files_are_as_the_docstrings_and_readmes_say"},
}
MEASURED = re.compile(
    r"(?<![\w/.:-])(?:\d+\.\d+|\d+ (?:of|in) (?:100|1,000)\b|\d[\d,]* (?:tokens/s|ms|mJ)|\d[\d.,]* %|\d[\d.,]*×)"
)


@pytest.mark.parametrize("name", SETTLED)
def test_every_measured_number_of_a_readme_is_in_a_table_that_a_command_writes_or_has_a_test(name):
    """Prose leaves out tables between their marks, commands and the Space's front matter."""
    text = (ASSETS.parent / name).read_text(encoding="utf-8")
    text = re.sub(r"\A---.*?\n---", "", text, flags=re.DOTALL)
    text = re.sub(r"<!-- (\w+):begin -->.*?<!-- \1:end -->|```.*?```", "", text, flags=re.DOTALL)
    assert set(MEASURED.findall(text)) == set(SETTLED[name])
