"""A job of many runs from its button to its end, a race or a sweep: lining up, waiting, running, stopping."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from playground.bench.sweep import Progress
from playground.errors import PlaygroundError
from playground.ui.contract.to_page import Line
from playground.ui.live import turns
from playground.ui.live.device import MOST_RACES
from playground.ui.live.job import LiveJob
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import with_json
from playground.ui.page.form import Checked, Controls
from playground.ui.page.messages import STOPPING, complain, failure, say
from playground.ui.page.model_chooser import chosen_models, models_of
from playground.ui.page.progress import about, queue_message, say_how_far, stand_still, waiting
from playground.ui.page.run_buttons import stop_waiting
from playground.words import word

STILL = gr.Timer(active=False)


class Shown(NamedTuple):
    """An update of the page during a job."""

    panel: Any = gr.skip()
    message: Any = gr.skip()
    job: Any = gr.skip()
    id: Any = gr.skip()  # of a sweep, for the browser
    clock: Any = gr.skip()


class Kind(NamedTuple):
    """The differences of a race and a sweep on the page.

    Attributes:
        what: how a message calls the job.
        runs_done: key of the sentence on its progress.
        under_way: the update for the runs that are there, and whether they are the first news of the job.
        ended: the update at its end.
        before: what the panel shows where the job came to nothing.
        broken: keys of what broke off, and of what is left.
        buttons: updates of its buttons, Stop last, by whether one is running, and the job that is shown.
        queue: name of the line in which jobs of its kind wait.
    """

    what: str
    runs_done: str
    under_way: Callable[[Any, bool], Shown]
    ended: Callable[[Any, LiveJob], Shown]
    before: Callable[[Any], Any]
    broken: tuple[str, str]
    buttons: Callable[[bool, Any], tuple[Any, ...]]
    queue: str


def ask(kind: Kind, make: Callable[[Any, Any], Any], request: gr.Request, form: Any, shown: Any) -> tuple[Any, ...]:
    """Queue a request: (*buttons, message, the request, clock). What cannot run is not queued.

    Args:
        kind: of job.
        make: makes the job of a form and the job that is shown, or refuses it.
        request: of the page.
        form, shown: what it is made of.
    """
    session, buttons = request.session_hash or "", kind.buttons(True, None)
    try:
        checked = Checked(make(form, shown))
        turns.ask(session, kind.what)
    except PlaygroundError as error:
        return *(gr.skip() for _ in buttons), complain(error), gr.skip(), gr.skip()
    return *buttons, waiting(turns.ahead(session) or 0), checked, gr.Timer(active=True)


def run_job(kind: Kind, request: gr.Request, checked: Checked[Any]) -> Iterator[Shown]:
    """Make the runs of a job. The page gets progress between runs, while no clock is read."""
    job = checked.what
    with turns.current(request.session_hash or "", kind.what) as turn:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield Shown(clock=STILL)
            return
        turns.begin(turn)
        yield Shown(message=say(word("loading_models")), clock=STILL)
        try:
            models, is_first = chosen_models(*models_of(job.grid)), True
            live = LiveJob(job, models.load, turn.stop, partial(models.fetch, stop=turn.stop.is_set))
            for step in live.steps():
                if isinstance(step, str):
                    yield Shown(message=say(step))
                    continue
                yield kind.under_way(job, is_first)._replace(message=under_way(step, kind.runs_done))
                is_first = False
            yield kind.ended(job, live)
        except Exception as error:
            what, left = kind.broken
            yield Shown(kind.before(job), failure(word(what), error, word(left)), clock=STILL)


def under_way(at: Progress, runs_done: str) -> Line:
    """Return the number of runs that are done, and the seconds left if it goes on like this."""
    if not at.done:
        return say_how_far(word("sweep_first_run"), done=at.done, total=at.total)
    left = about(at.seconds_left, "left") if at.seconds_left else ""
    return say_how_far(word(runs_done, done=at.done, count=at.total), left, done=at.done, total=at.total)


def stop_job(kind: Kind, request: gr.Request, shown: Any) -> tuple[Any, ...]:
    """End this page's job before its next round, or before it begins; (*buttons, message, clock)."""
    message, buttons = stop_waiting(request), kind.buttons(False, shown)
    if message is None:
        return tuple(gr.skip() for _ in range(len(buttons) + 2))
    return *buttons, message, STILL


def connect_job(
    kind: Kind,
    makes: Sequence[tuple[gr.Button, Callable[[Any, Any], Any]]],
    form: Controls[Any],
    shown: list[Any],
    buttons: list[gr.Button],
) -> Any:
    """Connect the buttons of a job, and return the event of its end.

    Args:
        kind: of job.
        makes: buttons that ask for it, with what makes the job, see `ask`.
        form: what is asked for.
        shown: panel, message, the job, and its id for the browser.
        buttons: all of them, Stop last.
    """

    def line_up(make: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def handler(request: gr.Request, filled: Any, job: Any) -> tuple[Any, ...]:
            return ask(kind, make, request, filled, job)

        return form.call(handler)

    # not named "run": a handler's name is that of its endpoint, and programs know another one by this
    def steps(request: gr.Request, checked: Checked[Any]) -> Iterator[Shown]:
        yield from run_job(kind, request, checked)

    def after(request: gr.Request, job: Any) -> tuple[Any, ...]:  # another run of this page may be waiting meanwhile
        return kind.buttons(turns.is_asked(request.session_hash or ""), job)

    def stopped(request: gr.Request, job: Any) -> tuple[Any, ...]:
        return stop_job(kind, request, job)

    request = gr.State(None)  # changes when a job was asked for and may line up
    clock = gr.Timer(1, active=False)  # looks up the place in the queue
    _, message, job, _ = shown
    for button, make in makes:
        # in the queue, where a changed state is noticed, but not in the line for the device
        outputs = [*buttons, message, request, clock]
        button.click(line_up(make), [*form.components, job], outputs, concurrency_limit=None, **HIDDEN)
        button.click(None, None, None, js=stand_still(message), **HIDDEN)
    queue = {"concurrency_limit": MOST_RACES, "concurrency_id": kind.queue}
    ended = request.change(with_json(steps, 0), request, [*shown, clock], **queue, **HIDDEN)
    ended.then(after, job, buttons, **HIDDEN)
    buttons[-1].click(None, None, message, js=STOPPING, **HIDDEN)
    buttons[-1].click(stopped, job, [*buttons, message, clock], queue=False, **HIDDEN)
    clock.tick(queue_message, None, message, queue=False, **HIDDEN)
    return ended
