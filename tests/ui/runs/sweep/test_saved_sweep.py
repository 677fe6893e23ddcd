"""A sweep is found again, saved and opened, and nothing that is damaged or foreign gets in."""

import csv
import json
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from playground.bench.grid import MOST_RUNS
from playground.bench.results import MANIFEST, ROWS, open_results
from playground.errors import PlaygroundError
from playground.ui.runs.sweep import saved_sweep as saved_sweeps
from playground.ui.runs.sweep.panel import sweep_value
from playground.ui.runs.sweep.saved_sweep import (
    SavedSweep,
    find,
    new_folder,
    open_files,
    refuse_change,
    write_csv,
    write_jsonl,
)
from tests.ui.runs.sweep.sweeps import GRID, new_sweep, swept


@pytest.fixture(autouse=True)
def every_row(monkeypatch):
    monkeypatch.setattr(SavedSweep, "least_interval_s", 0.0)


@pytest.fixture
def saved_sweep():
    return swept(until=5)


def lines_of(saved_sweep):
    return write_jsonl(saved_sweep).read_text().splitlines()


def opened(tmp_path, lines):
    file = tmp_path / "mine.jsonl"
    file.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines) + b"\n")
    return open_files([str(file)])


def test_it_is_found_by_its_id_and_by_nothing_that_is_none(saved_sweep):
    again = find(saved_sweep.id)
    assert (again.plan, again.grid, again.rows) == (saved_sweep.plan, saved_sweep.grid, saved_sweep.rows)
    assert not again.is_whole
    assert again.num_bytes == (saved_sweep.folder / ROWS).stat().st_size > new_sweep().num_bytes == 0
    for id in (None, "", "../../etc", "0" * 16, 7, "g" * 16):
        assert find(id) is None


def test_what_nobody_wrote_to_for_a_week_is_deleted(saved_sweep):
    other = swept(until=1)
    long_ago = time.time() - 8 * 86_400
    for path in (saved_sweep.folder, *saved_sweep.folder.glob("*")):
        os.utime(path, (long_ago, long_ago))
    os.utime(other.folder, (long_ago, long_ago))  # Rows that are added to a file do not touch its folder.
    new_folder()
    assert find(saved_sweep.id) is None and find(other.id)


def test_a_saved_sweep_opens_and_goes_on_to_the_same_rows(saved_sweep, tmp_path):
    again = opened(tmp_path, lines_of(saved_sweep))
    assert again.id != saved_sweep.id and len(again.rows) == len(saved_sweep.rows) and again.grid == saved_sweep.grid
    tokens = {row["run"]: row["token_ids"] for row in swept(saved_sweep).rows}
    assert {row["run"]: row["token_ids"] for row in swept(again).rows} == tokens and len(tokens) == 24


def test_a_folder_of_the_command_opens_by_its_two_files(saved_sweep):
    again = open_files([str(saved_sweep.folder / ROWS), str(saved_sweep.folder / MANIFEST)])
    assert [row["run"] for row in again.rows] == [row["run"] for row in saved_sweep.rows]
    with pytest.raises(PlaygroundError, match=r"rows\.jsonl does not say what was swept"):
        open_files([str(saved_sweep.folder / ROWS)])


def test_broken_lines_are_named_by_their_numbers(saved_sweep, tmp_path):
    lines = lines_of(saved_sweep)
    lines[2] = lines[2][:40]
    lines[4] = b"\xff\xfe"
    lines.append('{"run": 99, "tokens_per_s": "fast"}')
    with pytest.raises(PlaygroundError, match=rf"not opened\. It has lines that are not rows: 3, 5, {len(lines)}\."):
        opened(tmp_path, lines)
    assert len(opened(tmp_path, [line for index, line in enumerate(lines) if index in (0, 1, 3)]).rows) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *((each, "of no run of its grid, or repeat one: 2")
          for each in ({"run": 99}, {"seed": 7}, {"temperature": 9.0}, {"label": "<b>"}, {"method": "dsbd"})),
        # JSON reads 1e999 as infinity, and whole numbers of any length
        *((f'"{name}":{number}', "lines that are not rows: 2")
          for name, number in (("perplexity", "1e999"), ("mbsu", "-1e999"), ("seconds", 10**400))),
        # in memory a list of a row takes ten times what it takes in a file, as long as its page is open
        *((each, "lines that are not rows: 2")
          for each in ({"token_ids": True}, {"token_ids": [7] * (GRID.max_new_tokens + 1)}, {"perhaps": []},
                       {"perhaps": {"a": 1}}, {"method": ["a"]})),
    ],
)  # fmt: skip
def test_a_row_that_is_none_of_this_grid_is_named(saved_sweep, tmp_path, change, said):
    lines = lines_of(saved_sweep)
    if isinstance(change, str):
        lines[1] = lines[1].replace('"prompt":', f'{change},"prompt":')
    else:
        lines[1] = json.dumps(json.loads(lines[1]) | change)
    with pytest.raises(PlaygroundError, match=said):
        opened(tmp_path, lines)


