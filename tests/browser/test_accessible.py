"""axe-core finds nothing serious on any tab, light or dark; Compare and Sweep open on what was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.app_fixture import wait_for_frames, wait_for_player

AXE = Path(__file__).parents[1] / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
# a tab's address, and what is there once it can be looked at
TABS = {
    "watch": ("", ".player-host .sp-node"),
    "compare": ("?tab=compare", "#race-panel .js-plotly-plot"),
    "sweep": ("?tab=sweep", "#sweep-panel .js-plotly-plot"),
    "recommend": ("?tab=recommend", ".recommend-host .rec-list li"),
    "learn": ("?tab=learn&language=de", ".learn-card"),
    "acceptance": ("?tab=lab&section=acceptance", "#lab-acceptance-panel .lab-bar"),
    "speed": ("?tab=lab&section=speed", "#lab-speed-panel .lab-plot svg"),
    "beam": ("?tab=lab&section=beam", "#lab-beam-panel .lab-plot svg"),
    "losslessness": ("?tab=lab&section=losslessness", "#lab-losslessness-panel .lab-start"),
}


@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_serious(visit, tab):
    """In the dark as the page opens, and in light as its own switch makes it."""
    query, there = TABS[tab]
    page = visit(f"{query}{'&' if query else '?'}__theme=dark", color_scheme="dark", reduced_motion="reduce")
    page.locator(there).first.wait_for()
    if tab == "watch":
        wait_for_player(page)
    wait_for_frames(page)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate("document.body.classList.contains('dark')")
    look(page)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.evaluate("document.body.classList.remove('dark')")
    page.wait_for_function("document.getAnimations().every((each) => each.playState !== 'running')")
    look(page)


def look(page) -> None:
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations)")
    wrong = [
        f"{each['id']} ({each['impact']}): {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
    assert not wrong, "\n".join(wrong)
