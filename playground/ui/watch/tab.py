"""The Watch tab: one run, seen from the inside."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.sampling import Sampling
from playground.errors import PlaygroundError
from playground.trace import load
from playground.trace.events import Event, RunFinished, RunStarted, Trace
from playground.ui.live import turns
from playground.ui.page import pace as page_pace
from playground.ui.page.controls import (
    choose_method,
    chosen_models,
    method_choices,
    method_note,
    options_of_all,
    sampling_controls,
    values_by_option,
)
from playground.ui.page.drawn_panel import ASSETS
from playground.ui.page.files import read_trace, write_file, write_forest, write_page, write_trace
from playground.ui.page.links import is_for, make_query, read_query
from playground.ui.page.messages import STOPPING, complain, notice, say
from playground.ui.page.model_chooser import choose_pair, other_models, pair_field
from playground.ui.watch import why_panel
from playground.ui.watch.live import LiveRun
from playground.ui.watch.player_panel import chunk, live_value, newest, player_panel, recorded_value, whole
from playground.ui.watch.run_buttons import buttons, rest, stop_waiting
from playground.ui.watch.take_away import take_away
from playground.views.charts import page_charts

PROMPT_LIMIT = 4000  # characters
FIRST_METHOD = "speculative_sampling"
DEFAULT_TOKENS = 128
MOST_TOKENS = 900  # fits the bundled pair's context behind prompts of 100 tokens


_SHOW_PLAYER = """() => {
  const player = document.querySelector('#player');
  if (innerWidth < 700) player.scrollIntoView({behavior: 'smooth', block: 'start'});
}"""

_log = logging.getLogger(__name__)


def build(page: gr.Blocks) -> gr.HTML:
    """Lay the tab out and connect it; gives the player, which others may show a run in."""
    recordings = recorded_runs()
    first = next(iter(recordings.values()))
    with gr.Row(equal_height=True, elem_id="ask"):
        prompt = gr.Textbox(
            first.started.prompt,
            label="Prompt",
            info=f"What the models continue. Up to {PROMPT_LIMIT:,} characters.",
            lines=2,
            max_lines=6,
            max_length=PROMPT_LIMIT,
            scale=5,
            min_width=280,
            elem_id="prompt",
        )
        method = gr.Dropdown(
            method_choices(),
            value=FIRST_METHOD,
            label="Method",
            info=method_note(FIRST_METHOD),
            scale=4,
            min_width=280,
            elem_id="method",
        )
        with gr.Column(scale=1, min_width=110, elem_id="run-column"):
            run = gr.Button("Run", variant="primary", elem_id="run")
            stop = gr.Button("Stop", interactive=False, elem_id="stop")
    message = notice("A recorded run is playing. Press Run to make your own.", elem_id="notice")
    offered = prompts()
    gr.Examples(
        [[text] for text in offered.values()],
        [prompt],
        example_labels=list(offered),
        label="Prompts to try",
        elem_id="examples",
        api_visibility="private",
    )
    with gr.Accordion("Models, sampling and options", open=False, elem_id="settings"):
        with gr.Row():
            pair = pair_field("pair")
            max_new_tokens = gr.Slider(
                1,
                MOST_TOKENS,
                DEFAULT_TOKENS,
                step=1,
                label="New tokens (at most)",
                info="Fewer if the text ends.",
            )
            seed = gr.Number(0, precision=0, minimum=0, label="Seed", info="The same seed gives the same tokens.")
        models_row, target, draft = other_models()
        temperature, top_k, top_p = sampling_controls("temperature")
        options, option_rows = options_of_all(FIRST_METHOD)
    player = player_panel(first)
    lengths = {owner: slider for (owner, option), slider in options.items() if option == "draft_length"}
    why_panel.build(player, [run.click, prompt.submit], [pair, target, draft], method, prompt, lengths)
    with gr.Accordion("Recorded runs, files and links", open=False, elem_id="files"):
        with gr.Row(equal_height=False, elem_classes="low-row"):
            gallery = gr.Dropdown(
                list(recordings), value=None, label="Recorded run", info="Real runs, kept with the page."
            )
            upload = gr.UploadButton(
                "Open a trace (JSON)", file_types=[".json", ".gz"], elem_id="open-trace", size="md"
            )
        with gr.Row(elem_classes="low-row"):
            save_trace = gr.Button("Save the trace (JSON)", elem_id="save-trace", size="md")
            save_page = gr.Button("Save as a page (HTML)", elem_id="save-page", size="md")
            save_forest = gr.Button("Save a round's forest (GraphML)", elem_id="save-forest", size="md")
            forest_round = gr.Number(1, precision=0, minimum=1, label="Round", min_width=80)
        taken = take_away(
            "",
            what="setup",
            info="Prompt, models, method, options, sampling and seed. Whoever opens it only has to press Run.",
        )

    names = list(options)
    chosen = [prompt, pair, target, draft, method, max_new_tokens, seed, temperature, top_k, top_p, *options.values()]
    link_names = ["prompt", "pair", "target", "draft", "method", "tokens", "seed", "temperature", "top_k", "top_p"]
    link_names += [f"{owner}.{option}" for owner, option in names]
    defaults = dict(zip(link_names, [control.value for control in chosen], strict=True))
    hidden: Any = {"show_progress": "hidden", "api_visibility": "private"}
    method.change(choose_method, method, [method, *option_rows], **hidden)
    pair.change(choose_pair, pair, [pair, models_row], **hidden)

    def watch_this(request: gr.Request, *values: Any) -> Iterator[tuple[Any, Any]]:
        yield from watch(names, values, request.session_hash or "")

    # In Gradio's queue, though it is over at once: an error outside it is shown to nobody. It has the run's own inputs,
    # because a value that Gradio refuses must be refused before the run lines up.
    running = gr.on([run.click, prompt.submit], ask, chosen, [run, stop, message], concurrency_limit=None, **hidden)
    running = running.success(
        watch_this,
        chosen,
        [player, message],
        concurrency_limit=1,
        concurrency_id="compute",
        show_progress="minimal",
        show_progress_on=[message],
        api_visibility="private",
    )
    running.then(rest, None, [run, stop], **hidden)
    run.click(None, None, None, js=_SHOW_PLAYER, **hidden)
    stop.click(None, None, message, js=STOPPING, **hidden)
    stop.click(stop_run, None, [run, stop, message], queue=False, **hidden)
    gallery.input(partial(_show_recording, recordings), gallery, [player, taken.message], **hidden)
    taken.offer_link(lambda *values: _link(dict(zip(link_names, values, strict=True)), defaults), chosen)

    def follow_link(request: gr.Request) -> list[Any]:
        query = dict(request.query_params)
        return _follow(query if is_for("watch", query) else {}, defaults)

    # status on one line only: Gradio would renew that of every control with each message of a run
    page.load(follow_link, None, [message, *chosen], show_progress_on=[message], **hidden)
    upload.upload(open_trace, upload, [player, taken.message], **hidden)
    for button, extra, write in (
        (save_trace, [], write_trace),
        (save_page, [], write_page),
        (save_forest, [forest_round], write_forest),
    ):
        taken.offer_file(button, partial(_save, write), [player, *extra])
    return player


def prompts() -> dict[str, str]:
    """The prompts offered, by title."""
    return {each["title"]: each["text"] for each in json.loads((ASSETS / "prompts" / "quick.json").read_text())}


def recorded_runs() -> dict[str, Trace]:
    """The runs kept with the page, by title; the one shown first comes first."""
    index = json.loads((ASSETS / "traces" / "index.json").read_text())
    return {entry["title"]: load(ASSETS / "traces" / entry["file"]) for entry in index}


def ask(request: gr.Request, *_chosen: Any) -> tuple[Any, Any, Any]:
    """Run was pressed."""
    try:
        turns.ask(request.session_hash or "")
    except PlaygroundError as error:
        raise gr.Error(str(error), print_exception=False) from None
    return *buttons(running=True), say("Waiting for its turn ...")


def watch(names: list[tuple[str, str]], chosen: tuple[Any, ...], session: str) -> Iterator[tuple[Any, Any]]:
    """Run what the controls say; yields (player, message) as rounds come in.

    The player keeps what it shows until the first events of the new run are there: a refused run changes nothing.

    Args:
        names: (method, option) of each option's control.
        chosen: the values of the controls, in the order of `build`.
        session: whose Stop button this run listens to.
    """
    value, log, events, problem = live_value(), [], [], ""
    turn = turns.next_turn(session)
    try:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield gr.skip(), gr.skip()
            return
        turn.has_begun = True
        yield gr.skip(), say("Reading the prompt ...")
        run = LiveRun(partial(_request, names, *chosen), turn.stop, partial(page_pace.interval, value["run"]))
        with page_pace.looked_at(value["run"]):
            for batch in run.batches():
                events += batch
                log.append(chunk(batch))
                value = newest(value, log)
                yield value, _progress(events)
    except PlaygroundError as error:
        problem = str(error)
    except Exception as error:
        _log.exception("A run failed")
        kept = "what it had done is kept" if events else "nothing was changed"
        problem = f"The run broke off ({type(error).__name__}); {kept}. The server's log says more."
    finally:
        turns.forget(session, turn)
    told = complain(problem) if problem else _progress(events) if events else gr.skip()
    if events:
        figures = json.dumps(page_charts(Trace(tuple(events))))
        yield whole(value, log) | {"figures": figures, "ended": True, "error": problem or None}, told
    else:
        yield gr.skip(), told


def _request(
    names: list[tuple[str, str]],
    prompt: str,
    pair: str,
    target: str,
    draft: str,
    method: str,
    max_new_tokens: int,
    seed: int,
    temperature: float,
    top_k: int,
    top_p: float,
    *options: Any,
) -> Request:
    if len(prompt or "") > PROMPT_LIMIT:
        raise PlaygroundError(f"The prompt has {len(prompt):,} characters; the limit is {PROMPT_LIMIT:,}. Shorten it.")
    if not (prompt or "").strip():
        raise PlaygroundError("The prompt is empty. Write a few words for the models to continue.")
    if seed is None:
        raise PlaygroundError("The seed is empty. Choose a whole number from 0.")
    made = make_method(method, values_by_option(method, names, options))
    sampling = Sampling(float(temperature), int(top_k), float(top_p))
    models = chosen_models(pair, target, draft)
    return Request(
        made, models.target, prompt, models.draft, sampling, int(seed), int(max_new_tokens), other_drafts=models.others
    )


def _progress(events: list[Event]) -> dict[str, str]:
    """One sentence on how far the run is."""
    last = events[-1]
    if isinstance(last, RunFinished):
        ends = {
            "length": "Done",
            "eos": "The text came to its end",
            "stopped": "Stopped",
            "context": "The models' context is full",
        }
        seconds = last.draft_s + last.verify_s + last.other_s
        return say(f"{ends[last.reason]}: {last.num_tokens} tokens in {seconds:.2f} s of decoding.")
    if isinstance(last, RunStarted):
        return say("The prompt is read. Decoding ...")
    return say(f"Round {last.round} ...")


def stop_run(request: gr.Request) -> tuple[Any, Any, Any]:
    """End this session's run before its next round, or before it begins; (Run, Stop, message)."""
    told = stop_waiting(request)  # where a run has begun, the page says "Stopping ..." itself
    return (gr.skip(), gr.skip(), gr.skip()) if told is None else (*buttons(running=False), told)


