"""A shop of a few dozen items with recommenders that have learnt next to nothing: everything, in a second."""

import json
import random
from functools import lru_cache
from itertools import product
from pathlib import Path
from tempfile import mkdtemp

from playground.makers.recommender.pipeline import Amounts, export_models, train_shop
from playground.makers.training.network import Shape
from playground.recommender.files import read_shop

AMOUNTS = Amounts(target_steps=4, draft_steps=3, align_steps=3, moments=20, checkpoint_s=1e9)
SHAPES = {
    "target": Shape(layers=2, width=16, heads=2, feed_forward=24),
    "draft": Shape(layers=1, width=8, heads=1, feed_forward=8),
}


def silent(_):
    """Nobody is told."""


@lru_cache(maxsize=1)
def tiny_shop():
    """60 items, 4 levels of 6 codes, 80 users who never buy a thing twice."""
    folder, draws = Path(mkdtemp()), random.Random(1)
    codes = draws.sample(list(product(range(6), repeat=4)), 60)
    index = {
        item: [f"<{level}_{code}>" for level, code in zip("abcd", row, strict=True)] for item, row in enumerate(codes)
    }
    bought = {user: draws.sample(range(60), draws.randint(6, 12)) for user in range(80)}
    cuts = {"train": slice(None, -3), "valid": slice(-3, -2), "test": slice(-2, None)}
    splits = {part: {user: row[cut] for user, row in bought.items()} for part, cut in cuts.items()}
    for name, content in (("splits", splits), ("index", index)):
        (folder / f"{name}.json").write_text(json.dumps(content))
    return read_shop(folder / "splits.json", folder / "index.json")


@lru_cache(maxsize=1)
def tiny_models():
    """Its recommenders, all versions, exported."""
    folder = Path(mkdtemp())
    train_shop(tiny_shop(), folder / "runs", amounts=AMOUNTS, **SHAPES, say=silent)
    export_models(tiny_shop(), folder / "runs", folder / "models")
    return folder / "models"
