"""Coins that a test chooses, in place of a stream of random ones, and short looks at what a rule said."""

import numpy as np


class Coins:
    """Plays given coins, one after the other."""

    def __init__(self, coins):
        self.coins = iter(coins)

    def random(self, size=None):
        return next(self.coins) if size is None else np.array([next(self.coins) for _ in range(size)])


def accept_probs(ruling):
    """Of the draws that were tested, in the order of the tests."""
    return [test.accept_prob for test in ruling.tested]


def residual(ruling):
    """What a correction is drawn from; None where nothing was refused."""
    return ruling.extra_probs[0] if ruling.extra_probs else None


def as_told(ruling):
    """The outcomes of a chain."""
    return [test.outcome for test in ruling.tests]


def outcomes(judge, num_draws):
    """Every result of `judge(coins)` on so many draws, with its probability: both sides of every coin."""

    def play(coins, chance):
        result = judge(Coins([*coins, *[0.0] * num_draws]))
        if len(coins) == len(result.tested):
            yield result, chance
            return
        accept = accept_probs(result)[len(coins)]
        if accept > 0:
            yield from play([*coins, 0.0], chance * accept)
        if accept < 1:
            yield from play([*coins, 1.0], chance * (1 - accept))

    yield from play([], 1.0)
