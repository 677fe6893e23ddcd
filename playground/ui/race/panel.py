"""A race on the page: its runs as they are measured, then sentences, replay, table and chart; drawn by assets/race."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import gradio as gr

from playground.ui.page.drawn_panel import drawn_panel
from playground.ui.race.papers import beside_paper
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceSetup
from playground.views.race.against import BASELINE, against_of
from playground.views.race.energy import energy_data
from playground.views.race.speed_up import SpeedUp, speed_up_data, speed_up_figure
from playground.views.race.standings import standings_data
from playground.views.race.verdict import verdict
from playground.views.theme import plain_figure, themed

MOST_LANES = 24  # of a replay: every method once


def race_panel() -> gr.HTML:
    """The panel before the first race: it says what is to come."""
    wishes = ["choose_prompt", "watch_run", "explain_row", "open_recorded"]
    return drawn_panel("race", large=True, wishes=wishes, value={"race": None}, elem_id="race-panel")


def race_value(setup: RaceSetup, rows: list[dict[str, Any]], runs: RaceRuns) -> dict[str, Any]:
    """A race that has ended, its replay showing the prompt that ranks its entries most as the whole race does."""
    named = named_rows(setup, rows)
    bars = speed_up_data(named)
    figure = speed_up_figure(bars)
    return {
        "race": uuid.uuid4().hex,
        "verdict": verdict(named),
        "conditions": _conditions(setup, runs),
        "beside": beside_paper(setup, rows),
        "standings": standings_data(named) | {"notes": _energy_notes(runs)},
        "chart": {
            "id": "speed_up",
            "title": "Speed-up, measured",
            "summary": "Over autoregressive decoding, of beams over plain beams. Each point is the median over pairs "
            "of runs, each line its 95 % interval.",
            "figure": plain_figure(figure),
            "rows": {
                "header": ["entry", "speed-up", "over", "95 % interval", "pairs of runs"],
                "body": [_bar_row(bar) for bar in bars],
            },
        },
        "energy": energy_data(named, runs.numbers, runs.estimated_with),
        "paper": plain_figure(themed(figure, dark=False))["layout"],  # for saved pictures
        "prompts": setup.prompts,
        **lanes_value(setup, rows, runs, typical_prompt(setup, rows, runs)),
    }


def measuring_value(setup: RaceSetup, runs: RaceRuns) -> dict[str, Any]:
    """A race that is being measured: tokens/s of every entry's runs so far, in the order in which they were made."""
    rates: dict[str, list[float]] = {entry.label: [] for entry in setup.entries}
    for run in runs.numbers:
        rates[run["label"]].append(run["tokens_per_s"] or 0.0)
    named = setup.names()
    lanes = [
        {name: named[label][name] for name in ("name", "note", "badge")} | {"rates": rates[label]} for label in rates
    ]
    return {"race": None, "measuring": {"runs": len(setup.prompts) * setup.repeats, "lanes": lanes}}


def lanes_value(setup: RaceSetup, rows: list[dict[str, Any]], runs: RaceRuns, index: int) -> dict[str, Any]:
    """The part of the value that depends on the prompt shown."""
    replayed = _replayed(rows)
    notes = [_another_winner(setup, replayed, runs, index)]
    if len(replayed) < len(rows):
        notes.append(f"{len(replayed)} of {len(rows)} entries: of every method the one with the best speed-up.")
    return {
        "place": index,
        "lanes": [
            {name: row[name] for name in ("label", "title", "name", "note", "badge")}
            | {"failed": row.get("failed"), "run": None if "failed" in row else runs.lane(row["label"], index)}
            for row in named_rows(setup, replayed)
        ],
        "lanes_note": " ".join(filter(None, notes)),
    }


def typical_prompt(setup: RaceSetup, rows: list[dict[str, Any]], runs: RaceRuns) -> int:
    """The index of the prompt on which most entries ran and the fewest pairs of them ran in another order than overall.

    A single prompt may rank the entries quite unlike the medians over all of them, which the sentences say. Of several
    such prompts it is the first on which all lanes have as many tokens, where there are places.
    """

    def strangeness(index: int) -> tuple[int, int, bool]:
        rates = runs.rates(index)
        ranked = [label for label in _medians(rows) if label in rates]
        lanes = [lane for row in _replayed(rows) if (lane := runs.lane(row["label"], index))]
        is_uneven = len({lane["tokens"] for lane in lanes}) > 1
        return -len(ranked), sum(rates[one] < rates[other] for one, other in combinations(ranked, 2)), is_uneven

    return min(range(len(setup.prompts)), key=strangeness)