def test_a_row_may_have_as_many_tokens_as_its_run_no_times_and_one_place(saved_sweep, tmp_path):
    lines = lines_of(saved_sweep)
    row = json.loads(lines[1]) | {"token_ids": [7] * GRID.max_new_tokens}
    del row["tokens_per_s"]
    assert sweep_value(opened(tmp_path, [lines[0], json.dumps(row), *lines[2:]]))["settings"]
    with pytest.raises(PlaygroundError, match="or repeat one: 4"):
        opened(tmp_path, [*lines[:3], lines[1]])


@pytest.mark.parametrize("line", ["", "{}"])
def test_a_file_of_more_lines_than_a_sweep_has_is_not_looked_at(saved_sweep, tmp_path, line):
    with pytest.raises(PlaygroundError, match=r"mine\.jsonl has more than the 20,001 lines of a sweep"):
        opened(tmp_path, [*lines_of(saved_sweep), *[line] * MOST_RUNS])


@pytest.mark.parametrize("name", ["mine.jsonl", "sweep.json"])
def test_a_line_of_megabytes_is_not_read(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"[" + b"[]," * 1_000_000 + b"[]]")
    with pytest.raises(PlaygroundError, match=rf"{name}, line 1, has 3,000,004 bytes, and a line of a sweep at most"):
        open_files([str(path)])


@pytest.mark.parametrize(
    "damage",
    [
        lambda plan: plan.pop("grid"),
        lambda plan: plan.update(methods=[{"method": "nothing", "options": {}}]),
        lambda plan: plan.update(methods=[{"method": "rsd_s", "options": {"width": 999}}]),
        lambda plan: plan.update(seeds=list(range(5000))),
        lambda plan: plan["grid"].update(temperature=[float(10**8)]),
        lambda plan: plan.update(prompts=[]),
        lambda plan: plan.update(prompts=7),
        lambda plan: plan.update(seeds=[float("inf")]),
    ],
)
def test_a_damaged_plan_is_refused_in_a_sentence(saved_sweep, tmp_path, damage):
    manifest = json.loads(lines_of(saved_sweep)[0])
    damage(manifest["plan"])
    with pytest.raises(PlaygroundError):
        opened(tmp_path, [json.dumps(manifest)])


@pytest.mark.parametrize("content", [b"", b"\n\n", b"[]", b"null", b"{}", b'{"format": 1}', b"\x00\x01", b"NaN"])
def test_what_is_no_sweep_is_refused(tmp_path, content):
    with pytest.raises(PlaygroundError, match="does not say what was swept"):
        opened(tmp_path, [content])


def test_another_grid_does_not_go_on(saved_sweep):
    refuse_change(saved_sweep, GRID)
    with pytest.raises(PlaygroundError, match=r"was begun: temperature was \[0\.5, 1\] and is \[0\.5, 2\]"):
        refuse_change(saved_sweep, replace(GRID, axes={"temperature": (0.5, 2)}))


def test_the_table_of_rows_has_a_line_per_run_and_a_column_per_option(saved_sweep):
    with write_csv(saved_sweep).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["run"] for row in rows] == [str(row["run"]) for row in saved_sweep.rows]
    assert rows[0]["option width"] == "3" and rows[0]["prompt text"] == "ab" and "token_ids" not in rows[0]
    plain = next(row for row in rows if row["method"] == "autoregressive")
    assert plain["option width"] == "" and float(plain["block_efficiency"]) == 1.0


def test_a_folder_that_cannot_be_made_is_said(saved_sweep, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.delenv("PLAYGROUND_SWEEPS", raising=False)
    assert saved_sweeps.folder_of_all() == Path(tempfile.gettempdir()) / "playground-sweeps"
    monkeypatch.setenv("PLAYGROUND_SWEEPS", str(tmp_path / "file"))
    with pytest.raises(PlaygroundError, match="cannot be written"):
        opened(tmp_path, lines_of(saved_sweep))


def test_the_command_reads_what_the_page_wrote(saved_sweep):
    with open_results(saved_sweep.folder, saved_sweep.plan) as results:
        assert results.rows == saved_sweep.rows
    assert new_sweep().folder.parent == saved_sweeps.folder_of_all()
