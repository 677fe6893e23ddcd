"""Sections of the Lab by themselves: links, sliders, opened files, and what a narrow window does to them."""

import json
import re

import pytest
from playwright.sync_api import expect

from playground.bench.batches import measure_batches
from playground.metrics.counts import count
from playground.theory.speculation import speed_up
from playground.trace import load
from playground.ui.lab import speed
from tests.browser.app_fixture import ROOT, wait_for_frames
from tests.browser.lab_harness import of_lab, open_lab
from tests.decoding.test_batch import models

TRACES, LOGS = ROOT / "assets" / "traces", ROOT / "tests" / "servers" / "logs"
ORIGIN = {"exact": 0.7, "lumped": 0, "several": True, "round": 4, "after": "the"}
POSITION = {"names": ["a", "b"], "p": [0.5, 0.5], "q": [0.2, 0.8], "drafts": 2, "rule": None, "origin": ORIGIN}
HOSTILE = "%3Cimg src=x onerror=window.executed=true%3E"


def slide(page, name: str, value: float) -> None:
    page.locator(f'[data-name="{name}"]').evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


@pytest.mark.parametrize(
    "query",
    [
        "section=acceptance&p=0.123456,0.876544,0&q=0.4,0.4,0.2&k=4&rule=k_seq&curve=bernoulli",
        "section=speed&alpha=0.83&draft_length=7&cost_ratio=0.31&nodes_cost=l40&bytes=4&num_nodes=33",
        "section=servers&draft_cost=0.02&verify_cost=3",
    ],
)
def test_a_link_gives_back_the_state_it_was_made_of(page, query):
    open_lab(page, "?tab=lab&" + query)
    request = dict(pair.split("=") for pair in query.split("&"))
    got = dict(pair.split("=") for pair in of_lab(page, "lab.query()").lstrip("?").replace("%2C", ",").split("&"))
    assert {name: got[name] for name in request} == request


def test_a_hostile_link_is_the_first_example_and_runs_nothing(page):
    open_lab(page, f"?tab=lab&section=acceptance&p=.5,.5&q=.1,.9&k=2&lumped=1&exact={HOSTILE}&t={HOSTILE}&t=b")
    expect(page.locator(".lab-origin")).to_be_visible()
    assert page.evaluate("window.executed === undefined && !document.querySelector('img[src=\"x\"]')")
    open_lab(page, f"?tab=lab&section=speed&alpha={HOSTILE}&draft_length=1e9&num_nodes=-3")
    expect(page.locator("[data-shape=chain] td").first).to_have_text("4")


def test_an_opened_position_says_what_is_exact_and_what_an_estimate(page):
    open_lab(page, "?tab=lab&section=acceptance&p=0.5,0.3,0.2&q=0.2,0.3,0.5&k=1&exact=0.7&lumped=2")
    told = page.locator(".lab-origin")
    expect(told).to_contain_text("came with the link")
    expect(told).to_contain_text("is 0.7000 over the whole vocabulary")
    expect(page.locator('[data-scheme="speculative"] .lab-value')).to_have_text("0.7000")
    assert "bars are estimates" not in told.inner_text()
    page.locator(".lab-drafts").press("ArrowRight")
    expect(told).to_contain_text("bars are estimates")
    assert {"lumped=2", "k=2"} <= set(of_lab(page, "lab.query()").split("&"))
    page.locator(".lab-slider").first.press("ArrowRight")
    expect(told).to_contain_text("Changed by hand since.")
    of_lab(page, f"lab.open({json.dumps(POSITION)})")
    expect(told).to_contain_text("From Watch, round 4")
    expect(told).to_contain_text("Each draw there had its own q")
    page.get_by_role("button", name="Two tokens").click()
    expect(told).to_be_hidden()


