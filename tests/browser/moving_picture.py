"""The moving picture at the top of README.md, made from the page itself: `python -m tests.browser.moving_picture`.

It starts the app, opens a recorded run there, plays it, and takes the player's picture after every step of a clock that
stands still meanwhile: so a slow machine makes the same picture as a fast one. Of the player it leaves out what is read
at leisure (panel, legend, totals); of the run it shows a few rounds. Pillow, which comes with Gradio, writes the file.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from tests.browser import app_fixture as reader
from tests.browser.app_fixture import FILES, PLAYER, ROOT
from tests.browser.conftest import lone_page

PICTURE = ROOT / "assets" / "playground.gif"
RECORDING = "RSD-S: a draft tree without repeated siblings"
ROUNDS = (1, 4)  # the first and the last that are shown: the first ends on a correction, the second is kept whole
WIDTH, HEIGHT = 880, 560  # px, of the player and of the picture
SPEED = 1.5  # The player's own pace is 1.
FRAME_MS = 80
REST_MS = 2500  # The last frame stands so long.
COLOURS = 128
MARGIN = 14  # px

ONLY_THE_STAGE = f"""
  .spec-player * {{ transition: none !important; animation: none !important; }} /* they run on the real clock */
  .sp-side, .sp-lead, .sp-legend, .sp-controls {{ display: none !important; }}
  .spec-player.sp-run {{
    grid-template: "head" auto "scene" minmax(0, 1fr) "foot" auto / minmax(0, 1fr) !important;
    padding: 4px {MARGIN}px {MARGIN}px; position: fixed; z-index: 9999; inset: 0 auto auto 0;
    width: {WIDTH}px !important; height: {HEIGHT}px !important; max-width: none !important; background: white;
  }}
"""


def make(path: Path = PICTURE) -> None:
    """Take the frames and write them as one GIF that begins again after its end."""
    with lone_page() as page:
        frames, durations = merged(taken(page))
    palette = palette_of(frames)
    pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=durations, loop=0, optimize=True)
    seconds = sum(durations) / 1000
    print(f"{path}: {len(frames)} frames, {seconds:.1f} s, {frames[0].size}, {path.stat().st_size / 1e6:.2f} MB")


def taken(page: Any) -> Iterator[Image.Image]:
    """The player's picture at every FRAME_MS of its own clock, from the first round shown to the end of the last.

    The page has the player on it; afterwards its clock stands still.
    """
    page.set_viewport_size({"width": 1280, "height": 1000})
    open_recording(page)
    reader.close_drawer(page)
    page.mouse.move(1279, 999)  # beside the player: what lies under the mouse is pointed at
    page.add_style_tag(content=ONLY_THE_STAGE)
    page.evaluate("delete Element.prototype.animate")  # it runs on the real clock, too
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now() + 60_000"))  # ahead of a busy machine
    first, last = page.evaluate(
        f"""([first, last]) => {PLAYER}.trace.steps
          .filter((step) => step.round && step.round.number >= first && step.round.number <= last)
          .map((step) => step.index).filter((_, i, all) => i === 0 || i === all.length - 1)""",
        list(ROUNDS),
    )
    seek(page, first)
    page.evaluate(f"{PLAYER}.playhead.setSpeed({SPEED}), {PLAYER}.playhead.toggle()")
    while page.evaluate(f"{PLAYER}.playhead.cursor") <= last:
        png = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT}, animations="allow")
        yield Image.open(io.BytesIO(png)).convert("RGB")
        page.clock.run_for(FRAME_MS)


def seek(page: Any, step: int) -> None:
    """Go to a step and let everything glide there."""
    page.evaluate(f"{PLAYER}.goto({step})")
    page.clock.run_for(1000)


def open_recording(page: Any) -> None:
    reader.unfold(page, FILES)
    reader.remember_run(page)  # the page opens on this very one
    reader.choose(page, "Recorded run", RECORDING)
    reader.wait_until(page, "p.trace !== window.traceBefore && p.trace.run.method === 'rsd_s' && p.trace.finished")


def palette_of(frames: list[Image.Image]) -> Image.Image:
    """Colours for all frames: those of a few from each round, so that no sign is seen in another's colour."""
    some = frames[:: max(1, len(frames) // 24)]
    sheet = Image.new("RGB", (some[0].width, some[0].height * len(some)))
    for i, frame in enumerate(some):
        sheet.paste(frame, (0, i * frame.height))
    return sheet.quantize(COLOURS, dither=Image.Dither.NONE)


def merged(frames: Iterator[Image.Image]) -> tuple[list[Image.Image], list[int]]:
    """Frames without those equal to the one before, and how long each stands, in ms."""
    kept: list[Image.Image] = []
    durations: list[int] = []
    for frame in frames:
        if kept and ImageChops.difference(kept[-1], frame).getbbox() is None:
            durations[-1] += FRAME_MS
        else:
            kept.append(frame)
            durations.append(FRAME_MS)
    durations[-1] = REST_MS
    return kept, durations


if __name__ == "__main__":
    make(*map(Path, sys.argv[1:2]))
