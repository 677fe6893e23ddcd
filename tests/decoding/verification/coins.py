"""Coins that a test chooses, in place of a stream of random ones."""


class Coins:
    """Plays given coins, one after the other."""

    def __init__(self, coins):
        self.coins = iter(coins)

    def random(self):
        return next(self.coins)


def outcomes(judge, num_draws):
    """Every result of `judge(coins)` on so many draws, with its probability: both sides of every coin."""

    def play(coins, chance):
        result = judge(Coins([*coins, *[0.0] * num_draws]))
        if len(coins) == len(result.coins):
            yield result, chance
            return
        accept = result.accept_probs[len(coins)]
        if accept > 0:
            yield from play([*coins, 0.0], chance * accept)
        if accept < 1:
            yield from play([*coins, 1.0], chance * (1 - accept))

    yield from play([], 1.0)
