"""From logits to probabilities: temperature, top-k, top-p and min-p, on the device that the logits are on.

Probabilities are float32 at least, whatever the model computes in. The row that a draft was drawn from is the row that
its verification uses: a row warped twice may differ in its last bit, and that already breaks losslessness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from playground.errors import PlaygroundError
from playground.models.penalties import penalise, read_bias

MAX_TEMPERATURE = 10.0
MAX_PENALTY = 10.0
ALWAYS = ("temperature", "top_k", "top_p")  # in every trace
NUMBERS = (*ALWAYS, "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty")  # all but the bias
SELECT_FROM = 4096  # tokens of a vocabulary; rows of fewer are sorted sooner than a part of them is selected


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling settings, in the order of transformers: bias and penalties, temperature, top-k, top-p, min-p."""

    temperature: float = 1.0  # 0 puts all mass on the most likely token
    top_k: int = 0  # keep the k most likely tokens; 0 keeps all
    top_p: float = 1.0  # keep the fewest most likely tokens whose mass reaches p; 1 keeps all
    min_p: float = 0.0  # keep the tokens with at least this share of the likeliest one's probability; 0 keeps all
    repetition_penalty: float = 1.0  # 1 is off; of this and the following see penalties.py
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: str = ""

    def __post_init__(self) -> None:
        for name in NUMBERS:
            if isinstance(value := getattr(self, name), bool) or not isinstance(value, int | float):
                raise PlaygroundError(f"{name} must be a number, not {value!r:.40}.")
        if not 0 <= self.temperature <= MAX_TEMPERATURE:
            raise PlaygroundError(
                f"Temperature {self.temperature} is out of range. Choose 0 (greedy) to {MAX_TEMPERATURE:g}."
            )
        if not self.top_k >= 0 or (isinstance(self.top_k, float) and not self.top_k.is_integer()):
            raise PlaygroundError(f"top-k {self.top_k} is not a number of tokens. Choose 0 (off) or more.")
        if not 0 < self.top_p <= 1:
            raise PlaygroundError(f"top-p {self.top_p} is out of range. Choose more than 0, up to 1 (off).")
        if not 0 <= self.min_p <= 1:
            raise PlaygroundError(f"min-p {self.min_p} is out of range. Choose 0 (off) to 1.")
        if not 0 < self.repetition_penalty <= MAX_PENALTY:
            raise PlaygroundError(
                f"The repetition penalty {self.repetition_penalty} is out of range. Choose more than 0, up to "
                f"{MAX_PENALTY:g}; 1 is off."
            )
        for name in ("presence", "frequency"):
            if not abs(value := getattr(self, f"{name}_penalty")) <= MAX_PENALTY:
                raise PlaygroundError(
                    f"The {name} penalty {value} is out of range. Choose {-MAX_PENALTY:g} to {MAX_PENALTY:g}; 0 is off."
                )
        if not isinstance(self.logit_bias, str):
            raise PlaygroundError(f"logit_bias must be a text such as 198=-5, 50=2, not {self.logit_bias!r:.40}.")
        read_bias(self.logit_bias)  # refuses what cannot be read

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Sampling:
        """Return the settings of `as_dict`, or of a form's fields.

        Raises:
            PlaygroundError: if one is unknown, as of a later version, or out of range.
        """
        if unknown := [name for name in values if name not in OFF]:
            raise PlaygroundError(f"This version samples without {unknown[0]!r:.40}. Update the playground.")
        return cls(**values)

    @property
    def counts_tokens(self) -> bool:
        """True if a row depends on the tokens on its path."""
        return bool(self.repetition_penalty != 1 or self.presence_penalty or self.frequency_penalty)

    @property
    def penalises(self) -> bool:
        """True if a row of logits is changed before it is warped."""
        return self.counts_tokens or bool(self.logit_bias)

    @property
    def is_plain(self) -> bool:
        """True if at most the temperature changes a row."""
        return replace(self, temperature=1.0) == Sampling()

    def penalise(self, logits: torch.Tensor, counts: Sequence[Mapping[int, int]]) -> torch.Tensor:
        """Return logits with bias and penalties, each row by the token counts of its path. (n, V)"""
        return penalise(
            logits,
            counts,
            bias=read_bias(self.logit_bias),
            repetition=self.repetition_penalty,
            presence=self.presence_penalty,
            frequency=self.frequency_penalty,
        )

    def probs(self, logits: torch.Tensor) -> torch.Tensor:
        """Distributions after temperature, top-k, top-p and min-p.

        Args:
            logits: (n, V).

        Returns:
            (n, V), float32 or better; rows sum to 1.
        """
        if logits.dtype not in (torch.float32, torch.float64):
            logits = logits.float()
        if self.temperature == 0:
            best = logits.argmax(-1, keepdim=True)
            return torch.zeros_like(logits).scatter_(-1, best, 1.0)
        if self.temperature < 1e-4:  # the quotients could overflow, so take those of the differences to the largest
            logits = (logits - logits.amax(-1, keepdim=True)) / max(self.temperature, 1e-30)
        elif self.temperature != 1:
            logits = logits / self.temperature
        if 0 < self.top_k < logits.shape[-1]:
            # exactly k tokens survive, also in a tie, where a threshold on the logits would let more in
            top = logits.topk(int(self.top_k), dim=-1)
            logits = torch.full_like(logits, -torch.inf).scatter_(-1, top.indices, top.values)
        probs = torch.softmax(logits, -1)
        if self.top_p < 1:
            probs = _nucleus(probs, self.top_p)
        return probs if self.min_p == 0 else _near_likeliest(probs, self.min_p)

    def probs_on_host(self, logits: NDArray[Any]) -> NDArray[Any]:
        """`probs` of logits that are on the host. (n, V)"""
        return self.probs(torch.from_numpy(logits)).numpy()

    def as_dict(self) -> dict[str, float | str]:
        """Temperature, top-k and top-p, and of the others those that are not off: for traces and files."""
        return {name: value for name, value in asdict(self).items() if name in ALWAYS or value != OFF[name]}


