"""The Lab on the whole page: a token opened from Watch, the browser's history, and runs of Watch as points."""

import re

from playwright.sync_api import expect

from playground.ui.page.drawn_panel import module
from tests.browser.app_fixture import choose, notice, of_player, open_tab, run_to_end, wait_for_player

ACCEPTANCE, SPEED = "#lab-acceptance-panel", "#lab-speed-panel"
ROWS = f"document.querySelector('{ACCEPTANCE} .lab-host').lab.editor.value()"
RUN_SECONDS = f"""async () => {{ const {{ session }} = await {module("shared/session.js")};
  return session.runs.map((run) => run.token_s); }}"""
REJECTION = "p.trace.steps.find((each) => each.kind === 'verified' && each.verdict.outcome === 'rejected').index"
TABS = ["Learn", "Recommend", "Sweep", "Race", "Lab", "Watch"]


def test_a_rejected_token_opens_in_the_lab_and_back_and_forward_lead_through_tabs_and_a_lesson(visit_watch):
    """By its key, then by the button of the token's view; a reader who comes by the address gets the same rows."""
    page = visit_watch()
    of_player(page, f"(p.playhead.leave(), p.goto({REJECTION}))")
    page.locator("#player .spec-player").press("l")
    origin = page.locator(f"{ACCEPTANCE} .lab-origin")
    expect(origin).to_contain_text("From Watch, round")
    rows, step = page.evaluate(ROWS), of_player(page, "p.state().step")
    page.wait_for_url(re.compile("section=acceptance&p="))
    page.go_back()
    expect(page.locator("#player")).to_be_visible()
    page.get_by_role("button", name="Panel").click()
    page.get_by_role("button", name="Token", exact=True).click()
    page.get_by_role("button", name="Open in Lab").click()
    expect(origin).to_be_visible()
    assert page.evaluate(ROWS) == rows
    page.wait_for_url(re.compile("section=acceptance&p="))
    address = page.url
    _the_history_leads_through_the_tabs(page, rows, step)
    page.goto(address)
    expect(origin).to_contain_text("came with the link")
    assert page.evaluate(ROWS) == rows


def _the_history_leads_through_the_tabs(page, rows, step) -> None:
    for name in ("Compare", "Sweep", "Recommend", "Learn"):
        open_tab(page, name)
    title = page.locator(".learn-card-title").first.inner_text()
    page.locator(".learn-card").first.click()
    expect(page.locator(".learn-name")).to_have_text(title)
    page.locator(".learn-next").click()
    page.wait_for_url(re.compile("lesson=.*place=2"))
    for name in TABS:
        page.go_back()
        expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
    assert of_player(page, "p.state().step") == step
    for name in reversed(TABS[:-1]):
        page.go_forward()
        expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
        if name == "Lab":
            assert page.evaluate(ROWS) == rows
    expect(page.locator(".learn-name")).to_be_hidden()
    page.go_forward()
    expect(page.locator(".learn-place")).to_contain_text("2 of")


def test_runs_of_watch_are_measured_points_with_their_speed_up(visit):
    page = visit("?method=autoregressive&tokens=12")
    wait_for_player(page)
    expect(notice(page)).to_contain_text("Filled in from the link")
    run_to_end(page)
    choose(page, "Method", "Speculative sampling")
    run_to_end(page)
    assert of_player(page, "p.trace.run.method") == "speculative_sampling"
    page.get_by_role("tab", name="Lab", exact=True).click()
    page.get_by_role("tab", name="Expected speed").click()
    line = page.locator(f"{SPEED} .lab-runs tr", has_text="Speculative sampling")
    expect(line).to_contain_text("×")
    seconds = page.evaluate(RUN_SECONDS)
    expect(line.locator("td").nth(3)).to_have_text(f"{seconds[0] / seconds[1]:.2f}×")
    expect(page.locator(f"{SPEED} .lab-answer .lab-point-measured title")).to_have_count(1)
