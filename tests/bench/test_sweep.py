"""A sweep loses nothing and repeats nothing, whatever ends it."""

import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from playground.bench import sweep as sweep_module
from playground.bench.grid import Grid
from playground.bench.results import read_results, trace_of
from playground.bench.sweep import plan, sweep
from playground.bench.workers import runs as module
from playground.errors import PlaygroundError
from playground.models.loading import LoadedPair
from playground.theory.roofline import A100, CPU_CORE
from playground.trace import validate
from tests.decoding.runs import DRAFT, TARGET

PAIR = LoadedPair(TARGET, DRAFT)
SMALL = Grid(choices=(("rsd_s", {}),), axes={"width": (1, 2)}, prompts=("ab", "ba"), seeds=(0, 1), max_new_tokens=6)
AXES = {"draft_length": (1, 2, 3, 4, 5), "first_draws": (1, 2)}
LARGE = Grid((("specinfer", {}),), AXES, ("ab", "ba"), (0, 1), max_new_tokens=12)  # 40 runs


def run(folder, grid=SMALL, **settings):
    return list(sweep(grid, folder, pair=PAIR, **settings))


def timed(field):
    """Whether no two runs share it: measured times, and what follows from them."""
    return field in ("seconds", "trace_bytes", "joules", "joules_per_token") or field.endswith(("_s", "_s_per_token"))


def untimed(folder):
    """The rows without their times, by run."""
    rows = [{name: value for name, value in row.items() if not timed(name)} for row in read_results(folder)[1]]
    return sorted(rows, key=lambda row: row["run"])


def test_every_run_has_its_row_and_a_valid_trace_is_told_of_and_is_not_made_twice(tmp_path):
    message = run(tmp_path)
    assert [at.done for at in message] == list(range(9)) and {at.total for at in message} == {8}
    assert message[0].row is None and message[0].seconds_left is None
    assert message[-1].row["run"] == 8 and message[-1].seconds_left == 0
    rows = read_results(tmp_path)[1]
    assert [row["run"] for row in rows] == list(range(1, 9))
    for row in rows:
        trace = trace_of(tmp_path, row)
        validate(trace)
        assert trace.events[0].options == row["options"] and trace.events[-1].text == row["text"]
    before = (tmp_path / "rows.jsonl").read_bytes()
    assert [at.done for at in run(tmp_path)] == [8]
    assert (tmp_path / "rows.jsonl").read_bytes() == before
    run(tmp_path / "without", traces=False)
    assert list((tmp_path / "without" / "traces").iterdir()) == []
    assert {(row["trace"], row["trace_bytes"]) for row in read_results(tmp_path / "without")[1]} == {(None, 0)}


def test_a_stop_between_runs_keeps_all_of_them(tmp_path):
    going = sweep(SMALL, tmp_path, pair=PAIR)
    for at in going:
        if at.done == 3:
            going.close()
    assert len(read_results(tmp_path)[1]) == 3
    assert [at.done for at in run(tmp_path)] == [3, 4, 5, 6, 7, 8]


def test_a_stop_inside_a_run_drops_that_run_only(tmp_path):
    """It is asked by the sweep before a run and by the loop before each round: the third time is inside a run."""
    message, request = [], []

    def stop():
        request.append(len(message))
        return request.count(4) == 3

    for at in sweep(SMALL, tmp_path / "cut", pair=PAIR, stop=stop):
        message.append(at.done)
    assert message == [0, 1, 2, 3] and request[-3:] == [4, 4, 4] and len(read_results(tmp_path / "cut")[1]) == 3
    run(tmp_path / "cut")
    run(tmp_path / "whole")
    assert untimed(tmp_path / "cut") == untimed(tmp_path / "whole")


def test_a_run_that_fails_is_a_row_and_the_others_go_on(tmp_path, monkeypatch):
    whole = module.run

    def broken(request, stop, **settings):
        if request.seed == 1:
            raise ZeroDivisionError("on purpose")
        return whole(request, stop, **settings)

    monkeypatch.setattr(module, "run", broken)
    run(tmp_path)
    failed = [row for row in read_results(tmp_path)[1] if "failed" in row]
    assert [row["seed"] for row in failed] == [1] * 4
    assert {row["failed"] for row in failed} == {"ZeroDivisionError: on purpose"}
    monkeypatch.undo()
    assert [at.done for at in run(tmp_path)] == [8]  # a failure is a result too


def test_another_grid_other_models_and_other_constants_of_energy_are_refused_in_the_same_folder(tmp_path):
    """Joules of two machines' constants would stand in one chart."""
    for _ in range(2):
        run(tmp_path, machine=CPU_CORE)
    with pytest.raises(PlaygroundError, match="holds a sweep that differs: "):
        run(tmp_path, machine=A100)
    with pytest.raises(PlaygroundError, match="holds a sweep that differs: energy was"):
        run(tmp_path)
    with pytest.raises(PlaygroundError, match=r"width was \[1, 2\] and is \[1, 3\]"):
        run(tmp_path, replace(SMALL, axes={"width": (1, 3)}), machine=CPU_CORE)
    with pytest.raises(PlaygroundError, match=r"differs: name was \"table-0\""):
        list(sweep(SMALL, tmp_path, pair=LoadedPair(DRAFT, TARGET), machine=CPU_CORE))


