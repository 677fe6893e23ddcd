"""The animated GIF of a round, by Node.js alone: another program reads the very pictures that were written."""

import base64
import io

from PIL import Image

from tests.javascript.node import ran

SCRIPT = """
const { gifOf } = await load("player/take/gif.js");
const [width, height] = [160, 120];
const picture = (seed) => Uint8ClampedArray.from({ length: 4 * width * height }, (_, i) => {
  const at = Math.floor(i / 4);
  return i % 4 === 3 ? 255 : 8 * ((Math.floor((at * at * seed) / 7) + (i % 4) * at) % 6) + 4;
});
const frames = [1, 3].map((seed) => ({ pixels: picture(seed), ms: 200 * seed }));
const gif = Buffer.from(gifOf(frames, { width, height })).toString("base64");
print({ gif, frames: frames.map(({ pixels }) => Buffer.from(pixels).toString("base64")) });
"""


def test_a_gif_has_the_pictures_and_times_that_it_was_made_of():
    """Colours keep five of their eight bits, so each may be off by half a step; more than 4,096 codes are needed."""
    found = ran(SCRIPT)
    gif = Image.open(io.BytesIO(base64.b64decode(found["gif"])))
    assert (gif.size, gif.n_frames, gif.info["loop"]) == ((160, 120), 2, 0)
    for index, (pixels, ms) in enumerate(zip(found["frames"], (200, 600), strict=True)):
        gif.seek(index)
        assert gif.info["duration"] == ms
        written = Image.frombytes("RGBA", gif.size, base64.b64decode(pixels)).convert("RGB").tobytes()
        assert max(abs(a - b) for a, b in zip(gif.convert("RGB").tobytes(), written, strict=True)) <= 8
