"""The picture on the card of a shared link, made from the page itself: `python -m tests.browser.link_card`.

It is the stage of a recorded run, at a step at which most of a tree has been tested. Pillow, which comes with Gradio,
writes the file in few colours.
"""

import io
import sys
from pathlib import Path

from PIL import Image

from playground.views.link_card import PICTURE, SIZE, TITLE
from tests.browser.app_fixture import PLAYER, close_drawer
from tests.browser.conftest import lone_page
from tests.browser.moving_picture import open_recording

COLOURS = 128
WIDTH, HEIGHT = SIZE
ONLY_THE_STAGE = f"""
  .spec-player * {{ transition: none !important; animation: none !important; }}
  .sp-side, .sp-legend, .sp-foot, .sp-lead, .sp-lane, .sp-head, .sp-draw-lines {{ display: none !important; }}
  .sp-text-body, .sp-caption {{ font-size: 24px !important; height: 40px !important; line-height: 32px !important; }}
  .spec-player.sp-run {{
    grid-template: "scene" minmax(0, 1fr) / minmax(0, 1fr) !important;
    padding: 92px 40px 32px; position: fixed; z-index: 9999; inset: 0 auto auto 0; background: white;
    width: {WIDTH}px !important; height: {HEIGHT}px !important; max-width: none !important;
  }}
  .spec-player.sp-run::before {{
    content: "{TITLE}"; position: absolute; left: 40px; top: 24px; font: 700 40px/1.2 system-ui, sans-serif;
  }}
"""


def make(path: Path = PICTURE) -> None:
    """Take the picture."""
    with lone_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce") as page:
        open_recording(page)
        close_drawer(page)
        page.mouse.move(WIDTH - 1, HEIGHT - 1)  # beside the player: what lies under the mouse is pointed at
        page.add_style_tag(content=ONLY_THE_STAGE)
        page.evaluate(
            f"{PLAYER}.goto({PLAYER}.trace.rounds.find((round) => round.extras.length && \
            round.verdicts.some((each) => each.outcome === 'rejected')).lastStep)"
        )
        page.wait_for_function(f"document.fonts.status === 'loaded' && {PLAYER}.step.kind === 'committed'")
        png = page.screenshot(animations="disabled")
    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(path, format="PNG", optimize=True)
    print(f"{path}: {picture.size}, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    make(*map(Path, sys.argv[1:]))
