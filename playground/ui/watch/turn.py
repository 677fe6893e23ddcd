"""A run from its button to its end: lining up, waiting, decoding, stopping."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any, NamedTuple, cast

import gradio as gr

from playground.errors import PlaygroundError
from playground.metrics.energy import estimate_at_end
from playground.metrics.quotient import LEFT_OUT, quotient
from playground.trace.events import Committed, Event, RunFinished, RunStarted, Trace
from playground.trace.storage import events_json
from playground.ui.contract.to_page import Line, LinkParts, PlayerValue
from playground.ui.live import turns
from playground.ui.live.zero_gpu import is_lent
from playground.ui.page.job import buttons, stop_waiting
from playground.ui.page.messages import failure, say
from playground.ui.page.progress import asking, waiting
from playground.ui.watch import finished, pace
from playground.ui.watch.form import UNSAID_METHOD, WatchForm
from playground.ui.watch.lent_run import lent_run
from playground.ui.watch.live import LiveRun
from playground.ui.watch.player_panel import live_value, newest, whole
from playground.views.charts import page_charts
from playground.words import counted, keyed, word

REHEARSED = 48  # tokens
PLAIN = "autoregressive"
MOST_S = 10  # A reader who looks on waits no longer for turns that are added until they tell.


class Shown(NamedTuple):
    """An update of the page during a run."""

    player: Any = gr.skip()
    message: Any = gr.skip()


def ask(request: gr.Request, form: WatchForm) -> tuple[Any, ...]:
    """Handle a press of Run: (the request, Run, Stop, message, clock, player). A run that exists already is shown."""
    session = request.session_hash or ""
    try:
        form.refuse_damaged()
        if turns.others_are_there(session) and not turns.is_asked(session) and (there := finished.find(form)):
            return form, *buttons(running=False), there[1], gr.Timer(active=False), there[0]
        turns.ask(session)
    except PlaygroundError as error:
        raise gr.Error(str(error), print_exception=False) from None
    ahead = turns.ahead(session) or 0
    message: Line = {**waiting(ahead), "link": link_parts(form)}  # the address names the run from its first second
    return form, *buttons(running=True), message, asking(ahead), gr.skip()


def watch(request: gr.Request, form: WatchForm) -> Iterator[Shown]:
    """Make the requested run, round by round.

    The player keeps what it shows until the first events of the new run are there: a refused run changes nothing.
    """
    events: list[Event] = []
    session = request.session_hash or ""
    with turns.current(session) as turn:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield Shown()
            return
        turns.begin(turn)
        if turns.others_are_there(session) and (there := finished.find(form)):
            yield Shown(*there)
            return
        yield Shown(message=say(word("notice_prompt")))
        value, log, problem = live_value(), [], None
        run = LiveRun(
            lambda: form.spec().request(run.say, turn.stop.is_set),
            turn.stop,
            partial(pace.interval, value["run"]),
            lambda: form.spec().fetch(run.say, turn.stop.is_set),
        )
        try:
            with pace.looked_at(value["run"]):
                for batch in lent_run(form) if is_lent() else run.steps():
                    if isinstance(batch, str):
                        yield Shown(message=say(batch))
                        continue
                    events += batch
                    if not log:  # a form that a run could be made of
                        value["link"] = link_parts(form)
                    log.append(events_json(batch))
                    value = newest(value, log)
                    yield Shown(value, _progress(events[-1]))
        except Exception as error:
            left = word("watch_error_kept") if events else word("watch_error_unchanged")
            problem = failure(word("watch_error_the_run"), error, left)
        if events:
            value = _ended(whole(value, log), Trace(tuple(events)), problem)
            yield Shown(value, problem or _progress(events[-1]))
        elif problem:
            yield Shown(message=problem)
        if _came_to_its_end(events) and not problem:
            turn.stop.clear()  # The end of the run has set it; from here on a press of Stop does.
            for beside in _beside(form, session, turn, events):
                value = cast("PlayerValue", {**value, **beside})
                yield Shown(value, _progress(events[-1]))
            if turn.stop.is_set():
                yield Shown(message=_progress(events[-1]))
            finished.keep(form, value)


def _ended(value: PlayerValue, trace: Trace, problem: Line | None) -> PlayerValue:
    """Return a run's value at its end."""
    return {
        **value,
        "figures": json.dumps(keyed(page_charts(trace))),
        "estimate": keyed(estimate_at_end(trace)),
        "ended": True,
        "error": problem and problem["said"],
    }


