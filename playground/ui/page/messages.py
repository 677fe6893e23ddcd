"""What the page says to its reader when something needs saying. Shown as text, whatever characters it holds."""

from __future__ import annotations

import gradio as gr

_ON_LOAD = """
const line = element.querySelector('.notice');
function show() {
  const value = props.value || {};
  line.textContent = value.text || '';
  line.dataset.kind = value.kind || 'quiet';
}
watch('value', show);
show();
"""


# said by the page itself: the server's answer could arrive after the run's last word, and stay in its place
STOPPING = "() => ({text: 'Stopping ...', kind: 'quiet'})"


def notice(text: str = "", *, elem_id: str) -> gr.HTML:
    """A line for messages; its value comes from `say` or `complain`."""
    return gr.HTML(
        value=say(text),
        html_template='<p class="notice" role="status" aria-live="polite"></p>',
        js_on_load=_ON_LOAD,
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes="notice-line",
        container=False,
    )


def say(text: str) -> dict[str, str]:
    """A quiet sentence."""
    return {"text": text, "kind": "quiet"}


def complain(text: str) -> dict[str, str]:
    """What is wrong, and what to do."""
    return {"text": text, "kind": "error"}
