"""Who waits and asks for a run that has just ended gets that one, and is told so; who does not wait gets a new one."""

from types import SimpleNamespace

import gradio as gr
import pytest

from playground.ui.live import turns
from playground.ui.page import files
from playground.ui.watch import finished
from playground.ui.watch.form import WatchForm
from playground.ui.watch.turn import ask, watch

ONE, OTHER = (SimpleNamespace(session_hash=name) for name in ("one", "other"))


def form(**changes):
    return WatchForm(**{"prompt": "Once upon a time", "tokens": 8, "method": "speculative_sampling"} | changes)


def run(request, asked):
    assert ask(request, asked)[0] is asked
    return list(watch(request, asked))[-1]


def tokens_of(value):
    return [committed.tokens for committed in (each.committed for each in files.shown_trace(value).rounds)]


def test_alone_everybody_makes_a_run_of_their_own():
    first, again = run(ONE, form()), run(OTHER, form())
    assert first.message["text"].startswith("Done: 8 tokens") and again.message["text"].startswith("Done: 8 tokens")
    assert first.player["run"] != again.player["run"] and tokens_of(first.player) == tokens_of(again.player)


def test_while_others_wait_the_same_run_is_shown_at_once_and_its_page_says_so():
    first = run(ONE, form())
    turns.ask("somebody else")
    *_, message, clock, player = ask(OTHER, form())
    assert "the very same run was made 0 s ago" in message["text"] and not clock.active
    assert tokens_of(player) == tokens_of(first.player) and player["run"] != first.player["run"]
    assert not turns.is_asked("other")
    [nothing] = watch(OTHER, form())
    assert nothing == (gr.skip(), gr.skip()), "the event behind it finds nothing to do"


def test_one_that_waited_while_it_was_made_is_shown_it_in_its_turn():
    turns.ask("somebody else")
    ask(OTHER, form())
    turns.ask("one")
    made = list(watch(ONE, form()))[-1]
    [shown] = watch(OTHER, form())
    assert "the very same run" in shown.message["text"] and tokens_of(shown.player) == tokens_of(made.player)


@pytest.mark.parametrize("changes", [{"seed": 1}, {"tokens": 9}, {"prompt": "Once"}, {"temperature": 0.5}])
def test_another_run_is_made(changes):
    run(ONE, form())
    turns.ask("somebody else")
    assert ask(OTHER, form(**changes))[-1] == gr.skip()


def test_a_run_that_was_stopped_is_not_shown_to_others():
    ask(ONE, form(tokens=200))
    for shown in watch(ONE, form(tokens=200)):
        if shown.player != gr.skip():
            turns.stop("one")
    assert finished.find(form(tokens=200)) is None


def test_no_more_are_kept_than_fit():
    for seed in range(finished.MOST_RUNS + 3):
        finished.keep(form(seed=seed), {"chunks": ["x"], "figures": None})
    assert finished.find(form(seed=2)) is None and finished.find(form(seed=3))
    finished.keep(form(seed=99), {"chunks": ["x" * finished.MOST_CHARACTERS], "figures": None})
    assert finished.find(form(seed=99)) and finished.find(form(seed=5)) is None
