"""axe-core finds nothing serious on any tab, light or dark; Compare and Sweep open on what was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.app_fixture import open_tab, wait_for_frames, wait_for_player

AXE = Path(__file__).parents[1] / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
COLOURS = ["color-contrast", "link-in-text-block"]  # rules that a theme can break
VISITS = {  # an address, and for each tab that is looked at there what is drawn by then
    "tabs": (
        "?",
        {
            "Watch": ".player-host .sp-node",
            "Compare": "#race-panel .js-plotly-plot",
            "Sweep": "#sweep-panel .js-plotly-plot",
            "Recommend": ".recommend-host .rec-list li",
        },
    ),
    "lessons in German": ("?tab=learn&language=de&", {"Lernen": ".learn-card"}),
    "the Lab": (
        "?tab=lab&",
        {
            "Acceptance": "#lab-acceptance-panel .lab-bar",
            "Losslessness": "#lab-losslessness-panel .lab-start",
            "Expected speed": "#lab-speed-panel .lab-plot svg",
            "Beam width": "#lab-beam-panel .lab-plot svg",
        },
    ),
}


@pytest.mark.parametrize("name", VISITS)
def test_axe_finds_nothing_serious(visit, name):
    """In the dark as the page opens, and in light as its own switch makes it: there its colours alone are others."""
    query, tabs = VISITS[name]
    page = visit(f"{query}__theme=dark", color_scheme="dark", reduced_motion="reduce")
    if name == "tabs":
        wait_for_player(page)
    page.locator(next(iter(tabs.values()))).first.wait_for()
    assert page.evaluate("document.body.classList.contains('dark')")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate("(dark) => document.body.classList.toggle('dark', dark)", scheme == "dark")
        for tab, drawn in tabs.items():
            open_tab(page, tab)
            page.locator(drawn).first.wait_for()
            wait_for_frames(page)
            page.wait_for_function("document.getAnimations().every((each) => each.playState !== 'running')")
            look(page, (tab, scheme))
            if tab == "Watch":
                page.locator(".method-button").click()
                look(page, ("methods", scheme))
                page.keyboard.press("Escape")


def look(page, where: tuple[str, str]) -> None:
    # of tabs that are not open nothing is seen, and it is long
    results = page.evaluate(
        """(only) => {
          const exclude = [...document.querySelectorAll('[role=tabpanel]')].filter((each) => !each.checkVisibility());
          const chosen = only ? { runOnly: only } : { rules: { 'label-content-name-mismatch': { enabled: true } } };
          return axe.run({ exclude }, { resultTypes: ['violations'], ...chosen }).then((all) => all.violations);
        }""",
        None if where[1] == "dark" else COLOURS,
    )
    wrong = [
        f"{each['id']} ({each['impact']}): {node['target']} {node['failureSummary']}"
        for each in results
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
    assert not wrong, "\n".join([str(where), *wrong])
