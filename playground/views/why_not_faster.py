"""The panel "Why not faster here?": a round's cost and yield, the target's time by nodes, break-even, and load.

Measured points carry their own mark; a line that is a prediction is called one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from playground.metrics.diagnosis import ChainPrediction, Diagnosis, advice, by_costs, verdict
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
from playground.views.bars import Chart, chart
from playground.views.theme import COLOURS, INK, bar_marker, blank_figure, plain_figure
from playground.words import Word, paragraph, word

PARTS = {
    "target": ("verify_steps", word("why_part_target")),
    "draft": ("draft_steps", word("chart_draft")),
    "other": ("rest_steps", word("chart_rest")),
}
RATES = np.linspace(0, 1, 41)  # alphas that a line is drawn through
BATCHES = (1, 2, 4, 8, 16, 32)  # sequences, of which the chart of load tells


def why_panel(diagnosis: Diagnosis | None, costs: Costs) -> dict[str, Any]:
    """Return the panel: `{"verdict", "advice", "facts", "try", "charts"}`.

    Two sentences, [name, value] pairs, a draft length worth trying or None, and the pictures. Where the times cannot
    be, the answer is an estimate from what was counted and this machine's costs, and says why.
    """
    if diagnosis is None:
        return {"verdict": word("why_no_round"), "advice": "", "try": None}
    if why := doubt(diagnosis, costs):
        estimate = by_costs(diagnosis, costs)
        numbers = {"speed_up": estimate.speed_up, "emitted": estimate.emitted, "steps": estimate.round_steps}
        answer = word("why_estimate", **{name: f"{value:.2f}" for name, value in numbers.items()})
        chart = _round_chart(estimate) | {"title": word("why_round_estimate")}
        known = {"facts": counted(diagnosis), "try": None, "charts": [chart]}
        return {"verdict": paragraph(answer, why), "advice": AGAIN} | known
    chain, again = diagnosis.chain, diagnosis.again
    charts = [_round_chart(diagnosis), _verification_chart(diagnosis, costs)]
    if chain:
        charts.append(_break_even_chart(diagnosis, chain, costs))
    if chain and chain.cost_ratio <= LARGEST_RATIO:
        charts.append(_load_chart(chain, step_costs(chain, costs, again.tokens if again else 0.0)))
    return {
        "verdict": verdict(diagnosis),
        "advice": advice(diagnosis),
        "facts": facts(diagnosis),
        "try": chain.better_length if chain else None,
        "charts": charts,
    }


def facts(diagnosis: Diagnosis) -> list[list[str]]:
    """Return the numbers that the sentences use, those that exist."""
    rows = [
        (word("why_fact_cost_ratio"), diagnosis.cost_ratio, "{:.2f}"),
        (word("why_fact_overhead"), diagnosis.rest_steps / diagnosis.round_steps, "{:.0%}"),
        (word("why_fact_oracle"), diagnosis.oracle if diagnosis.depth else None, "{:.2f}×"),
    ]
    return _written(rows[:1]) + counted(diagnosis) + _written(rows[1:])


def counted(diagnosis: Diagnosis) -> list[list[str]]:
    """Return those of the facts that do not depend on measured time."""
    acceptance, again = diagnosis.counts.acceptance_per_position, diagnosis.again
    rows = [
        (word("why_fact_positions"), acceptance, "{:.0%}"),
        (word("why_fact_draws"), diagnosis.counts.acceptance_per_draw, "{:.0%}"),
        (word("why_fact_wasted"), diagnosis.wasted, "{:.0%}"),
        (word("why_fact_passes"), again and again.passes, "{:.2f}"),
        (word("why_fact_rows"), again and again.rows, "{:.2f}"),
        (word("why_fact_again"), again and again.tokens, "{:.2f}"),
        (word("why_fact_state"), again and again.state_bytes / 1e6, "{:,.2f} MB"),
    ]
    return _written(rows)


def _written(rows: Sequence[tuple[str, float | None, str]]) -> list[list[str]]:
    return [[name, form.format(value)] for name, value, form in rows if value is not None]


def round_cost_figure(diagnosis: Diagnosis) -> go.Figure:
    """One bar: a round's time in steps of plain decoding, part by part; marks at the tokens it emits."""
    figure = blank_figure(x=word("why_x_round"), y="")
    this = word("why_a_round")
    for kind, (field, name) in PARTS.items():
        figure.add_bar(
            name=name,
            orientation="h",
            x=[round(getattr(diagnosis, field), 4)],
            y=[this],
            width=0.5,
            marker=bar_marker(COLOURS[kind], kind),
            hovertemplate=_hover(word("why_hover_part", name=name, steps="%{x:.2f}")),
        )
    marks = [
        (word("chart_emitted"), diagnosis.emitted, "diamond"),
        (word("why_all_accepted"), diagnosis.depth + 1, "star-open"),
    ]
    for name, tokens, symbol in marks:
        hover = word("why_hover_tokens", name=name, tokens="%{x:.2f}")
        _mark(figure, name, round(tokens, 4), this, hover, symbol)
    figure.update_layout(barmode="stack", legend={"entrywidth": 88})
    figure.update_yaxes(showticklabels=False, showgrid=False)
    return figure.update_xaxes(rangemode="tozero", showgrid=True)


