"""The folder of results: what is whole stays, what is torn goes, and what does not belong is refused."""

import json
import os
import resource
import signal

import pytest

from playground.bench.results import differences, fingerprint, open_results, read_results, trace_of
from playground.errors import PlaygroundError
from tests.trace.example import speculative_trace

PLAN = {"grid": {"width": [1, 2]}, "seeds": [0]}


def write(folder, *runs, plan=PLAN):
    with open_results(folder, plan) as results:
        for run in runs:
            results.append({"run": run, "text": "caf\u00e9\n"})
    return folder / "rows.jsonl"


def runs_in(folder, plan=PLAN):
    with open_results(folder, plan) as results:
        return [row["run"] for row in results.rows]


def test_rows_come_back_in_order_each_in_a_line_of_json(tmp_path):
    write(tmp_path / "new" / "folder", 3, 1)
    path = write(tmp_path / "new" / "folder", 2)
    plan, rows = read_results(tmp_path / "new" / "folder")
    assert plan == PLAN and [row["run"] for row in rows] == [3, 1, 2] and rows[0]["text"] == "caf\u00e9\n"
    assert [json.loads(line)["run"] for line in path.read_text().splitlines()] == [3, 1, 2]


def test_a_torn_last_line_is_dropped_wherever_it_is_torn(tmp_path):
    """The file is cut at every byte of its last line, as a kill in the middle of a write would leave it."""
    path = write(tmp_path, 1, 2)
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for cut in range(start, len(whole)):
        path.write_bytes(whole[:cut])
        assert [row["run"] for row in read_results(tmp_path)[1]] == [1]
        assert runs_in(tmp_path) == [1] and path.read_bytes() == whole[:start]
    write(tmp_path, 2)
    assert path.read_bytes() == whole


def test_a_damaged_line_before_the_last_is_named(tmp_path):
    path = write(tmp_path, 1, 2, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"run": \n' + lines[2])
    for read in (runs_in, read_results):
        with pytest.raises(PlaygroundError, match=r"rows.jsonl, line 2, is damaged"):
            read(tmp_path)


def test_another_plan_is_refused_and_the_difference_is_said(tmp_path):
    write(tmp_path, 1)
    message = r"width was \[1, 2\] and is \[1, 2, 3\]; seeds was \[0\] and is \[0, 1\]"
    with pytest.raises(PlaygroundError, match=message):
        write(tmp_path, plan={"grid": {"width": [1, 2, 3]}, "seeds": [0, 1]})
    assert runs_in(tmp_path) == [1]


def test_the_order_of_a_plans_keys_does_not_matter():
    plan = {"a": 1, "b": [1, 2]}
    assert fingerprint(plan) == fingerprint({"b": [1, 2], "a": 1}) != fingerprint(plan | {"b": [2, 1]})


def test_only_one_process_writes_at_a_time(tmp_path):
    with open_results(tmp_path, PLAN):
        refusal = f"Another process \\({os.getpid()}\\) is writing"
        with pytest.raises(PlaygroundError, match=refusal), open_results(tmp_path, PLAN):
            pass
        assert read_results(tmp_path)[1] == []  # reading is free
    assert runs_in(tmp_path) == []


def test_a_full_disk_keeps_the_whole_rows_and_says_so(tmp_path):
    """A limit on the size of files stands in for a full disk: the write stops in the middle of a row there too."""
    path = write(tmp_path, 1, 2)
    whole = path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with open_results(tmp_path, PLAN) as results:
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, before[1]))
            with pytest.raises(PlaygroundError, match=r"rows.jsonl cannot be written: .*Make room"):
                results.append({"run": 3, "text": "x" * 500})
            assert path.read_bytes() == whole
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert runs_in(tmp_path) == [1, 2]


@pytest.mark.parametrize("place", ["file", "file/inside", "/proc/nowhere"])
def test_a_folder_that_cannot_be_written_is_refused(tmp_path, place):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(PlaygroundError, match="cannot be written"):
        write(tmp_path / place)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "speculative-decoding-sweep", "version": 9, "plan": {}}'])
def test_a_manifest_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "sweep.json").write_text(text)
    for read in (runs_in, read_results):
        with pytest.raises(PlaygroundError, match=r"sweep\.json"):
            read(tmp_path)


def test_without_a_manifest_there_is_no_sweep_and_rows_are_left_alone(tmp_path):
    with pytest.raises(PlaygroundError, match="holds no sweep"):
        read_results(tmp_path)
    (tmp_path / "rows.jsonl").write_text('{"run": 1}\n')
    with pytest.raises(PlaygroundError, match=r"holds rows, but sweep\.json is missing"):
        runs_in(tmp_path)


def test_a_runs_trace_can_be_opened_from_its_row(tmp_path):
    with open_results(tmp_path, PLAN) as results:
        about = results.save_trace(7, speculative_trace())
    file = "traces/000007.json.gz"
    assert about == {"trace": file, "trace_bytes": (tmp_path / file).stat().st_size}
    assert trace_of(tmp_path, {"run": 7} | about).events[0].method == "speculative_sampling"
    with pytest.raises(PlaygroundError, match="without a trace"):
        trace_of(tmp_path, {"run": 7, "trace": None})
    with pytest.raises(PlaygroundError, match="Cannot read"):  # outside its folder
        trace_of(tmp_path, {"run": 1, "trace": "../../../etc/passwd"})


def test_traces_that_were_being_written_when_all_ended_are_cleared_away(tmp_path):
    write(tmp_path, 1)
    (tmp_path / "traces" / ".000001.json.gz-abc.part").write_text("half")
    runs_in(tmp_path)
    assert list((tmp_path / "traces").iterdir()) == []


def test_a_difference_inside_a_part_of_a_plan_is_named_alone():
    was = {"seeds": [1], "models": {"target": "a", "draft": "b"}}
    assert differences(was, was | {"models": {"target": "a", "draft": "c"}}) == 'draft was "b" and is "c"'
    assert differences(was, {"seeds": [2], "models": None}) == (
        'seeds was [1] and is [2]; models was {"target": "a", "draft": "b"} and is not there'
    )
