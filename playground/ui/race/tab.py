"""The Compare tab: methods measured one after the other, then replayed side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.page.controls import (
    choose_method,
    method_note,
    options_of_all,
    sampling_controls,
    values_by_option,
)
from playground.ui.page.messages import STOPPING, complain, notice, say
from playground.ui.page.model_chooser import choose_pair, other_models, pair_field
from playground.ui.page.prompt_chooser import choose_source, prompt_chooser
from playground.ui.race import lineup
from playground.ui.race import why as race_why
from playground.ui.race.files import write_csv, write_json
from playground.ui.race.link import follow, make_link
from playground.ui.race.panel import race_panel
from playground.ui.race.papers import leave_paper, paper_choice, set_up
from playground.ui.race.progress import race_progress, stand_still
from playground.ui.race.result import choose_prompt, may_save_chart, save, watch_run
from playground.ui.race.setup import (
    MOST_REPEATS,
    MOST_TOKENS,
    PRESET,
    chosen_prompts,
)
from playground.ui.race.turn import ask, place_in_queue, run_race, stop_race
from playground.ui.watch.run_buttons import rest
from playground.ui.watch.tab import prompts
from playground.ui.watch.take_away import take_away

FIRST_SET = "quick"
FIRST_PROMPTS, FIRST_TOKENS, FIRST_REPEATS = 2, 64, 3  # a race of some 15 seconds on two cores
FIRST_VARIANT = "speculative_sampling"


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
    papers, paper_buttons, about_paper, leave = paper_choice()
    with gr.Accordion("Add a method with other options", open=False, elem_id="race-variant"):
        variant = gr.Dropdown(
            lineup.offered(),
            value=FIRST_VARIANT,
            label="Method",
            info=method_note(FIRST_VARIANT),
            elem_id="race-variant-method",
        )
        options, option_rows = options_of_all(FIRST_VARIANT)
        with gr.Row(elem_classes="low-row"):
            add = gr.Button("Add to the race", elem_id="race-add", size="md", scale=0, min_width=160)
            added = notice(elem_id="race-added")
    source, typed, preset, file, num_prompts = prompt_chooser(
        "race",
        info="Every method runs on the same ones.",
        preset=FIRST_SET,
        typed=next(iter(prompts().values())),
        num_prompts=FIRST_PROMPTS,
    )
    with gr.Accordion("Models, sampling and repeats", open=False, elem_id="race-settings"):
        with gr.Row():
            pair = pair_field()
            max_new_tokens = gr.Slider(
                1, MOST_TOKENS, FIRST_TOKENS, step=1, label="New tokens (at most)", info="Fewer if the text ends."
            )
        models_row, target, draft = other_models()
        with gr.Row():
            repeats = gr.Slider(
                1, MOST_REPEATS, FIRST_REPEATS, step=1, label="Repeats", info="Of every method on every prompt."
            )
            seed = gr.Number(
                0, precision=0, minimum=0, label="Seed", info="Of the first repeat; the next ones count on from it."
            )
        temperature, top_k, top_p = sampling_controls()
    first = _plan(lineup.FIRST, PRESET, "", FIRST_SET, None, FIRST_PROMPTS, FIRST_TOKENS, FIRST_REPEATS)
    plan = notice(first["text"], elem_id="race-plan")
    message = race_progress("")
    panel = race_panel()
    result = gr.State(None)
    paper = gr.State("")  # the preset that was set up last
    race_why.build(panel, result, chosen, [paper, about_paper, leave])
    with gr.Accordion("Files and link", open=False, elem_id="race-files"):
        with gr.Row(elem_classes="low-row"):
            save_csv = gr.Button("Save the table (CSV)", size="md")
            save_json = gr.Button("Save everything (JSON)", size="md")
            save_png = gr.Button("Save the chart (PNG)", size="md")
            save_svg = gr.Button("Save the chart (SVG)", size="md")
        taken = take_away(
            "race-",
            what="race",
            info="Methods, options, prompts, models, sampling and seed. Whoever opens it only has to press Race.",
        )
    ticket = gr.State(0)  # changes when a race was asked for and may line up
    clock = gr.Timer(1, active=False)  # looks up the place in the queue

    controls = [
        chosen, source, typed, preset, file, num_prompts, pair, target, draft, max_new_tokens, repeats, seed,
        temperature, top_k, top_p, paper,
    ]  # fmt: skip
    in_links = {
        "source": source, "prompt": typed, "set": preset, "prompts": num_prompts, "pair": pair, "target": target,
        "draft": draft, "tokens": max_new_tokens, "repeats": repeats, "seed": seed, "temperature": temperature,
        "top_k": top_k, "top_p": top_p,
    }  # fmt: skip
    defaults = {"methods": ",".join(lineup.FIRST)} | {name: control.value for name, control in in_links.items()}
    hidden: Any = {"show_progress": "hidden", "api_visibility": "private"}

    for name, button in buttons.items():
        button.click(partial(_choose_group, name), None, [chosen, paper, about_paper, leave], **hidden)
    of_paper = [paper, about_paper, leave]
    for preset_id, button in paper_buttons.items():
        filled = [papers, *of_paper, chosen, *in_links.values()]
        button.click(partial(set_up, preset_id, list(in_links)), None, filled, **hidden)
    leave.click(leave_paper, None, of_paper, **hidden)
    variant.change(choose_method, variant, [variant, *option_rows], **hidden)
    names = list(options)

    def add_this(lineup_: list[str], method: str, *values: Any) -> tuple[Any, Any]:
        return add_variant(lineup_, method, values_by_option(method, names, values))

    add.click(add_this, [chosen, variant, *options.values()], [chosen, added], **hidden)
    source.change(choose_source, source, [preset, typed, file, num_prompts], **hidden)
    pair.change(choose_pair, pair, [pair, models_row], **hidden)
    planned = [chosen, source, typed, preset, file, num_prompts, max_new_tokens, repeats]
    gr.on([control.change for control in planned], _plan, planned, plan, queue=False, **hidden)

    def race_this(request: gr.Request, *values: Any) -> Iterator[tuple[Any, ...]]:
        yield from run_race(values, request.session_hash or "")

    # in the queue, where a changed state is noticed, but not in the line for the device
    start.click(ask, [ticket, *controls], [start, stop, message, ticket, clock], concurrency_limit=None, **hidden)
    start.click(None, None, None, js=stand_still("race-notice"), **hidden)
    racing = ticket.change(
        race_this, controls, [panel, message, result, clock], concurrency_limit=1, concurrency_id="compute", **hidden
    )
    racing.then(rest, None, [start, stop], **hidden)
    stop.click(None, None, message, js=STOPPING, **hidden)
    stop.click(stop_race, None, [start, stop, message, clock], queue=False, **hidden)
    clock.tick(place_in_queue, None, message, queue=False, **hidden)

    panel.choose_prompt(choose_prompt, result, panel, **hidden)
    panel.watch_run(watch_run, result, [player, tabs, message], **hidden)
    for button, write in ((save_csv, write_csv), (save_json, write_json)):
        taken.offer_file(button, partial(save, write), [result])
    for button, form in ((save_png, "png"), (save_svg, "svg")):
        drawn = button.click(may_save_chart, result, taken.message, **hidden)
        drawn.success(None, None, None, js=f"() => document.querySelector('.race-host').race.save('{form}')", **hidden)

    taken.offer_link(
        lambda lineup_, preset_id, *values: make_link(
            lineup_, preset_id, dict(zip(in_links, values, strict=True)), defaults
        ),
        [chosen, paper, *in_links.values()],
    )

    def follow_link(request: gr.Request) -> list[Any]:
        return follow(dict(request.query_params), defaults)

    page.load(
        follow_link, None, [tabs, message, *of_paper, chosen, *in_links.values()], show_progress_on=[message], **hidden
    )


# -- the line-up -----------------------------------------------------------------------------------------------------


def _choose_group(name: str) -> tuple[Any, ...]:
    """(line-up, preset, about, leave): a group is no paper's comparison."""
    return gr.Dropdown(value=lineup.groups()[name]), *leave_paper()


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
    return gr.Dropdown(lineup.offered(line_up), value=line_up, multiselect=True), say(f"{title} was added.")


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
        runs = num_entries * found * int(repeats)
    except (PlaygroundError, TypeError, ValueError):  # the last two: a field was emptied
        return say("")
    of_prompts = "1 prompt" if found == 1 else f"{found} prompts"
    times = "once" if repeats == 1 else f"{repeats:g} times"
    return say(
        f"{num_entries} methods on {of_prompts}, {times}: {runs:,} runs of up to {max_new_tokens:g} tokens in shuffled "
        "order, after a warm-up of each."
    )
