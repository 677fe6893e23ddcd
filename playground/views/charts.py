"""The charts of a run for the page, as plain JSON: each its bars, a sentence that reads it aloud, and a table."""

from playground.metrics.acceptance import accepted_per_round
from playground.metrics.hindsight import hindsight
from playground.metrics.reliability import reliability
from playground.metrics.tokens_read import tokens_read
from playground.trace.events import Trace
from playground.views.bars import Chart
from playground.views.run.accepted_per_round import rounds_chart
from playground.views.run.length_in_hindsight import hindsight_chart
from playground.views.run.reliability import reliability_chart
from playground.views.run.time_per_round import times_chart
from playground.views.run.tokens_read import tokens_read_chart


def page_charts(trace: Trace) -> list[Chart]:
    """Return the charts of a whole run, see `bar_chart`."""
    readings = tokens_read(trace)
    return [
        reliability_chart(reliability(trace)),
        hindsight_chart(hindsight(trace)),
        rounds_chart(accepted_per_round(trace)),
        times_chart([each.committed for each in trace.rounds]),
        *([tokens_read_chart(readings)] if readings else []),
    ]
