"""A sweep: a grid of settings, run one after the other, and what no other setting beats."""

from functools import partial
from typing import Any

import gradio as gr
from gradio.components import Component

from playground.bench.grid import Grid, count_runs
from playground.decoding.method import methods as all_methods
from playground.errors import PlaygroundError
from playground.ui.contract.to_page import Line
from playground.ui.live.job import LiveJob
from playground.ui.page.checks import MOST_TOKENS
from playground.ui.page.controls import HIDDEN, POSTED, declared, method_choices, option_fields
from playground.ui.page.drawer import drawer, drawer_button
from playground.ui.page.drawn_panel import on_page, with_json
from playground.ui.page.form import Controls
from playground.ui.page.job import JobKind, Shown
from playground.ui.page.links import of_address
from playground.ui.page.messages import complain, notice, say
from playground.ui.page.model_chooser import model_fields, pair_field, pair_of_opening
from playground.ui.page.progress import progress_line
from playground.ui.page.prompt_chooser import prompt_fields
from playground.ui.page.stage import Stage
from playground.ui.page.take_away import follow_form
from playground.ui.runs.sweep import pace as sweep_pace
from playground.ui.runs.sweep import shelf
from playground.ui.runs.sweep.panel import sweep_panel, sweep_value
from playground.ui.runs.sweep.ready import READY, Ready
from playground.ui.runs.sweep.recorded import open_sweep
from playground.ui.runs.sweep.saved_sweep import SavedSweep, new_folder, refuse_change
from playground.ui.runs.sweep.setup import SweepForm, num_settings, sweep_setup
from playground.ui.runs.sweep.values import written
from playground.ui.runs.sweep.watch import watch_point
from playground.words import counted, word

NONE_WORKS = word("sweep_none_works")
SET_UP = word("sweep_set_up")
WHAT = "sweep in the Compare tab"


def build(page: gr.Blocks, view: gr.Tab, stage: Stage, stored: gr.BrowserState) -> None:
    """Lay the view out and connect it: a line that asks, what came of it below, and the form in a drawer over both.

    Args:
        page: the whole page, for its links.
        view: this one, which says how long the grid takes when it is opened.
        stage: shows a run of the sweep.
        stored: from `shelf.last_sweep`.
    """
    first = READY[0].form_for(pair_of_opening())
    with gr.Row(elem_id="sweep-ask", elem_classes="ask-line"):
        drawer_button(SET_UP, "sweep-form")
        plan = notice(plan_in_words(sweep_setup(first)), elem_id="sweep-plan")
        start = gr.Button(word("tab_sweep"), variant="primary", elem_id="sweep", min_width=60)
        resume = gr.Button(word("sweep_resume"), interactive=False, elem_id="sweep-resume", min_width=60)
        stop = gr.Button(word("stop"), interactive=False, elem_id="sweep-stop", min_width=60)
    message = progress_line(elem_id="sweep-notice")
    with drawer(SET_UP, "sweep-form", wide=True):
        pair = pair_field("sweep-pair", first.pair)
        models = model_fields(pair)
        methods, ready = _method_menu(first), _ready_buttons()
        options = _options(methods, first)
        prompts = prompt_fields("sweep", first, info=word("race_prompts_info"))
        form = Controls(SweepForm, methods=methods, options=options, **prompts, **models, **_settings(first))
    panel, saved_sweep = sweep_panel(), gr.State(None)
    shown = [saved_sweep, stored, panel, message, resume]
    shelf.build(form, shown, saved_sweep)

    for each, button in ready:
        button.click(partial(take, each), pair, [message, *form.components], **HIDDEN)
    pair.input(form.call(follow_pair), form.components, form.components, **POSTED)
    view.select(form.call(plan_of), form.components, plan, **POSTED)
    follow_form("sweep", form, shelf.make_link, plan, plan_of)
    makes = [(start, make_sweep), (resume, go_on)]
    ended = KIND.connect(makes, form, [panel, message, saved_sweep, stored], [start, resume, stop])
    ended.then(form.call(plan_of), form.components, plan, **POSTED)  # the machine is better known now
    panel.watch_point(None, None, message, js=on_page("say", say(word("sweep_opening"))), **HIDDEN)
    opened = panel.open_recorded(with_json(open_sweep, 0), saved_sweep, [panel, message, saved_sweep], **HIDDEN)
    opened.then(None, None, None, js=on_page("recordingRead", "#sweep-panel"), **HIDDEN)
    stage.show(panel.watch_point, watch_point, saved_sweep, message, concurrency_limit=2)
    arrive = with_json(of_address(shelf.arrive), shown.index(panel))
    page.load(arrive, stored, [*shown, *form.components], show_progress_on=[message], **HIDDEN)


# -- what is laid out --------------------------------------------------------------------------------------------------


def _method_menu(first: SweepForm) -> gr.Dropdown:
    return gr.Dropdown(
        method_choices(),
        value=list(first.methods),
        multiselect=True,
        label=word("methods"),
        info=word("sweep_methods_info"),
        elem_id="sweep-methods",
    )


def _ready_buttons() -> list[tuple[Ready, gr.Button]]:
    with gr.Row(elem_id="sweep-ready"):
        gr.Markdown(word("sweep_ready"), elem_id="sweep-ready-label", container=False)
        return [(ready, gr.Button(ready.title, size="sm", min_width=60)) for ready in READY]


