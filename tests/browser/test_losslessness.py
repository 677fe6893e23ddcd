"""The losslessness section of the Lab by itself, whose samples are drawn in this process."""

import json

import pytest
from playwright.sync_api import expect

from playground.paths import ASSETS
from playground.ui.lab import greedy, live
from playground.ui.live import worker
from tests.browser.lab_harness import open_lab

OPENING = "?tab=lab&section=losslessness"


@pytest.fixture
def bench(page, monkeypatch):
    """`bench(query)` gives a page with the bench on it; half of the samples that it asks for are drawn."""
    begin = live.begin
    monkeypatch.setattr(live, "begin", lambda subjects, samples, *more: begin(subjects, samples // 2, *more))
    monkeypatch.setattr(live, "apart", lambda work, *values: work(*values))
    monkeypatch.setattr(worker, "warm_up", lambda: None)

    def bench(query: str):
        open_lab(page, OPENING + query)
        page.wait_for_selector(".lab-start")
        return page

    return bench


def button(page, name):
    return page.get_by_role("button", name=name, exact=True).first  # The comparison below has a Stop of its own.


def test_a_mistake_is_caught_beside_the_real_rule_while_one_watches(bench):
    """The seed is fixed; the real rule would be called caught once in 10,000 seeds."""
    page = bench("&a=speculative_sampling&b=broken.correction_from_target&samples=1000")
    expect(page.get_by_label("Compared with")).to_have_value("broken.correction_from_target")
    button(page, "Start").click()
    expect(page.get_by_role("status").first).to_have_text("All samples are drawn.")
    real, broken = page.locator(".lab-finding").all()
    expect(broken.locator(".lab-verdict")).to_contain_text("Caught after")
    expect(real.locator(".lab-verdict")).to_contain_text(
        "After 500 samples its distance from the target's distribution is"
    )
    assert page.locator(".lab-finding[data-caught=true]").count() == 1
    assert page.locator(".lab-band").count() == 2  # in the plot, and in the legend
    expect(page.locator(".lab-rule-text")).to_have_text("caught")


def test_it_stops_at_any_time_and_another_seed_takes_the_place_of_what_is_under_way(bench):
    page = bench("&a=autoregressive&b=&samples=1000000")
    status = page.get_by_role("status").first
    assert page.locator(".spec-lossless").first.get_attribute("title").startswith("Lossless: reproduces")
    button(page, "Start").click()
    expect(page.locator(".lab-line-first").first).to_be_attached()
    expect(page.locator(".spec-bench")).to_contain_text("p-value")
    button(page, "Stop").click()
    expect(status).to_have_text("Stopped.")
    for seed in (1, 2, 3, 4, 5, 6, 7):  # begins anew, then more than may run at once
        button(page, "Another seed").click()
        expect(page.get_by_label("Seed", exact=True)).to_have_value(str(seed))
    expect(status).to_have_text("Sampling.")
    expect(page.locator(".sp-error").first).to_be_hidden()
    button(page, "Stop").click()
    expect(status).to_have_text("Stopped.")
    expect(button(page, "Start")).to_be_enabled()


def test_on_a_phone_nothing_is_wider_than_the_page_and_after_a_refusal_the_bench_can_start_again(bench, page):
    page.set_viewport_size({"width": 390, "height": 800})
    bench("&a=beam_sampling:width=4&b=broken.undivided&on=pair")
    page.locator("summary").first.click()
    expect(page.get_by_label("Beam width")).to_have_value("4")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("Measured on").select_option("tables")
    button(page, "Start").click()
    expect(page.locator(".sp-error").first).to_contain_text("Leave beam width at 2")
    expect(button(page, "Start")).to_be_enabled()


def test_bit_for_bit_shows_both_recordings_and_measures_here(bench, monkeypatch):
    """Two prompts instead of a hundred."""
    monkeypatch.setattr(greedy, "hundred_prompts", lambda: ["Once upon a time", "One day"])
    page = bench("")
    own, torch_s = page.locator(".lab-greedy-card").all()
    expect(own).to_contain_text("100 prompts")
    expect(own).to_contain_text("0 differ")
    expect(torch_s.locator("mark")).to_have_count(2)
    expect(torch_s.locator(".lab-greedy-written")).to_have_count(2)
    expect(torch_s).to_contain_text("this one from letter")
    button(page, "Compare here").click()
    expect(own).to_contain_text("2 prompts")
    expect(own).to_contain_text("Measured here")
    expect(page.locator(".lab-measuring [role=status]")).to_have_text("Done: 2 of 2.")
    expect(button(page, "Compare here")).to_be_enabled()


def test_the_map_has_a_line_for_each_lossy_rule_and_fits_a_phone(bench, page):
    """Seven rules and the level of the lossless target; on the pair and on tables its points are those of the file.

    None of its texts leaves the picture.
    """
    points = json.loads((ASSETS / "lossy_map.json").read_text(encoding="utf-8"))["points"]
    bench("")
    plot, table = page.locator(".lab-map .lab-plot"), page.locator(".lab-map tbody tr")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        for on, shown in (("pair", points), ("tables", [each for each in points if "tables" in each])):
            page.locator(".lab-map select").select_option(on)
            expect(plot.locator(".lab-line")).to_have_count(8)
            expect(plot.locator(".lab-point")).to_have_count(len(shown))
            assert table.count() == len(shown)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => { const plot = document.querySelector('.lab-map .lab-plot svg').getBoundingClientRect();
            return [...document.querySelectorAll('.lab-map .lab-plot text')].filter((text) => {
              const box = text.getBoundingClientRect();
              return box.left < plot.left - 1 || box.right > plot.right + 1; }).map((text) => text.textContent); }"""
        )
        assert not outside
    assert "{" not in page.locator(".lab-map").inner_text()
