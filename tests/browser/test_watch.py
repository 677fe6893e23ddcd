"""The whole page in a real browser, as a reader uses it and as somebody hostile would."""

import json
import re
import time
from pathlib import Path

import networkx as nx
import pytest

from playground.metrics.summary import summarise
from playground.trace import from_json, validate
from tests.browser.app_fixture import (
    PLAYER, choose, choose_tokens, notice, of_player, open_file, press_run, run_button, run_to_end, running_app, save, state,
    unfold, wait_for_end, wait_for_player, wait_for_rounds, wait_until, write_prompt,
)  # fmt: skip
from tests.browser.hostile import (
    ALL, CONTROLS, EMOJI, MARKUP, SURROGATE, edited_file, hostile_file, hostile_trace, sound_file,
)  # fmt: skip

expect = pytest.importorskip("playwright.sync_api").expect
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


def test_a_recorded_run_plays_while_the_models_load(open_page):
    """Of an app that was started this moment; nothing on the page waits for its models."""
    with running_app() as fresh:
        page = open_page()
        page.goto(fresh)
        wait_for_player(page)
        assert "old house" in page.locator(".sp-text").inner_text()
        wait_until(page, "p.state().step >= 2 && p.state().playing")
        page.locator("#player [data-action=to_end]").click()
        wait_until(page, "p.state().kind === 'finished'")
        assert state(page)["totals"]["tokens"] > 10


def test_every_recorded_run_can_be_chosen(watch):
    unfold(watch, "Recorded runs, files and links")
    seen = {of_player(watch, "p.trace.run.created + p.trace.run.method + JSON.stringify(p.trace.run.sampling)")}
    for title in ("Autoregressive: one call per token", "Speculative sampling, greedy", "Speculative sampling, temperature 1"):
        choose(watch, "Recorded run", title)
        expect(notice(watch)).to_have_text(f"Recorded run: {title}.")
        wait_until(watch, "p.state().steps > 10")
        seen.add(of_player(watch, "p.trace.run.created + p.trace.run.method + JSON.stringify(p.trace.run.sampling)"))
    assert len(seen) == 3


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
    watch.get_by_label("Seed", exact=True).fill("1")
    watch.get_by_label("Seed", exact=True).press("Tab")
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
        choose_tokens(page, 64)
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


# -- prompts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", ["", "  \n\t ", "word " * 1000], ids=["empty", "blank", "5000 characters"])
def test_a_prompt_that_cannot_be_run_is_refused_in_a_sentence(watch, prompt):
    write_prompt(watch, prompt)
    steps = state(watch)["steps"]
    run_button(watch).click()
    expect(notice(watch)).to_have_attribute("data-kind", "error")
    assert_one_sentence(notice(watch).inner_text())
    expect(run_button(watch)).to_be_enabled()
    expect(watch.locator("#stop")).to_be_disabled()
    assert state(watch)["steps"] == steps, "the run that was on the page is gone"
    assert not state(watch)["following"]


def test_prompts_of_any_characters_are_run_or_refused_but_never_executed(watch):
    choose_tokens(watch, 4)
    for prompt in [*MARKUP, EMOJI, CONTROLS]:
        write_prompt(watch, prompt)
        typed = watch.locator("#prompt textarea").input_value()
        run_to_end(watch)
        assert of_player(watch, "p.trace.run.prompt") == typed
        assert_nothing_executed(watch)
    watch.screenshot(path="/tmp/watch_shots/hostile_prompt.png", full_page=True)


def test_a_prompt_with_half_a_character_is_run_or_refused(watch):
    """A lone surrogate is a JavaScript text but no Unicode text; a paste can hold one."""
    choose_tokens(watch, 4)
    write_prompt(watch, SURROGATE)
    press_run(watch)
    watch.wait_for_function(
        f"document.querySelector('#notice .notice').dataset.kind === 'error' || {PLAYER}.trace.finished && {PLAYER}.trace !== traceBefore"
    )
    expect(run_button(watch)).to_be_enabled()
    assert_one_sentence(notice(watch).inner_text())
    assert "broke off" not in notice(watch).inner_text(), notice(watch).inner_text()


