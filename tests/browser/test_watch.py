"""The whole page in a real browser, as a reader uses it and as somebody hostile would."""

import json
import re
import time

import networkx as nx
import pytest
from playwright.sync_api import expect

from playground.metrics.summary import summarise
from playground.trace import from_json, load, validate
from tests.browser.app_fixture import (
    ROOT,
    choose,
    choose_tokens,
    file_notice,
    notice,
    of_player,
    open_file,
    press_run,
    remember_run,
    run_button,
    run_to_end,
    running_app,
    save,
    state,
    unfold,
    wait_for_end,
    wait_for_player,
    wait_for_rounds,
    wait_until,
    write_prompt,
)
from tests.browser.hostile import ALL, MARKUP, SURROGATE, edited_file, hostile_file, sound_file

expect.set_options(timeout=20_000)

LONG_RUN = 900  # tokens: seconds of decoding, and with a prompt still within what the bundled pair reads
EXECUTED = "window.executed === true || document.querySelector('img[src=\"x\"], .gradio-container script:not([src])')"


@pytest.fixture(scope="session")
def address():
    with running_app() as address:
        yield address


@pytest.fixture
def visit(open_page, address):
    """`visit()` gives a fresh browser's page with the recorded run on it."""

    def visit(query: str = "", **context):
        page = open_page(**context)
        page.add_init_script("window.alert = () => { window.executed = true; }")
        page.goto(f"{address}/{query}")
        wait_for_player(page)
        return page

    return visit


@pytest.fixture
def watch(visit):
    return visit()


def saved_trace(page):
    """The trace as a reader gets it, checked."""
    trace = from_json(save(page, "Save the trace (JSON)").read_text())
    validate(trace)
    return trace


def assert_one_sentence(text: str) -> None:
    """Something for a person: short, ended, and no program's innards."""
    assert 10 < len(text) < 400 and text.rstrip().endswith("."), text
    assert not re.search(r"Traceback|Error:|object at 0x|\bNone\b", text), text


def assert_nothing_executed(page) -> None:
    assert not page.evaluate(f"Boolean({EXECUTED})")


# -- recorded runs ---------------------------------------------------------------------------------------------------


def test_a_recorded_run_plays_while_the_models_load(watch):
    """The first test of the file: the app was started this moment, and nothing on the page waits for its models."""
    assert "old house" in watch.locator(".sp-text").inner_text()
    wait_until(watch, "p.state().step >= 2 && p.state().playing")
    watch.locator("#player [data-action=to_end]").click()
    wait_until(watch, "p.state().kind === 'finished'")
    assert state(watch)["totals"]["tokens"] > 10


def test_every_recorded_run_can_be_chosen(watch):
    unfold(watch, "Recorded runs, files and links")
    for entry in json.loads((ROOT / "assets/traces/index.json").read_text()):
        trace = load(ROOT / "assets/traces" / entry["file"])
        choose(watch, "Recorded run", entry["title"])
        expect(file_notice(watch)).to_contain_text(entry["title"])
        wait_until(watch, f"p.trace.run.created === {json.dumps(trace.events[0].created)}")
        assert of_player(watch, "p.trace.finished.text") == trace.events[-1].text
        assert of_player(watch, "p.trace.run.method") == trace.events[0].method


# -- runs ------------------------------------------------------------------------------------------------------------


def test_the_player_follows_a_run_and_its_totals_are_those_of_the_saved_trace(watch):
    write_prompt(watch, "The captain looked at the sea, and")
    choose_tokens(watch, 40)
    press_run(watch)
    wait_until(watch, "p.trace !== window.traceBefore && p.state().following && p.state().step >= 3")
    finished = wait_for_end(watch)
    expect(notice(watch)).to_contain_text(f"{finished['num_tokens']} tokens in")
    of_player(watch, "p.goto(p.state().steps - 1)")
    totals = state(watch)["totals"]
    trace = saved_trace(watch)
    summary = summarise(trace)
    assert trace.events[0].prompt == "The captain looked at the sea, and"
    assert trace.events[0].max_new_tokens == 40
    counts = ("num_tokens", "rounds", "target_calls")
    assert [totals[name] for name in ("tokens", "rounds", "target_calls")] == [summary[name] for name in counts]
    for name, other in (
        ("acceptance_rate", "acceptance_rate"),
        ("draft_efficiency", "draft_efficiency"),
        ("block_efficiency", "block_efficiency"),
        ("tokens_per_second", "tokens_per_s"),
    ):
        assert totals[name] == pytest.approx(summary[other], rel=1e-3), name
    assert watch.locator(".sp-output").text_content().replace("⏎\n", "\n").startswith(summary["text"][:20])