def _options(methods: gr.Dropdown, first: SweepForm) -> gr.HTML:
    """Return a text for each option of the methods that a menu has chosen, holding the values of this form."""
    options = {name: _declared_as_texts(name) for name in all_methods()}
    with gr.Accordion(word("sweep_values"), open=True, elem_id="sweep-options"):
        gr.Markdown(word("sweep_values_info"), elem_classes="sweep-hint")
        return option_fields(methods, options, first.options, elem_id="sweep-values", texts=True)


def _settings(first: SweepForm) -> dict[str, Component]:
    """Return the form's fields that are collapsed."""
    with gr.Accordion(word("sweep_settings"), open=False, elem_id="sweep-settings"):
        gr.Markdown(word("sweep_settings_info"), elem_classes="sweep-hint")
        with gr.Row():
            sampling = {
                "temperature": gr.Textbox(first.temperature, label=word("temperature"), info=word("temperature_info")),
                "top_k": gr.Textbox(first.top_k, label="Top-k", info=word("top_k_info")),
                "top_p": gr.Textbox(first.top_p, label="Top-p", info=word("top_p_info")),
                "tokens": gr.Textbox(first.tokens, label=word("new_tokens"), info=f"1 to {MOST_TOKENS}."),
                "seeds": gr.Textbox(first.seeds, label=word("sweep_seeds")),
            }
        drafter = gr.Textbox(
            first.drafter,
            label=word("drafters"),
            info=word("drafters_info"),
            elem_id="sweep-drafter",
        )
        return {**sampling, "drafter": drafter}


# -- what handlers do --------------------------------------------------------------------------------------------------


def take(ready: Ready, pair: str) -> list[Any]:
    """Fill a ready-made grid in; (message, *controls)."""
    return [say(ready.question), *ready.form_for(pair).filled_in()]


def follow_pair(form: SweepForm) -> list[Any]:
    """Set the controls for the pair that was chosen, where a reader has not changed them."""
    return form.updates(form.following_pair(READY[0].form_for))


def plan_of(form: SweepForm) -> Line:
    """Return the size and time of a sweep of these, or what is wrong with it."""
    try:
        grid = sweep_setup(form)
    except PlaygroundError as error:
        return complain(error) if form.methods else say(NONE_WORKS)
    except (TypeError, ValueError):  # a field was emptied
        return say("")
    return say(plan_in_words(grid), sweep_pace.roughly(grid))


def plan_in_words(grid: Grid) -> str:
    """Return the size of a sweep, in a sentence."""
    return word(
        "sweep_plan",
        settings=counted("settings", num_settings(grid)),
        prompts=counted("prompts", len(grid.prompts)),
        seeds=counted("seeds", len(grid.seeds)),
        runs=counted("runs", count_runs(grid)),
    )


def _declared_as_texts(name: str) -> dict[str, object]:
    """Return the options of sliders, with ranges and defaults as texts."""
    options, usual = declared(name), SweepForm.usual_options(name)
    for option in options["options"]:
        span = {"low": written((option["min"],)), "high": written((option["max"],))}
        option |= {"range": span, "value": usual[option["name"]]}
    return options


# -- a sweep from its form to its end, see page/job.py -----------------------------------------------------------------


def make_sweep(form: SweepForm, _: SavedSweep | None) -> SavedSweep:
    """Return what Sweep asks for.

    Raises:
        PlaygroundError: if it cannot be swept.
    """
    return SavedSweep(new_folder(), {}, sweep_setup(form))


def go_on(form: SweepForm, saved_sweep: SavedSweep | None) -> SavedSweep:
    """Return what Resume asks for: the sweep that is shown.

    Raises:
        PlaygroundError: if it cannot go on with this form.
    """
    grid = sweep_setup(form, saved_sweep.grid.prompts if saved_sweep else ())
    if saved_sweep is None:
        raise PlaygroundError("Nothing can be resumed. Press Sweep, or open a sweep's file.")
    if saved_sweep.recorded:  # everybody's
        raise PlaygroundError("This sweep came with the page and is whole. Press Sweep to make your own.")
    refuse_change(saved_sweep, grid)
    return saved_sweep


def buttons(running: bool, saved_sweep: SavedSweep | None) -> tuple[Any, Any, Any]:
    """(Sweep, Resume, Stop)."""
    can_go_on = saved_sweep is not None and not saved_sweep.is_whole and not running
    return gr.Button(interactive=not running), gr.Button(interactive=can_go_on), gr.Button(interactive=running)


def _under_way(saved_sweep: SavedSweep, is_first: bool) -> Shown:
    shown = Shown(sweep_value(saved_sweep))
    return shown._replace(job=saved_sweep, id=saved_sweep.id) if is_first else shown


def _ended(saved_sweep: SavedSweep, live: LiveJob) -> Shown:
    if not saved_sweep.plan:
        return Shown(message=say(word("stopped_before")))
    message = word("sweep_done", done=live.num_new, seconds=f"{live.seconds:.0f}", count=saved_sweep.total)
    if not saved_sweep.rows:
        message = word("stopped_before")
    elif live.was_stopped:
        message = word("sweep_stopped", done=len(saved_sweep.rows), count=saved_sweep.total)
    return Shown(sweep_value(saved_sweep), say(message), saved_sweep, saved_sweep.id)


KIND = JobKind(
    WHAT,
    "sweep_runs_done",
    under_way=_under_way,
    ended=_ended,
    before=lambda saved_sweep: sweep_value(saved_sweep) if saved_sweep.rows else gr.skip(),
    broken=("watch_error_the_sweep", "watch_error_rows"),
    buttons=buttons,
    queue="sweeps",
)