def test_rows_that_are_refused_stay_refused_until_they_are_mended(page):
    """The curve of a paper's figure does not depend on them: its answer must not take the sentence back."""
    open_lab(page, "?tab=lab&section=acceptance&p=1,0&q=0.5,0.5&k=2&curve=uniform_draft")
    curve = page.locator(".lab-curves .lab-plot svg")
    expect(curve).to_have_count(1)
    curve.evaluate("(svg) => { window.before = svg; }")
    refused, weight = page.locator(".sp-error"), page.locator("[data-row=p] .lab-number").first
    weight.fill("0")
    expect(refused).to_contain_text("sums to 0")
    page.wait_for_function("!window.before.isConnected")  # the curve's answer, which comes last, has drawn it anew
    expect(refused).to_be_visible()
    weight.fill("0.4")
    expect(refused).to_be_hidden()


def test_a_press_in_the_square_of_all_pairs_takes_the_pair(page):
    open_lab(page, "?tab=lab&section=acceptance&p=0.4,0.6&q=0.7,0.3&k=2&curve=bernoulli")
    square = page.locator(".lab-square").first
    side = square.bounding_box()["width"]
    square.click(position={"x": side * 10.5 / 39, "y": side * 8.5 / 39})
    page.wait_for_function("document.querySelector('.lab-square-here').getAttribute('cx') < 0.4")
    assert {"p=0.775%2C0.225", "q=0.275%2C0.725"} <= set(of_lab(page, "lab.query()").split("&"))
    expect(page.locator(".lab-square-here")).to_have_count(4)
    open_lab(page, "?tab=lab&section=acceptance&p=0.4,0.3,0.3&q=0.7,0.3,0&k=2&curve=bernoulli")
    expect(page.locator(".lab-square")).to_have_count(4)
    expect(page.locator(".lab-square-here")).to_have_count(0)


def test_one_press_measures_batches_and_they_stand_beside_the_estimate(page, monkeypatch):
    """The handler measures small batches here; the measurement of the bundled pair has its own test."""
    *_, found = measure_batches(*models(), 3, max_new_tokens=8, prompts=["3 1 4", "1 5"])
    monkeypatch.setattr(speed, "measure_batches", lambda *_: iter([found]))
    page.set_viewport_size({"width": 390, "height": 800})
    open_lab(page, "?tab=lab&section=speed&draft_length=3")
    plot, panel = page.locator(".lab-load .lab-pictures .lab-plot"), page.locator(".lab-measured-batches")
    expect(plot.locator(".lab-point-measured")).to_have_count(0)
    page.get_by_role("button", name="Measure batches here").press("Enter")
    expect(plot.locator(".lab-point-measured")).to_have_count(4)
    expect(plot.locator(".lab-whisker")).to_have_count(4)
    expect(panel).to_contain_text(f"Batch size 8: {found['sizes'][-1]['ratio']:.2f}×")
    rows = [len(row["accepted"]) for row in found["rows"]]
    expect(panel.locator(".lab-batch-step")).to_have_count(sum(rows))
    expect(panel.locator(".lab-batch-idle")).to_have_count(8 * max(rows) - sum(rows))
    first = panel.locator("tbody tr").first.locator(".lab-batch-step")
    assert first.all_inner_texts() == [str(accepted) for accepted in found["rows"][0]["accepted"]]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Use these costs").press("Enter")
    expect(page.locator(".lab-costs")).to_have_value(found["costs"].replace(", ", "\n"))
    slide(page, "draft_length", 5)
    expect(plot.locator(".lab-point-measured")).to_have_count(0)  # the estimate is of another length now


def test_dragging_redraws_by_the_formulas_and_what_is_estimated_says_so(page):
    """An acceptance that falls: 1 + .8 + .8 * .4 tokens; experts, arrivals and the roofline in a sentence each."""
    open_lab(page, "?tab=lab&section=speed&alpha=0.8&draft_length=5&cost_ratio=0.1&per_node=0")
    chain = page.locator("[data-shape=chain] td")
    expect(chain.last).to_have_text(f"{float(speed_up(0.8, 5, 0.1)):.2f}×")
    assert chain.all_inner_texts()[:3] == ["5", "5", "3.689"]
    slide(page, "per_node", 0.1)
    slide(page, "cost_ratio", 1)
    expect(page.locator(".lab-limit").first).to_contain_text("a round costs")
    page.locator(".lab-selects select").first.select_option("cpu_core")
    expect(page.locator(".spec-lab")).to_contain_text("An estimate: a call takes as long as reading the weights")
    open_lab(page, "?tab=lab&section=speed&alpha=.8&draft_length=2&falling=.5&arrivals=5&num_experts=64&per_token=8")
    expect(chain.nth(2)).to_have_text("2.120")
    for words in (
        "5 requests a second",
        "an answer in",
        "touches 42.0 of 64 experts",
        "NVIDIA A100 80 GB SXM 51.0",
        "% too high",
    ):
        expect(page.locator(".lab-load")).to_contain_text(words)
    open_lab(page, "?tab=lab&section=speed&alpha=.8&draft_length=2&arrivals=60")
    expect(page.locator(".lab-load")).to_contain_text("the queue grows without end; a full batch serves")