def test_a_disk_that_fills_up_says_how_much_is_kept(tmp_path, monkeypatch):
    going = sweep(SMALL, tmp_path, pair=PAIR)
    next(going), next(going)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("playground.bench.results.os.write", full)
    with pytest.raises(PlaygroundError, match=r"No space left on device.* 1 of 8 runs are kept, and the same call"):
        next(going)
    monkeypatch.undo()
    assert [at.done for at in run(tmp_path)] == list(range(1, 9))


SCRIPT = """
import os, signal, sys, threading
from pathlib import Path
import torch
torch.set_num_threads(1)
from tests.bench.test_sweep import LARGE, run

folder, enough = Path(sys.argv[1]), int(sys.argv[2])

def kill():
    rows = folder / "rows.jsonl"
    while not rows.exists() or rows.read_bytes().count(b"\\n") < enough:
        threading.Event().wait(0.001)
    os.kill(os.getpid(), signal.SIGKILL)

threading.Thread(target=kill, daemon=True).start()  # of its own process, so that it comes in time on any machine
run(folder, LARGE)
"""


@pytest.mark.slow
def test_killed_stopped_and_resumed_it_has_the_rows_of_an_unbroken_sweep(tmp_path):
    """40 runs of table models: a process of its own is killed without warning, and what resumes it is stopped, too."""
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    command = [sys.executable, "-c", SCRIPT, str(broken), "20"]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], timeout=240)
    assert ended.returncode == -signal.SIGKILL, "it ended before it was killed"
    going = sweep(LARGE, broken, pair=PAIR)
    for at in going:
        if at.done == 32:
            going.close()
    assert len(read_results(broken)[1]) == 32
    run(broken, LARGE)
    run(whole, LARGE)
    result = untimed(broken)
    assert [row["run"] for row in result] == list(range(1, 41))  # none lost, none double
    assert result == untimed(whole)
    assert sorted(path.name for path in (broken / "traces").iterdir()) == [f"{run:06}.json.gz" for run in range(1, 41)]


def test_without_ray_the_engine_is_refused_in_a_sentence(tmp_path, monkeypatch):
    """Importing may raise anything: beside other packages it has been a KeyError."""

    class Broken:
        def find_spec(self, name, *_):
            if name == "ray":
                raise KeyError("libamd_smi.so")

    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(PlaygroundError, match=r"importing ray fails \(KeyError\)\. Install it with pip install ray"):
        run(tmp_path / "out", engine="ray")
    assert not (tmp_path / "out").exists()


def killing_one(going, others):
    """The same, and once a run is there one of its workers is killed, none of the other processes."""
    for at in going:
        if at.done == 1:
            own = next(each for each in multiprocessing.active_children() if each not in others)
            os.kill(own.pid, signal.SIGKILL)
        yield at


@pytest.mark.slow
def test_the_workers_of_an_engine_make_the_same_rows_and_one_that_is_killed_loses_none(tmp_path):
    others = multiprocessing.active_children()  # Other tests may have some.
    going = sweep(LARGE, tmp_path / "shared", engine="processes", workers=2, pair=PAIR)
    message = list(killing_one(going, others))
    assert [at.done for at in message] == list(range(41)) and message[-1].lost == 1
    run(tmp_path / "here", LARGE)
    assert without_energy(untimed(tmp_path / "shared")) == without_energy(untimed(tmp_path / "here"))
    assert all("others shared the machine" in row["energy_reason"] for row in untimed(tmp_path / "shared"))
    with pytest.raises(PlaygroundError, match='engine was "processes" and is "local"'):
        run(tmp_path / "shared", LARGE)
    assert set(multiprocessing.active_children()) <= set(others)


def without_energy(rows):
    """Workers share a machine, so none of them says what its own runs took."""
    return [{name: value for name, value in row.items() if not name.startswith("energy_")} for row in rows]


def test_the_workers_of_ray_make_the_same_rows(tmp_path):
    pytest.importorskip("ray", reason="ray is optional")
    run(tmp_path / "ray", engine="ray")
    run(tmp_path / "here")
    assert without_energy(untimed(tmp_path / "ray")) == without_energy(untimed(tmp_path / "here"))


def test_an_engine_that_cannot_have_so_many_workers_says_so(tmp_path):
    for workers, engine, said in ((2, "local", "one run at a time"), (0, "processes", "0 workers is out of range")):
        with pytest.raises(PlaygroundError, match=said):
            run(tmp_path / "out", engine=engine, workers=workers)
    assert not (tmp_path / "out").exists()


def test_the_time_left_is_that_of_the_runs_that_are_missing_at_the_pace_of_this_call(tmp_path, monkeypatch):
    """3 s a run, and beside these 1 s for the warm-up of each of the two settings, which does not count."""
    warm_ups, seconds = iter(range(4)), iter([100, 104, 108, *range(111, 130, 3)])
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: next(warm_ups)))
    monkeypatch.setattr(sweep_module, "time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    assert [at.seconds_left for at in run(tmp_path)] == [None, 21, 18, 15, 12, 9, 6, 3, 0]


def test_a_plan_names_every_model():
    models = plan(SMALL, PAIR, "local", 1)["models"]
    assert models == {"target": TARGET.facts(), "draft": DRAFT.facts()}
    assert plan(SMALL, LoadedPair(TARGET, None), "local", 1)["models"]["draft"] is None
    others = plan(SMALL, LoadedPair(TARGET, DRAFT, (TARGET,)), "local", 1)["models"]["other_drafts"]
    assert others == [TARGET.facts()]
