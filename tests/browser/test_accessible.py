"""axe-core finds nothing serious on any tab, light or dark; Race and Sweep open on what was recorded."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.app_fixture import open_tab, wait_for_frames, wait_for_player

AXE = Path(__file__).parents[1] / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
# One rule that is off by default is on, and one is off that finds nothing serious.
EVERY = {"rules": {"label-content-name-mismatch": {"enabled": True}, "region": {"enabled": False}}}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # A theme can break these.
VISITS = {  # an address, and for each tab that is looked at there what is drawn by then
    "tabs": (
        "?",
        {
            "Watch": ".player-host .sp-node",
            "Compare": "#race-panel .js-plotly-plot",
            "Sweep": "#sweep-panel .js-plotly-plot",
            "From the papers": "#preset-mtad-table7",
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
            "Measured here": "#lab-measured-panel .lab-start",
        },
    ),
}


@pytest.mark.parametrize("name", VISITS)
def test_axe_finds_nothing_serious(visit, name):
    """By every rule as a tab opens, by those of colours in the other theme: the page's own switch changes no others."""
    query, tabs = VISITS[name]
    page = visit(f"{query}__theme=dark", color_scheme="dark", reduced_motion="reduce")
    if name == "tabs":
        wait_for_player(page)
    page.locator(next(iter(tabs.values()))).first.wait_for()
    assert page.evaluate("document.body.classList.contains('dark')")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    themes = ["dark", "light"]
    for tab, drawn in tabs.items():
        open_tab(page, tab)
        page.locator(drawn).first.wait_for()
        for rules, theme in ((EVERY, themes[0]), (COLOURS, themes[1])):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.evaluate("(dark) => document.body.classList.toggle('dark', dark)", theme == "dark")
            wait_for_frames(page)
            page.wait_for_function("document.getAnimations().every((each) => each.playState !== 'running')")
            look(page, (tab, theme), rules)
            if tab == "Watch":
                page.locator(".method-button").click()
                look(page, ("methods", theme), rules, "#method-list")
                page.keyboard.press("Escape")
        themes.reverse()


def look(page, where: tuple[str, str], rules: dict[str, Any], part: str = "body") -> None:
    # Tabs that are not open are long, and nothing of them is seen.
    results = page.evaluate(
        """([rules, part]) => {
          const exclude = [...document.querySelectorAll('[role=tabpanel]')].filter((each) => !each.checkVisibility());
          const context = { include: document.querySelector(part), exclude };
          return axe.run(context, { resultTypes: ['violations'], ...rules }).then((all) => all.violations);
        }""",
        [rules, part],
    )
    wrong = [
        f"{each['id']} ({each['impact']}): {node['target']} {node['failureSummary']}"
        for each in results
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
    assert not wrong, "\n".join([str(where), *wrong])
