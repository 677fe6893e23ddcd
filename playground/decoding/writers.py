"""Who writes the draws of one node: a draft model at some temperature, or several models and temperatures.

Any draft law is lossless, for a draw is judged by the very row it came from. A hotter draft spreads several draws over
more tokens; another draft model may know what the first one does not.

Sources: Khisti et al. 2025, Multi-Draft Speculative Sampling, arXiv 2410.18234: hotter drafts in its experiments,
drafts with laws of their own in appendix G. Miao et al. 2024, SpecInfer, arXiv 2305.09781: several draft models.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from playground.decoding.method import option
from playground.decoding.round import Reader, Setting
from playground.decoding.sampling import MAX_TEMPERATURE, Sampling

MOST_MODELS = 4


class Writer(NamedTuple):
    """What a draw's law is read from.

    Attributes:
        model: a draft model.
        sampling: how it is sampled.
    """

    model: Reader
    sampling: Sampling


def plain_writer(setting: Setting) -> Writer:
    """The draft model, sampled as the target is."""
    return Writer(setting.draft_model, setting.draft_model.sampling)


def writers(
    setting: Setting, num_draws: int = 1, *, factor: float = 1.0, spread: float = 1.0, begin: int = 0
) -> list[Writer]:
    """Who writes each of K draws: the run's draft models in turn.

    Args:
        setting: the round's setting.
        num_draws: K.
        factor: the first draw's temperature over the run's.
        spread: the last draw's temperature over the first one's; those between follow in equal ratios.
        begin: which model's turn is first.

    Returns:
        K writers, none hotter than the hottest that a run may have.
    """
    models, steps = setting.draft_models, max(1, num_draws - 1)
    sampling = setting.draft_model.sampling
    ratios = [factor * spread ** (draw / steps) for draw in range(num_draws)]
    hot = [replace(sampling, temperature=min(MAX_TEMPERATURE, sampling.temperature * ratio)) for ratio in ratios]
    return [Writer(models[(begin + draw) % len(models)], each) for draw, each in enumerate(hot)]


def models_option() -> Any:
    """The field of `Options` for the number of draft models."""
    return option(
        1,
        label="Draft models",
        help="The draws below a node go round so many draft models of the pair.",
        low=1,
        high=MOST_MODELS,
    )


def factor_option() -> Any:
    """The field of `Options` for `writers`' factor."""
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
    """The field of `Options` for `writers`' spread."""
    return option(
        1.0,
        label="Temperature spread",
        help="The last draw's draft temperature over the first one's; 1: all draws have one law.",
        low=0.25,
        high=4.0,
        step=0.05,
        unit="x",
    )
