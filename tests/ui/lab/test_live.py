"""Checks that run while one watches: they flow, stop, give way to a run, and end when nobody looks."""

import time
from collections import Counter

import pytest

from playground.errors import PlaygroundError
from playground.exactness.live_check import Subject, Watched
from playground.exactness.next_tokens import NextTokens
from playground.models.table_model import TableModel
from playground.ui.lab import live as live_bench
from playground.ui.live.device import a_run_is_timed, device, sampling

TOKENS = NextTokens(TableModel.random(5, order=2, seed=5), TableModel.random(5, order=1, seed=6), "abcab", 1, 3)
OVER = {"finished", "stopped", "left", "failed"}
PATIENCE_S = 300.0  # a process begins within a second or two where nothing else runs


@pytest.fixture(autouse=True)
def no_benches(monkeypatch):
    monkeypatch.setattr(live_bench, "_benches", {})
    yield
    for bench in list(live_bench._benches.values()):
        bench.stop.set()
        bench._thread.join()


def wait(bench, condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition(answer := bench.answer([0] * len(bench.watched))):
        assert time.monotonic() < deadline, answer
        bench.stop.wait(0.01)
    return answer


def is_over(answer):
    return answer["state"] in OVER


def test_a_mistake_is_caught_in_the_worker_process_and_the_real_rule_is_not():
    """False alarm of the latter: 1e-4, were the seed not fixed."""
    subjects = [Subject("speculative_sampling"), Subject("correction_from_target", broken=True)]
    answer = wait(live_bench.begin(subjects, 600, 0), is_over)
    assert answer["state"] == "finished" and not answer["error"]
    right, wrong = answer["series"]
    assert right["samples"] == wrong["samples"] == 600
    assert right["caught_at"] is None and wrong["caught_at"] is not None
    assert [point["samples"] for point in right["points"]] == sorted({p["samples"] for p in right["points"]})
    assert right["points"][-1]["samples"] == 600


def test_the_same_seed_comes_to_the_same_end():
    first, again, other = (
        wait(live_bench.begin([Subject("rsd_s")], 150, seed, TOKENS), is_over)["series"][0]["points"][-1]["tv"]
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_page_gets_only_what_it_has_not_yet():
    bench = live_bench.begin([Subject("autoregressive")], 200, 0, TOKENS)
    points = wait(bench, is_over)["series"][0]["points"]
    assert len(points) > 1
    assert bench.answer([1])["series"][0]["points"] == points[1:] and bench.answer([99])["series"][0]["points"] == []


def test_stop_ends_it_and_keeps_what_there_is():
    bench = live_bench.begin([Subject("autoregressive")], 1_000_000, 0, TOKENS)
    wait(bench, lambda answer: answer["series"][0]["samples"])
    bench.stop.set()
    answer = wait(bench, is_over)
    assert answer["state"] == "stopped"
    [series] = answer["series"]
    assert series["points"][-1]["samples"] == series["samples"] < 1_000_000


def test_it_waits_while_a_run_has_the_device_and_not_for_another_bench_that_has_it():
    """A bench on the models holds the device in slices; no run is timed then."""
    with device:
        bench = live_bench.begin([Subject("autoregressive")], 100, 0)
        answer = wait(bench, lambda answer: answer["state"] == "paused")
        assert answer["series"][0]["samples"] == 0
    assert wait(bench, is_over)["state"] == "finished"
    with device, sampling:
        assert not a_run_is_timed()
        assert wait(live_bench.begin([Subject("autoregressive")], 100, 0), is_over)["state"] == "finished"


def test_it_ends_when_nobody_asks_any_more(monkeypatch):
    monkeypatch.setattr(live_bench, "LEFT_S", 0.05)
    bench = live_bench.begin([Subject("autoregressive")], 1_000_000, 0, TOKENS)
    bench._thread.join(PATIENCE_S)
    assert bench.state == "left"


def test_a_failure_is_a_sentence(monkeypatch):
    def fail(self, method, seed):
        raise RuntimeError("a secret")

    monkeypatch.setattr(NextTokens, "observe", fail)
    answer = wait(live_bench.begin([Subject("autoregressive")], 100, 0, TOKENS), is_over)
    assert answer["state"] == "failed" and "RuntimeError" in answer["error"] and "secret" not in answer["error"]


def test_the_one_that_has_run_for_longest_makes_room_for_another(monkeypatch):
    """Else whoever began six of them would keep everybody else out."""
    monkeypatch.setattr(live_bench, "MOST_BENCHES", 2)
    longest, other = (live_bench.begin([Subject("autoregressive")], 1_000_000, 0, TOKENS) for _ in range(2))
    with pytest.raises(PlaygroundError, match="2 benches have just begun"):
        live_bench.begin([Subject("autoregressive")], 100, 0, TOKENS)
    longest.begun_at -= live_bench.FAIR_S
    third = live_bench.begin([Subject("autoregressive")], 100, 0, TOKENS)
    answer = wait(longest, is_over)
    assert answer["state"] == "stopped" and answer["error"] == live_bench.MADE_ROOM
    assert not other.stop.is_set()
    other.stop.set()
    assert wait(third, is_over)["state"] == "finished"


def test_a_chunk_is_no_longer_than_a_slice_however_slow_a_run_is(monkeypatch):
    """One process draws for all readers: fifty of the slowest runs closed it to them for a quarter of a minute."""
    requests = []

    def draw(self, seeds, stop):
        requests.append(len(seeds))
        return Counter({(None, (0,)): len(seeds)}), len(seeds), len(seeds) * live_bench.SLICE_S

    monkeypatch.setattr(live_bench.OnTables, "draw", draw)
    monkeypatch.setattr(live_bench.OnTables, "look", lambda self, counts: None)
    monkeypatch.setattr(Watched, "note", lambda self, found: None)
    wait(live_bench.begin([Subject("autoregressive")], 20, 0), is_over)
    assert requests == [1] * 20


def steps_of(work, condition=is_over):
    """The answer of a measurement by steps, once the condition holds."""
    answer, deadline = live_bench.begin_steps(work), time.monotonic() + PATIENCE_S
    while not condition(answer):
        assert time.monotonic() < deadline, answer
        time.sleep(0.01)
        answer = live_bench.follow(answer["id"])
    return answer


def test_a_measurement_by_steps_holds_the_device_in_each_and_keeps_what_it_knows_when_it_is_stopped():
    held = []

    def work():
        for done in range(1, 1_000_000):
            held.append(device.locked())
            yield {"done": done, "total": 1_000_000}

    answer = steps_of(work, lambda answer: answer.get("done", 0) > 3)
    live_bench.stop(answer["id"])
    live_bench.find(answer["id"])._thread.join(PATIENCE_S)
    last = live_bench.follow(answer["id"])
    assert last["state"] == "stopped" and 3 < last["done"] == len(held) < 999_999
    assert all(held) and not device.locked()


def test_a_measurement_by_steps_ends_with_all_and_a_refusal_is_its_sentence():
    assert steps_of(lambda: iter([{"done": 1, "total": 1, "found": 7}]))["found"] == 7

    def refuse():
        raise PlaygroundError("There is no draft.")

    answer = steps_of(refuse)
    assert (answer["state"], answer["error"]) == ("failed", "There is no draft.")
    with device:
        paused = steps_of(lambda: iter([{"done": 1, "total": 1}]), lambda answer: answer["state"] == "paused")
        assert "done" not in paused


def test_one_that_is_over_is_forgotten_in_the_end(monkeypatch):
    bench = live_bench.begin([Subject("autoregressive")], 100, 0, TOKENS)
    wait(bench, is_over)
    bench._thread.join()
    assert live_bench.find(bench.id) is bench and not bench.seeds, "a bench that is over holds a million seeds"
    bench.asked_at -= 3 * live_bench.LEFT_S
    live_bench.begin([Subject("autoregressive")], 100, 0, TOKENS)
    with pytest.raises(PlaygroundError, match="is over"):
        live_bench.find(bench.id)
