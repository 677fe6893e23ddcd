"""The Compare tab: methods measured one after the other, then replayed side by side."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from playground.bench.prompts import presets
from playground.bench.race import BASELINE
from playground.decoding.method import methods
from playground.errors import PlaygroundError
from playground.models.catalog import PAIRS
from playground.ui import lineup, turns
from playground.ui.controls import method_note, option_controls, values_by_option
from playground.ui.links import TAB, is_for, make_query, read_query
from playground.ui.live_race import LiveRace
from playground.ui.messages import complain, notice, say
from playground.ui.player_panel import recorded_value
from playground.ui.race_files import write_csv, write_json
from playground.ui.race_panel import lanes_value, race_panel, race_value
from playground.ui.race_progress import race_progress, under_way, waiting
from playground.ui.race_runs import RaceRuns
from playground.ui.race_setup import (
    FILE,
    MOST_PROMPTS,
    MOST_REPEATS,
    MOST_TOKENS,
    ONE,
    OTHER,
    PRESET,
    PROMPT_LIMIT,
    RaceSetup,
    chosen_prompts,
    race_setup,
)
from playground.ui.tabs.watch import pair_choices, prompts

FIRST_PROMPTS, FIRST_TOKENS, FIRST_REPEATS = 2, 64, 3  # a race of some 15 seconds on two cores
FIRST_VARIANT = "speculative_sampling"

_STAND_STILL = """() => {
  document.querySelector('.player-host')?.player?.playhead.leave();
  document.querySelector('.race-host')?.race?.pause();
}"""
_CLICK_DOWNLOAD = """() => setTimeout(() =>
  document.querySelector('a#race-download, #race-download a, #race-download')?.click(), 50)"""

_log = logging.getLogger(__name__)


class Result(NamedTuple):
    """A race that has ended, kept on the server for this page."""

    setup: RaceSetup
    rows: list[dict[str, Any]]
    runs: RaceRuns


def build(page: gr.Blocks, tabs: gr.Tabs, player: gr.HTML) -> None:
    """Lay the tab out and connect it.

    Args:
        page: the whole page, for its links.
        tabs: to turn to Watch, where
        player: shows a run of the race.
    """
    with gr.Row(equal_height=True, elem_id="race-ask"):
        with gr.Column(scale=9, min_width=280, elem_id="race-lineup"):
            chosen = gr.Dropdown(
                lineup.offered(),
                value=lineup.FIRST,
                multiselect=True,
                label="Methods",
                info="Autoregressive always runs too: every speed-up is over it. Each method runs alone.",
                elem_id="race-methods",
            )
            with gr.Row(elem_id="race-groups"):
                buttons = {name: gr.Button(name, size="sm", min_width=60) for name in lineup.groups()}
        with gr.Column(scale=1, min_width=110, elem_id="race-run-column"):
            start = gr.Button("Race", variant="primary", elem_id="race")
            stop = gr.Button("Stop", interactive=False, elem_id="race-stop")
    with gr.Accordion("Add a method with other options", open=False, elem_id="race-variant"):
        variant = gr.Dropdown(
            [choice for choice in lineup.offered() if choice[1] != BASELINE],
            value=FIRST_VARIANT,
            label="Method",
            info=method_note(FIRST_VARIANT),
            elem_id="race-variant-method",
        )
        options: dict[tuple[str, str], gr.Slider] = {}
        option_rows = []
        for name, kind in methods().items():
            with gr.Row(visible=name == FIRST_VARIANT) as row:
                options |= {(name, option): control for option, control in option_controls(kind).items()}
            option_rows.append(row)
        with gr.Row(elem_classes="low-row"):
            add = gr.Button("Add to the race", elem_id="race-add", size="md", scale=0, min_width=160)
            added = notice(elem_id="race-added")
    with gr.Row(equal_height=False, elem_id="race-prompts"):
        source = gr.Radio(
            [("A set", PRESET), ("One prompt", ONE), ("A file", FILE)],
            value=PRESET,
            label="Prompts",
            info="Every method runs on the same ones.",
            scale=2,
            min_width=260,
            elem_id="race-source",
        )
        preset = gr.Dropdown(
            [(f"{name} ({len(each)} prompts)", name) for name, each in presets().items()],
            value=next(iter(presets())),
            label="Set",
            info="Kept with the page.",
            scale=2,
            min_width=180,
        )
        typed = gr.Textbox(
            next(iter(prompts().values())),
            label="Prompt",
            info=f"Up to {PROMPT_LIMIT:,} characters.",
            lines=2,
            max_lines=6,
            max_length=PROMPT_LIMIT,
            visible=False,
            scale=4,
            min_width=260,
            elem_id="race-prompt",
        )
        file = gr.File(
            label='A .txt file with one prompt in each line, or .jsonl with {"prompt": ...} lines',
            file_types=[".txt", ".jsonl"],
            height=110,
            visible=False,
            scale=3,
            min_width=260,
            elem_id="race-file",
        )
        num_prompts = gr.Slider(
            1, MOST_PROMPTS, FIRST_PROMPTS, step=1, label="Prompts (at most)", info="From the first.", min_width=180
        )
    with gr.Accordion("Models, sampling and repeats", open=False, elem_id="race-settings"):
        with gr.Row():
            pair = gr.Dropdown(pair_choices(), value="bundled", label="Models", info=PAIRS[0].note)
            max_new_tokens = gr.Slider(
                1, MOST_TOKENS, FIRST_TOKENS, step=1, label="New tokens (at most)", info="Fewer if the text ends."
            )
        with gr.Row(visible=False) as other_models:
            target = gr.Textbox(label="Target model", info="A Hub id or a folder.", max_lines=1, max_length=400)
            draft = gr.Textbox(
                label="Draft model", info="Of the same family as the target.", max_lines=1, max_length=400
            )
        with gr.Row():
            repeats = gr.Slider(
                1, MOST_REPEATS, FIRST_REPEATS, step=1, label="Repeats", info="Of every method on every prompt."
            )
            seed = gr.Number(
                0, precision=0, minimum=0, label="Seed", info="Of the first repeat; the next ones count on from it."
            )
            temperature = gr.Slider(0, 2, 1, step=0.05, label="Temperature", info="0 always takes the likeliest token.")
            top_k = gr.Slider(0, 200, 0, step=1, label="Top-k", info="Only the k likeliest tokens. 0 is off.")
            top_p = gr.Slider(
                0.05, 1, 1, step=0.05, label="Top-p", info="The likeliest tokens up to this mass. 1 is off."
            )
    plan = notice(_plan(lineup.FIRST, PRESET, "", "quick", None, FIRST_PROMPTS, FIRST_TOKENS, FIRST_REPEATS)["text"],
                  elem_id="race-plan")  # fmt: skip
    message = race_progress("")
    panel = race_panel()
    with gr.Accordion("Files and link", open=False, elem_id="race-files"):
        with gr.Row(elem_classes="low-row"):
            save_csv = gr.Button("Save the table (CSV)", size="md")
            save_json = gr.Button("Save everything (JSON)", size="md")
            save_png = gr.Button("Save the chart (PNG)", size="md")
            save_svg = gr.Button("Save the chart (SVG)", size="md")
        with gr.Row(equal_height=False, elem_classes="low-row"):
            link = gr.Textbox(
                label="Link to this race",
                info="Methods, options, prompts, models, sampling and seed. Whoever opens it only has to press Race.",
                interactive=False,
                buttons=["copy"],
                scale=4,
                elem_id="race-link",
            )
            make_link = gr.Button("Make the link", elem_id="race-make-link", size="md")
        file_message = notice(elem_id="race-file-notice")
        download = gr.DownloadButton("Download", visible="hidden", elem_id="race-download")
    result = gr.State(None)
    ticket = gr.State(0)  # changes when a race was asked for and may line up
    clock = gr.Timer(1, active=False)  # looks up the place in the queue

    controls = [
        chosen, source, typed, preset, file, num_prompts, pair, target, draft, max_new_tokens, repeats, seed,
        temperature, top_k, top_p,
    ]  # fmt: skip
    in_links = {
        "source": source, "prompt": typed, "set": preset, "prompts": num_prompts, "pair": pair, "target": target,
        "draft": draft, "tokens": max_new_tokens, "repeats": repeats, "seed": seed, "temperature": temperature,
        "top_k": top_k, "top_p": top_p,
    }  # fmt: skip
    defaults = {"methods": ",".join(lineup.FIRST)} | {name: control.value for name, control in in_links.items()}
    hidden: Any = {"show_progress": "hidden", "api_visibility": "private"}

    for name, button in buttons.items():
        button.click(partial(_choose_group, name), None, chosen, **hidden)
    variant.change(_choose_variant, variant, [variant, *option_rows], **hidden)
    names = list(options)

    def add_this(lineup_: list[str], method: str, *values: Any) -> tuple[Any, Any]:
        return add_variant(lineup_, method, values_by_option(method, names, values))

    add.click(add_this, [chosen, variant, *options.values()], [chosen, added], **hidden)
    source.change(_choose_source, source, [preset, typed, file, num_prompts], **hidden)
    pair.change(lambda chosen_pair: gr.Row(visible=chosen_pair == OTHER), pair, other_models, **hidden)
    planned = [chosen, source, typed, preset, file, num_prompts, max_new_tokens, repeats]
    gr.on([control.change for control in planned], _plan, planned, plan, queue=False, **hidden)

    def race_this(request: gr.Request, *values: Any) -> Iterator[tuple[Any, ...]]:
        yield from run_race(values, request.session_hash or "")

    # in the queue, where a changed state is noticed, but not in the line for the device
    start.click(ask, [ticket, *controls], [start, stop, message, ticket, clock], concurrency_limit=None, **hidden)
    start.click(None, None, None, js=_STAND_STILL, **hidden)
    racing = ticket.change(
        race_this, controls, [panel, message, result, clock], concurrency_limit=1, concurrency_id="compute", **hidden
    )
    racing.then(rest, None, [start, stop], **hidden)
    stop.click(stop_race, None, [start, stop, message, clock], queue=False, **hidden)
    clock.tick(place_in_queue, None, message, queue=False, **hidden)

    panel.choose_prompt(choose_prompt, [panel, result], panel, **hidden)
    panel.watch_run(watch_run, result, [player, tabs, message], **hidden)
    for button, write in ((save_csv, write_csv), (save_json, write_json)):
        saved = button.click(partial(_save, write), result, [download, file_message], **hidden)
        saved.success(None, None, None, js=_CLICK_DOWNLOAD, **hidden)
    for button, form in ((save_png, "png"), (save_svg, "svg")):
        drawn = button.click(_may_save_chart, result, file_message, **hidden)
        drawn.success(None, None, None, js=f"() => document.querySelector('.race-host').race.save('{form}')", **hidden)

    made = make_link.click(
        lambda lineup_, *values: _link(lineup_, dict(zip(in_links, values, strict=True)), defaults),
        [chosen, *in_links.values()],
        [link, file_message],
        **hidden,
    )
    made.success(None, link, link, js="(query) => query ? location.origin + location.pathname + query : ''", **hidden)

    def follow_link(request: gr.Request) -> list[Any]:
        return _follow(dict(request.query_params), defaults)

    page.load(follow_link, None, [tabs, message, chosen, *in_links.values()], **hidden)


# -- the line-up -----------------------------------------------------------------------------------------------------


def _choose_group(name: str) -> Any:
    return gr.Dropdown(value=lineup.groups()[name])


def add_variant(lineup_: Sequence[str], method: str, values: dict[str, Any]) -> tuple[Any, Any]:
    """One more entry of a method, with these option values; (the line-up, message)."""
    try:
        entry = lineup.written(method, values)
    except PlaygroundError as error:
        return gr.skip(), complain(str(error))
    title = lineup.title(method, values)
    if entry in lineup_:
        return gr.skip(), complain(f"{title} is in the race already. Change an option to add another.")
    line_up = [*lineup_, entry]
    return gr.Dropdown(lineup.offered(line_up), value=line_up), say(f"{title} was added.")


def _choose_variant(method: str) -> list[Any]:
    return [gr.Dropdown(info=method_note(method)), *(gr.Row(visible=name == method) for name in methods())]


def _choose_source(source: str) -> tuple[Any, ...]:
    """(set, prompt, file, how many)."""
    return (
        gr.Dropdown(visible=source == PRESET),
        gr.Textbox(visible=source == ONE),
        gr.File(visible=source == FILE),
        gr.Slider(visible=source != ONE),
    )


def _plan(
    lineup_: Sequence[str],
    source: str,
    typed: str,
    preset: str,
    file: str | None,
    num_prompts: int,
    max_new_tokens: int,
    repeats: int,
) -> dict[str, str]:
    """What a race of these would be, in a sentence; what is wrong is said when it is asked for."""
    try:
        num_entries = len(lineup.entries(lineup_))
        found = len(chosen_prompts(source, typed, preset, file, num_prompts))
    except PlaygroundError:
        return say("")
    runs = num_entries * found * int(repeats)
    of_prompts = "1 prompt" if found == 1 else f"{found} prompts"
    times = "once" if repeats == 1 else f"{repeats:g} times"
    return say(
        f"{num_entries} methods on {of_prompts}, {times}: {runs:,} runs of up to {max_new_tokens:g} tokens in shuffled "
        "order, after a warm-up of each."
    )


# -- the race --------------------------------------------------------------------------------------------------------


def ask(request: gr.Request, ticket: int, *values: Any) -> tuple[Any, ...]:
    """Race was pressed: (Race, Stop, message, ticket, clock). What cannot be raced does not line up."""
    session = request.session_hash or ""
    try:
        race_setup(*values)
        turns.ask(session, "race in the Compare tab")
    except PlaygroundError as error:
        return gr.skip(), gr.skip(), complain(str(error)), gr.skip(), gr.skip()
    return *_buttons(running=True), waiting(turns.ahead(session) or 0), ticket + 1, gr.Timer(active=True)


def _buttons(*, running: bool) -> tuple[Any, Any]:
    """(Race, Stop)."""
    return gr.Button(interactive=not running), gr.Button(interactive=running)


def rest(request: gr.Request) -> tuple[Any, Any]:
    """A race is over; another run of this page may have been asked for meanwhile."""
    return _buttons(running=turns.is_asked(request.session_hash or ""))


def place_in_queue(request: gr.Request) -> Any:
    """The message of a race that waits."""
    ahead = turns.ahead(request.session_hash or "")
    return gr.skip() if ahead is None else waiting(ahead)


def run_race(values: Sequence[Any], session: str) -> Iterator[tuple[Any, ...]]:
    """Race what the controls say; yields (panel, message, result, clock).

    The panel keeps what it shows until the new race has ended: a page that draws while a run is timed would slow it.

    Args:
        values: of the controls, in the order of `race_setup`.
        session: whose Stop button this race listens to.
    """
    turn = turns.next_turn(session)
    nothing, still = gr.skip(), gr.Timer(active=False)
    try:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield nothing, nothing, nothing, still
            return
        turn.has_begun = True
        yield nothing, say("Loading the models ..."), nothing, still
        live, seconds = LiveRace(partial(race_setup, *values), turn.stop), 0.0
        for step in live.steps():
            seconds = step.seconds
            yield nothing, under_way(step, step.total - live.setup.num_runs), nothing, nothing
        was_stopped = turn.stop.is_set() and len(live.runs.numbers) < (live.setup.num_runs if live.setup else 0)
        if live.setup is None or (was_stopped and not live.runs.numbers):
            yield nothing, say("Stopped before a run was done."), nothing, nothing
            return
        found = Result(live.setup, live.rows, live.runs)
        yield race_value(*found), _ended(found, seconds, was_stopped=was_stopped), found, nothing
    except PlaygroundError as error:
        yield nothing, complain(str(error)), nothing, still
    except Exception as error:
        _log.exception("A race failed")
        sorry = f"The race broke off ({type(error).__name__}); the one before is kept. The server's log says more."
        yield nothing, complain(sorry), nothing, still
    finally:
        turns.forget(session, turn)


def _ended(found: Result, seconds: float, *, was_stopped: bool) -> dict[str, str]:
    done = len(found.runs.numbers)
    if was_stopped:
        return say(f"Stopped after {done} of {found.setup.num_runs} runs. What was measured is below.")
    return say(f"Done: {done} measured runs in {seconds:.0f} s, warm-ups included.")


def stop_race(request: gr.Request) -> tuple[Any, ...]:
    """End this page's race before its next round, or before it begins; (Race, Stop, message, clock)."""
    stopped = turns.stop(request.session_hash or "")
    if any(turn.has_begun for turn in stopped):
        return gr.skip(), gr.skip(), say("Stopping ..."), gr.skip()
    told = "Stopped before it began." if stopped else "Nothing is running."
    return *_buttons(running=False), say(told), gr.Timer(active=False)


