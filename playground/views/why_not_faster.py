"""The panel "Why not faster here?": a round's cost and yield, the target's time by nodes, break-even, and load.

Measured points carry their own mark; a line that is a prediction is called one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from playground.metrics.diagnosis import ChainPrediction, Diagnosis, advice, verdict
from playground.metrics.doubt import AGAIN, doubt
from playground.metrics.load import (
    LARGEST_RATIO,
    StepCosts,
    best_length,
    perfect_drafter_loses,
    speed_up_of,
    speed_ups,
    sweep,
    unpaid_from,
)
from playground.theory.cost_model import Costs, predicted_speed_up
from playground.theory.speculation import speed_up
from playground.views.theme import COLOURS, INK, bar_marker, blank_figure, plain_figure

PARTS = {"target": ("verify_steps", "target"), "draft": ("draft_steps", "draft"), "other": ("rest_steps", "the rest")}
RATES = np.linspace(0, 1, 41)  # alphas that a line is drawn through
BATCHES = (1, 2, 4, 8, 16, 32)  # sequences, of which the chart of load tells


def why_panel(diagnosis: Diagnosis | None, costs: Costs) -> dict[str, Any]:
    """The panel: `{"verdict", "advice", "facts", "try", "charts"}`.

    Two sentences, [name, value] pairs, a draft length worth trying or None, and the pictures. Times that cannot be
    explain nothing: then the first sentence says so, and only what was counted is told.
    """
    if diagnosis is None:
        return {"verdict": "The run has no finished round, so there is nothing to explain.", "advice": "", "try": None}
    if why := doubt(diagnosis, costs):
        return {"verdict": f"No answer. {why}", "advice": AGAIN, "facts": counted(diagnosis), "try": None, "charts": []}
    chain = diagnosis.chain
    charts = [_round_chart(diagnosis), _verification_chart(diagnosis, costs)]
    return {
        "verdict": verdict(diagnosis),
        "advice": advice(diagnosis),
        "facts": facts(diagnosis),
        "try": chain.better_length if chain else None,
        "charts": [*charts, *_chain_charts(diagnosis, chain, costs)] if chain else charts,
    }


def _chain_charts(diagnosis: Diagnosis, chain: ChainPrediction, costs: Costs) -> list[dict[str, Any]]:
    """Predictions for a chain; none under load for a draft model that is much slower than its target."""
    even = _break_even_chart(diagnosis, chain, costs)
    return [even, _load_chart(chain, costs)] if chain.cost_ratio <= LARGEST_RATIO else [even]


def facts(diagnosis: Diagnosis) -> list[list[str]]:
    """The numbers behind the sentences, those that exist."""
    rows = [
        ("cost ratio, one draft call / one target call", diagnosis.cost_ratio, "{:.2f}"),
        ("overhead, the part of a round outside both models", diagnosis.rest_steps / diagnosis.round_steps, "{:.0%}"),
        ("oracle: the speed-up if every draft were accepted", diagnosis.oracle if diagnosis.depth else None, "{:.2f}×"),
    ]
    return _written(rows[:1]) + counted(diagnosis) + _written(rows[1:])


def counted(diagnosis: Diagnosis) -> list[list[str]]:
    """Those of them that no clock was asked for."""
    acceptance = diagnosis.counts.acceptance_per_position
    rows = [
        ("acceptance per position, one of its drafts accepted / reached", acceptance, "{:.0%}"),
        ("acceptance per draw, accepted / judged drafts", diagnosis.counts.acceptance_per_draw, "{:.0%}"),
        ("drafts that were not accepted", diagnosis.wasted, "{:.0%}"),
    ]
    return _written(rows)


def _written(rows: Sequence[tuple[str, float | None, str]]) -> list[list[str]]:
    return [[name, form.format(value)] for name, value, form in rows if value is not None]


def round_cost_figure(diagnosis: Diagnosis) -> go.Figure:
    """One bar: a round's time in steps of plain decoding, part by part; marks at the tokens it emits."""
    figure = blank_figure(x="steps of plain decoding, or tokens", y="")
    for kind, (field, name) in PARTS.items():
        figure.add_bar(
            name=name,
            orientation="h",
            x=[round(getattr(diagnosis, field), 4)],
            y=["a round"],
            width=0.5,
            marker=bar_marker(COLOURS[kind], kind),
            hovertemplate=f"{name}: %{{x:.2f}} steps of plain decoding<extra></extra>",
        )
    marks = [
        ("emitted", diagnosis.emitted, "diamond"),
        ("all accepted", diagnosis.depth + 1, "star-open"),
    ]
    for name, tokens, symbol in marks:
        _mark(figure, name, round(tokens, 4), "a round", f"{name}: %{{x:.2f}} tokens a round", symbol)
    figure.update_layout(barmode="stack", legend={"entrywidth": 88})
    figure.update_yaxes(showticklabels=False, showgrid=False)
    return figure.update_xaxes(rangemode="tozero", showgrid=True)


