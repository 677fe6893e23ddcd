"""The card of a shared link is this page's own, whatever Gradio writes, and says nothing that a link makes up."""

import re

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from playground.ui.served.link_card import LinkCard
from playground.views.link_card import PICTURE, SIZE, TITLE

GRADIO = """<!doctype html><html><head lang="en"><title>x</title>
<meta property="og:title" content="Gradio" />
<meta
  property="og:image"
  content="https://elsewhere.example/logo.png"
/>
<meta name="twitter:card" content="summary" /><meta name="viewport" content="width=device-width" />
</head><body>text</body></html>"""


FIRST = "<script>first</script>"


def page(request):
    return HTMLResponse(GRADIO)


def client():
    app = Starlette(routes=[Route("/", page), Route("/config", lambda request: JSONResponse({"og": GRADIO}))])
    return TestClient(LinkCard(app, picture="page/abc/page/card.png", script=FIRST), base_url="https://here.example")


def tags(text):
    results = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)"', text)
    assert len(dict(results)) == len(results), "each once"
    return dict(results)


def test_the_card_is_the_pages_own_and_nothing_else_changes():
    answer = client().get("/")
    result = tags(answer.text)
    assert result["og:title"] == result["twitter:title"] == TITLE
    assert result["og:image"] == result["twitter:image"] == "https://here.example/page/abc/page/card.png"
    assert "Gradio" not in answer.text and "elsewhere" not in answer.text
    assert 'name="viewport"' in answer.text and answer.text.endswith("</head><body>text</body></html>")
    assert answer.text.index(FIRST) < answer.text.index("<title>")
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert client().get("/config").json() == {"og": GRADIO}


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("?method=rsd_s&width=3", f"RSD-S · {TITLE}"),
        ("?tab=learn&lesson=coin", f"Learn · {TITLE}"),
        ("?method=%22%3E%3Cscript%3E", TITLE),
        ("?tab=%3Cb%3E&prompt=%3Cimg onerror%3E", TITLE),
    ],
)
def test_a_link_names_what_it_leads_to_and_puts_no_word_of_its_own_on_the_card(query, title):
    answer = client().get("/" + query)
    assert tags(answer.text)["og:title"] == title
    assert answer.text.count("<script") == 1 and "onerror" not in answer.text


def test_behind_a_proxy_the_picture_has_the_address_that_readers_use():
    headers = {"x-forwarded-proto": "https", "x-forwarded-host": "space.example"}
    answer = TestClient(client().app, base_url="http://10.0.0.1", root_path="/app").get("/app/", headers=headers)
    assert tags(answer.text)["og:image"] == "https://space.example/app/page/abc/page/card.png"


def test_the_picture_is_there_and_as_large_as_is_said():
    header = PICTURE.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(header[16:20]), int.from_bytes(header[20:24])) == SIZE
