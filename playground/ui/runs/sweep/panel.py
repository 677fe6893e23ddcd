"""A sweep on the page: tokens/s by setting, its fronts, and a table of settings and runs; drawn by assets/sweep."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import gradio as gr

from playground.bench.entry import drafter_of
from playground.bench.results import trace_of
from playground.bench.settings import by_setting
from playground.decoding.method import find_method
from playground.errors import PlaygroundError
from playground.metrics.energy import NO_JOULES, nearest_machine
from playground.models.drafters.choice import DRAFT, drafter_title
from playground.ui.contract.from_page import OpenRecorded, WatchPoint
from playground.ui.contract.to_page import Chart, SweepRun, SweepSetting, SweepValue
from playground.ui.page.controls import sampling_in_words
from playground.ui.page.drawn_panel import drawn_panel
from playground.ui.runs.conditions import conditions_in_words, model_in_words
from playground.ui.runs.sweep.names import distribution_of_texts, labels_in_words, setting_names
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.ui.runs.sweep.setup import num_settings
from playground.views.fronts import (
    FRONTS,
    MOST_LABELS,
    Front,
    Point,
    front_rows,
    fronts_data,
    fronts_figure,
    has_something_to_show,
    looks,
    say_front,
)
from playground.views.race.energy import constants_in_words
from playground.views.race.standings import columns_data, named
from playground.views.setting_speed import (
    TITLE,
    SettingSpeed,
    fastest_in_words,
    say_setting_speed,
    setting_speed_data,
    setting_speed_figure,
    setting_speed_rows,
)
from playground.views.theme import plain_figure
from playground.words import counted, paragraph, recognised, word

SHOWN = (
    "tokens_per_s", "perplexity", "block_efficiency", "acceptance_per_position", "verified_nodes",
    "joules_per_token", "estimated_joules_per_token",
)  # fmt: skip # columns of the table


def sweep_panel() -> gr.HTML:
    """Return the panel before the first sweep: it says what is to come."""
    return drawn_panel(
        "sweep", large=True, hears=[WatchPoint, OpenRecorded], value={"sweep": None}, elem_id="sweep-panel"
    )


def sweep_value(saved_sweep: SavedSweep) -> SweepValue:
    """Everything the panel shows of the rows that are there."""
    settings = [
        setting | setting_names(setting) | {"law": distribution_of_texts(setting)}
        for setting in by_setting(saved_sweep.rows)
    ]
    speeds = setting_speed_data(settings, saved_sweep.rows)
    names = list(dict.fromkeys(find_method(name).title for name, _ in saved_sweep.grid.choices))
    drawn = [(front, fronts_data(settings, front)) for front in FRONTS]
    charts = [(front, points) for front, points in drawn if has_something_to_show(points, front)]
    rows = {row["run"]: row for row in saved_sweep.rows}
    on_front: dict[str, list[str]] = {}
    for front, points in charts:
        for point in points:
            if point.on_front:
                on_front.setdefault(point.label, []).append(front.id)
    return {
        "sweep": saved_sweep.id,
        "recorded": paragraph(saved_sweep.recorded, word("sweep_make_your_own")) if saved_sweep.recorded else "",
        "done": len(saved_sweep.rows),
        "total": saved_sweep.total,
        "headline": fastest_in_words(speeds),
        "conditions": _conditions(saved_sweep),
        "charts": [
            _speed_chart(speeds, names),
            *(_chart(front, points, names) for front, points in charts),
        ],
        "labels": labels_in_words(settings) if len(settings) <= MOST_LABELS else "",
        "notes": _notes(saved_sweep),
        "columns": columns_data(*SHOWN),
        "settings": [_setting(setting, rows, on_front.get(setting["label"], [])) for setting in settings],
    }


def _setting(setting: Mapping[str, Any], rows: Mapping[int, Any], fronts: list[str]) -> SweepSetting:
    of_it = [row for row in rows.values() if row["label"] == setting["label"]]
    return {
        **named(setting),
        "num_failed": setting["num_failed"],
        "failed": None if setting["runs"] else of_it[0]["failed"],
        "run": setting["run"],
        "fronts": fronts,
        "cells": {name: setting.get(name) for name in SHOWN},
        "runs": [_run(row) for row in sorted(of_it, key=lambda row: row["run"])],
    }


def _run(row: Mapping[str, Any]) -> SweepRun:
    return {
        "run": row["run"],
        "prompt": row["prompt"],
        "seed": row["seed"],
        "failed": row.get("failed"),
        "cells": {name: row.get(name) for name in SHOWN},
    }


def _chart(front: Front, points: list[Point], names: list[str]) -> Chart:
    return {
        "id": front.id,
        "title": front.title,
        "summary": say_front(points, front),
        "figure": plain_figure(fronts_figure(points, front, names)),
        "rows": front_rows(points, front),
    }


def _speed_chart(data: list[SettingSpeed], names: list[str]) -> Chart:
    return {
        "id": "setting_speed",
        "title": TITLE,
        "summary": say_setting_speed(data),
        "figure": plain_figure(setting_speed_figure(data, looks(names))),
        "rows": setting_speed_rows(data),
    }


def _conditions(saved_sweep: SavedSweep) -> str:
    """Return the conditions of the numbers, in a line."""
    grid, models = saved_sweep.grid, _table(saved_sweep.plan.get("models"))
    fixed = {name: value for name, value in grid.sampling.as_dict().items() if name not in grid.axes}
    target, draft = _table(models.get("target")), _table(models.get("draft"))
    drafters = dict.fromkeys(
        drafter_of(*choice)[1] for choice in grid.choices if find_method(choice[0]).needs_draft_model
    )
    drafts = [model_in_words(draft) if drafter == DRAFT else drafter_title(drafter) for drafter in drafters]
    size = [
        counted("settings", num_settings(grid)),
        counted("prompts", len(grid.prompts)),
        counted("seeds", len(grid.seeds)),
        word("race_most_tokens", count=f"{max(grid.axes.get('max_new_tokens', (grid.max_new_tokens,))):g}"),
        *sampling_in_words(fixed),
    ]
    return conditions_in_words(
        len(saved_sweep.rows),
        saved_sweep.total,
        size,
        target,
        [each for each in drafts if each],
        [target.get("device")],
    )


def _table(value: Any) -> dict[str, object]:
    """Return a part of a plan, which may come from a file."""
    return value if isinstance(value, dict) else {}


def _notes(saved_sweep: SavedSweep) -> list[str]:
    """Return notes on the charts, and why something is blank."""
    said: list[str] = [word("sweep_note_counts")]
    said += [constants_in_words(constants)] if (constants := _constants(saved_sweep)) else []
    reasons = [reason for row in saved_sweep.rows if (reason := row.get("energy_reason"))]
    said += [word("sweep_note_blank", why=recognised(each.rstrip("."), NO_JOULES)) for each in reasons[:1]]
    failed = sum("failed" in row for row in saved_sweep.rows)
    said += [word("sweep_note_failed", count=failed)] if failed else []
    return said


def _constants(saved_sweep: SavedSweep) -> dict[str, object] | None:
    """Return the constants of the estimate of energy, from the first recording that is here."""
    recorded = next((row for row in saved_sweep.rows if row.get("trace")), None)
    if saved_sweep.constants is None and recorded:
        with suppress(PlaygroundError):  # the folder was tidied up meanwhile
            saved_sweep.constants = asdict(nearest_machine(trace_of(saved_sweep.folder, recorded).started))
    return saved_sweep.constants
