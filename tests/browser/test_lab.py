"""The Lab in a real browser: a token opened from Watch, links, expected speed with measured runs, and beam widths."""

import json
import re

import pytest
from playwright.sync_api import expect

from playground.metrics.counts import count
from playground.theory.beam_width import acceptance_rates, accepted_probabilities
from playground.theory.speculation import speed_up
from playground.trace import load
from playground.trace.events import Drafted, Scored
from playground.ui.page.drawn_panel import module
from tests.browser.app_fixture import (
    FILES,
    ROOT,
    choose,
    file_notice,
    notice,
    of_player,
    open_tab,
    run_to_end,
    unfold,
    wait_for_frames,
    wait_for_player,
    wait_until,
)

ACCEPTANCE, SPEED, BEAM = (f"#lab-{section}-panel" for section in ("acceptance", "speed", "beam"))
RUN_SECONDS = f"""async () => {{ const {{ session }} = await {module("shared/session.js")};
  return session.runs.map((run) => run.token_s); }}"""
TRACES = ROOT / "assets" / "traces"


def of_lab(page, section: str, expression: str):
    """What a JavaScript expression says of the section's `lab`."""
    return page.evaluate(
        f"(() => {{ const lab = document.querySelector('{section} .lab-host').lab; return {expression}; }})()"
    )


def slide(page, section: str, name: str, value: float) -> None:
    page.locator(f'{section} [data-name="{name}"]').evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


def link_of(page, section: str) -> str:
    return of_lab(page, section, "lab.query()")


def shape(page, name: str) -> list[str]:
    return page.locator(f'{SPEED} [data-shape="{name}"] td').all_inner_texts()


# -- from Watch to the Lab -------------------------------------------------------------------------------------------


FIRST_REJECTION = f"""async (lumped) => {{ const {{ positionOf }} = await {module("player/trace/position.js")};
  const {{ trace }} = document.querySelector(".player-host").player;
  return trace.steps.find(({{ kind, verdict }}) => kind === "verified" && verdict.outcome === "rejected"
    && (!lumped || positionOf(trace, verdict.node).lumped === lumped)).index; }}"""


def first_rejection(page, lumped: int = 0) -> dict:
    """Goes to the first rejected token whose position has so many tokens for all others, and tells which it is."""
    page.evaluate("document.querySelector('.player-host').player.playhead.leave()")
    index = page.evaluate(FIRST_REJECTION, lumped)
    return of_player(
        page,
        f"(p.goto({index}), {{token: p.step.verdict.node.token, parent: p.step.verdict.node.parent.id, "
        "round: p.step.round.number})",
    )


def open_in_lab(page) -> None:
    """Press the button of the token's view, in the panel, which is closed at first."""
    page.get_by_role("button", name="Panel").click()
    page.get_by_role("button", name="Token", exact=True).click()
    page.get_by_role("button", name="Open in Lab").click()


def in_trace(trace, where: dict) -> tuple[dict[int, tuple[float, float]], float, int]:
    """The position's {token: (p, q)} as recorded, its exact shared mass, and how many drafts were drawn there."""
    scored = next(each for each in trace.events if isinstance(each, Scored) and each.round == where["round"])
    row = scored.nodes.index(where["parent"])
    layers = [each for each in trace.events if isinstance(each, Drafted) and each.round == where["round"]]
    drafts = sum(layer.parents.count(where["parent"]) for layer in layers)
    return {token: (p, q) for token, p, q, *_ in scored.alternatives[row]}, scored.overlaps[row], drafts


