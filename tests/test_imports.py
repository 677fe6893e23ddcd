"""The light parts stay light."""

import subprocess
import sys


def loaded_by(statement):
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split())


def test_a_trace_opens_measures_and_draws_without_torch():
    statement = (
        "from playground.trace import load; from playground.metrics.summary import summarise; "
        "from playground.views.charts import page_charts; t = load('assets/traces/greedy.json.gz'); "
        "summarise(t); page_charts(t)"
    )
    assert not loaded_by(statement) & {"torch", "transformers", "gradio"}


def test_help_of_the_command_line_loads_nothing_heavy():
    assert not loaded_by("import playground.cli") & {"torch", "transformers", "gradio", "plotly", "numpy"}
