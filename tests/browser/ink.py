"""Ink of a drawing: how much of a part of the page has something drawn on it, from a screenshot."""

import base64

CELL = 16  # px: about a letter
MEASURE = """async ([picture, cell]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
  const counts = new Map();
  const colour = (i) => `${data[i]},${data[i + 1]},${data[i + 2]}`;
  for (let i = 0; i < data.length; i += 4) counts.set(colour(i), (counts.get(colour(i)) ?? 0) + 1);
  const ground = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0].split(",").map(Number);
  const inked = (i) => ground.some((value, channel) => Math.abs(data[i + channel] - value) > 10);
  const cells = new Set();
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (inked(4 * (y * width + x))) cells.add(`${Math.floor(x / cell)},${Math.floor(y / cell)}`);
  return cells.size / (Math.ceil(width / cell) * Math.ceil(height / cell));
}"""


def ink(page, selector: str) -> float:
    """Return the share of the cells of `CELL` px, of a part of the page, that differ from its ground anywhere."""
    box = page.locator(selector).first.bounding_box()
    picture = page.screenshot(clip=box)
    return page.evaluate(MEASURE, [base64.b64encode(picture).decode(), CELL])
