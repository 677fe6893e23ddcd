"""A shop of a few dozen items with recommenders that have learnt next to nothing: everything, in a second."""

from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

from playground.makers.recommender.invention import invent_shop
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
    """60 items, 4 levels of 6 codes, 80 users."""
    folder = Path(mkdtemp())
    invent_shop(folder, num_items=60, num_users=80, num_codes=6, seed=1)
    return read_shop(folder / "splits.json.gz", folder / "index.json.gz", folder / "items.json.gz")


@lru_cache(maxsize=1)
def tiny_models():
    """Its recommenders, all versions, exported."""
    folder = Path(mkdtemp())
    train_shop(tiny_shop(), folder / "runs", amounts=AMOUNTS, **SHAPES, say=silent)
    export_models(tiny_shop(), folder / "runs", folder / "models")
    return folder / "models"
