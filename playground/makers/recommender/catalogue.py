"""The items of the invented shop: things for a home by makers that do not exist, and a vector for each.

An item has a category, a kind, a style, a material, a colour and a maker. Its vector is the sum of a random vector for
each of these and a little of its own, so items that share more are nearer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

KINDS = {
    "lighting": "desk lamp, floor lamp, lantern, wall light, string of lights",
    "seating": "armchair, stool, bench, rocking chair, footrest",
    "storage": "bookshelf, chest, wall hook, basket, drawer box",
    "tables": "coffee table, side table, writing desk, folding table, tray",
    "kitchen": "mug, teapot, mixing bowl, chopping board, spice jar",
    "dining": "dinner plate, soup bowl, drinking glass, serving dish, table runner",
    "bedroom": "blanket, pillow, bed frame, bedside rug, alarm clock",
    "bath": "towel, soap dish, bath mat, mirror, laundry bin",
    "garden": "plant pot, watering can, garden stool, bird house, trowel",
    "outdoor": "hammock, picnic rug, fire bowl, parasol, camp chair",
    "music": "thumb piano, hand drum, wooden flute, music stand, wind chime",
    "games": "chess set, dice cup, jigsaw puzzle, card box, spinning top",
    "crafts": "yarn bowl, sewing box, embroidery hoop, paint set, weaving loom",
    "writing": "notebook, fountain pen, letter opener, ink stand, paper weight",
    "travel": "rucksack, wash bag, travel flask, suitcase, passport cover",
    "cycling": "bell, saddle bag, pannier, handlebar tape, bottle cage",
    "toys": "kite, toy boat, puppet, building blocks, pull-along duck",
    "decor": "vase, picture frame, candle holder, wall hanging, sculpture",
    "textiles": "cushion, curtain, tablecloth, throw, door stop",
    "baking": "cake stand, rolling pin, bread tin, biscuit cutter, flour jar",
}
WORDS = {
    "style": "plain, rustic, coastal, geometric, floral, woodland, industrial, folk, modern, antique",
    "material": "oak, walnut, bamboo, linen, wool, stoneware, glass, brass, tin, leather, cork, felt",
    "colour": "white, cream, sand, rust, red, rose, plum, navy, sky blue, teal, moss green, olive, grey, charcoal",
    "beginning": "quo, vrel, thim, dro, sken, plo, wix, zun, mbra, fjel, oth, ruv, gwi, nax, belk",
    "ending": "ddle, rrow, mpet, ssock, nker, vory, zzen, lthwa",
}
NUM_MAKERS = 60
WEIGHTS = {"category": 1.0, "kind": 0.8, "style": 0.7, "material": 0.45, "colour": 0.25, "maker": 0.15}
OWN = 0.1  # of a vector that is the item's alone
SIZE = 24  # of a vector
GOES_WITH = 7  # categories further on: what is bought after a thing of a category


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The items as they were invented.

    Attributes:
        names: (n,)
        attributes: (n,) what each is, by the names in `WEIGHTS`.
        vectors: (n, d).
        popularity: (n,) a few are asked for much more often than most; sums to 1.
    """

    names: list[str]
    attributes: list[dict[str, str]]
    vectors: np.ndarray
    popularity: np.ndarray


def invent_items(count: int, *, seed: int) -> Catalogue:
    """Items with names of their own."""
    rng = np.random.default_rng([seed, 1])
    makers = _makers(rng)
    kinds = [(category, kind) for category, listed in KINDS.items() for kind in listed.split(", ")]
    names: list[str] = []
    attributes: list[dict[str, str]] = []
    titles: set[str] = set()
    while len(names) < count:
        category, kind = kinds[len(names) % len(kinds)]
        drawn = [_pick(rng, choices) for choices in (*map(words, ("style", "material", "colour")), makers)]
        item = dict(zip(WEIGHTS, [category, kind, *drawn], strict=True))
        name = f"{item['maker']} {item['style']} {item['material']} {kind}, {item['colour']}"
        if name not in titles:
            titles.add(name)
            names.append(name)
            attributes.append(item)
    popularity = 1 / (10 + rng.permutation(count))
    return Catalogue(names, attributes, _vectors(attributes, rng), popularity / popularity.sum())


def words(name: str) -> list[str]:
    """Return the words of one kind."""
    return WORDS[name].split(", ")


def _makers(rng: np.random.Generator) -> list[str]:
    makers: dict[str, None] = {}
    while len(makers) < NUM_MAKERS:
        name = _pick(rng, words("beginning")) + _pick(rng, list("aeiou")) + _pick(rng, words("ending"))
        makers[name.capitalize()] = None
    return list(makers)


def _vectors(attributes: list[dict[str, str]], rng: np.random.Generator) -> np.ndarray:
    """(n, d), to three digits: the codes must not depend on a machine's last bit."""
    vectors = OWN * rng.standard_normal((len(attributes), SIZE))
    for name, weight in WEIGHTS.items():
        values = sorted({item[name] for item in attributes})
        table = dict(zip(values, rng.standard_normal((len(values), SIZE)), strict=True))
        vectors += weight * np.stack([table[item[name]] for item in attributes])
    return vectors.round(3)


def _pick(rng: np.random.Generator, choices: list[str]) -> str:
    return choices[int(rng.integers(len(choices)))]