def verification_figure(diagnosis: Diagnosis, costs: Costs) -> go.Figure:
    """Draw the time of a target call over n nodes, relative to one node, with this run's average call marked."""
    figure = blank_figure(x=word("why_x_nodes"), y=word("why_y_nodes"))
    curves = (
        (word("why_in_a_row"), costs.sizes, costs.chain_s, "solid"),
        (word("why_in_a_tree"), costs.tree_sizes, costs.tree_s, "dot"),
    )
    for name, sizes, seconds, dash in curves:
        hover = word("why_hover_nodes", nodes="%{x}", name=name, times="%{y:.2f}")
        growth = [value / seconds[0] for value in seconds]
        _line(figure, name, sizes, growth, COLOURS["target"], dash, hover, mode="lines+markers")
    x, y = round(diagnosis.num_verified, 3), round(diagnosis.verification, 4)
    hover = word("why_hover_this_run", nodes="%{x:.1f}", times="%{y:.2f}")
    return _mark(figure, word("why_this_run"), x, y, hover)


def break_even_figure(diagnosis: Diagnosis, chain: ChainPrediction, costs: Costs) -> go.Figure:
    """Predicted speed-up against alpha, a single draft's acceptance, at this length; the run's point; the line at 1."""
    figure = blank_figure(x=word("why_x_alpha"), y=word("column_speed_up"))
    measured_costs = [predicted_speed_up(rate, chain.draft_length, costs, chain.rest_s) for rate in RATES]
    textbook = [float(speed_up(rate, chain.draft_length, chain.cost_ratio)) for rate in RATES]
    lines = (
        (word("why_predicted"), measured_costs, "solid", COLOURS["target"]),
        (word("why_textbook"), textbook, "dot", COLOURS["other"]),
        (word("why_break_even"), [1.0] * len(RATES), "dash", INK),
    )
    numbers = {"speed_up": "%{y:.2f}", "acceptance": "%{x:.2f}"}
    for name, values, dash, colour in lines:
        hover = word("why_hover_alpha", name=name, **numbers)
        _line(figure, name, RATES.round(4).tolist(), values, colour, dash, hover)
    hover = word("why_hover_alpha", name=word("why_measured"), **numbers)
    alpha, measured = round(chain.acceptance_rate, 4), round(diagnosis.speed_up, 4)
    return _mark(figure, word("why_this_run_measured"), alpha, measured, hover)


def load_figure(chain: ChainPrediction, steps: StepCosts) -> go.Figure:
    """Estimated speed-up against sequences decoded together: at this length, at the best, and of a perfect drafter."""
    figure = blank_figure(x=word("why_x_sequences"), y=word("column_speed_up"))
    this = [speed_up_of(chain.acceptance_rate, each, chain.draft_length, steps) for each in BATCHES]
    best, perfect = sweep(chain.acceptance_rate, BATCHES, steps), sweep(1.0, BATCHES, steps)
    lines = (
        (word("why_this_length"), this, COLOURS["target"], "solid", "lines+markers"),
        (word("why_length_best"), best, COLOURS["accepted"], "solid", "lines+markers"),
        (word("why_perfect"), perfect, COLOURS["other"], "dot", "lines+markers"),
        (word("why_break_even"), [1.0] * len(BATCHES), INK, "dash", "lines"),
    )
    for name, values, colour, dash, mode in lines:
        hover = word("why_hover_load", name=name, speed_up="%{y:.2f}", sequences="%{x}")
        _line(figure, name, [str(each) for each in BATCHES], values, colour, dash, hover, mode=mode)
    return figure.update_xaxes(type="category")


def step_costs(chain: ChainPrediction, costs: Costs, tokens_again: float = 0.0) -> StepCosts:
    """Cost of a step by its tokens: as measured over nodes in a row, and beyond these over siblings."""
    seconds = {size: each for size, each in zip(costs.tree_sizes, costs.tree_s, strict=True) if size > costs.sizes[-1]}
    seconds = dict(zip(costs.sizes, costs.chain_s, strict=True)) | seconds
    ms = tuple(1000 * each for each in seconds.values())
    return StepCosts(tuple(seconds), ms, chain.cost_ratio, 1000 * max(0.0, chain.rest_s), tokens_again=tokens_again)


def _hover(said: Word) -> Word:
    """Template of a sentence at a point or bar, where Plotly fills in the numbers."""
    return paragraph(said, "<extra></extra>")


