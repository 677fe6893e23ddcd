import json
import re
from html.parser import HTMLParser

import pytest

from playground.paths import ASSETS
from playground.trace.events import Trace
from playground.trace.storage import from_json, load
from playground.views import standalone
from playground.views.standalone import inline_json, standalone_html
from tests.metrics.traces import empty_trace
from tests.trace.example import replace, speculative_trace

HOSTILE = "</script><script>alert(1)</script><!--<script>\u2028\u2029\ud83d]]>&lt;<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def player(tmp_path, monkeypatch):
    """A player of two lines, so that these tests say nothing about the real one."""
    for folder in ("shared", "player"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "manifest.json").write_text('{"styles": ["look.css"]}')
        (tmp_path / folder / "look.css").write_text(f".{folder} {{}}")
    (tmp_path / "player" / "player.js").write_text(
        'import "../shared/words.js";\nexport const mount = 1; // </script> 100 %'
    )
    (tmp_path / "shared" / "words.js").write_text("export {};")
    monkeypatch.setattr(standalone, "ASSETS", tmp_path)


class Page(HTMLParser):
    """A page as a browser sees it: the elements in order, and the text in each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: dict[str, str] = {}
        self.links: list[str] = []
        self.inside: str | None = None
        self.title = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        results = dict(attributes)
        self.links += [value for name, value in attributes if name in ("src", "href", "action", "data")]
        self.inside = results.get("id") or f"script {len(self.scripts)}" if tag == "script" else tag

    def handle_data(self, data):
        if self.tags[-1:] == ["script"]:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + data
        if self.inside == "title":
            self.title += data

    def handle_endtag(self, tag):
        self.inside = None


def test_the_page_carries_the_trace_and_its_charts_and_loads_nothing_from_anywhere():
    assert from_json(Page(standalone_html(empty_trace())).scripts["trace"]) == empty_trace()
    page = Page(standalone_html(speculative_trace()))
    assert len(from_json(page.scripts["trace"]).events) == len(speculative_trace().events)
    assert [chart["id"] for chart in json.loads(page.scripts["charts"])][0] == "reliability"
    assert page.title == "Speculative sampling: The cat" and page.links == []
    text = standalone_html(speculative_trace())
    assert not re.search("https?://", text) and "default-src 'none'" in text


def test_hostile_text_stays_text():
    """A model, or a prompt in a shared link, can write anything; the page keeps the elements it has anyway."""
    hostile = Page(standalone_html(_hostile()))
    assert hostile.tags == Page(standalone_html(speculative_trace())).tags
    assert json.loads(hostile.scripts["trace"])["events"][0]["prompt"] == HOSTILE
    assert "</script>" in hostile.title
    standalone_html(_hostile()).encode("utf-8")


def test_the_longest_recorded_run_is_a_page_under_a_megabyte_without_plotly(monkeypatch):
    monkeypatch.setattr(standalone, "ASSETS", ASSETS)
    longest = max((ASSETS / "traces").glob("*.json.gz"), key=lambda file: file.stat().st_size)
    text = standalone_html(load(longest))
    assert len(text.encode()) < 1_000_000
    assert "plotly.js v" not in text and "bars.js" in text


def test_inlined_json_has_no_letter_that_ends_a_script():
    text = inline_json({"a": HOSTILE})
    assert not re.search("[<>&\u2028\u2029\ud83d]", text)
    assert json.loads(text) == {"a": HOSTILE}


def _hostile() -> Trace:
    start, *events = speculative_trace().events
    hostile = replace(start, prompt=HOSTILE, title=HOSTILE, pieces={**start.pieces, "1": HOSTILE})
    return Trace((hostile, *events))