def verification_figure(diagnosis: Diagnosis, costs: Costs) -> go.Figure:
    """The measured time of a target call over n nodes, over that on one node; a mark at this run's average call."""
    figure = blank_figure(x="nodes in one target call", y="times one node")
    curves = (("in a row", costs.sizes, costs.chain_s, "solid"), ("in a tree", costs.tree_sizes, costs.tree_s, "dot"))
    for name, sizes, seconds, dash in curves:
        figure.add_scatter(
            name=name,
            mode="lines+markers",
            x=list(sizes),
            y=[round(value / seconds[0], 4) for value in seconds],
            line={"color": COLOURS["target"], "dash": dash},
            marker={"size": 5},
            hovertemplate=f"%{{x}} nodes {name}: %{{y:.2f}} times one<extra></extra>",
        )
    said = "this run: %{x:.1f} nodes a call, %{y:.2f} times one by the curve"
    return _mark(
        figure, "this run, on average", round(diagnosis.num_verified, 3), round(diagnosis.verification, 4), said
    )


def break_even_figure(diagnosis: Diagnosis, chain: ChainPrediction, costs: Costs) -> go.Figure:
    """Predicted speed-up against alpha, a single draft's acceptance, at this length; the run's point; the line at 1."""
    figure = blank_figure(x="acceptance of a single draft (alpha)", y="speed-up")
    measured_costs = [predicted_speed_up(rate, chain.draft_length, costs, chain.rest_s) for rate in RATES]
    textbook = [float(speed_up(rate, chain.draft_length, chain.cost_ratio)) for rate in RATES]
    lines = (
        ("predicted with this machine's costs", measured_costs, "solid", COLOURS["target"]),
        ("textbook: many nodes cost as much as one", textbook, "dot", COLOURS["other"]),
        ("break-even", [1.0] * len(RATES), "dash", INK),
    )
    for name, values, dash, colour in lines:
        figure.add_scatter(
            name=name,
            mode="lines",
            x=[round(rate, 4) for rate in RATES.tolist()],
            y=[round(value, 4) for value in values],
            line={"color": colour, "dash": dash},
            hovertemplate=f"{name}: %{{y:.2f}}x at acceptance %{{x:.2f}}<extra></extra>",
        )
    said = "measured: %{y:.2f}x at acceptance %{x:.2f}"
    return _mark(figure, "this run, measured", round(chain.acceptance_rate, 4), round(diagnosis.speed_up, 4), said)


def load_figure(chain: ChainPrediction, costs: Costs) -> go.Figure:
    """Estimated speed-up against sequences decoded together: at this length, at the best, and of a perfect drafter."""
    steps = step_costs(chain, costs)
    figure = blank_figure(x="sequences decoded together", y="speed-up")
    lines = (
        (
            "this draft length",
            [speed_up_of(chain.acceptance_rate, each, chain.draft_length, steps) for each in BATCHES],
        ),
        ("the best draft length", sweep(chain.acceptance_rate, BATCHES, steps)),
        ("a perfect drafter", sweep(1.0, BATCHES, steps)),
        ("break-even", [1.0] * len(BATCHES)),
    )
    looks = (
        (COLOURS["target"], "solid"), (COLOURS["accepted"], "solid"), (COLOURS["other"], "dot"), (INK, "dash"),
    )  # fmt: skip
    for (name, values), (colour, dash) in zip(lines, looks, strict=True):
        figure.add_scatter(
            name=name,
            mode="lines" if name == "break-even" else "lines+markers",
            x=[str(each) for each in BATCHES],
            y=[round(value, 4) for value in values],
            line={"color": colour, "dash": dash},
            marker={"size": 5},
            hovertemplate=f"{name}: %{{y:.2f}}x with %{{x}} sequences<extra></extra>",
        )
    return figure.update_xaxes(type="category")


def step_costs(chain: ChainPrediction, costs: Costs) -> StepCosts:
    """Cost of a step by its tokens: as measured over nodes in a row, and beyond these over siblings."""
    seconds = {size: each for size, each in zip(costs.tree_sizes, costs.tree_s, strict=True) if size > costs.sizes[-1]}
    seconds = dict(zip(costs.sizes, costs.chain_s, strict=True)) | seconds
    ms = tuple(1000 * each for each in seconds.values())
    return StepCosts(tuple(seconds), ms, chain.cost_ratio, 1000 * max(0.0, chain.rest_s))


def _mark(figure: go.Figure, name: str, x: float, y: float | str, hover: str, symbol: str = "diamond") -> go.Figure:
    """Sentence over the lines and bars: what this run was."""
    return figure.add_scatter(
        name=name,
        mode="markers",
        x=[x],
        y=[y],
        marker={"symbol": symbol, "size": 13, "color": COLOURS["accepted"], "line": {"width": 2, "color": INK}},
        hovertemplate=hover + "<extra></extra>",
    )