def _line(
    figure: go.Figure,
    name: Word,
    x: Sequence[float | str],
    y: Sequence[float],
    colour: str,
    dash: str,
    hover: Word,
    *,
    mode: str = "lines",
) -> None:
    figure.add_scatter(
        name=name,
        mode=mode,
        x=list(x),
        y=[round(value, 4) for value in y],
        line={"color": colour, "dash": dash},
        marker={"size": 5},
        hovertemplate=_hover(hover),
    )


def _mark(figure: go.Figure, name: Word, x: float, y: float | str, hover: Word, symbol: str = "diamond") -> go.Figure:
    """Mark what this run was over the lines and bars."""
    return figure.add_scatter(
        name=name,
        mode="markers",
        x=[x],
        y=[y],
        marker={"symbol": symbol, "size": 13, "color": COLOURS["accepted"], "line": {"width": 2, "color": INK}},
        hovertemplate=_hover(hover),
    )


def _round_chart(diagnosis: Diagnosis) -> Chart:
    balance = word("why_round_brings", emitted=f"{diagnosis.emitted:.2f}", steps=f"{diagnosis.round_steps:.2f}")
    body = [[name, f"{getattr(diagnosis, field):.3f}"] for field, name in PARTS.values()]
    body += [
        [word("why_all_of_it"), f"{diagnosis.round_steps:.3f}"],
        [word("why_tokens_emitted"), f"{diagnosis.emitted:.3f}"],
    ]
    summary, figure = paragraph(balance, word("why_round_marks")), plain_figure(round_cost_figure(diagnosis))
    header = [word("why_part"), word("why_steps")]
    return chart("why_round", word("why_round"), summary, header, body, figure=figure)


def _verification_chart(diagnosis: Diagnosis, costs: Costs) -> Chart:
    summary = word(
        "why_nodes_summary",
        nodes=f"{diagnosis.num_verified:.1f}",
        times=f"{diagnosis.verification:.2f}",
    )
    body = [
        [size, _milliseconds(costs.sizes, costs.chain_s, size), _milliseconds(costs.tree_sizes, costs.tree_s, size)]
        for size in sorted({*costs.sizes, *costs.tree_sizes})
    ]
    in_ms = [word("chart_in_ms", name=name) for name in (word("why_in_a_row"), word("why_in_a_tree"))]
    figure = plain_figure(verification_figure(diagnosis, costs))
    return chart("why_verification", word("why_nodes"), summary, [word("chart_nodes"), *in_ms], body, figure=figure)


def _break_even_chart(diagnosis: Diagnosis, chain: ChainPrediction, costs: Costs) -> Chart:
    numbers = {"acceptance": f"{chain.acceptance_rate:.2f}", "length": chain.draft_length}
    if chain.break_even is None:
        needed = word("why_even_never", **numbers)
    else:
        needed = word("why_even_at", **numbers, needed=f"{chain.break_even:.2f}")
    speed_ups = word("why_even_speed_ups", predicted=f"{chain.speed_up:.2f}", measured=f"{diagnosis.speed_up:.2f}")
    body = [
        [length, f"{predicted_speed_up(chain.acceptance_rate, length, costs, rest_s):.3f}"]
        for length in range(1, 17)
        for rest_s in [chain.rest_s * (length + 1) / (chain.draft_length + 1)]
    ]
    figure = plain_figure(break_even_figure(diagnosis, chain, costs))
    header = [word("chart_draft_length"), word("why_predicted_speed_up")]
    return chart("why_break_even", word("why_even"), paragraph(needed, speed_ups), header, body, figure=figure)


def _load_chart(chain: ChainPrediction, steps: StepCosts) -> Chart:
    rate = chain.acceptance_rate
    lost = [each for each in BATCHES if perfect_drafter_loses(each, steps)]
    unpaid, acceptance = unpaid_from(rate, steps), f"{rate:.2f}"
    if unpaid is None:
        pays = word("why_load_pays", acceptance=acceptance)
    elif unpaid == 1:
        pays = word("why_load_never_pays", acceptance=acceptance)
    else:
        pays = word("why_load_unpaid", acceptance=acceptance, sequences=unpaid)
    perfect = word("why_load_perfect", sequences=lost[0]) if lost else ""
    summary = paragraph(word("why_load_how", nodes=steps.tokens[-1]), pays, perfect)
    header = [word("why_sequences"), word("why_best_draft_length"), word("column_speed_up"), word("why_of_perfect")]
    body = [
        [batch, best_length(rate, batch, steps), f"{max(speed_ups(rate, batch, steps)):.3f}", f"{perfect:.3f}"]
        for batch, perfect in zip(BATCHES, sweep(1.0, BATCHES, steps), strict=True)
    ]
    return chart("why_load", word("why_load"), summary, header, body, figure=plain_figure(load_figure(chain, steps)))


def _milliseconds(sizes: tuple[int, ...], seconds: tuple[float, ...], size: int) -> str:
    return f"{seconds[sizes.index(size)] * 1000:.2f}" if size in sizes else "–"
