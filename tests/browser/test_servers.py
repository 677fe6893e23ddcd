"""A server's log on the page: opened, added up, and inert whatever stands in it."""

import json

from playwright.sync_api import expect

from tests.browser.app_fixture import ROOT

LOGS = ROOT / "tests" / "servers" / "logs"
SECTION = "#lab-servers-panel"


def test_a_log_is_opened_and_its_costs_are_kept_in_the_address(visit):
    page = visit("?tab=lab&section=servers&draft_cost=0.02")
    section = page.locator(SECTION)
    section.get_by_label("Open a log").set_input_files(LOGS / "vllm_metrics.txt")
    expect(section.get_by_role("heading", name="vLLM: 1 record")).to_be_visible()
    expect(section).to_contain_text("A round drafted 3.00 tokens, kept 1.80")
    expect(section).to_contain_text("2.64 times plain decoding")
    section.get_by_label("Cost of verifying a draft").fill("3")
    section.get_by_label("Cost of verifying a draft").press("Tab")
    expect(section).to_contain_text("no length would have paid")
    link = page.evaluate(f"document.querySelector('{SECTION} .lab-host').lab.query()")
    assert link == "?tab=lab&section=servers&draft_cost=0.02&verify_cost=3"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_hostile_log_is_a_sentence_and_acts_on_nothing(visit, tmp_path):
    page = visit("?tab=lab&section=servers")
    section = page.locator(SECTION)
    hostile = "<img src=x onerror=window.executed=1>${window.executed=1}"
    log = tmp_path / f"{'<b>'}x.json"
    log.write_text(json.dumps({"meta_info": {"id": hostile, "spec_verify_ct": hostile}, hostile: hostile}))
    section.get_by_label("Open a log").set_input_files(log)
    expect(section.get_by_role("alert")).to_contain_text("is not a count")
    expect(section.get_by_role("status").first).to_be_empty()
    assert page.evaluate("window.executed") is None
    section.get_by_role("button", name="Try an example").click()
    expect(section.get_by_role("heading", name="SGLang: 1 record")).to_be_visible()
    expect(section.get_by_role("alert")).to_be_hidden()
