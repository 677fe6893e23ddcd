"""A race: methods measured one after the other, then replayed side by side."""

from functools import partial
from typing import Any

import gradio as gr
from gradio.components import Component

from playground.bench.entry import read_choices
from playground.bench.servers import SERVERS, Server
from playground.errors import PlaygroundError
from playground.ui.contract.to_page import Line, NoRace
from playground.ui.live.job import LiveJob
from playground.ui.page.controls import HIDDEN, POSTED, sampling_controls, tokens_slider
from playground.ui.page.drawer import drawer, drawer_button
from playground.ui.page.drawn_panel import on_page, with_json
from playground.ui.page.form import Controls
from playground.ui.page.job import JobKind, Shown, buttons
from playground.ui.page.links import of_address
from playground.ui.page.messages import notice, say
from playground.ui.page.model_chooser import model_fields, pair_field, pair_of_opening
from playground.ui.page.progress import progress_line
from playground.ui.page.prompt_chooser import chosen_prompts, prompt_fields
from playground.ui.page.stage import Stage
from playground.ui.page.take_away import TakeAway, follow_form, take_away
from playground.ui.runs.race import lineup, variant
from playground.ui.runs.race import why as race_why
from playground.ui.runs.race.files import write_csv, write_json, write_latex
from playground.ui.runs.race.link import follow, make_link
from playground.ui.runs.race.panel import measuring_value, race_panel
from playground.ui.runs.race.papers import PaperNote, chosen, filled_in, leave_paper, paper_note
from playground.ui.runs.race.recorded import open_race
from playground.ui.runs.race.result import Result, choose_prompt, may_save_chart, watch_lane
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import MOST_REPEATS, MOST_TOKENS, RaceForm, first_form, race_setup
from playground.words import counted, word

SET_UP = word("race_set_up")
WHAT = "race in the Compare tab"
ONE_BEFORE: NoRace = {"race": None}  # the panel's value where nothing was measured: it shows the race before again


def build(page: gr.Blocks, stage: Stage) -> tuple[Controls[RaceForm], PaperNote]:
    """Lay the view out and connect it: a line that asks, what came of it below, and the form in a drawer over both.

    Args:
        page: the whole page, for its links.
        stage: shows a run of the race.

    Returns:
        The form, and which paper's comparison it is: what the view of the papers sets.
    """
    first = first_form(pair_of_opening())
    with gr.Row(elem_id="race-ask", elem_classes="ask-line"):
        drawer_button(SET_UP, "race-form")
        plan = notice(plan_in_words(first), elem_id="race-plan")
        start = gr.Button(word("race_start"), variant="primary", elem_id="race", min_width=60)
        stop = gr.Button(word("stop"), interactive=False, elem_id="race-stop", min_width=60)
    note, message = paper_note(), progress_line(elem_id="race-notice")
    with drawer(SET_UP, "race-form", wide=True):
        pair = pair_field("race-pair", first.pair)
        models = model_fields(pair)
        methods, groups = _line_up(first), _group_buttons()
        _server_rules()
        variant.build(methods)
        prompts = prompt_fields("race", first, info=word("race_prompts_info"))
        with gr.Accordion(word("race_settings"), open=False, elem_id="race-settings"):
            form = Controls(RaceForm, paper=note.preset, methods=methods, **prompts, **models, **_settings(first))
    panel, result = race_panel(), gr.State(None)
    race_why.build(panel, result, methods, list(note))
    exports = _files(result)

    for name, button in groups.items():
        button.click(partial(choose_group, name), form.some("pair"), [methods, *note], **HIDDEN)
    note.leave.click(leave_paper, None, list(note), **HIDDEN)
    follow_form("compare", form, make_link, plan, plan_of)
    shown = [panel, message, result, gr.State(None)]
    KIND.connect([(start, make_race)], form, shown, [start, stop])
    opened = panel.open_recorded(with_json(open_race, 0), result, [panel, message, result], **HIDDEN)
    opened.then(None, None, None, js=on_page("recordingRead", "#race-panel"), **HIDDEN)
    pair.input(form.call(follow_pair), form.components, form.components, **POSTED)
    panel.choose_prompt(with_json(choose_prompt), result, panel, trigger_mode="multiple", **HIDDEN)
    stage.show(panel.watch_lane, watch_lane, result, message)
    exports.offer_link(form, make_link)
    linked = [message, note.about, note.leave, *form.components]
    page.load(of_address(follow), None, linked, show_progress_on=[message], **HIDDEN)
    return form, note


# -- what is laid out --------------------------------------------------------------------------------------------------


def _line_up(first: RaceForm) -> gr.Dropdown:
    return gr.Dropdown(
        lineup.offered(first.methods),
        allow_custom_value=True,  # A value from before the choices changed may still be on its way.
        value=list(first.methods),
        multiselect=True,
        label=word("methods"),
        info=word("methods_info"),
        elem_id="race-methods",
    )