# -- what came of it -------------------------------------------------------------------------------------------------


def choose_prompt(value: dict[str, Any], result: Result | None, event: gr.EventData) -> Any:
    """Replay the race on another prompt."""
    place = _place(event, result)
    return gr.skip() if place is None else value | lanes_value(*result, place)


def watch_run(result: Result | None, event: gr.EventData) -> tuple[Any, Any, Any]:
    """Open a lane's run in the Watch tab; (player, tabs, message)."""
    place, label = _place(event, result), str(event._data.get("label"))
    try:
        if place is None:
            raise PlaygroundError("That race is not there any more. Race again.")
        trace = result.runs.trace(label, place)
    except PlaygroundError as error:
        return gr.skip(), gr.skip(), complain(str(error))
    title = result.setup.names()[label]["title"]
    return recorded_value(trace), gr.Tabs(selected="watch"), say(f"The run of {title} is in the Watch tab.")


def _place(event: gr.EventData, result: Result | None) -> int | None:
    """Which prompt the page asks for, if there is such a one."""
    place = (event._data or {}).get("place")
    known = result is not None and isinstance(place, int) and 0 <= place < len(result.setup.prompts)
    return place if known else None


def _save(write: Callable[..., Path], result: Result | None) -> tuple[Any, Any]:
    if result is None:
        return gr.DownloadButton(value=None), complain("Nothing was saved. There is no race yet: press Race first.")
    try:
        path = write(*result)
    except OSError as error:
        return gr.DownloadButton(value=None), complain(f"Nothing was saved. {error}")
    return gr.DownloadButton(value=str(path)), say(f"Saved {path.name}.")