@pytest.mark.parametrize("file", ["speculative_sampling.json.gz", "rsd_s.json.gz"])
def test_a_token_of_watch_opens_in_the_lab_with_its_own_numbers(visit, file):
    page = visit()
    wait_for_player(page)
    entry = next(each for each in json.loads((TRACES / "index.json").read_text()) if each["file"] == file)
    unfold(page, FILES)
    choose(page, "Recorded run", entry["title"])
    expect(file_notice(page)).to_contain_text(entry["title"])
    page.mouse.move(0, 0)  # a token under the pointer would be the one that is opened
    trace = load(TRACES / file)
    wait_until(page, f"p.trace.run.created === {json.dumps(trace.events[0].created)}")
    where = first_rejection(page, lumped=2)
    recorded, exact, drafts = in_trace(trace, where)
    open_in_lab(page)
    expect(page.locator(f"{ACCEPTANCE} .lab-origin")).to_contain_text("From Watch, round")
    value = of_lab(page, ACCEPTANCE, "lab.editor.value()")
    assert len(value["p"]) == 8 and value["drafts"] == drafts
    assert value["names"][-2:] == ["others:p>q", "others:q>p"]
    pairs = set(recorded.values())
    assert all(pair in pairs for pair in zip(value["p"][:-2], value["q"][:-2], strict=True))
    assert value["p"][-2] > value["q"][-2] and value["p"][-1] < value["q"][-1]
    assert (value["p"][0], value["q"][0]) == recorded[where["token"]]  # the token itself is among them
    assert sum(value["p"]) == pytest.approx(1) and sum(value["q"]) == pytest.approx(1)
    assert sum(map(min, value["p"], value["q"])) == pytest.approx(exact, abs=1e-4)  # the trace's four digits
    told = page.locator(f"{ACCEPTANCE} .lab-origin")
    expect(told).to_contain_text(f"over the whole vocabulary is {exact:.4f}, as here")
    assert "laws of their own" not in told.inner_text()
    assert ("those bars are estimates" in told.inner_text()) == (drafts > 1)
    shown = page.locator(f'{ACCEPTANCE} [data-scheme="speculative"] .lab-value').inner_text()
    assert float(shown) == pytest.approx(exact, abs=1.5e-4)


def test_more_drafts_of_an_opened_position_are_estimates_and_an_example_is_not_from_a_run(visit):
    page = visit("?tab=lab&section=acceptance&p=0.5,0.3,0.2&q=0.2,0.3,0.5&k=1&exact=0.65&lumped=2")
    told = page.locator(f"{ACCEPTANCE} .lab-origin")
    expect(told).to_contain_text("came with the link")
    assert "those bars are estimates" not in told.inner_text()
    drafts = page.locator(f"{ACCEPTANCE} .lab-drafts")
    drafts.press("ArrowRight")
    expect(told).to_contain_text("those bars are estimates")
    assert "lumped=2" in link_of(page, ACCEPTANCE) and "k=2" in link_of(page, ACCEPTANCE)
    page.locator(f"{ACCEPTANCE} .lab-slider").first.press("ArrowRight")
    expect(told).to_contain_text("Changed by hand since.")
    page.locator(ACCEPTANCE).get_by_role("button", name="Two coins").click()
    expect(told).to_be_hidden()


def test_rows_that_are_refused_stay_refused_until_they_are_mended(visit):
    """The curve of a paper's figure does not depend on them: its answer must not take the sentence back."""
    page = visit("?tab=lab&section=acceptance&p=1,0&q=0.5,0.5&k=2&curve=bernoulli")
    refused = page.locator(f"{ACCEPTANCE} .sp-error")
    curve = page.locator(f"{ACCEPTANCE} .lab-curves .lab-plot svg")
    expect(curve).to_have_count(1)
    curve.evaluate("(svg) => { window.before = svg; }")
    weight = page.locator(f"{ACCEPTANCE} [data-row=p] .lab-number").first
    weight.fill("0")
    expect(refused).to_contain_text("sums to 0")
    page.wait_for_function("!window.before.isConnected")  # the curve's answer, which comes last, has drawn it anew
    expect(refused).to_be_visible()
    weight.fill("0.4")
    expect(refused).to_be_hidden()


def test_draws_with_laws_of_their_own_are_said_to_have_them(visit_watch):
    page = visit_watch("?method=specinfer&specinfer.temperature_spread=3&specinfer.draft_length=1&tokens=12")
    expect(page.locator("#notice .notice")).to_contain_text("Set up by the link")
    run_to_end(page)
    first_rejection(page)
    open_in_lab(page)
    expect(page.locator(f"{ACCEPTANCE} .lab-origin")).to_contain_text("The draws there had laws of their own")


@pytest.fixture
def opened_by_key(visit):
    """A page whose first rejected token was opened in the Lab."""
    page = visit()
    wait_for_player(page)
    first_rejection(page)
    page.locator("#player .spec-player").press("l")
    expect(page.locator(f"{ACCEPTANCE} .lab-origin")).to_be_visible()
    return page


def test_the_key_opens_it_too_and_back_returns_to_watch(opened_by_key):
    page = opened_by_key
    rows = of_lab(page, ACCEPTANCE, "lab.editor.value()")
    page.wait_for_url(re.compile("section=acceptance&p="))
    page.go_back()
    expect(page.locator("#player")).to_be_visible()
    page.go_forward()
    expect(page.locator(f"{ACCEPTANCE} .lab-origin")).to_be_visible()
    assert of_lab(page, ACCEPTANCE, "lab.editor.value()") == rows
    page.reload()
    expect(page.locator(f"{ACCEPTANCE} .lab-origin")).to_contain_text("came with the link")
    assert of_lab(page, ACCEPTANCE, "lab.editor.value()") == rows


