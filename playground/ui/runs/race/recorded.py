"""The recorded race that the Compare tab opens on."""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.models.catalog import find_pair
from playground.ui.page.model_chooser import pair_of_opening
from playground.ui.recorded import OF_PAIR, file_of, kind_of, opened, provenance, read, write
from playground.ui.runs.race.lineup import others_in_words
from playground.ui.runs.race.link import make_link
from playground.ui.runs.race.result import Result
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceSetup, first_form
from playground.words import paragraph


def write_race(path: Path, result: Result) -> None:
    """Keep a race: its rows, every run's numbers, and the runs that its lanes show."""
    content = {"setup": result.setup.as_file(), "rows": result.rows, "runs": result.runs.as_dict()}
    write(path, kind_of("race", result.setup.pair), content, result.runs.conditions["machine"])


@cache
def read_race(path: Path, pair: str = "bundled") -> Result:
    """Return the race of a pair in a file; as long as the page runs it is the same.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it is of another pair.
    """
    recording = read(path, kind_of("race", pair))
    runs = RaceRuns.from_dict(RaceSetup.from_file(recording["setup"]), recording["runs"])
    return Result(runs, recording["rows"], recorded=paragraph(provenance(recording), *others_in_words(pair)))


def recorded_races() -> dict[str, dict[str, Any]]:
    """Return the recorded races by their models, the chat model's first, as `build_site` takes them."""
    races = {}
    for pair in reversed(OF_PAIR):
        with suppress(PlaygroundError):
            result = read_race(file_of(kind_of("race", pair)), pair)
            prompts = range(len(result.setup.prompts))
            values = [{**result.on_prompt(each), "recorded": result.recorded} for each in prompts]
            races[find_pair(pair).title] = {"place": result.value["place"], "values": values}
    return races


def open_race(request: gr.Request, result: Result | None) -> tuple[Any, Any, Any]:
    """Open the tab when it shows no race: (panel, message, result). One that a link sets up is awaited instead."""
    pair = pair_of_opening()
    recorded = file_of(kind_of("race", pair))
    link = make_link(first_form(pair))
    return opened(request, "compare", result, lambda: read_race(recorded, pair), lambda race: race.value, link=link)