def test_the_seed_decides_the_text(watch):
    choose_tokens(watch, 32)
    texts = [run_to_end(watch)["text"] for _ in range(2)]
    assert texts[0] == texts[1]
    watch.get_by_label("Seed").fill("1")
    watch.get_by_label("Seed").press("Tab")
    assert run_to_end(watch)["text"] != texts[0]


def test_at_temperature_0_speculation_changes_no_token(watch):
    choose_tokens(watch, 32, Temperature=0)
    speculative = run_to_end(watch)
    choose(watch, "Method", "Autoregressive")
    plain = run_to_end(watch)
    assert of_player(watch, "p.trace.run.method") == "autoregressive"
    assert plain["text"] == speculative["text"]
    assert speculative["target_calls"] < plain["target_calls"] == 32


# -- stopping, leaving, sharing the device -----------------------------------------------------------------------------


def test_stop_ends_the_run_at_once_and_keeps_what_was_done(watch):
    choose_tokens(watch, LONG_RUN)
    press_run(watch)
    wait_for_rounds(watch, 3)
    watch.get_by_role("button", name="Stop", exact=True).click()
    asked = time.monotonic()
    expect(notice(watch)).to_contain_text("Stopped:")
    took = time.monotonic() - asked
    finished = wait_for_end(watch)
    print(f"\nStop to Stopped: {took:.2f} s")
    assert took < 2
    assert finished["reason"] == "stopped" and 3 <= finished["num_tokens"] < LONG_RUN
    assert summarise(saved_trace(watch))["num_tokens"] == finished["num_tokens"]
    expect(watch.locator("#stop")).to_be_disabled()
    choose_tokens(watch, 8)
    assert run_to_end(watch)["num_tokens"] == 8


def test_a_closed_tab_frees_the_device(visit):
    leaving, waiting = visit(), visit()
    choose_tokens(leaving, LONG_RUN)
    choose_tokens(waiting, 8)
    press_run(leaving)
    wait_for_rounds(leaving, 3)
    press_run(waiting)
    leaving.close()
    left = time.monotonic()
    wait_for_rounds(waiting, 1)
    took = time.monotonic() - left
    print(f"\nclosed tab to the next reader's first round: {took:.2f} s")
    assert took < 3
    assert wait_for_end(waiting)["num_tokens"] == 8


def test_two_readers_each_get_their_own_run(visit):
    prompts = ["The king of the north", "My dear sister, the garden"]
    pages = [visit(), visit()]
    for page, prompt in zip(pages, prompts, strict=True):
        write_prompt(page, prompt)
        choose_tokens(page, 48)
    for page in pages:
        press_run(page)
    for page, prompt in zip(pages, prompts, strict=True):
        assert wait_for_end(page)["num_tokens"] == of_player(page, "p.trace.words.length") > 0
        assert of_player(page, "p.trace.run.prompt") == prompt
        assert saved_trace(page).events[0].prompt == prompt


def test_a_run_that_waits_for_another_reader_can_be_stopped(visit):
    """Else a reader in the queue of a busy machine has a Stop button that does nothing."""
    busy, waiting = visit(), visit()
    choose_tokens(busy, LONG_RUN)
    press_run(busy)
    wait_for_rounds(busy, 2)
    press_run(waiting)
    expect(notice(waiting)).to_contain_text("Waiting")
    waiting.get_by_role("button", name="Stop", exact=True).click()
    expect(run_button(waiting)).to_be_enabled(timeout=3000)
    busy.get_by_role("button", name="Stop", exact=True).click()
    wait_for_end(busy)
    waiting.wait_for_timeout(300)
    assert of_player(waiting, "p.trace === window.traceBefore"), "the run began although it was stopped"


def test_one_page_has_one_run(watch):
    """Shift+Enter in the prompt also runs; in mid-run it must not line up a second one that Stop does not reach."""
    choose_tokens(watch, LONG_RUN)
    press_run(watch)
    wait_for_rounds(watch, 2)
    watch.locator("#prompt textarea").press("Shift+Enter")
    watch.get_by_role("button", name="Stop", exact=True).click()
    wait_until(watch, "p.trace.finished")
    of_player(watch, "void (window.stopped = p.trace)")
    watch.wait_for_timeout(1000)  # for a second run to begin, which nothing announces
    second = of_player(watch, "p.trace !== window.stopped")
    if second:
        watch.get_by_role("button", name="Stop", exact=True).click()
    assert not second, "a second run began after Stop"


