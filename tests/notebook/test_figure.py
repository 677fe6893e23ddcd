import re
from xml.etree import ElementTree

import pytest

from playground.errors import PlaygroundError
from playground.notebook import figure, num_steps
from playground.notebook.marks import GLYPHS
from playground.notebook.stage import stage_at
from playground.paths import ASSETS
from playground.trace import Trace, load
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace

HOSTILE = "</svg><script>alert(1)</script>\x00\ud83d]]>&lt;<img src=x onerror=alert(1)>"
DRAWN = {"svg", "title", "g", "path", "rect", "circle", "text"}


def drawn(trace: Trace, step: int | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(figure(trace, step).svg)


def words(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("trace", [empty_trace(), interrupted_trace(), autoregressive_trace(), coinciding_trace()])
def test_every_step_of_any_run_is_a_picture(trace):
    for step in range(num_steps(trace)):
        assert words(drawn(trace, step)), step


@pytest.mark.parametrize("run", ["rsd_s", "dsbd", "beam_search", "sequoia", "speculative_sampling"])
def test_a_recorded_step_shows_every_token_of_its_tree(run):
    trace = load(ASSETS / "traces" / f"{run}.json.gz")
    for step in range(0, num_steps(trace), 17):
        root, stage = drawn(trace, step), stage_at(trace, step)
        badges = sum(1 for mark in stage.marks.values() if mark.state in GLYPHS)
        assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) >= badges
        assert len(words(root)) >= len(stage.marks)
        sizes = [float(element.get("font-size", "99")) for element in root.iter()]
        assert min(sizes) >= 14


def test_the_bars_are_as_long_as_p_and_q():
    """The first draft has p 0.6 and q 0.5: their bars are to each other as these numbers are."""
    svg = figure(speculative_trace(), 4).svg
    blue = [float(width) for width in re.findall(r'width="([\d.]+)" height="4" rx="2" fill="#0072b2"', svg)]
    orange = [float(width) for width in re.findall(r'width="([\d.]+)" height="4" rx="2" fill="#df8600"', svg)]
    assert blue[0] / orange[0] == pytest.approx(0.6 / 0.5, abs=0.01)
    end_of_the_first_round = words(drawn(speculative_trace()))
    assert {"rejected", "correction token"} <= set(end_of_the_first_round), "where no step is asked for"


def test_hostile_text_is_text():
    start, *events = speculative_trace().events
    hostile = replace(start, title=HOSTILE, pieces={**start.pieces, "1": HOSTILE, "2": HOSTILE})
    root = drawn(Trace((hostile, *events)))
    assert {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()} <= DRAWN
    values = [value for element in root.iter() for value in element.attrib.values()]
    assert not any("url(" in value or "http" in value for value in values)
    figure(Trace((hostile, *events))).svg.encode("utf-8")


def test_a_picture_is_saved_or_a_sentence_says_why_not(tmp_path):
    figure(speculative_trace()).save(tmp_path / "tree.svg")
    assert ElementTree.parse(tmp_path / "tree.svg").getroot().get("role") == "img"
    with pytest.raises(PlaygroundError, match="cannot be written"):
        figure(speculative_trace()).save(tmp_path / "no" / "tree.svg")
