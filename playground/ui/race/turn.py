"""A race from its form to its result: what it shows on its way, see page/job.py."""

from playground.ui.contract.to_page import NoRace
from playground.ui.live.job import LiveJob
from playground.ui.page.job import JobKind, Shown, buttons
from playground.ui.page.messages import say
from playground.ui.race.panel import measuring_value
from playground.ui.race.result import Result
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceForm, race_setup
from playground.words import word

WHAT = "race in the Compare tab"
ONE_BEFORE: NoRace = {"race": None}  # the panel's value where nothing was measured: it shows the race before again


def make_race(form: RaceForm, _: Result | None) -> RaceRuns:
    """Return what Race asks for.

    Raises:
        PlaygroundError: if it cannot be raced.
    """
    return RaceRuns(race_setup(form))


def _ended(runs: RaceRuns, live: LiveJob) -> Shown:
    done = len(runs.rows)
    if live.was_stopped and not done:
        return Shown(ONE_BEFORE, say(word("stopped_before")))
    message = word("race_done", done=done, seconds=f"{live.seconds:.0f}")
    if live.was_stopped:
        message = word("race_stopped", done=done, count=runs.grid.num_runs)
    result = Result(runs)
    return Shown(result.value, say(message), result)


KIND = JobKind(
    WHAT,
    "race_runs_done",
    under_way=lambda runs, is_first: Shown(measuring_value(runs)),
    ended=_ended,
    before=lambda runs: ONE_BEFORE,
    broken=("watch_error_the_race", "watch_error_one_before"),
    buttons=lambda running, result: buttons(running=running),
    queue="races",
)
