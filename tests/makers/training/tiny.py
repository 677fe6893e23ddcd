"""A tiny corpus, network and plan: everything a training run needs, at a size that trains in a blink."""

import random

from playground.makers.training.loop import Plan
from playground.makers.training.network import Shape
from playground.makers.training.text.corpus import prepare_corpus

SHAPE = Shape(layers=2, width=16, heads=2, feed_forward=24, vocab=300, tied=False)
PLAN = Plan(
    tokens_per_step=64, window=16, tokens_at_once=32, warm_up=2, max_steps=6, checkpoint_s=1e9, measure_steps=3,
    low_precision=False,
)  # fmt: skip


def prose(sentences=600, seed=0):
    """Sentences of a few words each, in paragraphs."""
    draws = random.Random(seed)
    subjects = ["the old man", "a fox", "the captain", "my sister", "the king's daughter"]
    verbs = ["saw", "followed", "remembered", "sent for", "was afraid of"]
    places = ["by the sea", "in the wood", "at the gate", "after supper", "before it was day"]
    made = [f"{draws.choice(subjects)} {draws.choice(verbs)} {draws.choice(subjects)} {draws.choice(places)}."
            for _ in range(sentences)]  # fmt: skip
    return "".join(line[0].upper() + line[1:] + ("\n\n" if draws.random() < 0.2 else " ") for line in made).strip()


def write_text(folder, **kwargs):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "book.txt").write_text(prose(**kwargs), encoding="utf-8")
    return folder


def tiny_corpus(folder):
    return prepare_corpus(write_text(folder / "text"), folder / "corpus", vocab=SHAPE.vocab)