def test_a_trace_that_is_opened_lands_on_the_curve_and_can_be_taken(page):
    open_lab(page, "?tab=lab&section=speed")
    accepted = count(load(TRACES / "rsd_s.json.gz")).acceptance_per_position
    page.locator(".lab-file").set_input_files(TRACES / "rsd_s.json.gz")
    line = page.locator(".lab-runs tr", has_text="RSD-S")
    expect(line).to_contain_text("file, recorded")
    expect(line).to_contain_text(f"{accepted:.2f}")
    assert page.locator(".lab-point-measured.lab-hollow title").first.text_content().startswith("RSD-S, measured")
    line.get_by_role("button", name=re.compile("Take")).click()
    expect(page.locator(".spec-lab")).to_contain_text("Set to what “RSD-S” measured")
    passing = of_lab(page, "lab.runs.list().find((run) => run.method === 'rsd_s').passing")
    assert passing[0] is not None
    for shown, measured in zip(of_lab(page, "lab.passing()"), passing, strict=True):
        if measured is not None:  # Without a tested child there is nothing to set.
            assert shown == pytest.approx(measured, abs=0.0051)  # a slider's step is 0.01
    page.locator(".lab-file").set_input_files(
        {"name": "bad.json", "mimeType": "application/json", "buffer": b'{"format": "<img src=x onerror=alert(1)>"}'}
    )
    expect(page.locator(".lab-measured [role=status]")).not_to_be_empty()


def test_a_log_is_opened_its_costs_are_kept_in_the_address_and_a_hostile_one_is_a_sentence(page, tmp_path):
    open_lab(page, "?tab=lab&section=servers&draft_cost=0.02")
    upload, section = page.get_by_label("Open a log"), page.locator(".spec-lab")
    upload.set_input_files(LOGS / "vllm_metrics.txt")
    expect(page.get_by_role("heading", name="vLLM: 1 record")).to_be_visible()
    expect(section).to_contain_text("A round drafted 3.00 tokens, accepted 1.80")
    expect(section).to_contain_text("2.64 times plain decoding")
    page.get_by_label("Cost of verifying a draft").fill("3")
    page.get_by_label("Cost of verifying a draft").press("Tab")
    expect(section).to_contain_text("no length would have paid")
    assert of_lab(page, "lab.query()") == "?tab=lab&section=servers&draft_cost=0.02&verify_cost=3"
    hostile = "<img src=x onerror=window.executed=1>${window.executed=1}"
    log = tmp_path / "<b>x.json"
    log.write_text(json.dumps({"meta_info": {"id": hostile, "spec_verify_ct": hostile}, hostile: hostile}))
    upload.set_input_files(log)
    expect(page.get_by_role("alert")).to_contain_text("is not a count")
    expect(page.get_by_role("status").first).to_be_empty()
    assert page.evaluate("window.executed") is None
    page.get_by_role("button", name="Try an example").click()
    expect(page.get_by_role("heading", name="SGLang: 1 record")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.parametrize("section", ["acceptance", "speed"])
def test_a_phone_shows_it_without_scrolling_sideways_and_draws_anew_when_it_is_turned(open_page, section):
    page = open_page(width=844, height=390)
    open_lab(page, f"?tab=lab&section={section}")
    plot = page.locator(".lab-plot svg").first
    expect(plot).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(
        "(plot) => Number(plot.firstChild.getAttribute('width')) === plot.clientWidth",
        arg=page.query_selector(".lab-plot:has(svg)"),
    )
    wait_for_frames(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
