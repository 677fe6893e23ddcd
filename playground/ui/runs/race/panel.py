"""A race on the page: its runs as they are measured, then sentences, replay, table and chart; drawn by assets/race."""

import uuid
from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import cast

import gradio as gr

from playground.bench.prompts import use_kinds
from playground.bench.rating import PLAIN
from playground.metrics.comparison import RaceRow
from playground.ui.contract.from_page import ChoosePrompt, ExplainRow, OpenRecorded, WatchLane
from playground.ui.contract.to_page import Lanes, MeasuredLane, NoRace, RaceValue
from playground.ui.page.controls import sampling_in_words
from playground.ui.page.drawn_panel import drawn_panel
from playground.ui.runs.conditions import conditions_in_words, model_in_words
from playground.ui.runs.race.papers import beside_paper
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceSetup
from playground.views.race.against import BASELINE, against_of
from playground.views.race.energy import constants_in_words, energy_data
from playground.views.race.speed_up import SpeedUp, speed_up_data, speed_up_figure
from playground.views.race.standings import NamedRow, named, standings_data
from playground.views.race.verdict import verdict
from playground.views.theme import plain_figure
from playground.words import counted, paragraph, word

MOST_LANES = 24  # A replay has no more: every method once.


def race_panel() -> gr.HTML:
    """Return the panel before the first race: it says what is to come."""
    hears = [ChoosePrompt, WatchLane, ExplainRow, OpenRecorded]
    return drawn_panel("race", large=True, hears=hears, value={"race": None}, elem_id="race-panel")


def race_value(rows: list[RaceRow], runs: RaceRuns, recorded: str = "") -> RaceValue:
    """Return the value of a finished race, its replay on the prompt that ranks most like the whole race."""
    entries = named_rows(runs.grid, rows)
    bars = speed_up_data(entries)
    return {
        "race": uuid.uuid4().hex,
        "recorded": recorded,
        "verdict": [*verdict(entries), *_by_kind(runs)],
        "conditions": _conditions(runs),
        "beside": beside_paper(runs.grid, rows),
        "standings": standings_data(entries, _energy_notes(runs)),
        "chart": {
            "id": "speed_up",
            "title": word("race_speed_up_title"),
            "summary": word("race_speed_up_summary"),
            "figure": plain_figure(speed_up_figure(bars)),
            "rows": {
                "header": [
                    word("race_head_entry"),
                    word("column_speed_up"),
                    word("race_head_over"),
                    word("race_head_interval"),
                    word("race_head_pairs"),
                ],
                "body": [_bar_row(bar) for bar in bars],
            },
        },
        "energy": energy_data(entries, runs.numbers(), runs.estimated_with),
        "prompts": list(runs.grid.prompts),
        **lanes_value(rows, runs, typical_prompt(rows, runs)),
    }


def _by_kind(runs: RaceRuns) -> list[str]:
    """Sentences on which entry is fastest on each kind of prompt, where the race has the prompts of `USES`.

    A ratio is the median over the prompts of the kind, each with the median repeat of both.
    """
    names, kinds = runs.grid.names(), [use_kinds().get(prompt) for prompt in runs.grid.prompts]
    rates = [runs.rates(index) for index in range(len(kinds))]
    plain = next((entry.label for entry in runs.grid.entries if entry.method == PLAIN), "")
    said = []
    for kind in dict.fromkeys(filter(None, kinds)):
        own = [each for each, other in zip(rates, kinds, strict=True) if other == kind and each.get(plain)]
        ratios = {
            label: median(each[label] / each[plain] for each in own)
            for label in names
            if label != plain and own and all(label in each for each in own)
        }
        if ratios:
            best, worst = max(ratios, key=ratios.__getitem__), min(ratios, key=ratios.__getitem__)
            said.append(
                word(
                    f"race_on_{kind}",
                    count=len(own),
                    best=names[best]["title"],
                    most=f"{ratios[best]:.2f}",
                    worst=names[worst]["title"],
                    least=f"{ratios[worst]:.2f}",
                )
            )
    return said


def measuring_value(runs: RaceRuns) -> NoRace:
    """Return the value of a race in progress: tokens/s of every entry's runs so far, in the order of measurement."""
    lanes: list[MeasuredLane] = [
        {**named(each), "rates": [run["tokens_per_s"] or 0.0 for run in runs.numbers(label)]}
        for label, each in runs.grid.names().items()
    ]
    return {"race": None, "measuring": {"runs": len(runs.grid.prompts) * runs.grid.repeats, "lanes": lanes}}