def test_what_is_saved_is_what_is_shown_also_after_a_recording_was_opened_in_mid_run(watch):
    choose_tokens(watch, 300)
    press_run(watch)
    wait_for_rounds(watch, 2)
    unfold(watch, "Recorded runs, files and links")
    choose(watch, "Recorded run", "Autoregressive: one call per token")
    expect(run_button(watch)).to_be_enabled()
    watch.wait_for_timeout(300)
    shown = of_player(watch, "p.trace.run.created")
    assert saved_trace(watch).events[0].created == shown


# -- prompts ---------------------------------------------------------------------------------------------------------


def test_a_prompt_that_cannot_be_run_is_refused_in_a_sentence(watch):
    for prompt, word in (("", "empty"), ("  \n\t ", "empty"), ("word " * 1000, "5,000 characters")):
        write_prompt(watch, prompt)
        run_button(watch).click()
        expect(notice(watch)).to_have_attribute("data-kind", "error")
        expect(notice(watch)).to_contain_text(word)
        assert_one_sentence(notice(watch).inner_text())
        expect(run_button(watch)).to_be_enabled()
        expect(watch.locator("#stop")).to_be_disabled()


def test_a_refused_run_leaves_the_one_that_is_on_the_page(watch):
    """And is not waited for: a player that shows "waiting" beside an error contradicts it."""
    shown = of_player(watch, "(window.kept = p.trace) && p.trace.run.created")
    write_prompt(watch, " ")
    run_button(watch).click()
    expect(notice(watch)).to_have_attribute("data-kind", "error")
    expect(run_button(watch)).to_be_enabled()
    assert saved_trace(watch).events[0].created == shown
    lost = "the player lost its run and shows: " + watch.locator(".sp-waiting").inner_text()
    assert of_player(watch, "p.trace === window.kept"), lost


def test_the_longest_run_the_page_offers_can_be_run(watch):
    """The slider's end is a promise; the bundled pair reads 1024 tokens, prompt included."""
    unfold(watch, "Models, sampling and options")
    choose_tokens(watch, watch.get_by_label("range slider for New tokens (at most)").get_attribute("max"))
    press_run(watch)
    wait_until(
        watch,
        "document.querySelector('#notice .notice').dataset.kind === 'error' || "
        "p.trace !== window.traceBefore && p.trace.rounds.length > 2",
    )
    assert notice(watch).get_attribute("data-kind") != "error", notice(watch).inner_text()


def test_prompts_of_any_characters_are_run_or_refused_but_never_executed(watch):
    choose_tokens(watch, 4)
    for prompt in [ALL, MARKUP[1], MARKUP[2]]:
        write_prompt(watch, prompt)
        typed = watch.locator("#prompt textarea").input_value()
        run_to_end(watch)
        assert of_player(watch, "p.trace.run.prompt") == typed
        assert_nothing_executed(watch)


def test_a_prompt_with_half_a_character_is_run_or_refused(watch):
    """A lone surrogate is a JavaScript text but no Unicode text; a paste can hold one."""
    choose_tokens(watch, 4)
    write_prompt(watch, SURROGATE)
    press_run(watch)
    wait_until(
        watch,
        "document.querySelector('#notice .notice').dataset.kind === 'error' || "
        "p.trace !== window.traceBefore && p.trace.finished",
    )
    expect(run_button(watch)).to_be_enabled()
    assert_one_sentence(notice(watch).inner_text())
    assert "broke off" not in notice(watch).inner_text(), notice(watch).inner_text()


FORGED = {
    "no prompt": {0: None},
    "a pair nobody knows": {1: "/etc"},
    "a method nobody knows": {4: "../autoregressive"},
    "a million tokens": {5: 1_000_000},
    "tokens that are no number": {5: "many"},
    "a seed below 0": {6: -1},
    "a seed that is no number": {6: "x"},
    "a huge seed": {6: 2**70},
    "a temperature below 0": {7: -1},
    "a draft of a thousand tokens": {10: 1000},
    "5000 characters": {0: "word " * 1000},
}