def test_back_and_forward_lead_through_the_tabs_and_a_lesson(opened_by_key):
    page = opened_by_key
    rows = of_lab(page, ACCEPTANCE, "lab.editor.value()")
    step = of_player(page, "p.state().step")
    for name in ("Compare", "Sweep", "Recommend", "Learn"):
        open_tab(page, name)
    title = page.locator(".learn-card-title").first.inner_text()
    page.locator(".learn-card").first.click()
    expect(page.locator(".learn-name")).to_have_text(title)
    page.locator(".learn-next").click()
    page.wait_for_url(re.compile("lesson=.*place=2"))
    tabs = ["Learn", "Recommend", "Sweep", "Compare", "Lab", "Watch"]
    for name in tabs:
        page.go_back()
        expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
    assert of_player(page, "p.state().step") == step
    for name in reversed(tabs[:-1]):
        page.go_forward()
        expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
        if name == "Lab":
            assert of_lab(page, ACCEPTANCE, "lab.editor.value()") == rows
    expect(page.locator(".learn-name")).to_be_hidden()
    page.go_forward()
    expect(page.locator(".learn-place")).to_contain_text("2 of")


def test_where_the_trace_holds_no_draft_law_there_is_a_sentence_and_no_button(visit):
    page = visit()
    wait_for_player(page)
    title = next(
        each["title"] for each in json.loads((TRACES / "index.json").read_text()) if each["file"] == "dsbd.json.gz"
    )
    unfold(page, FILES)
    choose(page, "Recorded run", title)
    expect(file_notice(page)).to_contain_text(title)
    page.mouse.move(0, 0)  # a token under the pointer would be the one that is told of
    wait_until(page, "p.trace.run.method === 'dsbd'")
    first_rejection(page)
    expect(page.locator("#player .sp-details")).to_contain_text("nothing to open in the Lab")
    assert page.get_by_role("button", name="Open in Lab", include_hidden=True).count() == 0  # the panel is closed


# -- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "query"),
    [
        (ACCEPTANCE, "section=acceptance&p=0.123456,0.876544,0&q=0.4,0.4,0.2&k=4&rule=k_seq&curve=bernoulli"),
        (SPEED, "section=speed&alpha=0.83&draft_length=7&cost_ratio=0.31&nodes_cost=l40&bytes=4&num_nodes=33"),
        (BEAM, "section=beam&p=0.5,0.2,0.3&q=0.1,0.1,0.8&num_draws=9&threshold=0.35&min_width=3&num_layers=4&seed=17"),
    ],
)
def test_a_link_gives_back_the_state_it_was_made_of(visit, section, query):
    page = visit("?tab=lab&" + query)
    expect(page.locator(f"{section} .spec-lab")).to_be_visible()
    asked = dict(pair.split("=") for pair in query.split("&"))
    got = dict(pair.split("=") for pair in link_of(page, section).lstrip("?").replace("%2C", ",").split("&"))
    assert {name: got[name] for name in asked} == asked


def test_a_hostile_link_is_the_first_example_and_runs_nothing(visit, address):
    hostile = "%3Cimg src=x onerror=window.executed=true%3E"
    page = visit(f"?tab=lab&section=acceptance&p=0.5,0.5&q=0.1,0.9&k=2&lumped=1&exact={hostile}&t={hostile}&t=b")
    expect(page.locator(f"{ACCEPTANCE} .lab-origin")).to_be_visible()
    assert page.evaluate("window.executed === undefined && !document.querySelector('img[src=\"x\"]')")
    page.goto(f"{address}/?tab=lab&section=speed&alpha={hostile}&draft_length=1e9&num_nodes=-3")
    expect(page.locator(f"{SPEED} [data-shape=chain] td").first).to_have_text("4")
    page.goto(f"{address}/?tab=lab&section=beam&p=1&q=a,b&num_draws=999")
    expect(page.locator(f"{BEAM} .lab-verdict")).to_contain_text("Width 2")


# -- expected speed --------------------------------------------------------------------------------------------------


