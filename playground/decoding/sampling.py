"""From logits to probabilities, and from probabilities to a token.

Probabilities are float32 at least, whatever the model computes in, and the row a draft was drawn from is the row its
verification uses: a row warped twice may differ in its last bit, and that already breaks losslessness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import torch

from playground.errors import PlaygroundError

MAX_TEMPERATURE = 10.0


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model's logits become the distribution that is sampled: temperature, then top-k, then top-p.

    Attributes:
        temperature: 0 puts all mass on the most likely token.
        top_k: keep the k most likely tokens; 0 keeps all.
        top_p: keep the fewest most likely tokens whose mass reaches p; 1 keeps all.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= MAX_TEMPERATURE:
            raise PlaygroundError(
                f"Temperature {self.temperature} is out of range. Choose 0 (greedy) to {MAX_TEMPERATURE:g}."
            )
        if not self.top_k >= 0 or (isinstance(self.top_k, float) and not self.top_k.is_integer()):
            raise PlaygroundError(f"top-k {self.top_k} is not a number of tokens. Choose 0 (off) or more.")
        if not 0 < self.top_p <= 1:
            raise PlaygroundError(f"top-p {self.top_p} is out of range. Choose more than 0, up to 1 (off).")

    def probs(self, logits: torch.Tensor) -> torch.Tensor:
        """Warp each row of logits into a distribution.

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
            # exactly k survive, ties too: topk names the winners, a threshold would let equals in
            top = logits.topk(int(self.top_k), dim=-1)
            logits = torch.full_like(logits, -torch.inf).scatter_(-1, top.indices, top.values)
        probs = torch.softmax(logits, -1)
        return probs if self.top_p == 1 else _nucleus(probs, self.top_p)

    def as_dict(self) -> dict[str, float]:
        """Plain values for the trace."""
        return asdict(self)


def _nucleus(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Keep the fewest tokens that reach the mass `top_p`, the one that crosses it included, and renormalise."""
    ordered, order = probs.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(-1) - ordered
    kept = torch.where(before < top_p, ordered, 0.0)
    kept = torch.zeros_like(probs).scatter_(-1, order, kept)
    return kept / kept.sum(-1, keepdim=True)


def categorical(probs: torch.Tensor, coin: float) -> int:
    """The token at which the cumulative distribution first exceeds the coin.

    Args:
        probs: (V,), non-negative, with a positive sum.
        coin: uniform in [0, 1).
    """
    return int(torch.searchsorted(_cumulative(probs), coin, right=True))


def categoricals(probs: torch.Tensor, coins: Sequence[float]) -> list[int]:
    """The same for several coins: independent draws from one distribution, which is summed up once."""
    cumulative = _cumulative(probs)
    asked = torch.tensor(coins, dtype=cumulative.dtype, device=cumulative.device)
    return torch.searchsorted(cumulative, asked, right=True).tolist()


def _cumulative(probs: torch.Tensor) -> torch.Tensor:
    """(V,) rising to 1."""
    cumulative = probs.double().cumsum(-1)
    # divided by its own end, the last entry is exactly 1, above every coin: a token without mass is never drawn
    cumulative /= cumulative[-1].clone()
    return cumulative