def open_trace(path: str) -> tuple[Any, Any]:
    """Show a trace file; a damaged one is refused and leaves the page as it is."""
    try:
        trace = read_trace(path)
    except PlaygroundError as error:
        return gr.skip(), complain(str(error))
    return recorded_value(trace), say(f"Opened {Path(path).name}. It is in the player above.")


def _show_recording(recordings: dict[str, Trace], title: str) -> tuple[Any, Any]:
    return recorded_value(recordings[title]), say(f"{title}: it is in the player above.")


def _link(values: dict[str, Any], defaults: dict[str, Any]) -> tuple[str, Any]:
    try:
        return make_query(values, defaults), say("The link is ready to copy.")
    except PlaygroundError as error:
        return "", complain(str(error))


def _follow(query: dict[str, str], defaults: dict[str, Any]) -> list[Any]:
    """Set the controls as the page's address asks; (message, *controls)."""
    try:
        values = read_query(query, defaults)
    except PlaygroundError as error:
        return [complain(str(error)), *(gr.skip() for _ in defaults)]
    if not values:
        return [gr.skip() for _ in range(len(defaults) + 1)]
    return [say("Set up by the link. Press Run."), *(values.get(name, gr.skip()) for name in defaults)]


def _save(write: Callable[..., Path], value: dict[str, Any], *extra: Any) -> tuple[Any, Any]:
    try:
        path = write_file(write, value, *extra)
    except (PlaygroundError, OSError) as error:
        return gr.DownloadButton(value=None), complain(f"Nothing was saved. {error}")
    return gr.DownloadButton(value=str(path)), say(f"Saved {path.name}.")
