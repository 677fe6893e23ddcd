"""A sweep in step with the page: stopped, left and resumed it loses nothing."""

import errno
import os

import pytest

from playground.bench import results as module
from playground.bench.results import open_results, read_results
from playground.errors import PlaygroundError
from playground.models.loading import LoadedPair
from playground.trace.texts import best_text
from playground.ui.live.device import device
from playground.ui.live.job import LiveJob
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.ui.runs.sweep.watch import AGAIN, RECORDED, run_of
from tests.decoding.runs import DRAFT, TARGET
from tests.ui.runs.sweep.sweeps import PAIR, new_sweep, swept


def test_a_full_disk_is_said_in_a_sentence_and_once_there_is_room_it_goes_on(monkeypatch):
    saved_sweep, write = new_sweep(), os.write

    def fill(file, line):
        if len(saved_sweep.rows) == 7:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, line)

    monkeypatch.setattr(module.os, "write", fill)
    with pytest.raises(PlaygroundError, match=r"\(No space left on device\)\. 7 of 24 runs are saved; make space"):
        list(LiveJob(saved_sweep, lambda: PAIR).steps())
    monkeypatch.setattr(module.os, "write", write)
    assert swept(saved_sweep).is_whole and not device.locked()


def test_a_sweep_that_goes_on_in_another_tab_is_said_to():
    saved_sweep = swept(until=3)
    goes_on = pytest.raises(PlaygroundError, match=r"^This sweep goes on in another tab\. Press Stop there, or wait")
    with open_results(saved_sweep.folder, saved_sweep.plan), goes_on:
        list(LiveJob(saved_sweep, lambda: PAIR).steps())
    assert swept(saved_sweep).is_whole


def test_models_that_cannot_be_read_are_no_full_disk():
    def load():
        try:
            raise OSError("no file named model.safetensors")
        except OSError:
            raise PlaygroundError("These models have no weights.") from None

    with pytest.raises(PlaygroundError, match=r"^These models have no weights\.$"):
        list(LiveJob(new_sweep(), load).steps())


def test_rows_of_other_models_are_not_mixed(monkeypatch):
    saved_sweep = swept(until=1)
    with pytest.raises(PlaygroundError, match=r"not made as this page would make them: name was \"table-0\""):
        list(LiveJob(saved_sweep, lambda: LoadedPair(DRAFT, TARGET)).steps())


def test_the_run_in_watch_has_the_tokens_of_its_row_recorded_or_made_again():
    saved_sweep = swept()
    for row in saved_sweep.rows[::7]:
        trace, message = run_of(saved_sweep, row["run"], lambda: pytest.fail("the models were loaded"))
        assert message == RECORDED and [word.token for word in best_text(trace)] == row["token_ids"]
        assert trace.events[0].options == row["options"]
    (saved_sweep.folder / saved_sweep.rows[0]["trace"]).unlink()
    assert run_of(saved_sweep, 1, lambda: PAIR)[1] == AGAIN
    saved_sweep.rows = [row | {"trace": None} for row in saved_sweep.rows]
    for row in saved_sweep.rows[::7]:
        trace, message = run_of(saved_sweep, row["run"], lambda: PAIR)
        assert message == AGAIN and [word.token for word in best_text(trace)] == row["token_ids"]


def test_rows_that_another_page_made_meanwhile_are_there_when_it_goes_on():
    saved_sweep = swept()
    behind = SavedSweep(saved_sweep.folder, saved_sweep.plan, saved_sweep.grid, saved_sweep.rows[:3])
    assert swept(behind).is_whole and behind.rows == read_results(saved_sweep.folder)[1]


def test_a_run_that_cannot_be_watched_is_refused_in_a_sentence():
    saved_sweep = swept(until=3)
    for number in (0, 99, None, "1", [1]):
        with pytest.raises(PlaygroundError, match="not here"):
            run_of(saved_sweep, number, lambda: PAIR)
    saved_sweep.rows[0] |= {"trace": None}
    with device, pytest.raises(PlaygroundError, match="another is going on"):  # not made while that one is timed
        run_of(saved_sweep, 1, lambda: PAIR)
    saved_sweep.rows[0] |= {"token_ids": [9, 9]}
    with pytest.raises(PlaygroundError, match="came out with other tokens"):
        run_of(saved_sweep, 1, lambda: PAIR)
    saved_sweep.rows = [{"run": 1, "failed": "It drafts too much."}]
    with pytest.raises(PlaygroundError, match="nothing to watch: It drafts too much"):
        run_of(saved_sweep, 1, lambda: PAIR)