def _medians(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The speed-up over plain decoding of every entry that has one, fastest first."""
    known = {
        row["label"]: row["speed_up"]["median"] for row in rows if row.get("speed_up") and against_of(row) == BASELINE
    }
    return dict(sorted(known.items(), key=lambda each: -each[1]))


def _another_winner(setup: RaceSetup, rows: Sequence[dict[str, Any]], runs: RaceRuns, index: int) -> str:
    """A sentence where this prompt has another winner than the race; else nothing."""
    rates, names = runs.rates(index), setup.names()
    ranked = [label for label in _medians(rows) if label in rates]
    if len(setup.prompts) < 2 or not ranked or (first := max(ranked, key=lambda label: rates[label])) == ranked[0]:
        return ""
    return (
        f"On this prompt {names[first]['title']} is first; over all {len(setup.prompts)} prompts "
        f"{names[ranked[0]]['title']} has the best median."
    )


def _replayed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All entries; of a large race each method's fastest, so that the lanes can be followed."""
    if len(rows) <= MOST_LANES:
        return rows
    best: dict[str, dict[str, Any]] = {}
    for row in rows:
        rival = best.setdefault(row["method"], row)
        if (row.get("speed_up") or {}).get("median", 0) > (rival.get("speed_up") or {}).get("median", 0):
            best[row["method"]] = row
    return list(best.values())


def named_rows(setup: RaceSetup, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, each also with what it is called on the page."""
    names = setup.names()
    return [row | names[row["label"]] for row in rows]


def _conditions(setup: RaceSetup, runs: RaceRuns) -> str:
    """The conditions of the numbers, in a line."""
    prompts = f"{len(setup.prompts)} prompt{'s' if len(setup.prompts) > 1 else ''}"
    repeats = f"{setup.repeats} repeat{'s' if setup.repeats > 1 else ''}"
    done = len(runs.numbers)
    part = "" if done == setup.num_runs else f" of {setup.num_runs}"
    sampling = setup.sampling
    warped = [f"temperature {sampling.temperature:g}"]
    warped += [f"top-k {sampling.top_k}"] if sampling.top_k else []
    warped += [f"top-p {sampling.top_p:g}"] if sampling.top_p < 1 else []
    where = runs.conditions
    machine, draft = where.get("machine", {}), where.get("draft") or {}
    drafters = where.get("drafters") or ([draft["name"]] if draft else [])
    drafts = sorted(model_in_words(draft) if each == draft.get("name") else each for each in drafters)
    on = ", ".join(
        str(each)
        for each in (
            model_in_words(where.get("target", {})) + (f" with {'; '.join(drafts)}" if drafts else ""),
            machine.get("gpu") or machine.get("processor"),
            f"{machine['threads']} thread{'s' if machine['threads'] > 1 else ''}" if machine.get("threads") else None,
        )
        if each
    )
    return (
        f"{done}{part} measured runs: {len(setup.entries)} methods, {prompts}, {repeats} with seeds from {setup.seed}, "
        f"at most {setup.max_new_tokens} tokens, {', '.join(warped)}. Models: {on}."
    )


def model_in_words(facts: dict[str, Any]) -> str:
    """A model's name and its number format."""
    return " in ".join(str(facts[part]) for part in ("name", "dtype") if facts.get(part))


def _energy_notes(runs: RaceRuns) -> list[str]:
    """The sources of joules: the counter, and the constants of the estimate."""
    said = [f"Joules measured by {runs.energy_source}."] if runs.energy_source else []
    if runs.estimated_with:
        said.append(constants_in_words(runs.estimated_with))
    return said


def constants_in_words(constants: dict[str, Any]) -> str:
    """The constants of an estimate of energy."""
    return (
        f"Estimated joules take the constants of {constants['title']}: {constants['flops_per_s'] / 1e12:g} Tflop/s "
        f"at {constants['flop_w']:g} W, {constants['bytes_per_s'] / 1e9:g} GB/s at {constants['memory_w']:g} W. "
        f"{constants['source']}"
    )


def _bar_row(bar: SpeedUp) -> list[str | int]:
    interval = "–" if bar.low is None else f"{bar.low:.2f}–{bar.high:.2f}"
    return [bar.title, f"{bar.median:.2f}×", bar.over, interval, bar.pairs]
