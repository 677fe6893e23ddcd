"""Logit bias and penalties: they change a row by the tokens on its own path, before it is warped.

    logit bias       x[t] + bias                                     of the tokens that are named
    repetition       x[t] / penalty if x[t] > 0 else x[t] * penalty  of every token in the prompt or the text
    presence         x[t] - penalty                                  of every token in the text
    frequency        x[t] - penalty * count                          of every token in the text

x is a row of logits, and the lines are in the order applied. The path of a draft's node is the prompt, the text so far
and the drafted tokens above the node: no sibling, and nothing that was rejected. A row penalised by another path is the
row of another model, and a test against it is not lossless.

Sources: repetition, Keskar et al. 2019, CTRL, arXiv 1909.05858, with both signs as transformers has it; presence and
    frequency, the OpenAI API. The order of bias and repetition is that of transformers' `generate`, which does not know
    the other two and applies a caller's own processors behind its own.
Differs from transformers: beam search there penalises log-probabilities. Here the logits are penalised whatever the
    method, so that a row stays a distribution. For all but repetition that is `renormalize_logits=True` there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from playground.errors import PlaygroundError
from playground.words import word

if TYPE_CHECKING:
    import torch

MOST_BIASED, LARGEST_BIAS = 300, 1000.0


@cache
def read_bias(text: str) -> dict[int, float]:
    """Parse a logit bias, "198=-5, 50=2": token -> what is added to its logit.

    Raises:
        PlaygroundError: if it is not written so, a token is named twice, or a value is out of range.
    """
    bias: dict[int, float] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        token, _, value = entry.partition("=")
        try:
            number, added = int(token), float(value)
        except ValueError:
            raise PlaygroundError(word("refused_bias", entry=repr(entry[:40]))) from None
        if number < 0 or number in bias or not abs(added) <= LARGEST_BIAS:
            raise PlaygroundError(
                word("refused_bias_range", entry=repr(entry[:40]), low=f"{-LARGEST_BIAS:g}", high=f"{LARGEST_BIAS:g}")
            )
        bias[number] = added
    if len(bias) > MOST_BIASED:
        raise PlaygroundError(word("refused_many_biased", count=f"{len(bias):,}", most=MOST_BIASED))
    return bias


def penalise(
    logits: torch.Tensor,
    counts: Sequence[Mapping[int, int]],
    *,
    bias: Mapping[int, float],
    repetition: float,
    presence: float,
    frequency: float,
) -> torch.Tensor:
    """Return a copy of the rows with bias and penalties. (n, V)

    Args:
        logits: (n, V), float32 or better.
        counts: for each row, the tokens on its path: how often the run has written each, 0 where only the prompt has
            it. Empty where no penalty is set. (n,)
        bias: token -> what is added to its logit.
        repetition, presence, frequency: penalties; 1, 0 and 0 are off.
    """
    import torch

    logits = logits.clone()
    if bias:
        logits[:, list(bias)] += torch.tensor(list(bias.values()), dtype=logits.dtype, device=logits.device)
    if not counts:
        return logits
    sizes = torch.tensor([len(row) for row in counts], device="cpu")
    indices = torch.arange(len(counts), device="cpu")
    rows = torch.repeat_interleave(indices, sizes).to(logits.device)  # (m,), m tokens of all paths
    tokens = torch.tensor(list(chain.from_iterable(counts)), device=logits.device)  # (m,)
    written = torch.tensor(
        list(chain.from_iterable(row.values() for row in counts)), dtype=logits.dtype, device=logits.device
    )  # (m,)
    x = logits[rows, tokens]
    x = torch.where(x < 0, x * repetition, x / repetition)
    logits[rows, tokens] = x - presence * written.sign() - frequency * written
    return logits