def test_dragging_redraws_by_the_formulas(visit):
    page = visit("?tab=lab&section=speed&alpha=0.8&draft_length=5&cost_ratio=0.1&per_node=0")
    expected = float(speed_up(0.8, 5, 0.1))
    expect(page.locator(f"{SPEED} [data-shape=chain] td").last).to_have_text(f"{expected:.2f}×")
    assert shape(page, "chain")[:3] == ["5", "5", "3.689"]
    slide(page, SPEED, "per_node", 0.1)
    slide(page, SPEED, "cost_ratio", 1)
    expect(page.locator(f"{SPEED} .lab-limit").first).to_contain_text("Even if every draft were accepted")
    page.locator(f"{SPEED} .lab-selects select").first.select_option("cpu_core")
    expect(page.locator(f"{SPEED}")).to_contain_text("An estimate: a call takes as long as reading the weights")


def test_a_trace_that_is_opened_lands_on_the_curve_and_can_be_taken(visit):
    page = visit("?tab=lab&section=speed")
    expect(page.locator(f"{SPEED} .lab-runs")).to_be_visible()
    trace = load(TRACES / "rsd_s.json.gz")
    accepted = count(trace).acceptance_per_position
    page.locator(f"{SPEED} .lab-file").set_input_files(TRACES / "rsd_s.json.gz")
    line = page.locator(f"{SPEED} .lab-runs tr", has_text="RSD-S")
    expect(line).to_contain_text("file, recorded")
    expect(line).to_contain_text(f"{accepted:.2f}")
    assert (
        page.locator(f"{SPEED} .lab-point-measured.lab-hollow title").first.text_content().startswith("RSD-S, measured")
    )
    line.get_by_role("button", name=re.compile("Take")).click()
    expect(page.locator(f"{SPEED}")).to_contain_text("Set to what “RSD-S” measured")
    passing = of_lab(page, SPEED, "lab.runs.list().find((run) => run.method === 'rsd_s').passing")
    assert passing[0] is not None
    for shown, measured in zip(of_lab(page, SPEED, "lab.passing()"), passing, strict=True):
        if measured is not None:  # where no child was judged there is nothing to set
            assert shown == pytest.approx(measured, abs=0.0051)  # a slider's step is 0.01
    page.locator(f"{SPEED} .lab-file").set_input_files(
        {"name": "bad.json", "mimeType": "application/json", "buffer": b'{"format": "<img src=x onerror=alert(1)>"}'}
    )
    expect(page.locator(f"{SPEED} .lab-measured [role=status]")).not_to_be_empty()


def test_runs_of_watch_are_measured_points_with_their_speed_up(visit):
    page = visit("?method=autoregressive&tokens=12")
    wait_for_player(page)
    expect(notice(page)).to_contain_text("Set up by the link")
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


# -- beam width ------------------------------------------------------------------------------------------------------


def test_the_width_is_chosen_and_simulated(visit):
    page = visit("?tab=lab&section=beam")
    expect(page.locator(f"{BEAM} .lab-verdict")).to_contain_text(
        "Width 2: 2 or more of the 6 drafts are accepted with 0.7624"
    )
    expect(page.locator(f"{BEAM} .lab-simulated")).to_have_count(7)
    exactly = accepted_probabilities(acceptance_rates([0.15, 0.35, 0.1, 0.25, 0.15], [0.4, 0.25, 0.2, 0.1, 0.05], 6))
    titles = page.locator(f"{BEAM} .lab-chance title").all_text_contents()
    assert [f"exactly {value:.4f}" in title for value, title in zip(exactly, titles, strict=True)] == [True] * 7
    expect(page.locator(f"{BEAM} .lab-rounds tbody tr")).to_have_count(3)
    slide(page, BEAM, "threshold", 0.9)
    expect(page.locator(f"{BEAM} .lab-verdict")).to_contain_text("Width 2, the least: by the threshold it would be 0")
    page.get_by_role("button", name="Equal", exact=True).last.click()
    expect(page.locator(f"{BEAM} .lab-verdict")).to_contain_text("Width 6: even all 6 drafts")


def test_a_phone_shows_it_without_scrolling_sideways(visit):
    page = visit("?tab=lab", width=390, height=800)
    for title, panel in (("Acceptance", ACCEPTANCE), ("Expected speed", SPEED), ("Beam width", BEAM)):
        open_tab(page, title)
        expect(page.locator(f"{panel} svg").first).to_be_visible()
        wait_for_frames(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1"), title


def test_a_curve_is_drawn_anew_when_a_phone_is_turned(visit):
    page = visit("?tab=lab&section=acceptance", width=844, height=390)
    plot = f"{ACCEPTANCE} .lab-plot"
    expect(page.locator(f"{plot} svg")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(
        "box => Number(box.firstChild.getAttribute('width')) === box.clientWidth",
        arg=page.query_selector(plot),
    )
