"""Judge one layer of i.i.d. drafts each for itself: K outputs out of N draws, without a memory of what was rejected.

A draw is accepted with min(1, p/q), whatever became of the others. The first K accepted are the outputs; if there are
fewer, the others are drawn from the residual norm(max(0, p - q)), or from p where not even a draw was there for them.

With N = K every output is a draw of its own, accepted or replaced by the residual: speculative sampling K times over,
so the outputs are independent draws from p, once their order is forgotten. With more draws than outputs, accepted draws
crowd out residual ones, and accepted draws follow min(p, q) / alpha, not p: that is the price of more layers accepted
whole. The paper also strikes the accepted draws out of the residual. Then outputs coincide less often than independent
draws do, and the law is another one even with N = K.

Source: Lin et al. 2024, arXiv 2410.05165, Algorithm 2. Line 14 there prints > K, which K draws can never reach; at
least K is meant.
"""

from __future__ import annotations

from functools import partial
from math import comb
from typing import Any

import numpy as np
import torch

from playground.decoding.verification.layer import LayerResult
from playground.decoding.verification.recursive import reject


def judge(
    target_probs: torch.Tensor,
    draft_probs: torch.Tensor,
    draws: list[int],
    num_outputs: int,
    coins: np.random.Generator,
    *,
    spare: int,
    strike: bool = False,
) -> LayerResult:
    """Test draws until `num_outputs` are accepted or that many and `spare` more have been looked at.

    Args:
        target_probs: (n,) p.
        draft_probs: (n,) q, which every draw came from.
        draws: places in these rows, in draw order.
        num_outputs: K.
        coins: where fresh coins come from.
        spare: N - K.
        strike: whether accepted draws are struck out of the residual.
    """
    offered = draws[: num_outputs + spare]
    accepted: list[int] = []
    accept_probs: list[float] = []
    flips: list[float] = []
    p, q = target_probs[offered].tolist(), draft_probs[offered].tolist()
    for place, (p_x, q_x) in enumerate(zip(p, q, strict=True)):
        if len(accepted) == num_outputs:
            break
        coin = coins.random()
        flips.append(coin)
        accept_probs.append(min(1.0, p_x / q_x))
        if coin * q_x < p_x:
            accepted.append(place)
    missing: list[torch.Tensor] = []
    if len(accepted) < num_outputs:
        rest = reject(target_probs, draft_probs)
        if strike:
            rest = struck_out(rest, [offered[place] for place in accepted])
        num_rejected = len(flips) - len(accepted)
        missing = [*[rest] * num_rejected, *[target_probs] * num_outputs][: num_outputs - len(accepted)]
    shown = partial(workings, target_probs, draft_probs, len(offered), num_outputs, len(accepted), strike=strike)
    untested = "As many draws as are looked at, or as are wanted, came before it."
    return LayerResult(accepted, accept_probs, flips, missing, untested, shown)


def struck_out(rest: torch.Tensor, places: list[int]) -> torch.Tensor:
    """The residual without these; itself where nothing else is in it. (n,)"""
    left = rest.clone()
    left[places] = 0
    mass = left.sum()
    return left / mass if float(mass) > 0 else rest


def workings(
    target_probs: torch.Tensor,
    draft_probs: torch.Tensor,
    num_draws: int,
    num_outputs: int,
    accepted: int,
    *,
    strike: bool,
) -> dict[str, Any]:
    """How a layer of N draws and K outputs stands.

    `rate`: alpha, of one draw. `whole`: how likely all outputs are drafts, so that the round goes on. `share`: the part
    of the outputs that are drafts, on average. `distance`: total variation of one output's law from p; None where
    accepted draws are struck out, which depends on the draws.
    """
    rate = min(1.0, float(torch.minimum(target_probs.double(), draft_probs.double()).sum()))
    share = expected_share(rate, num_draws, num_outputs)
    return {
        "kind": "relaxed",
        "num_draws": num_draws,
        "width": num_outputs,
        "accepted": accepted,
        "rate": rate,
        "whole": sum(_binomial(rate, num_draws, k) for k in range(num_outputs, num_draws + 1)),
        "share": share,
        "distance": None if strike else output_distance(target_probs, draft_probs, num_draws, num_outputs),
    }


def expected_share(rate: float, num_draws: int, num_outputs: int) -> float:
    """Mean of min(A, K) / K, where A of N draws are accepted: what part of the outputs are drafts."""
    return sum(_binomial(rate, num_draws, k) * min(1.0, k / num_outputs) for k in range(num_draws + 1))


def output_distance(target_probs: torch.Tensor, draft_probs: torch.Tensor, num_draws: int, num_outputs: int) -> float:
    """Total variation distance from p of the law of one output, picked blindly.

    p is alpha min(p, q) / alpha + (1 - alpha) residual; with N >= K the share of drafts stands in alpha's place.
    """
    p, q = target_probs.double(), draft_probs.double()
    covered = torch.minimum(p, q)
    rate = float(covered.sum())
    if rate == 0 or num_draws <= num_outputs:
        return 0.0
    share = expected_share(min(1.0, rate), num_draws, num_outputs)
    law = share * covered / rate + (1 - share) * reject(p, q)
    return float((law - p).abs().sum()) / 2


def _binomial(rate: float, num_draws: int, successes: int) -> float:
    return comb(num_draws, successes) * rate**successes * (1 - rate) ** (num_draws - successes)
