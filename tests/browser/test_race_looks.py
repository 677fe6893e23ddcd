"""A race's results in a real browser: at any width, and in both themes."""

import pytest

from playground.ui.page.drawn_panel import PLOTLY
from tests.browser.app_fixture import wait_for_frames
from tests.browser.race_harness import goto, lane, mount_race, race_value, show


def test_nothing_is_wider_than_the_page(page):
    """In the dark theme; the light one has the same widths."""
    mount_race(page, race_value(), dark=True)
    goto(page, 0.3)
    page.get_by_text("What the columns mean").click()
    page.get_by_text("Columns", exact=True).click()
    for width in (320, 390, 760, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        wait_for_frames(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), width
        page.locator(".sr-table-box").evaluate("(box) => { box.scrollLeft = 400; }")
        box, cell = (page.locator(name).first.bounding_box() for name in (".sr-table-box", ".sr-table tbody th"))
        assert cell["x"] == pytest.approx(box["x"], abs=1), "the first column stays in sight"
        if width < 400:  # lanes stack, and their text has the width
            text, who = (lane(page, "chain").locator(name).bounding_box() for name in (".sr-text", ".sr-who"))
            assert text["width"] > width - 60 and text["y"] > who["y"] + who["height"] - 1
    # the library is large, and a page that cannot have it still has the numbers
    assert page.locator(".spec-race .sp-chart-table td").all_inner_texts() == ["Chain", "1.80×"]


def test_signs_differ_in_shape_and_colours_in_both_themes_can_be_told_from_the_ground(open_page):
    for dark in (False, True):
        page = open_page()
        mount_race(page, race_value(), dark=dark)
        goto(page, 0.124)
        shapes = page.evaluate(
            """() => ['a', 'x', 'c']
              .map((letter) => document.querySelector('.sr-lane[data-label="chain"] .sr-sign-' + letter))
              .map((sign) => sign.getAttribute('d').replace(/[\\d.-]+/g, ''))"""
        )
        assert len(set(shapes)) == 3
        inks = page.evaluate(
            """() => ['.sr-name', '.sr-note', '.sr-faster .sr-number', '.sr-slower .sr-number']
              .map((name) => getComputedStyle(document.querySelector('.spec-race ' + name)).color)"""
        )
        assert len(set(inks)) == 4


def test_a_phone_that_is_turned_has_its_chart_arranged_anew(open_page):
    """Names above the points while it is narrow, beside them else; and the chart is as tall as it is told to be."""
    page = open_page(width=844)
    mount_race(page)
    page.add_script_tag(path=PLOTLY / "plotly.min.js")
    figure = {"data": [{"type": "bar", "orientation": "h", "x": [1.8], "y": ["Chain"]}]}
    figure["layout"] = {"height": 300, "yaxis": {"categoryarray": ["Chain"]}, "margin": {}}
    value = race_value()
    value["chart"]["figure"] = figure
    show(page, value)
    plot = "document.querySelector('.spec-race .js-plotly-plot')"
    for width, labels, height in [(844, "outside", 300), (390, "inside top", 308), (844, "outside", 300)]:
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_function(
            f"""([labels, height]) => {plot}?._fullLayout.yaxis.ticklabelposition === labels
              && {plot}.querySelector('.main-svg').getBoundingClientRect().height === height""",
            arg=[labels, height],
        )
