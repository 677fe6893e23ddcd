"""Where each round's time went: in the draft model, in the target model, and everywhere else."""

from __future__ import annotations

import plotly.graph_objects as go

from playground.metrics.speed import RoundTime, time_per_round
from playground.trace.events import Trace
from playground.views.theme import COLOURS, bar_marker, blank_figure, note, number_rounds

# kind -> (field, the name of its trace), in stacking order
PHASES = {"target": ("verify_s", "verify"), "draft": ("draft_s", "draft"), "other": ("other_s", "the rest")}


def time_per_round_data(trace: Trace) -> list[RoundTime]:
    """The measured phases of every round, prefill excluded."""
    return time_per_round(trace)


def time_per_round_figure(data: list[RoundTime]) -> go.Figure:
    """One bar a round, as high as its measured milliseconds, stacked by phase."""
    figure = blank_figure(x="round", y="time (ms)", axis="round")
    if not data:
        return note(figure, "No round was finished.")
    for kind, (field, name) in PHASES.items():
        rounds = [(each, getattr(each, field) * 1000) for each in data if getattr(each, field)]
        if rounds:
            figure.add_bar(
                name=name,
                x=[each.round for each, _ in rounds],
                y=[round(milliseconds, 3) for _, milliseconds in rounds],
                marker=bar_marker(COLOURS[kind], kind),
                hovertemplate=f"round %{{x}}: {name} %{{y:.2f}} ms<extra></extra>",
            )
    return number_rounds(figure.update_layout(barmode="stack", bargap=0.2), len(data))