def _beside(form: WatchForm, session: str, turn: turns.Turn, events: list[Event]) -> Iterator[dict[str, object]]:
    """Decode the same prompt plainly and by the method, in turns, until their quotients tell which is faster.

    The run of `events` is not among those compared: while it was made, the page was drawing, which has made single runs
    seven times as slow. Nothing is compared where the method is plain decoding, or where a run costs a turn on a lent
    device. The comparison ends early once others wait, the reader stops it, or `MOST_S` are over.

    Yields:
        plain: seconds at which plain decoding had each token, in its median run. again: seconds at the end of each
        round of the method, in its median run; None where lengths adapt to times and its runs have other rounds.
        beside: both as whole runs.
    """
    if is_lent() or form.method == PLAIN:
        return
    started, plain, again = time.perf_counter(), [], []
    tokens, rounds = cast("RunFinished", events[-1]).num_tokens, len(_clock(events))
    with suppress(PlaygroundError):
        while len(plain) < max(LEFT_OUT) and not (turn.stop.is_set() or turns.others_are_there(session)):
            plain.append(_clock(_events_of(replace(form, method=PLAIN))))
            again.append(_clock(_events_of(form)))
            if not plain[-1] or not again[-1]:
                return
            if len(plain) not in LEFT_OUT:
                continue
            plain_s, again_s = [_seconds(each, tokens) for each in plain], [each[-1] for each in again]
            outcome = quotient(plain_s, again_s)
            whole_run = {"tokens": tokens, "ms": 1000 * median(again_s), "plain_ms": 1000 * median(plain_s)}
            range_of = {"low": outcome.low, "high": outcome.high, "shown": outcome.shown, "count": outcome.of}
            is_alike = all(len(each) == rounds for each in again)
            yield {
                "plain": _median_run(plain),
                "again": _median_run(again) if is_alike else None,
                "beside": {**whole_run, **range_of, "runs": len(plain), "even": outcome.is_even},
            }
            if not outcome.is_even or time.perf_counter() - started > MOST_S:
                return


def _seconds(plain: list[float], tokens: int) -> float:
    """Seconds of plain decoding for a number of tokens; by its rate where it ended sooner."""
    count = min(len(plain), tokens)
    return plain[count - 1] * tokens / count


def _median_run(clocks: list[list[float]]) -> list[float]:
    return sorted(clocks, key=lambda each: each[-1])[len(clocks) // 2]


def _events_of(form: WatchForm) -> list[Event]:
    """Make a run to its end; no event of one that did not come to it."""
    run = LiveRun(form.spec().request)  # the run's own `stop` is set by its end
    events = [event for batch in run.steps() if not isinstance(batch, str) for event in batch]
    return events if _came_to_its_end(events) else []


def _clock(events: list[Event]) -> list[float]:
    return [event.clock_s for event in events if isinstance(event, Committed)]


def rehearse(form: WatchForm) -> None:
    """Make a short run of what the page offers first before any request, so that all it needs is loaded and timed."""
    form = replace(form, tokens=REHEARSED)
    run = LiveRun(lambda: form.spec().request())
    for _ in run.steps():
        pass


def _came_to_its_end(events: list[Event]) -> bool:
    last = events[-1] if events else None
    return isinstance(last, RunFinished) and last.finish_reason != "stopped"


def stop_run(request: gr.Request) -> tuple[Any, ...]:
    """End this page's run before its next round, or before it begins; (Run, Stop, message)."""
    return stop_waiting(request, buttons(running=False))  # Where one has begun, the page says "Stopping ..." itself.


def buttons_after(request: gr.Request) -> tuple[Any, Any]:
    """Update the buttons after a run; another of this page may be waiting meanwhile. (Run, Stop)"""
    return buttons(running=turns.is_asked(request.session_hash or ""))


def link_parts(form: WatchForm) -> LinkParts | None:
    """Return the settings of the run as a link has them; None where they are too long for one, or no Unicode text."""
    with suppress(PlaygroundError, UnicodeEncodeError):
        return {"setup": form.link(WatchForm(method=UNSAID_METHOD)).removeprefix("?")}
    return None


def _progress(last: Event) -> Line:
    """One sentence on how far the run is."""
    if isinstance(last, RunFinished):
        tokens = counted("tokens", last.num_tokens)
        end = word(f"end_{last.finish_reason}")
        return say(word("run_ended", end=end, tokens=tokens, seconds=f"{last.seconds:.2f}"))
    if isinstance(last, RunStarted):
        return say(word("notice_decoding"))
    return say(word("notice_round", round=last.round))
