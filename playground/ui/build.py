"""The page as a whole: its tabs, its look, and how it is served."""

import gc
import os
import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # read when Blocks is made
os.environ.setdefault("GRADIO_ANALYTICS_MAX_EVENTS", "1")  # else all are summed up again after each event
os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", str(2**40))


import gradio as gr
import torch
from gradio import themes
from starlette.middleware import Middleware

from playground.paths import ASSETS
from playground.ui import programs
from playground.ui.lab import tab as lab
from playground.ui.learn import tab as learn
from playground.ui.live import turns
from playground.ui.live.zero_gpu import is_lent
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import BUNDLES, FIRST_SCRIPT, SERVED, address_of, on_page, page_head
from playground.ui.page.model_chooser import BUNDLED, chosen_models
from playground.ui.recommend import tab as recommend
from playground.ui.runs import tab as compare
from playground.ui.runs.sweep.shelf import last_sweep
from playground.ui.served.calls import Calls
from playground.ui.served.ending import serve_until_told
from playground.ui.served.files import file_routes
from playground.ui.served.link_card import LinkCard
from playground.ui.served.names import Names
from playground.ui.served.request_limits import RequestLimits
from playground.ui.served.requests import device_queue
from playground.ui.served.sessions import MOST_SESSIONS, Heartbeats, tidy_sessions
from playground.ui.served.streams import Streams
from playground.ui.served.taken_along import KEPT_S, give_to_gradio
from playground.ui.watch import tab as watch
from playground.ui.watch.shelf import opening
from playground.ui.watch.turn import rehearse
from playground.views.link_card import PICTURE, TITLE
from playground.words import word

STYLE = ASSETS / "page.css"
# Events that may wait, page loads among them: a class that opens the page and presses Run must fit in it several times.
# Said outright, as on ZeroGPU the default would be 1; bounded, as each is held in memory.
LONGEST_QUEUE = 2000
LOOK_S = 600  # Files that were saved or opened are looked through so often.


def build() -> gr.Blocks:
    """Lay the page out."""
    torch.set_num_threads(1)  # two threads spin against whatever else runs, and make every time meaningless
    give_to_gradio()
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=(LOOK_S, KEPT_S)) as page:
        gr.Markdown("# " + word("page_title"), elem_id="title")
        words = gr.Button(word("page_glossary"), elem_id="words", size="sm", min_width=40)
        words.click(None, None, None, js=on_page("glossary"), **HIDDEN)
        stored = last_sweep()
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            with gr.Tab(word("tab_watch"), id="watch", elem_id="tab-watch"):
                stage = watch.build(page, tabs)
            with gr.Tab(word("tab_compare"), id="compare", elem_id="tab-compare"):
                compare.build(page, stage, stored)
            with gr.Tab(word("tab_lab"), id="lab", elem_id="tab-lab"):
                lab.build()
            with gr.Tab(word("tab_recommend"), id="recommend", elem_id="tab-recommend"):
                recommend.build()
            with gr.Tab(word("tab_learn"), id="learn", elem_id="tab-learn"):
                learn.build()
        programs.build()
    return page.queue(max_size=LONGEST_QUEUE)


def launch(page: gr.Blocks, *, names: Sequence[str] = (), **settings: Any) -> None:
    """Serve the page until it is stopped; the bundled models are read meanwhile, so the first run starts at once.

    Args:
        page: what is served.
        names: that the server has beside those of its machine, as a proxy in front of it shows it.
        settings: of Gradio.
    """
    called = Names(settings.get("server_name"), names)
    threading.Thread(target=_preload, daemon=True).start()
    app, *_ = page.launch(
        app_kwargs={
            "middleware": [
                Middleware(RequestLimits, names=called),
                Middleware(Streams),
                Middleware(Heartbeats, closed=turns.leave),
                Middleware(Calls, programs.ENDPOINTS),
                Middleware(LinkCard, picture=address_of(PICTURE), script=FIRST_SCRIPT),
            ],
            "routes": file_routes(SERVED, BUNDLES),
        },
        prevent_thread_lock=True,
        enable_monitoring=False,
        state_session_capacity=MOST_SESSIONS,
        theme=_theme(),
        head=page_head(),
        css_paths=STYLE,
        max_file_size="10mb",
        ssr_mode=False,
        _frontend=False,  # Gradio would look at the page once, and end where a busy machine takes over 3 s to answer.
        footer_links=["settings"],
        **settings,
    )
    if page.share_url:
        called.add(page.share_url)
    tidy_sessions(app.state_holder)
    turns.use_queue(partial(device_queue, page))
    programs.admit(page)
    serve_until_told()


def _theme() -> themes.Base:
    """Quiet: plain labels, visible edges, the system's own fonts."""
    theme = themes.Soft(
        primary_hue="blue",
        neutral_hue="slate",
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
        # letters of 14 px at least
        text_size=themes.Size("14px", "14px", "14px", "14px", "16px", "22px", "26px", name="read"),
    )
    return theme.set(
        block_title_background_fill="transparent",
        block_title_background_fill_dark="transparent",
        block_title_padding="0",
        block_title_text_weight="600",
        block_title_text_color="*body_text_color",
        block_title_text_color_dark="*body_text_color",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        # the theme's own blue under white, and its grey on white, are too faint to read
        button_primary_background_fill="*primary_600",
        button_primary_background_fill_dark="*primary_600",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_hover_dark="*primary_700",
        checkbox_label_background_fill_selected="*primary_600",
        checkbox_label_background_fill_selected_dark="*primary_600",
        color_accent="*primary_600",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        input_border_width="1px",
        input_border_color="*neutral_300",
        input_border_color_dark="*neutral_600",
    )


def _preload() -> None:
    """Read the bundled pair and run it once; then exempt all existing objects from garbage collection.

    The libraries, the page and the models are many objects: a run would pause while the collector goes through them.
    """
    chosen_models(BUNDLED, "", "").load()
    if not is_lent():
        rehearse(opening())
    gc.collect()
    gc.freeze()
