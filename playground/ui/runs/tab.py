"""The Compare tab: a race, a sweep, and the comparisons of the papers, a view each."""

import gradio as gr

from playground.ui.page.stage import Stage
from playground.ui.runs.race import papers
from playground.ui.runs.race import tab as race
from playground.ui.runs.sweep import tab as sweep
from playground.words import word


def build(page: gr.Blocks, stage: Stage, stored: gr.BrowserState) -> None:
    """Lay the tab out: its views in its first line. An address names a view by tab=compare, sweep or papers.

    Args:
        page: the whole page, for its links.
        stage: shows runs of races and sweeps.
        stored: from `shelf.last_sweep`.
    """
    with gr.Tabs(elem_id="compare-sections", overflow_behavior="wrap"):
        with gr.Tab(word("race_start"), id="compare-race", elem_id="tab-compare-race"):
            form, note = race.build(page, stage)
        with gr.Tab(word("tab_sweep"), id="compare-sweep", elem_id="tab-compare-sweep") as view:
            sweep.build(page, view, stage, stored)
        with gr.Tab(word("race_papers"), id="compare-papers", elem_id="tab-compare-papers"):
            papers.build(form, note)