def test_what_a_program_posts_is_checked_like_what_a_reader_chooses(watch):
    """Past the fields' own limits: nothing of it is run, nothing breaks, and the next run works."""
    choose_tokens(watch, 4)
    posted = []
    watch.on("request", lambda request: posted.append(request.post_data_json) if "queue/join" in request.url else None)
    run_to_end(watch)
    genuine = next(post for post in posted if len(post["data"]) > 8)
    wrong = []
    for name, changes in FORGED.items():
        data = [changes.get(index, value) for index, value in enumerate(genuine["data"])]
        session = f"forged{list(FORGED).index(name)}"
        answer = watch.evaluate(
            """async ([post, session]) => {
              const joined = await fetch('/gradio_api/queue/join', {
                method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(post)});
              if (!joined.ok) return 'refused with ' + joined.status;
              return await (await fetch('/gradio_api/queue/data?session_hash=' + session)).text();
            }""",
            [{**genuine, "data": data, "session_hash": session}, session],
        )
        completed = [json.loads(line[6:]) for line in answer.splitlines() if line.startswith("data: ")]
        told = json.dumps(completed)
        refused = answer.startswith("refused") or '"kind": "error"' in told or '"success": false' in told
        if "committed" in told or "broke off" in told or not refused:
            wrong.append(f"{name}: {told[-300:]}")
    assert run_to_end(watch)["num_tokens"] == 4
    assert not wrong, wrong


# -- trace files -----------------------------------------------------------------------------------------------------


def _without_a_verdict(events):
    events[4]["outcomes"][0] = "rejected"


def _with_a_token_too_many(events):
    events[-1]["num_tokens"] += 1


DAMAGED = {
    "truncated": ("cut.json", lambda: sound_file()[:900]),
    "a total that does not add up": ("edited.json", lambda: edited_file(_with_a_token_too_many)),
    "a verdict against its coin": ("verdict.json", lambda: edited_file(_without_a_verdict)),
    "not JSON": ("prose.json", lambda: b"Dear sister, this is a letter."),
    "other JSON": ("other.json", lambda: b'{"a": [1, 2, {"b": "<img src=x onerror=alert(1)>"}]}'),
    "empty": ("empty.json", lambda: b""),
    "not text": ("bytes.json", lambda: bytes(range(256)) * 20),
    "nested": ("deep.json", lambda: b"[" * 200_000),
    "hostile name": ("<img src=x onerror=alert(1)>.json", lambda: b"{"),
    "too large": ("large.json", lambda: b" " * 10_500_000 + b"{}"),
}


def test_a_damaged_file_is_refused_in_a_sentence_and_the_run_stays(watch):
    before = of_player(watch, "(window.kept = p.trace) && p.trace.run.created")
    unfold(watch, "Recorded runs, files and links")
    for name, (file, content) in DAMAGED.items():
        told = file_notice(watch).inner_text()
        open_file(watch, file, content())
        sentence = watch.locator("#file-notice .notice, .toast-body").filter(visible=True)
        watch.wait_for_function(
            """told => document.querySelector('.toast-body') ||
                       document.querySelector('#file-notice .notice').innerText !== told""",
            arg=told,
        )
        texts = [text for text in sentence.all_inner_texts() if text != told]
        print(f"\n{name}: {texts}")
        assert len(texts) == 1, (name, texts)
        assert of_player(watch, "p.trace === window.kept"), name
        assert_nothing_executed(watch)
        for toast in watch.locator(".toast-close").all():
            toast.click()
        expect(watch.locator(".toast-body")).to_have_count(0)
    assert saved_trace(watch).events[0].created == before


def test_the_answer_to_a_file_is_in_view(watch):
    """The files are at the foot of a long page, and a refusal nobody sees is none."""
    open_file(watch, "prose.json", b"Dear sister")
    expect(watch.locator("#file-notice .notice, .toast-body").filter(has_text="prose.json").first).to_be_in_viewport(
        timeout=5000
    )


def test_a_trace_of_hostile_texts_is_shown_as_text(watch):
    open_file(watch, "<img src=x onerror=alert(1)>.json", hostile_file())
    expect(file_notice(watch)).to_contain_text("Opened")
    wait_until(watch, "p.state().steps > 10 && p.trace.run.target.name.includes('onerror')")
    for step in range(state(watch)["steps"]):
        of_player(watch, f"p.goto({step})")
    for summary in watch.locator("#player summary").all():
        summary.click()
    assert MARKUP[0] in watch.locator("#player .sp-title").inner_text()
    assert MARKUP[3] in watch.locator("#player .sp-prompt").text_content()
    watch.wait_for_timeout(200)  # for an image's onerror to have its chance
    assert_nothing_executed(watch)


