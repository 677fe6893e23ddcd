"""The Recommend tab: a user's purchases, and the items to show next, found by speculation among valid ones."""

from collections.abc import Iterator, Mapping
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.recommender.files import load_shop
from playground.recommender.identifiers import HISTORY
from playground.recommender.paying import Paying, best_of
from playground.recommender.shop import User
from playground.recommender.versions import VERSIONS
from playground.ui.contract.from_page import Edited, OpenRecorded
from playground.ui.contract.to_page import RecommendValue
from playground.ui.page.controls import HIDDEN, POSTED
from playground.ui.page.drawer import drawer, drawer_button
from playground.ui.page.drawn_panel import drawn_panel, on_page, with_json
from playground.ui.page.form import Controls
from playground.ui.page.links import is_for, of_address, sets_nothing_up
from playground.ui.page.messages import complain, failure, notice, say, set_up
from playground.ui.page.take_away import TakeAway, take_away, told_link
from playground.ui.recommend.form import LENGTHS, RecommendForm, history_of, read_items, user_with
from playground.ui.recommend.press import TIMED_USERS, paying_here, pressed, versions_beside
from playground.ui.recommend.recorded import read_recommendation
from playground.ui.recommend.tables import beside, beside_paper, paying_table, published, say_paying
from playground.words import word

OFFERED = 40  # users in the menu
FIRST = RecommendForm()
NO_HISTORY = word("shop_no_history")


def build() -> None:
    """Lay the tab out and connect it. The shop is read when the tab is opened, the models at the first press."""
    with gr.Row(elem_classes="ask-line", elem_id="recommend-ask"):
        user = gr.Dropdown([], value=None, label=word("shop_user"), container=False, elem_id="recommend-user")
        drawer_button(word("options"), "recommend-options")
        press = gr.Button(word("tab_recommend"), variant="primary", elem_id="recommend")
        message = notice(elem_id="recommend-notice")
    history = drawn_panel(
        "history",
        settings={"read": HISTORY},
        value={"items": [], "names": {}},
        hears=[Edited],
        server_functions=[catalogue],
        elem_id="recommend-history",
    )
    panel = drawn_panel("recommend", large=True, hears=[OpenRecorded], value=None, elem_id="recommend-panel")
    with gr.Accordion(word("shop_tables"), open=False, elem_id="recommend-tables"):
        versions = drawn_panel("numbers", large=True, value=None, elem_id="recommend-versions")
        with gr.Row(elem_classes="ask-line"):
            measure = gr.Button(word("shop_pays"), size="md", elem_id="recommend-pays")
            pays_message = notice(word("shop_pays_info"), elem_id="recommend-pays-notice")
        pays = drawn_panel("numbers", large=True, value=None, elem_id="recommend-paying")
        measured = drawn_panel("numbers", large=True, value=None, elem_id="recommend-measured")
    with drawer(word("options"), "recommend-options"):
        settings, exports = _settings()
    version = settings["version"]
    form = Controls(RecommendForm, history=history, **settings)

    shown = [panel, versions, history, message]
    opened = panel.open_recorded(with_json(open_tab, 1, 2, 3), None, [user, measured, *shown], **HIDDEN)
    opened.then(None, None, None, js=on_page("recordingRead", "#recommend-panel"), **HIDDEN)
    user.input(choose, user, [history, message, panel, versions], **HIDDEN)
    history.edited(forget, None, [message, panel, versions], **HIDDEN)
    once = {"concurrency_limit": 1, "concurrency_id": "compute", **HIDDEN}
    request = gr.State(None)  # the form as it was when Recommend was pressed
    query = gr.Textbox(visible=False)  # The page's address leads to the last press.
    lined_up = press.click(form.call(ask), form.components, [request, message, query], queue=False, **POSTED)
    lined_up.then(None, query, None, js=on_page("toldOfForm", "recommend"), **HIDDEN)
    answer = gr.State(None)  # The last press came to this.
    listed = lined_up.then(with_json(show, 0), request, [panel, message, answer], **once)
    listed.success(with_json(show_versions, 0), [request, answer], [versions, message], **once)
    chosen = [settings["top_k"], settings["drafts"], settings["length"]]
    measure.click(with_json(show_paying, 0), version, [pays, pays_message, *chosen], **once)
    exports.offer_link(form, make_link)
    opened.then(of_address(follow), None, [message, *form.components], show_progress_on=[message], **HIDDEN)


def _settings() -> tuple[dict[str, Any], TakeAway]:
    """Return the form's fields in the drawer, and the link."""
    with gr.Row():
        items = [(_num_items(k), k) for k in LENGTHS]
        top_k = gr.Dropdown(items, value=FIRST.top_k, label=word("shop_items"), elem_id="recommend-k")
        versions = [(word("shop_draft", name=title), name) for name, title in VERSIONS.items()]
        version = gr.Dropdown(versions, value=FIRST.version, label=word("draft_model"), elem_id="recommend-version")
    with gr.Row():
        drafts = gr.Slider(1, 48, FIRST.drafts, step=1, label=word("shop_drafts"), info=word("shop_drafts_info"))
        length = gr.Slider(1, 3, FIRST.length, step=1, label=word("shop_length"), info=word("shop_length_info"))
    with gr.Row():
        temperature = gr.Slider(
            0.1, 2, FIRST.temperature, step=0.1, label=word("temperature"), info=word("shop_temperature_info")
        )
        seed = gr.Number(0, precision=0, minimum=0, label=word("field_seed"), info=word("shop_seed_info"))
    exports = take_away("recommend-", what="recommendation", press="recommend")
    first = {"top_k": top_k, "drafts": drafts, "length": length, "version": version}
    return first | {"temperature": temperature, "seed": seed}, exports