def _round_chart(diagnosis: Diagnosis) -> dict[str, Any]:
    gap = diagnosis.emitted - diagnosis.round_steps
    side = "as much as" if abs(gap) < 0.005 else "more than" if gap > 0 else "less than"
    return {
        "id": "why_round",
        "title": "What a round costs, and what it brings",
        "summary": f"A round brings {diagnosis.emitted:.2f} tokens, {side} the {diagnosis.round_steps:.2f} steps of "
        "plain decoding it takes. Speculation wins where the diamond stands right of the bar; the star is where it "
        "would stand if every draft were accepted.",
        "figure": plain_figure(round_cost_figure(diagnosis)),
        "rows": {
            "header": ["part of a round", "steps of plain decoding"],
            "body": [[name, f"{getattr(diagnosis, field):.3f}"] for field, name in PARTS.values()]
            + [["all of it", f"{diagnosis.round_steps:.3f}"], ["tokens emitted", f"{diagnosis.emitted:.3f}"]],
        },
    }


def _verification_chart(diagnosis: Diagnosis, costs: Costs) -> dict[str, Any]:
    return {
        "id": "why_verification",
        "title": "What more nodes cost the target",
        "summary": f"This run asks for {diagnosis.num_verified:.1f} nodes a call, which takes "
        f"{diagnosis.verification:.2f} times as long as one node by this curve, measured on this machine just now. In "
        f"the run itself its calls took {diagnosis.verify_steps:.2f} steps of plain decoding on average: that is the "
        "target's part of the bar above.",
        "figure": plain_figure(verification_figure(diagnosis, costs)),
        "rows": {
            "header": ["nodes", "in a row (ms)", "in a tree (ms)"],
            "body": [
                [
                    size,
                    _milliseconds(costs.sizes, costs.chain_s, size),
                    _milliseconds(costs.tree_sizes, costs.tree_s, size),
                ]
                for size in sorted({*costs.sizes, *costs.tree_sizes})
            ],
        },
    }


def _break_even_chart(diagnosis: Diagnosis, chain: ChainPrediction, costs: Costs) -> dict[str, Any]:
    needed = "no acceptance rate is enough" if chain.break_even is None else f"it takes {chain.break_even:.2f}"
    return {
        "id": "why_break_even",
        "title": "Break-even",
        "summary": f"Acceptance here is {chain.acceptance_rate:.2f}; to break even at draft length "
        f"{chain.draft_length}, {needed} by the textbook. Predicted {chain.speed_up:.2f}x, measured "
        f"{diagnosis.speed_up:.2f}x. Predictions take acceptance as independent.",
        "figure": plain_figure(break_even_figure(diagnosis, chain, costs)),
        "rows": {
            "header": ["draft length", "predicted speed-up"],
            "body": [
                [length, f"{predicted_speed_up(chain.acceptance_rate, length, costs, rest_s):.3f}"]
                for length in range(1, 17)
                for rest_s in [chain.rest_s * (length + 1) / (chain.draft_length + 1)]
            ],
        },
    }


def _load_chart(chain: ChainPrediction, costs: Costs) -> dict[str, Any]:
    steps, rate = step_costs(chain, costs), chain.acceptance_rate
    unpaid, lost = unpaid_from(rate, steps), [each for each in BATCHES if perfect_drafter_loses(each, steps)]
    if unpaid is None:
        pays = "a draft length pays up to 128 sequences"
    else:
        pays = "no draft length pays" if unpaid == 1 else f"none ever pays from {unpaid} sequences on"
    perfect = f" With {lost[0]} sequences even a perfect drafter would lose." if lost else ""
    return {
        "id": "why_load",
        "title": "Under load (an estimate)",
        "summary": "Sequences that are decoded together are taken to cost as much as so many nodes in one call, by the "
        f"curve above; past {steps.tokens[-1]} nodes it goes on with its last slope. At acceptance {rate:.2f} "
        f"{pays}.{perfect}",
        "figure": plain_figure(load_figure(chain, costs)),
        "rows": {
            "header": ["sequences", "best draft length", "speed-up", "a perfect drafter's"],
            "body": [
                [batch, best_length(rate, batch, steps), f"{max(speed_ups(rate, batch, steps)):.3f}", f"{perfect:.3f}"]
                for batch, perfect in zip(BATCHES, sweep(1.0, BATCHES, steps), strict=True)
            ],
        },
    }


def _milliseconds(sizes: tuple[int, ...], seconds: tuple[float, ...], size: int) -> str:
    return f"{seconds[sizes.index(size)] * 1000:.2f}" if size in sizes else "–"
