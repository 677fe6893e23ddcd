"""The section of the Lab that measures at a press, by itself: by the length of the text, and two clocks."""

import json

from playwright.sync_api import expect

from playground.bench import contexts, two_clocks
from tests.browser.lab_harness import of_lab, open_lab

OPENING = "?tab=lab&section=measured"
RUN = {
    "id": "a", "title": "Speculative sampling", "target": "bundled target", "alpha": 0.8, "emitted": 2.0, "chain": True,
    "context": 150,
}  # fmt: skip


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def test_by_length_two_curves_stand_beside_the_reader_s_runs(page, monkeypatch):
    """Two lengths, and few calls."""
    monkeypatch.setattr(contexts, "REPEATS", 6)
    monkeypatch.setattr(contexts, "LENGTHS", (128, 1024))
    open_lab(page, OPENING)
    expect(page.locator(".lab-contexts")).to_contain_text("Recorded: ")
    expect(page.get_by_label("Models").locator("option").first).to_have_attribute("value", "bundled")
    button(page, "Measure by length").click()
    panel = page.locator(".lab-contexts")
    expect(panel.locator("[role=status]")).to_contain_text("Done: ", timeout=120_000)
    expect(panel.locator(".lab-plot svg")).to_have_count(2)
    expect(panel.locator(".lab-verdict")).to_contain_text("from 128 to 1024 tokens")
    expect(panel.locator(".lab-verdict")).to_contain_text("read 1024 tokens at most")
    expect(panel).to_contain_text("Measured here.")
    assert panel.locator(".lab-band").count() == 4, "in each plot, and in each legend"
    of_lab(page, f"lab.contexts.session.add({json.dumps(RUN)})")
    expect(panel.locator(".lab-plot .lab-point-measured")).to_have_count(1)


def test_two_clocks_mark_hits_and_misses_and_say_that_they_are_simulated(page, monkeypatch):
    monkeypatch.setattr(two_clocks, "NUM_PROMPTS", 2)
    page.set_viewport_size({"width": 390, "height": 800})
    open_lab(page, OPENING)
    button(page, "Run and simulate").click()
    panel = page.locator(".lab-two-clocks")
    expect(panel.locator("[role=status]")).to_have_text("Done: 2 of 2.", timeout=120_000)
    rows = panel.locator("tbody tr")
    marks = panel.locator(".lab-clock-mark")
    hits = [row.locator("td").last.inner_text() for row in rows.all()]
    assert marks.all_text_contents() == hits[: marks.count()]
    assert panel.locator(".lab-clock-verify").count() > marks.count() == 5, "six rounds on a phone"
    expect(panel.locator(".lab-batch-facts")).to_contain_text("simulated")
    expect(panel.locator(".lab-batch-facts")).to_contain_text("outcomes were hits")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
