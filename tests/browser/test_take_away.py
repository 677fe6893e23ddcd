"""Taken away of the player: a picture that is whole by itself, and a film that plays."""

import base64
import io
import json
from xml.etree import ElementTree

from PIL import Image
from playwright.sync_api import expect

from playground.paths import ASSETS
from playground.trace.storage import load, to_json
from tests.browser.player_harness import PIECES, mount_player, rest_at, run_started, trace_of, tree_trace

HOSTILE = "<img src=x onerror=alert(1)>${alert(1)}</svg><script>alert(1)</script>\x00\ufffe]]>&"
DRAWN = {"svg", "title", "g", "path", "rect", "circle", "text", "tspan"}


def test_a_picture_is_whole_and_holds_nothing_that_acts(page):
    """Its words are text even where a trace is hostile, and it refers to nothing."""
    trace = tree_trace()
    words = {"prompt": HOSTILE, "title": HOSTILE, "pieces": PIECES | {"3": HOSTILE}, "method": "rsd_s"}
    mount_player(page, trace_of(run_started(**words), *trace["events"][1:]))
    rest_at(page, 6)
    link = "https://example.org/#run=" + 20 * "a_long_name_" + "&step=6"
    page.evaluate("(link) => p.share(() => {}, () => link)", link)
    dialog = take_away(page)
    expect(dialog.get_by_role("img")).to_be_visible()

    root = ElementTree.fromstring(saved(page, "Save as SVG"))
    tags = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert tags <= DRAWN, tags
    names = {name for element in root.iter() for name in element.keys()}  # noqa: SIM118, an element's own keys
    assert not {name for name in names if name.startswith("on") or name in {"href", "style", "class"}}, names
    values = {value for element in root.iter() for value in element.attrib.values()}
    assert not {value for value in values if "url(" in value or "var(" in value}
    said = " ".join(root.itertext()).replace("  ", " ")
    assert "Prompt: “<img src=x" in said and "${alert(1)}" in said
    assert link in "".join(root.itertext()), "the link is whole, on as many lines as it needs"
    assert "rejected" in said and "Step 7 of 11. Tokens emitted: 0" in said and "Cite: Jeon" in said

    picture = Image.open(io.BytesIO(saved(page, "Save as PNG")))
    assert picture.size == (2 * float(root.get("width")), 2 * float(root.get("height")))
    assert len(picture.convert("RGB").resize((60, 30)).getcolors(1800)) > 20, "nothing is drawn"
    assert page.evaluate("window.executed") is None
    expect(page.locator(".sp-studio")).to_have_count(0)


def test_a_film_plays_and_one_that_is_too_long_is_refused(page):
    mount_player(page, json.loads(to_json(load(ASSETS / "traces" / "autoregressive.json.gz"))))
    dialog = take_away(page)
    make, until = dialog.get_by_text("Make the film (WebM)"), dialog.get_by_label("to round")
    speed = dialog.get_by_label("Speed")

    until.fill("9999")
    until.press("Tab")
    expect(dialog).to_contain_text("The run has rounds 1 to 64. These rounds last")
    expect(make).to_have_attribute("aria-disabled", "true")
    until.fill("2")
    speed.select_option("0.25")
    make.click()
    dialog.get_by_text("Cancel", exact=True).click()
    expect(dialog).to_contain_text("The film was cancelled.")

    speed.select_option("1")
    expect(dialog).to_contain_text("3.2 s;")  # A busy machine may record nothing of a shorter one.
    film = base64.b64encode(saved(page, "Make the film (WebM)")).decode()
    played = page.evaluate(
        """(film) => new Promise((found, lost) => {
          const video = document.createElement('video');
          Object.assign(video, { muted: true, src: 'data:video/webm;base64,' + film });
          video.onerror = () => lost(new Error(video.error.message));
          video.onended = () => found([video.videoWidth, video.videoHeight, video.currentTime > 0.3]);
          document.body.append(video);
          video.play();
        })""",
        film,
    )
    assert played == [1280, 720, True]

    gif = Image.open(io.BytesIO(saved(page, "GIF of one round")))
    assert gif.size == (960, 540) and gif.n_frames > 1


def take_away(page):
    """Open its dialog from the player's menu."""
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Take away").click()
    return page.get_by_role("dialog", name="Take away")


def saved(page, button: str) -> bytes:
    """Return the file that the browser saves after a press."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return download.value.path().read_bytes()
