"""The panel of one token: each number under a name of its own, and nothing that the method does not have."""

import re

import pytest

from playground.decoding.method import methods
from tests.browser.lens_traces import recorded, sentence
from tests.browser.player_harness import load, mount_lenses, mount_player, state, step_of


def every_panel(page) -> list[str]:
    """The texts in the panel of every node of the run, at its end."""
    return page.evaluate(
        """() => { p.goto(p.state().steps - 1);
          return p.trace.rounds.flatMap((round) => [...round.nodes, ...round.extras]).map((node) => {
            p.details.show(p.trace, p.trace.steps.at(-1), node, false);
            const texts = document.createTreeWalker(p.details.root, NodeFilter.SHOW_TEXT), said = [];
            while (texts.nextNode()) said.push(texts.currentNode.data);
            return said.join(' '); }); }"""
    )


def test_no_panel_shows_the_key_of_a_word(page):
    """A drafted token that is refused and then drawn all the same once had no name."""
    mount_player(page)
    raw = re.compile(r"\b(state|origin|title|say|lens)_\w+|undefined|NaN|[{}]")
    for method in methods():
        load(page, recorded(method, length=24, **REJECTS.get(method, {})))
        assert not [said for said in every_panel(page) if raw.search(said)], method


REJECTS = {  # options with which toys have something refused
    "bild": {"fallback": 0.1, "rollback": 1.0},
    "mtad": {"tau": 0.9},
    "typical_acceptance": {"epsilon": 0.9, "delta": 0.9},
}


@pytest.mark.parametrize("method", REJECTS)
def test_a_method_without_a_residual_speaks_of_none(page, method):
    trace = recorded(method, length=24, **REJECTS[method])
    assert any("correction" in event.get("origins", ()) for event in trace["events"])
    mount_player(page, trace)
    said = every_panel(page)
    assert any("correction token" in each for each in said)
    assert not [each for each in said if "residual" in each.lower()]


@pytest.mark.parametrize(
    ("words", "method", "other"),
    [
        ("residual", "speculative_sampling", None),
        # else an acceptance of 0 stands beside a p and a q that speak for the token; K-SEQ subtracts nothing
        ("what is left of p decides", "rsd_s", "spectr"),
        # every q of a chosen path is 1, as no chance was in the draft; the lens tells what the draft model thinks of it
        ("joint q", "rsd_s", "dynamic_tree"),
    ],
)
def test_a_word_is_said_where_the_method_has_what_it_names_and_nowhere_else(page, words, method, other):
    mount_player(page, recorded(method, length=24))
    told = [each for each in every_panel(page) if words in each]
    assert told
    assert words != "what is left of p decides" or all("rejected" in each or "accepted" in each for each in told)
    if other:
        load(page, recorded(other, length=24))
        assert not [each for each in every_panel(page) if words in each]


@pytest.mark.parametrize("method", ["dsbd", "atspeed_relaxed"])
def test_a_share_of_a_depth_has_another_name_than_what_follows_one_text(page, method):
    mount_player(page, recorded(method, length=12))
    judged = [each for each in every_panel(page) if "u\n" in each or "u " in each]
    assert judged and all("p at depth" in each and "q at depth" in each for each in judged)
    assert not [each for each in judged if "joint q" in each]


def test_the_lens_tests_nothing_that_is_never_tested(page):
    """A chain of four whose first token is refused: what hangs below it was not tested, and its lens says so."""
    trace = recorded("speculative_sampling", length=24)
    number = next(
        event["round"]
        for event in trace["events"]
        if event["event"] == "verified" and event["outcomes"][0] == "rejected" and len(event["outcomes"]) > 2
    )
    mount_lenses(page, trace)
    marked = """([step, number]) => { p.goto(step);
        const node = p.trace.rounds[number - 1].layers[2].draws[0].node; p.pin(node); return node.key; }"""
    page.evaluate(marked, [step_of(page, "scored", number), number])
    assert "If all before it is accepted" in sentence(page, "stages")
    page.evaluate("(step) => p.goto(step)", step_of(page, "committed", number))
    assert "The round ended before the drafts after" in sentence(page, "stages")
    assert state(page)["steps"] > 3


def test_a_token_says_which_of_several_draft_models_drew_it(page):
    mount_player(page, recorded("specinfer", length=24, draft_models=2, first_draws=4))
    step = "p.trace.steps.find((step) => step.kind === 'verified' && step.verdict.draw?.writer === {}).index"
    for index in (0, 1):
        page.evaluate(f"p.goto({step.format(index)})")
        assert f"Drawn from draft model {index + 1}." in page.locator(".sp-details").inner_text()