def _group_buttons() -> dict[str, gr.Button]:
    with gr.Row(elem_id="race-groups"):
        return {name: gr.Button(name, size="sm", min_width=60) for name in lineup.groups()}


def _server_rules() -> None:
    """Lay out a paragraph for each server, folded."""
    with gr.Accordion(word("race_servers"), open=False, elem_id="race-servers"):
        gr.Markdown(word("race_servers_about"))
        for server in SERVERS:
            gr.Markdown(rule_of(server))


def rule_of(server: Server) -> str:
    """Return a server's default in Markdown."""
    [(method, options)] = read_choices(server.entry)
    address, here = f"https://{server.source}", word("race_here")
    lines = [
        f"**{server.name}**, *{server.version}*",
        server.rule,
        *([server.otherwise] if server.otherwise else []),
        f"{here} *{lineup.title(method, options)}*",
        f"[{server.source}]({address})",
    ]
    return "  \n".join(lines)  # each a text of its own, which the browser finds in its table


def _settings(first: RaceForm) -> dict[str, Component]:
    """Return the form's fields that are collapsed."""
    with gr.Row():
        tokens = tokens_slider(MOST_TOKENS, first.tokens)
        repeats = gr.Slider(1, MOST_REPEATS, first.repeats, step=1, label=word("repeats"))
        seed = gr.Number(first.seed, precision=0, minimum=0, label=word("field_seed"), info=word("race_seed_info"))
    return {"tokens": tokens, "repeats": repeats, "seed": seed, **sampling_controls(first.temperature)}


def _files(result: gr.State) -> TakeAway:
    """Return the exports of the race that is shown."""
    with gr.Accordion(word("files_and_link"), open=False, elem_id="race-files"):
        with gr.Row(elem_classes="low-row"):
            tables = {
                write_csv: gr.Button(word("save_table"), size="md"),
                write_latex: gr.Button(word("save_latex"), size="md"),
                write_json: gr.Button(word("save_everything"), size="md"),
            }
            charts = {form: gr.Button(word(f"save_chart_{form}"), size="md") for form in ("png", "svg")}
        exports = take_away("race-", what="race", press="race")
    for write, button in tables.items():
        exports.offer_file(button, write, [result])
    for form, button in charts.items():
        drawn = button.click(may_save_chart, result, exports.message, **HIDDEN)
        drawn.success(None, None, None, js=on_page("saveChart", form), **HIDDEN)
    return exports


# -- what handlers do --------------------------------------------------------------------------------------------------


def choose_group(name: str, pair: str) -> tuple[Any, ...]:
    """(line-up, preset, about, leave): a group is no paper's comparison."""
    return chosen(lineup.groups(pair)[name]), *leave_paper()


def follow_pair(form: RaceForm) -> list[Any]:
    """Set the controls for the pair that was chosen, where a reader has not changed them."""
    return filled_in(form.following_pair(first_form))


def plan_of(form: RaceForm) -> Line:
    """Return the line that says what would run."""
    return say(plan_in_words(form))


def plan_in_words(form: RaceForm) -> str:
    """Return the size of a race of these, in a sentence; what is wrong is said when it is asked for."""
    try:
        num_entries = len(lineup.entries(form.methods))
        num_prompts = len(chosen_prompts(form))
        runs = num_entries * num_prompts * int(form.repeats)
    except (PlaygroundError, TypeError, ValueError):  # the last two: a field was emptied
        return ""
    times = word("race_plan_once") if form.repeats == 1 else word("race_plan_times", count=f"{form.repeats:g}")
    return word(
        "race_plan",
        methods=num_entries,
        prompts=counted("prompts", num_prompts),
        times=times,
        runs=f"{runs:,}",
        tokens=f"{form.tokens:g}",
    )


# -- a race from its form to its result, see page/job.py ---------------------------------------------------------------


def make_race(form: RaceForm, _: Result | None) -> RaceRuns:
    """Return the runs of the race that a form describes.

    Raises:
        PlaygroundError: if it cannot be raced.
    """
    return RaceRuns(race_setup(form))


def _ended(runs: RaceRuns, live: LiveJob) -> Shown:
    done = len(runs.rows)
    if live.was_stopped and not done:
        return Shown(ONE_BEFORE, say(word("stopped_before")))
    message = word("race_done", done=done, seconds=f"{live.seconds:.0f}")
    if live.was_stopped:
        message = word("race_stopped", done=done, count=runs.grid.num_runs)
    result = Result(runs)
    return Shown(result.value, say(message), result)


KIND = JobKind(
    WHAT,
    "race_runs_done",
    under_way=lambda runs, is_first: Shown(measuring_value(runs)),
    ended=_ended,
    before=lambda runs: ONE_BEFORE,
    broken=("watch_error_the_race", "watch_error_one_before"),
    buttons=lambda running, result: buttons(running=running),
    queue="races",
)
