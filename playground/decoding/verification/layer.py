"""Judge one layer of i.i.d. drafts when several outputs are wanted: the outputs are i.i.d. from the target's law.

One draft after the other is offered to the output at hand: accepted with min(1, r/q), where r begins as p; a rejection
leaves r := norm(max(0, r - q)), an acceptance starts the next output afresh with r := p. When the drafts run out, the
output at hand is drawn from r and the others from p. Each output has law p whatever came before, by the argument of
speculative sampling over and over, so together they are independent draws from p.

Source: Qin et al. 2024, arXiv 2409.16560, Algorithm 1 and Theorem 3.1. Line 17 there prints the ratio the other way
round; the proof and this have p over q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from playground.decoding.verification.recursive import reject

if TYPE_CHECKING:
    from playground.decoding.round import Workings


@dataclass(frozen=True, slots=True)
class LayerResult:
    """What became of one layer's draws.

    Attributes:
        accepted: places of the accepted draws, in draw order.
        accept_probs, coins: of the draws that were tested: the first ones.
        missing: (n,) each, what the outputs that are missing still are drawn from, one after the other.
        untested: why the other draws were not tested.
        workings: what a lens may show of this layer, with its "kind"; the forest adds the "layer".
    """

    accepted: list[int]
    accept_probs: list[float]
    coins: list[float]
    missing: list[torch.Tensor]
    untested: str = "Enough beams were accepted before it."
    workings: Workings | None = None


# (p (n,), q (n,), draws as places in these rows, outputs wanted at least, stream of coins) -> what became of them
Rule = Callable[[torch.Tensor, torch.Tensor, list[int], int, np.random.Generator], LayerResult]


def judge_layer(
    target_probs: torch.Tensor,
    draft_probs: torch.Tensor,
    draws: list[int],
    num_outputs: int,
    coins: np.random.Generator,
) -> LayerResult:
    """Test draws until `num_outputs` are accepted or none is left.

    Args:
        target_probs: (n,) p.
        draft_probs: (n,) q, which every draw came from.
        draws: places in these rows, in draw order.
        num_outputs: how many are wanted.
        coins: where fresh coins come from.
    """
    rest = target_probs
    accepted: list[int] = []
    accept_probs: list[float] = []
    flips: list[float] = []
    for place, x in enumerate(draws):
        if len(accepted) == num_outputs:
            break
        coin, r_x, q_x = coins.random(), float(rest[x]), float(draft_probs[x])
        flips.append(coin)
        accept_probs.append(min(1.0, r_x / q_x))
        if coin * q_x < r_x:
            accepted.append(place)
            rest = target_probs
        else:
            rest = reject(rest, draft_probs)
    missing = [rest, *[target_probs] * num_outputs][: num_outputs - len(accepted)]
    return LayerResult(accepted, accept_probs, flips, missing)
