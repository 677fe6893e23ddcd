"""What each round emitted: its accepted drafts, and the token that ended it."""

from __future__ import annotations

import plotly.graph_objects as go

from playground.metrics.acceptance import RoundAcceptance, accepted_per_round
from playground.trace.events import Trace
from playground.views.theme import COLOURS, bar_marker, blank_figure, note, number_rounds

# origin -> the name of its trace, in stacking order
KINDS = {"accepted": "accepted draft", "correction": "correction", "bonus": "bonus", "plain": "plain"}


def accepted_per_round_data(trace: Trace) -> list[RoundAcceptance]:
    """The emitted tokens of every round, by origin."""
    return accepted_per_round(trace)


def accepted_per_round_figure(data: list[RoundAcceptance]) -> go.Figure:
    """One bar a round, as high as the tokens it emitted: accepted drafts below, the extra token on top."""
    figure = blank_figure(x="round", y="emitted tokens", axis="round")
    if not data:
        return note(figure, "No round was finished.")
    for origin, name in KINDS.items():
        rounds = [(each, _emitted(each, origin)) for each in data if _emitted(each, origin)]
        if rounds:
            figure.add_bar(
                name=name,
                x=[each.round for each, _ in rounds],
                y=[emitted for _, emitted in rounds],
                marker=bar_marker(COLOURS[origin], origin),
                customdata=[[each.num_drafted, each.num_judged] for each, _ in rounds],
                hovertemplate=f"round %{{x}}: %{{y}} {name}"
                "<br>%{customdata[0]} drafted, %{customdata[1]} judged<extra></extra>",
            )
    tallest = max(each.num_emitted for each in data)
    figure.update_layout(barmode="stack", bargap=0.2).update_yaxes(tickformat="d", dtick=1 if tallest <= 8 else None)
    return number_rounds(figure, len(data))


def _emitted(each: RoundAcceptance, origin: str) -> int:
    return each.emitted_drafts if origin == "accepted" else each.extras.count(origin)
