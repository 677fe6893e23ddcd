"""Files of the Watch tab: traces that are opened, sound and damaged and hostile, and what is saved."""

import networkx as nx
from playwright.sync_api import expect

from playground.trace import from_json
from tests.browser import app_fixture as reader
from tests.browser.app_fixture import FILES
from tests.browser.holds import assert_nothing_executed
from tests.browser.hostile import MARKUP, edited_file, hostile_file


def _with_a_token_too_many(events):
    events[-1]["num_tokens"] += 1


DAMAGED = {  # refused by the server, and by the page; every other kind is refused where traces are read
    "a total that does not add up": lambda: edited_file(_with_a_token_too_many),
    "too large": lambda: b" " * 10_500_000 + b"{}",
}


def test_a_damaged_file_is_refused_in_a_sentence_in_sight_and_the_run_stays(watch, tmp_path):
    """The files are at the foot of a long page, and a refusal nobody sees is none."""
    before = reader.of_player(watch, "(window.kept = p.trace) && p.trace.run.created")
    reader.unfold(watch, FILES)
    for name, content in DAMAGED.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(content())
        told = reader.file_notice(watch).inner_text()
        reader.open_file(watch, path)
        sentence = watch.locator("#file-notice .notice, .toast-body").filter(visible=True)
        watch.wait_for_function(
            """told => document.querySelector('.toast-body') ||
                       document.querySelector('#file-notice .notice').innerText !== told""",
            arg=told,
        )
        texts = [text for text in sentence.all_inner_texts() if text != told]
        assert len(texts) == 1, (name, texts)
        expect(sentence.filter(has_text=texts[0]).first).to_be_in_viewport()
        assert reader.of_player(watch, "p.trace === window.kept"), name
        assert_nothing_executed(watch)
        for toast in watch.locator(".toast-close").all():
            toast.click()
        expect(watch.locator(".toast-body")).to_have_count(0)
    assert reader.saved_trace(watch).events[0].created == before


def test_a_trace_of_hostile_texts_is_shown_as_text_and_what_is_saved_of_it_is_harmless(watch, open_page, tmp_path):
    path = tmp_path / "<img src=x onerror=alert(1)>.json"
    path.write_bytes(hostile_file())
    reader.open_file(watch, path)
    expect(reader.file_notice(watch)).to_contain_text("is open on the stage")
    reader.wait_until(watch, "p.state().steps > 10 && p.trace.run.target.name.includes('onerror')")
    reader.of_player(watch, "p.trace.steps.forEach((step) => p.goto(step.index))")
    assert reader.saved_trace(watch) == from_json(hostile_file().decode())
    assert len(nx.read_graphml(reader.save(watch, "Save a round's forest (GraphML)"))) == 4
    page = open_page()
    page.goto(reader.save(watch, "Save as a page (HTML)").as_uri())
    expect(page.locator(".sp-place")).not_to_be_empty()
    page.evaluate(
        """() => {
          const p = document.querySelector('#player').specPlayer;
          for (let i = 0; i < p.state().steps; i++) p.goto(i);
        }"""
    )
    assert_nothing_executed(page)
    reader.close_drawer(watch)
    for view in ("rule", "mask", "cache", "rounds", "about"):
        reader.open_view(watch, view)
        for summary in watch.locator("#player summary").filter(visible=True).all():
            summary.click()
    assert MARKUP[0] in watch.locator("#player .sp-title").inner_text()
    assert MARKUP[3] in watch.locator("#player .sp-prompt").text_content()
    assert_nothing_executed(watch)