FORGED = {
    "a prompt that is no text": {0: 7},
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
    """Past the fields' own limits; every answer is a sentence in the page's words, and the next run works."""
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
        print(f"\n{name}: {told[-400:]}")
        if "committed" in told:
            wrong.append(f"{name} was run")
        elif not answer.startswith("refused") and '"kind": "error"' not in told and "broke off" in told:
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
    for name, (file, content) in DAMAGED.items():
        told = notice(watch).inner_text()
        open_file(watch, file, content())
        sentence = watch.locator("#notice .notice, .toast-body").filter(visible=True)
        watch.wait_for_function(
            """told => document.querySelector('.toast-body') ||
                       document.querySelector('#notice .notice').innerText !== told""",
            arg=told,
        )
        texts = [text for text in sentence.all_inner_texts() if text != told]
        print(f"\n{name}: {texts}")
        watch.screenshot(path=f"/tmp/watch_shots/file_{name.replace(' ', '_')}.png")
        assert len(texts) == 1, (name, texts)
        assert of_player(watch, "p.trace === window.kept"), name
        assert_nothing_executed(watch)
        for toast in watch.locator(".toast-close").all():
            toast.click()
        expect(watch.locator(".toast-body")).to_have_count(0)
    assert saved_trace(watch).events[0].created == before


def test_a_trace_of_hostile_texts_is_shown_as_text(watch):
    open_file(watch, "<img src=x onerror=alert(1)>.json", hostile_file())
    expect(notice(watch)).to_contain_text("Opened")
    wait_until(watch, "p.state().steps > 10 && p.trace.run.target.name.includes('onerror')")
    for step in range(state(watch)["steps"]):
        of_player(watch, f"p.goto({step})")
    for summary in watch.locator("#player summary").all():
        summary.click()
    assert MARKUP[0] in watch.locator("#player .sp-title").inner_text()
    assert MARKUP[3] in watch.locator("#player .sp-prompt").text_content()
    watch.screenshot(path="/tmp/watch_shots/hostile_file.png", full_page=True)
    watch.wait_for_timeout(200)  # for an image's onerror to have its chance
    assert_nothing_executed(watch)


def test_what_is_saved_of_a_hostile_trace_is_harmless(watch, open_page):
    open_file(watch, "hostile.json", hostile_file())
    expect(notice(watch)).to_contain_text("Opened")
    assert saved_trace(watch) == from_json(hostile_file().decode())
    assert len(nx.read_graphml(save(watch, "Save a round's forest (GraphML)"))) == 4
    page = open_page()
    page.add_init_script("window.alert = () => { window.executed = true; }")
    page.goto(save(watch, "Save as a page (HTML)").as_uri())
    page.wait_for_function("document.querySelector('#player').specPlayer.state().steps > 10")
    page.evaluate("(p => { for (let i = 0; i < p.state().steps; i++) p.goto(i); })(document.querySelector('#player').specPlayer)")
    page.wait_for_timeout(200)
    assert not page.evaluate("window.executed === true || Boolean(document.querySelector('img[src=\"x\"]'))")


def test_a_trace_cannot_choose_where_on_the_server_it_is_saved(watch, tmp_path):
    """The name of a saved file is made from the trace, and a trace can come from anyone."""
    place = tmp_path / "escaped"
    open_file(watch, "escape.json", hostile_file(method=str(place)))
    expect(notice(watch)).to_contain_text("Opened")
    unfold(watch, "Recorded runs, files and links")
    watch.get_by_role("button", name="Save the trace (JSON)").click()
    expect(notice(watch)).not_to_contain_text("Opened")
    written = [path.name for path in tmp_path.iterdir()]
    assert not written, f"the trace made the server write {written} into a folder of its choice"


# -- saving ----------------------------------------------------------------------------------------------------------


def test_a_saved_page_plays_by_itself(watch, open_page):
    path = save(watch, "Save as a page (HTML)")
    page = open_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_function("document.querySelector('#player').specPlayer.state().steps > 10")
    page.locator(".spec-player").focus()
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('#player').specPlayer.state().step > 1")
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
    watch.get_by_role("button", name="Save a round's forest (GraphML)").click()
    expect(watch.locator("#notice .notice[data-kind=error], .toast-body").first).to_be_visible(timeout=3000)


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
    watch.evaluate(f"window.traceBefore = {PLAYER}.trace")
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


@pytest.mark.parametrize("query", ["?__theme=light", "?__theme=dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_page(visit, query, width):
    page = visit(query, width=width)
    unfold(page, "Models, sampling and options")
    unfold(page, "Recorded runs, files and links")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    of_player(page, "p.goto(12)")
    page.wait_for_timeout(400)
    page.screenshot(path=f"/tmp/watch_shots/{query[9:]}_{width}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    wide = page.evaluate(
        """[...document.querySelectorAll('#player .spec-player, #player .spec-player *:not(svg *)')]
           .filter(e => e.getClientRects().length && !e.closest('.sp-visually-hidden, .sp-table-box, .sp-mask'))
           .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
           .map(e => e.tagName + '.' + e.getAttribute('class'))"""
    )
    assert not wide, wide


def test_dark_text_can_be_read_on_its_ground(visit):
    """The contrast of the player's running text, as WCAG computes it, is at least 4.5 in both themes."""
    for query in ("?__theme=light", "?__theme=dark"):
        page = visit(query)
        low = page.evaluate(
            """() => {
              const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
              const rgba = (colour) => {
                canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
                const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
              const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
              const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => {
                const v = c[i] / 255; return sum + w * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
              const found = [];
              for (const e of document.querySelectorAll('#title p, #notice p, #prompt textarea, #ask span, .sp-caption span, .sp-claim, .sp-total dt, .sp-prompt')) {
                if (!e.getClientRects().length || !e.innerText && !e.value) continue;
                let ground = [0, 0, 0, 0], opacity = 1;
                const grounds = [];
                for (let at = e; at; at = at.parentElement) { grounds.push(rgba(getComputedStyle(at).backgroundColor)); opacity *= Number(getComputedStyle(at).opacity); }
                ground = grounds.reduceRight((under, top) => over(top, under), [255, 255, 255, 1]);
                const colour = rgba(getComputedStyle(e).color);
                const ink = over([colour[0], colour[1], colour[2], colour[3] * opacity], ground);
                const [a, b] = [light(ink), light(ground)];
                const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (contrast < 4.5) found.push([e.className || e.tagName, (e.innerText || e.value).slice(0, 30), Math.round(contrast * 10) / 10]);
              }
              return found;
            }"""
        )
        print(f"\n{query}: contrast below 4.5: {low}")


# -- other models ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target", ["/no/such/folder", "nobody/no-such-model", "<img src=x onerror=alert(1)>", "", "/etc"],
    ids=["no folder", "no network", "markup", "empty", "no model"],
)  # fmt: skip
def test_models_that_cannot_be_had_are_refused_in_a_sentence(watch, target):
    unfold(watch, "Models, sampling and options")
    choose(watch, "Models", "Other models ...")
    watch.get_by_label("Target model", exact=True).fill(target)
    watch.get_by_label("Draft model", exact=True).fill("")
    asked = time.monotonic()
    run_button(watch).click()
    expect(notice(watch)).to_have_attribute("data-kind", "error")
    took = time.monotonic() - asked
    print(f"\n{target or 'empty'}: {took:.1f} s: {notice(watch).inner_text()}")
    assert_one_sentence(notice(watch).inner_text())
    expect(run_button(watch)).to_be_enabled()
    assert took < 15
    assert_nothing_executed(watch)
    assert state(watch)["steps"] > 10, "the run that was on the page is gone"


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
    session.on("Network.responseReceived", lambda e: streams.add(e["requestId"]) if "queue/data" in e["response"]["url"] else None)
    session.on("Network.dataReceived", lambda e: received.append(e["dataLength"]) if e["requestId"] in streams else None)
    choose_tokens(page, 128)
    page.evaluate(f"""window.traceBefore = {PLAYER}.trace;
        document.querySelector('#run').addEventListener('click', () => {{
          const clicked = performance.now();
          const look = () => document.querySelector('.sp-nodes .sp-is-drafted, .sp-nodes .sp-is-pending') && {PLAYER}.trace !== window.traceBefore
            ? window.drawnAfter = performance.now() - clicked : requestAnimationFrame(look);
          look();
        }}, {{once: true}})""")
    run_button(page).click()
    page.wait_for_function("window.drawnAfter")
    finished = wait_for_end(page)
    size = save(page, "Save the trace (JSON)").stat().st_size
    print(
        f"\npage load to a usable player {usable:.2f} s; click to the first drawn tree {page.evaluate('drawnAfter') / 1000:.2f} s; "
        f"{sum(received) / finished['rounds'] / 1000:.1f} kB per round over {finished['rounds']} rounds "
        f"({sum(received) / 1000:.0f} kB in all, figures included); trace of {finished['num_tokens']} tokens {size / 1000:.0f} kB"
    )
    assert usable < 10 and page.evaluate("drawnAfter") < 5000
    assert sum(received) / finished["rounds"] < 20_000
    assert size <= 200_000
