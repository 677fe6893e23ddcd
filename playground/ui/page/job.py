"""A job of many runs from its button to its end, a race or a sweep: lining up, waiting, running, stopping.

Watch's run, which is one, shares the buttons, and Stop.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from playground.bench.sweep import Progress
from playground.errors import PlaygroundError
from playground.ui.contract.to_page import Line
from playground.ui.live import turns
from playground.ui.live.device import MOST_RACES
from playground.ui.live.job import LiveJob
from playground.ui.page.controls import HIDDEN, POSTED
from playground.ui.page.drawn_panel import with_json
from playground.ui.page.form import Checked, Controls
from playground.ui.page.messages import STOPPING, complain, failure, say
from playground.ui.page.model_chooser import chosen_models, models_of
from playground.ui.page.progress import about, queue_message, stand_still, waiting
from playground.words import word


class Shown(NamedTuple):
    """An update of the page during a job."""

    panel: Any = gr.skip()
    message: Any = gr.skip()
    job: Any = gr.skip()
    id: Any = gr.skip()  # The browser gets a sweep's.


def buttons(*, running: bool) -> tuple[Any, Any]:
    """(start, stop)."""
    return gr.Button(interactive=not running), gr.Button(interactive=running)


def stop_waiting(request: gr.Request, buttons: tuple[Any, ...]) -> tuple[Any, ...]:
    """Stop this page's runs; (*buttons, message), or nothing where one has begun, which ends soon and says so.

    `nothing_comes` tells the page that it need not keep a place for a run.
    """
    stopped = turns.stop(request.session_hash or "")
    if any(turn.has_begun for turn in stopped):
        return (gr.skip(),) * (len(buttons) + 1)
    message = say(word("notice_not_begun") if stopped else word("notice_had_ended"))
    return *buttons, message | {"nothing_comes": True}


@dataclass(frozen=True, eq=False)
class JobKind:
    """A race or a sweep: what differs, and what a press of its buttons does."""

    what: str  # A message calls the job so.
    runs_done: str  # key of the sentence on its progress
    # It updates the panel with the runs that are there; the flag says whether they are the job's first news.
    under_way: Callable[[Any, bool], Shown]
    ended: Callable[[Any, LiveJob], Shown]  # the update at its end
    before: Callable[[Any], Any]  # It gives what the panel shows where the job came to nothing.
    broken: tuple[str, str]  # The keys of two messages say what broke off, and what is left.
    # updates of its buttons, Stop last, by whether one is running, and the job that is shown
    buttons: Callable[[bool, Any], tuple[Any, ...]]
    queue: str  # name of the line in which jobs of its kind wait

    def ask(
        self, make: Callable[[Any, Any], Any], request: gr.Request, form: Any, shown: Any = None
    ) -> tuple[Any, ...]:
        """Queue a request: (*buttons, message, the request, clock). What cannot run is not queued.

        Args:
            make: makes the job of a form and the job that is shown, or refuses it.
            request: of the page.
            form, shown: what it is made of.
        """
        session, buttons = request.session_hash or "", self.buttons(True, None)
        try:
            checked = Checked(make(form, shown))
            turns.ask(session, self.what)
        except PlaygroundError as error:
            return *(gr.skip() for _ in buttons), complain(error), gr.skip(), gr.skip()
        return *buttons, waiting(turns.ahead(session) or 0), checked, gr.Timer(active=True)

    def run_job(self, request: gr.Request, checked: Checked[Any]) -> Iterator[Shown]:
        """Make the runs of a job. The page gets progress between runs, while no clock is read."""
        job = checked.what
        with turns.current(request.session_hash or "", self.what) as turn:
            if turn.stop.is_set():  # stopped before its turn came, and said so then
                yield Shown()
                return
            turns.begin(turn)
            yield Shown(message=say(word("loading_models")))
            try:
                models, is_first = chosen_models(*models_of(job.grid)), True
                live = LiveJob(job, models.load, turn.stop, partial(models.fetch, stop=turn.stop.is_set))
                for step in live.steps():
                    if isinstance(step, str):
                        yield Shown(message=say(step))
                        continue
                    yield self.under_way(job, is_first)._replace(message=under_way(step, self.runs_done))
                    is_first = False
                yield self.ended(job, live)
            except Exception as error:
                what, left = self.broken
                yield Shown(self.before(job), failure(word(what), error, word(left)))

    def stop_job(self, request: gr.Request, shown: Any) -> tuple[Any, ...]:
        """End this page's job before its next round, or before it begins; (*buttons, message)."""
        return stop_waiting(request, self.buttons(False, shown))

    def after(self, request: gr.Request, shown: Any) -> tuple[Any, ...]:
        """Update the buttons after a job; another run of this page may be waiting meanwhile."""
        return self.buttons(turns.is_asked(request.session_hash or ""), shown)

    def connect(
        self,
        makes: Sequence[tuple[gr.Button, Callable[[Any, Any], Any]]],
        form: Controls[Any],
        shown: list[Any],
        buttons: list[gr.Button],
    ) -> Any:
        """Connect the buttons, and return the event of a job's end.

        Args:
            makes: buttons that ask for a job, with what makes it, see `ask`.
            form: what is asked for.
            shown: panel, message, the job, and its id for the browser.
            buttons: all of them, Stop last.
        """

        def line_up(make: Callable[[Any, Any], Any]) -> Callable[..., Any]:
            return form.call(lambda request, filled, job: self.ask(make, request, filled, job))

        request = gr.State(None)  # changes when a job was asked for and may line up
        clock = gr.Timer(1, active=False)  # looks up the place in the queue
        _, message, job, _ = shown
        for button, make in makes:
            # in the queue, where a changed state is noticed, but not in the line for the device
            outputs = [*buttons, message, request, clock]
            button.click(line_up(make), [*form.components, job], outputs, concurrency_limit=None, **POSTED)
            button.click(None, None, None, js=stand_still(message), **HIDDEN)
        queue = {"concurrency_limit": MOST_RACES, "concurrency_id": self.queue}
        ended = request.change(with_json(self.run_job, 0), request, shown, **queue, **HIDDEN)
        ended.then(self.after, job, buttons, **HIDDEN)
        buttons[-1].click(None, None, message, js=STOPPING, **HIDDEN)
        buttons[-1].click(self.stop_job, job, [*buttons, message], queue=False, **HIDDEN)
        clock.tick(queue_message, None, [message, clock], queue=False, **HIDDEN)
        return ended


def under_way(at: Progress, runs_done: str) -> Line:
    """Return the number of runs that are done with a bar below it, and the seconds left if it goes on like this."""
    if not at.done:
        return {**say(word("sweep_first_run")), "done": at.done, "total": at.total}
    left = about(at.seconds_left, "left") if at.seconds_left else ""
    return {**say(word(runs_done, done=at.done, count=at.total), left), "done": at.done, "total": at.total}