def test_what_is_saved_of_a_hostile_trace_is_harmless(watch, open_page):
    open_file(watch, "hostile.json", hostile_file())
    expect(file_notice(watch)).to_contain_text("Opened")
    assert saved_trace(watch) == from_json(hostile_file().decode())
    assert len(nx.read_graphml(save(watch, "Save a round's forest (GraphML)"))) == 4
    page = open_page()
    page.add_init_script("window.alert = () => { window.executed = true; }")
    page.goto(save(watch, "Save as a page (HTML)").as_uri())
    expect(page.locator(".sp-place")).to_have_text("Start")
    page.evaluate(
        """() => {
          const p = document.querySelector('#player').specPlayer;
          for (let i = 0; i < p.state().steps; i++) p.goto(i);
        }"""
    )
    page.wait_for_timeout(200)
    assert not page.evaluate("window.executed === true || Boolean(document.querySelector('img[src=\"x\"]'))")


def test_a_trace_cannot_choose_where_on_the_server_it_is_saved(watch, tmp_path):
    """The name of a saved file is made from the trace, and a trace can come from anyone."""
    place = tmp_path / "escaped"
    open_file(watch, "escape.json", hostile_file(method=str(place)))
    expect(file_notice(watch)).to_contain_text("Opened")
    unfold(watch, "Recorded runs, files and links")
    watch.get_by_role("button", name="Save the trace (JSON)").click()
    expect(file_notice(watch)).not_to_contain_text("Opened")
    written = [path.name for path in tmp_path.iterdir()]
    assert not written, f"the trace made the server write {written} into a folder of its choice"


# -- saving ----------------------------------------------------------------------------------------------------------


def test_a_saved_page_plays_by_itself(watch, open_page):
    path = save(watch, "Save as a page (HTML)")
    page = open_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    expect(page.locator(".sp-place")).to_have_text("Start")  # not by wait_for_function: the page's policy forbids eval
    page.locator(".spec-player").focus()
    page.keyboard.press("Space")
    expect(page.locator(".sp-place")).to_contain_text("Round 1")
    assert [url[:80] for url in requests if not url.startswith(("data:", "blob:"))] == [path.as_uri()[:80]]
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def test_a_rounds_forest_is_a_graph(watch):
    graph = nx.read_graphml(save(watch, "Save a round's forest (GraphML)"))
    assert nx.is_forest(graph)
    drafted = [node for node, kind in graph.nodes(data="kind") if kind == "draft"]
    assert len(drafted) == of_player(watch, "p.trace.rounds[0].nodes.length")


def test_a_round_that_does_not_exist_is_refused_in_a_sentence(watch):
    unfold(watch, "Recorded runs, files and links")
    watch.locator("#files").get_by_label("Round", exact=True).fill("9999")
    watch.keyboard.press("Tab")
    watch.get_by_role("button", name="Save a round's forest (GraphML)").click()
    expect(watch.locator("#file-notice .notice[data-kind=error], .toast-body").first).to_be_visible(timeout=3000)


# -- keyboard, motion, size ------------------------------------------------------------------------------------------


def tab_to(page, selector: str, most: int = 40) -> None:
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{most} times Tab do not reach {selector}")


def test_everything_can_be_done_from_the_keyboard(watch):
    choose_tokens(watch, 16)
    watch.locator("#prompt textarea").focus()
    tab_to(watch, "#run")
    remember_run(watch)
    watch.keyboard.press("Enter")
    wait_for_end(watch)
    tab_to(watch, ".spec-player")
    watch.keyboard.press("Space")
    if state(watch)["playing"]:  # it had come to its end, and began again
        watch.keyboard.press("Space")
    assert not state(watch)["playing"]
    watch.keyboard.press("Home")
    assert state(watch)["step"] == 0
    watch.keyboard.press("ArrowRight")
    watch.keyboard.press("ArrowRight")
    assert state(watch)["step"] == 2
    known = state(watch)["totals"], watch.locator(".sp-caption").inner_text()
    watch.keyboard.press("End")
    assert state(watch)["kind"] == "finished"
    watch.keyboard.press("ArrowLeft")
    assert state(watch)["step"] == state(watch)["steps"] - 2
    watch.keyboard.press("Home")
    tab_to(watch, "#player input[type=range]")
    watch.keyboard.press("ArrowRight")
    watch.keyboard.press("ArrowRight")
    assert (state(watch)["totals"], watch.locator(".sp-caption").inner_text()) == known