def _may_save_chart(result: Result | None) -> Any:
    if result is None:
        return complain("Nothing was saved. There is no race yet: press Race first.")
    return say("The chart is being saved.")


# -- links -----------------------------------------------------------------------------------------------------------


def _link(lineup_: Sequence[str], values: dict[str, Any], defaults: dict[str, Any]) -> tuple[str, Any]:
    try:
        if values["source"] == FILE:
            raise PlaygroundError("A file cannot be in a link. Choose a set of prompts, or write one prompt.")
        return make_query({TAB: "compare", "methods": ",".join(lineup_)} | values, defaults), say(
            "The link is ready to copy."
        )
    except PlaygroundError as error:
        return "", complain(str(error))


def _follow(query: dict[str, str], defaults: dict[str, Any]) -> list[Any]:
    """Set the controls as the page's address asks; (tabs, message, line-up, *controls)."""
    untouched = [gr.skip() for _ in defaults]
    if not is_for("compare", query):
        return [gr.skip(), gr.skip(), *untouched]
    here = gr.Tabs(selected="compare")
    try:
        values = read_query(query, defaults)
        asked = [each for each in values.pop("methods", defaults["methods"]).split(",") if each.strip()]
        lineup.entries(asked)
    except PlaygroundError as error:
        return [here, complain(str(error)), *untouched]
    chosen = gr.Dropdown(lineup.offered(asked), value=asked)
    rest_of_them = [values.get(name, gr.skip()) for name in defaults if name != "methods"]
    return [here, say("Set up by the link. Press Race."), chosen, *rest_of_them]