OFF = asdict(Sampling())


def _near_likeliest(probs: torch.Tensor, min_p: float) -> torch.Tensor:
    """Return the tokens of at least `min_p` times the row's largest probability, renormalised. (n, V)"""
    likely = probs.masked_fill(probs < min_p * probs.amax(-1, keepdim=True), 0.0)
    return likely.div_(likely.sum(-1, keepdim=True))


def _nucleus(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Return the fewest tokens that reach the mass `top_p`, with the one that crosses it, renormalised. (n, V)

    Of equal tokens the first ones count as the more likely.
    """
    by_selection = probs.device.type == "cpu" and probs.shape[-1] >= SELECT_FROM
    nucleus = (_nucleus_by_selection if by_selection else _nucleus_by_sorting)(probs, top_p)
    return nucleus.div_(nucleus.sum(-1, keepdim=True))


def _nucleus_by_sorting(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Return the nucleus with its probabilities, zeros elsewhere, by a sort of whole rows. (n, V)"""
    sorted_probs, order = probs.sort(dim=-1, descending=True, stable=True)  # (n, V) both
    mass_before = sorted_probs.cumsum(-1) - sorted_probs  # (n, V)
    nucleus = torch.where(mass_before < top_p, sorted_probs, 0.0)
    return torch.zeros_like(probs).scatter_(-1, order, nucleus)  # (n, V), in the order of the vocabulary


def _nucleus_by_selection(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Return the tokens of the nucleus with their probabilities, zeros elsewhere, row by row. (n, V)

    Equal to `_nucleus_by_sorting` in every bit.
    """
    nucleus = probs.numpy(force=True).copy()
    for row in nucleus:
        least, size = _least_of_nucleus(row, top_p)
        ties, above = np.flatnonzero(row == least), row > least
        row *= above
        row[ties[: size - np.count_nonzero(above)]] = least
    return torch.from_numpy(nucleus)


def _least_of_nucleus(row: NDArray[Any], top_p: float) -> tuple[float, int]:
    """Probability of the nucleus' least likely token, and the number of its tokens.

    All tokens of at most (1 - top_p) / V have no more than 1 - top_p together, so the others hold the nucleus, and only
    they are sorted; most often those above the mean of all tokens suffice. Where rounding leaves the end of the nucleus
    outside, the whole row is sorted.
    """
    size = len(row)
    for bound in (1 / size, (1 - top_p) / (2 * size), -1.0):
        likely = np.sort(row.compress(~(row <= bound)))[::-1]  # a dead end's row is not numbers, and stays whole
        # summed in float64 and rounded, as torch does
        mass_before = likely.cumsum(dtype=np.float64).astype(row.dtype) - likely
        num_tokens = int(np.count_nonzero(mass_before < top_p))
        if num_tokens < len(likely) or len(likely) == size:
            break
    return likely[num_tokens - 1], num_tokens
