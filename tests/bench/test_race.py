"""A race measures every method alike, and one that fails stops only itself."""

import pytest

from playground.bench.entry import enter
from playground.bench.prompts import read_prompts
from playground.bench.race import race
from playground.decoding.method import DecodingMethod, make_method, methods
from playground.errors import PlaygroundError
from tests.decoding.runs import request


class Broken(DecodingMethod):
    """Fails in the middle of a run."""

    title, lossless, reproduces, needs_draft_model = "Broken", True, "target sampling", False

    def draft(self, setting):
        raise ZeroDivisionError("on purpose")


def lineup(*names, prompts=((0, 1), (1, 0))):
    return {name: [request(make_method(name), prompt=prompt, length=12) for prompt in prompts] for name in names}


def test_every_method_gets_a_row_and_the_baseline_is_one():
    rows = race(lineup(*methods()), repeats=2)
    assert [row["method"] for row in rows] == list(methods())
    assert all(row["runs"] == 4 and "failed" not in row for row in rows)
    baseline = next(row for row in rows if row["method"] == "autoregressive")
    assert baseline["speed_up"] == {"median": 1, "low": 1, "high": 1}
    assert baseline["block_efficiency"]["median"] == 1 and baseline["mbsu"]["median"] == 1


def test_counts_do_not_depend_on_the_order_of_the_runs():
    """Times move, counts may not: two shuffles of the same race."""
    one, two = (race(lineup("autoregressive", "rsd_c"), repeats=3, seed=seed) for seed in (1, 2))
    for field in ("block_efficiency", "acceptance_rate", "perplexity", "target_calls", "verified_nodes"):
        assert [row[field] for row in one] == [row[field] for row in two]


def test_a_method_that_fails_says_why_and_the_others_finish():
    requests = lineup("autoregressive") | {"broken": [request(Broken())]}
    rows = race(requests, repeats=1)
    assert rows[0]["runs"] == 2
    assert rows[1] == {
        "label": "broken",
        "method": "test_race",
        "options": {},
        "failed": "ZeroDivisionError: on purpose",
    }


def test_a_method_may_run_with_several_options():
    entries = enter([("autoregressive", {}), ("rsd_s", {"width": 1}), ("rsd_s", {"width": 2})])
    requests = {
        entry.label: [request(make_method(entry.method, entry.options), prompt=(0, 1), length=12)] for entry in entries
    }
    rows = race(requests, repeats=1)
    assert [row["label"] for row in rows] == ["autoregressive", "rsd_s width=1", "rsd_s width=2"]
    assert [row["method"] for row in rows] == ["autoregressive", "rsd_s", "rsd_s"]
    assert rows[2]["options"] == {"draft_length": 3, "width": 2}
    assert rows[1]["verified_nodes"]["median"] < rows[2]["verified_nodes"]["median"]


def test_without_the_baseline_there_is_no_speed_up():
    assert race(lineup("rsd_c"), repeats=1)[0]["speed_up"] is None


def test_prompts_come_from_a_preset_or_a_file(tmp_path):
    assert len(read_prompts("quick")) == 10
    text, lines = tmp_path / "p.txt", tmp_path / "p.jsonl"
    text.write_text("One\n\nTwo\n")
    lines.write_text('{"prompt": "One"}\n\n{"prompt": "Two"}\n')
    assert read_prompts(str(text)) == read_prompts(str(lines)) == ["One", "Two"]


def test_broken_lines_are_named(tmp_path):
    lines = tmp_path / "p.jsonl"
    lines.write_text('{"prompt": "One"}\n{"prompt": 3}\nnonsense\n')
    with pytest.raises(PlaygroundError, match="2, 3"):
        read_prompts(str(lines))


def test_lines_that_are_no_text_are_named(tmp_path):
    text = tmp_path / "p.txt"
    text.write_bytes(b"\xef\xbb\xbfOne\nTw\xffo\nThree\n\xc3")
    with pytest.raises(PlaygroundError, match=r"not text \(UTF-8\): 2, 4"):
        read_prompts(str(text))
    text.write_bytes(b"\xef\xbb\xbfOne\r\nTwo")
    assert read_prompts(str(text)) == ["One", "Two"]


@pytest.mark.parametrize(("name", "message"), [("nowhere.txt", "no text file"), ("empty.txt", "no prompts")])
def test_files_without_prompts_are_refused(tmp_path, name, message):
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(PlaygroundError, match=message):
        read_prompts(str(tmp_path / name))