def catalogue(_: Any) -> list[list[Any]]:
    """Every item's number and name."""
    return [[item.id, item.name] for item in load_shop().items]


def open_tab() -> tuple[Any, ...]:
    """Return what the tab opens on: (users, evaluation, panel, versions, history, message)."""
    shop = load_shop()
    tested = shop.tested()
    offered = tested[:: max(1, len(tested) // OFFERED)][:OFFERED]
    shown: tuple[Any, ...]
    try:
        recorded = read_recommendation()
        message = say(beside_paper(recorded["panel"]["lists"]))
        shown = (recorded["panel"], recorded["versions"], history_of(shop, recorded["items"]), message)
        there = user_with(shop, recorded["items"])
    except PlaygroundError as error:
        there, shown = None, (gr.skip(), gr.skip(), gr.skip(), say(error.args[0]))
    users = sorted(
        {user.id: user for user in [*offered, *([there] if there else [])]}.values(), key=lambda user: user.id
    )
    menu = gr.Dropdown([(_label(user), user.id) for user in users], value=there.id if there else None)
    return menu, {"tables": published()}, *shown


def _num_items(count: int) -> str:
    return word("shop_item") if count == 1 else word("shop_num_items", count=count)


def _label(user: User) -> str:
    if len(user.history) == 1:
        return word("shop_user_item", user=user.id)
    return word("shop_user_items", user=user.id, count=len(user.history))


def choose(user_id: int | None) -> tuple[Any, ...]:
    """(history, message, panel, versions) of a user of the menu: the lists of the previous user are cleared."""
    shop = load_shop()
    try:
        return history_of(shop, shop.user(int(user_id or 0)).history), *forget()
    except PlaygroundError as error:
        return gr.skip(), complain(error), gr.skip(), gr.skip()
    except (TypeError, ValueError) as error:
        return gr.skip(), complain(str(error)), gr.skip(), gr.skip()


def forget() -> tuple[Any, ...]:
    """(message, panel, versions) where the history is another one than the lists were made for."""
    return say(word("press_recommend")), None, None


def ask(form: RecommendForm) -> tuple[RecommendForm, Any, str]:
    """Handle a press of Recommend: (the request, message, query). What the controls say later is of the next press."""
    return form, say(word("recommending")), told_link(lambda: make_link(form))[0]


def show(form: RecommendForm) -> tuple[Any, ...]:
    """(panel, message, answer): the lists for a history, and the same as `show_versions` reads it."""
    try:
        if not form.items():
            raise PlaygroundError(NO_HISTORY)
        panel = pressed(form)
        return panel, say(word("measured_others_run")), panel
    except Exception as error:
        return gr.skip(), failure(word("watch_error_the_recommendation"), error), None


def show_paying(version: str) -> Iterator[tuple[Any, ...]]:
    """(table, message, K, N, draft length) as they are measured; the best that pays is set, and Recommend makes it."""
    nothing = gr.skip(), gr.skip(), gr.skip()
    rows: list[Paying] = []
    try:
        for rows, total in paying_here(version):
            table = {"tables": [paying_table(rows, TIMED_USERS)]} if rows else gr.skip()
            yield table, say(word("shop_pays_measuring", done=len(rows), count=total)), *nothing
    except PlaygroundError as error:
        yield gr.skip(), complain(error), *nothing
        return
    best = best_of(rows)
    sentences = say_paying(rows), word("shop_pays_set") if best else ""
    yield gr.skip(), say(*sentences), *((best.top_k, best.drafts, best.draft_length) if best else nothing)


def show_versions(form: RecommendForm, panel: RecommendValue | None) -> tuple[Any, Any]:
    """(versions, message): every draft for the same history; nothing where the press found no list."""
    if panel is None:
        return gr.skip(), gr.skip()  # the press has said why
    try:
        return {"tables": [beside(versions_beside(form, panel), form.version)]}, say(word("measured_here"))
    except Exception as error:
        return gr.skip(), failure(word("watch_error_the_comparison"), error)


def make_link(form: RecommendForm) -> str:
    """Return the query string for this form.

    Raises:
        PlaygroundError: if it would be too long.
    """
    return form.link(FIRST, tab="recommend")


def follow(query: Mapping[str, str]) -> list[Any]:
    """Set the controls as an address asks; (message, *controls)."""
    if not is_for("recommend", query) or sets_nothing_up(query):
        return [gr.skip(), *RecommendForm.updates()]
    try:
        values = RecommendForm.read_link(query)
        items = read_items(values.pop("items", ""))
        shop = load_shop()
        if items:
            values["history"] = history_of(shop, shop.check_history(items))
    except PlaygroundError as error:
        return [complain(error), *RecommendForm.updates()]
    return [set_up("Recommend", RecommendForm.wrong_in_link(query)), *RecommendForm.updates(values)]
