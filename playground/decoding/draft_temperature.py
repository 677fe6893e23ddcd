"""Draft temperatures: how hot the draft model is sampled, and how the draws of one node may differ in it.

Any draft law is lossless, for a draw is judged by the very row it came from. A hotter draft spreads several draws over
more tokens.

Source: Khisti et al. 2025, Multi-Draft Speculative Sampling, arXiv 2410.18234: hotter drafts in its experiments, drafts
with laws of their own in appendix G.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playground.decoding.method import option
from playground.decoding.sampling import MAX_TEMPERATURE, Sampling

if TYPE_CHECKING:
    from playground.decoding.round import Setting


def tempered(setting: Setting, num_draws: int = 1, *, factor: float = 1.0, spread: float = 1.0) -> list[Sampling]:
    """How the draft model is sampled for each of K draws.

    Args:
        setting: the round's setting.
        num_draws: K.
        factor: the first draw's temperature over the run's.
        spread: the last draw's temperature over the first one's; those between follow in equal ratios.

    Returns:
        K settings, none hotter than the hottest that a run may have.
    """
    sampling, steps = setting.draft_model.sampling, max(1, num_draws - 1)
    ratios = [factor * spread ** (draw / steps) for draw in range(num_draws)]
    return [replace(sampling, temperature=min(MAX_TEMPERATURE, sampling.temperature * ratio)) for ratio in ratios]


def factor_option() -> Any:
    """The field of `Options` for `tempered`'s factor."""
    return option(
        1.0,
        label="Draft temperature factor",
        help=f"The draft samples at this multiple of the target's temperature, {MAX_TEMPERATURE:g} at most. "
        "1 keeps both equal.",
        low=0.1,
        high=4.0,
        step=0.05,
        unit="x",
    )


def spread_option() -> Any:
    """The field of `Options` for `tempered`'s spread."""
    return option(
        1.0,
        label="Temperature spread",
        help="The last draw's draft temperature over the first one's; 1: all draws have one law.",
        low=0.25,
        high=4.0,
        step=0.05,
        unit="x",
    )
