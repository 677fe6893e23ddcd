"""How far a race is: a sentence and a bar. Nothing in it moves by itself: a page that is measuring stands still."""

from __future__ import annotations

from typing import Any

import gradio as gr

from playground.ui.page.messages import say
from playground.ui.race.live import Step

_ON_LOAD = """
const line = element.querySelector('.notice');
const bar = element.querySelector('progress');
function show() {
  const value = props.value || {};
  // Spoken when it changes its meaning, not at every run.
  line.setAttribute('aria-live', value.total ? 'off' : 'polite');
  line.textContent = value.text || '';
  line.dataset.kind = value.kind || 'quiet';
  bar.hidden = !value.total;
  bar.max = value.total || 1;
  bar.value = value.done || 0;
}
watch('value', show);
show();
"""
_STAND_STILL = """() => {
  if (innerWidth < 700) document.querySelector('#ID').scrollIntoView({behavior: 'smooth', block: 'center'});
  document.querySelector('.player-host')?.player?.playhead.leave();
  document.querySelector('.race-host')?.race?.pause();
}"""


def race_progress(text: str, *, elem_id: str = "race-notice") -> gr.HTML:
    """The line and its bar; a value comes from `say`, `complain` or `under_way`."""
    return gr.HTML(
        value=say(text),
        html_template=(
            '<p class="notice" role="status" aria-live="polite"></p>'
            '<progress class="race-bar" aria-label="Runs done" hidden></progress>'
        ),
        js_on_load=_ON_LOAD,
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes="notice-line",
        container=False,
    )


def stand_still(elem_id: str) -> str:
    """For a button that begins to measure: its line comes into sight on a phone, and whatever plays is halted."""
    return _STAND_STILL.replace("ID", elem_id)


def under_way(step: Step, num_entries: int) -> dict[str, Any]:
    """How many runs are done, and how long the rest will take if it goes on like this."""
    if step.done < num_entries:
        text = f"Warming up: {step.done} of {num_entries} methods have run once."
    else:
        text = f"{step.done - num_entries} of {step.total - num_entries} measured runs are done."
    return say(f"{text}{_left(step)}") | {"done": step.done, "total": step.total}


def waiting(ahead: int) -> dict[str, str]:
    """The place in the queue."""
    if not ahead:
        return say("Waiting for its turn ...")
    return say(f"Waiting: {ahead} run{'s' if ahead > 1 else ''} on other pages come{'' if ahead > 1 else 's'} first.")


def _left(step: Step) -> str:
    if step.done < 2:
        return ""
    seconds = step.seconds / step.done * (step.total - step.done)
    if seconds < 1:
        return " About a second left."
    return f" About {seconds:.0f} s left." if seconds < 90 else f" About {seconds / 60:.0f} minutes left."