def test_with_reduced_motion_nothing_moves_by_itself(visit):
    page = visit(reduced_motion="reduce")
    page.wait_for_timeout(600)
    assert state(page)["step"] == 0 and not state(page)["playing"]
    choose_tokens(page, 16)
    run_to_end(page)
    wait_until(page, "p.state().kind === 'finished'")  # at once: a live run is followed in jumps


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_page(visit, width):
    """In the dark theme; the light one has the same widths."""
    page = visit("?__theme=dark", width=width)
    unfold(page, "Models, sampling and options")
    unfold(page, "Recorded runs, files and links")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    of_player(page, "p.goto(12)")
    page.wait_for_timeout(400)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    wide = page.evaluate(
        """[...document.querySelectorAll('#player .spec-player, #player .spec-player *:not(svg *)')]
           .filter(e => e.getClientRects().length && !e.closest('.sp-visually-hidden, .sp-table-box, .sp-mask'))
           .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
           .map(e => e.tagName + '.' + e.getAttribute('class'))"""
    )
    assert not wide, wide


# -- other models ----------------------------------------------------------------------------------------------------


def test_models_that_cannot_be_had_are_refused_in_a_sentence(watch):
    """Within seconds: without a network, loading blindly would block for half a minute."""
    unfold(watch, "Models, sampling and options")
    choose(watch, "Models", "Other models ...")
    for target, words in (
        ("/no/such/folder", "no folder /no/such/folder"),
        ("nobody/no-such-model", "Hub does not answer"),
        ("", "name is empty"),
        (MARKUP[0], f"{MARKUP[0]}' is no model name"),
        ("/etc", "holds no model"),
    ):
        watch.get_by_label("Target model").fill(target)
        asked = time.monotonic()
        run_button(watch).click()
        expect(notice(watch)).to_contain_text(words)
        took = time.monotonic() - asked
        assert_one_sentence(notice(watch).inner_text())
        expect(run_button(watch)).to_be_enabled()
        assert took < 8, (target, took)
    assert_nothing_executed(watch)
    choose(watch, "Models", "Bundled pair")
    choose_tokens(watch, 8)
    assert run_to_end(watch)["num_tokens"] == 8


# -- numbers to watch ------------------------------------------------------------------------------------------------


def test_the_page_is_quick_and_light(open_page, address):
    """Printed with -s; the bounds are wide, because test machines are busy."""
    page = open_page()
    started = time.monotonic()
    page.goto(address)
    wait_for_player(page)
    usable = time.monotonic() - started
    run_to_end(page)  # the models are there now
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    streams, received = set(), []

    def on_response(event) -> None:
        if "queue/data" in event["response"]["url"]:
            streams.add(event["requestId"])

    def on_data(event) -> None:
        if event["requestId"] in streams:
            received.append(event["dataLength"])

    session.on("Network.responseReceived", on_response)
    session.on("Network.dataReceived", on_data)
    choose_tokens(page, 128)
    page.evaluate(
        """() => {
          const {player} = document.querySelector('.player-host');
          const before = window.traceBefore = player.trace;
          document.querySelector('#run').addEventListener('click', () => {
            const clicked = performance.now();
            const look = () => player.trace !== before && document.querySelector('.sp-nodes .sp-node')
              ? window.drawnAfter = performance.now() - clicked : requestAnimationFrame(look);
            look();
          }, {once: true});
        }"""
    )
    run_button(page).click()
    page.wait_for_function("window.drawnAfter")
    finished = wait_for_end(page)
    drawn = page.evaluate("window.drawnAfter") / 1000
    rounds, total = finished["rounds"], sum(received)
    size = save(page, "Save the trace (JSON)").stat().st_size
    print(
        f"\nPage load to a usable player {usable:.2f} s; click to the first drawn tree {drawn:.2f} s; "
        f"{total / rounds / 1000:.1f} kB sent per round ({rounds} rounds, {total / 1000:.0f} kB with the charts); "
        f"trace of {finished['num_tokens']} tokens {size / 1000:.0f} kB"
    )
    assert usable < 10 and drawn < 5
    assert total / rounds < 20_000
    assert size <= 200_000