def lanes_value(rows: list[RaceRow], runs: RaceRuns, index: int) -> Lanes:
    """Return the part of the value that depends on the prompt shown."""
    replayed = _replayed(rows)
    notes = [_another_winner(replayed, runs, index)]
    if len(replayed) < len(rows):
        notes.append(word("race_lanes_left_out", shown=len(replayed), count=len(rows)))
    return {
        "place": index,
        "lanes": [
            {
                **named(row),
                "failed": row.get("failed"),
                "run": None if "failed" in row else runs.lane(row["label"], index),
            }
            for row in named_rows(runs.grid, replayed)
        ],
        "lanes_note": paragraph(*notes),
    }


def typical_prompt(rows: list[RaceRow], runs: RaceRuns) -> int:
    """Return the index of the prompt on which most entries ran, in the order most like the overall one.

    A single prompt may rank the entries quite unlike the medians over all of them, which the sentences say. Prompts on
    which all lanes have the same number of tokens come first: on others there are no places.
    """

    def strangeness(index: int) -> tuple[int, bool, int]:
        rates = runs.rates(index)
        ranked = [label for label in _medians(rows) if label in rates]
        medians = [median for row in _replayed(rows) if (median := runs.median(row["label"], index))]
        is_uneven = len({median["num_tokens"] for median in medians}) > 1
        return -len(ranked), is_uneven, sum(rates[one] < rates[other] for one, other in combinations(ranked, 2))

    return min(range(len(runs.grid.prompts)), key=strangeness)


def _medians(rows: Sequence[RaceRow]) -> dict[str, float]:
    """Return the speed-up over plain decoding of every entry that has one, fastest first."""
    known = {
        row["label"]: ratio["median"] for row in rows if (ratio := row.get("speed_up")) and against_of(row) == BASELINE
    }
    return dict(sorted(known.items(), key=lambda each: -each[1]))


def _another_winner(rows: Sequence[RaceRow], runs: RaceRuns, index: int) -> str:
    """Return a sentence where this prompt has another winner than the race; else nothing."""
    rates, names, num_prompts = runs.rates(index), runs.grid.names(), len(runs.grid.prompts)
    ranked = [label for label in _medians(rows) if label in rates]
    if num_prompts < 2 or not ranked or (first := max(ranked, key=lambda label: rates[label])) == ranked[0]:
        return ""
    return word(
        "race_another_winner",
        first=names[first]["title"],
        count=num_prompts,
        best=names[ranked[0]]["title"],
    )


def _replayed(rows: list[RaceRow]) -> list[RaceRow]:
    """All entries; of a large race each method's fastest, so that the lanes can be followed."""
    if len(rows) <= MOST_LANES:
        return rows
    best: dict[str, RaceRow] = {}
    for row in rows:
        rival = best.setdefault(row["method"], row)
        if (row.get("speed_up") or {}).get("median", 0) > (rival.get("speed_up") or {}).get("median", 0):
            best[row["method"]] = row
    return list(best.values())


def named_rows(setup: RaceSetup, rows: list[RaceRow]) -> list[NamedRow]:
    """Return the rows, each also with what it is called on the page."""
    names = setup.names()
    return [cast("NamedRow", {**row, **names[row["label"]]}) for row in rows]


def _conditions(runs: RaceRuns) -> str:
    """Return the conditions of the numbers, in a line."""
    setup, where = runs.grid, runs.conditions
    size = [
        counted("methods", len(setup.entries)),
        counted("prompts", len(setup.prompts)),
        word("race_with_seeds", repeats=counted("repeats", setup.repeats), seed=setup.seeds[0]),
        word("race_most_tokens", count=setup.max_new_tokens),
        *sampling_in_words(setup.sampling.as_dict()),
    ]
    machine, draft = where.get("machine", {}), where.get("draft") or {}
    drafters = where.get("drafters") or ([draft["name"]] if draft else [])
    drafts = sorted(model_in_words(draft) if each == draft.get("name") else each for each in drafters)
    threads = counted("threads", machine["threads"]) if machine.get("threads") else None
    on = [machine.get("gpu") or machine.get("processor"), threads]
    return conditions_in_words(len(runs.numbers()), setup.num_runs, size, where.get("target", {}), drafts, on)


def _energy_notes(runs: RaceRuns) -> list[str]:
    """Return the sources of joules: the counter, and the constants of the estimate."""
    said: list[str] = [word("race_joules_by", source=runs.energy_source)] if runs.energy_source else []
    return said + ([constants_in_words(runs.estimated_with)] if runs.estimated_with else [])


def _bar_row(bar: SpeedUp) -> list[str | int]:
    interval = "–" if bar.low is None else f"{bar.low:.2f}–{bar.high:.2f}"
    return [bar.title, f"{bar.median:.2f}×", bar.over, interval, bar.pairs]
