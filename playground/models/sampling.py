"""Sampling settings of a run: what they are, their ranges, and the rows that they make of logits.

The row that a draft was drawn from is the row that its verification uses: a row warped twice may differ in its last
bit, and that already breaks losslessness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from playground.errors import PlaygroundError
from playground.models.penalties import penalise, read_bias
from playground.options import Declared, option

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

MAX_TEMPERATURE = 10.0
ALWAYS = ("temperature", "top_k", "top_p")  # in every trace
NUMBERS = (*ALWAYS, "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty")  # all but the bias


@dataclass(frozen=True, slots=True)
class Sampling(Declared):
    """Sampling settings, in the order of transformers: bias and penalties, temperature, top-k, top-p, min-p."""

    temperature: float = option(
        1.0,
        label="Temperature",
        help="0 is greedy",
        low=0,
        high=MAX_TEMPERATURE,
        slider=(0, 2),
        step=0.05,
        key="temperature",
    )
    top_k: int = option(0, label="Top-k", help="the k likeliest tokens; 0 is off", low=0, high=10**6, slider=(0, 200))
    top_p: float = option(
        1.0,
        label="Top-p",
        help="the fewest likeliest tokens of this mass; 0 is the likeliest alone, 1 is off",
        low=0,
        high=1,
        slider=(0.05, 1),
        step=0.05,
    )
    min_p: float = option(
        0.0,
        label="Min-p",
        help="tokens of this share of the largest probability; 0 is off",
        low=0,
        high=1,
        slider=(0, 1),
        step=0.01,
        key="min_p",
    )
    repetition_penalty: float = option(
        1.0,
        label="Repetition penalty",
        help="of tokens in prompt or text; 1 is off",
        low=0.01,
        high=10,
        slider=(0.5, 2),
        step=0.05,
        key="repetition_penalty",
    )
    presence_penalty: float = option(
        0.0,
        label="Presence penalty",
        help="of tokens in the text; 0 is off",
        low=-10,
        high=10,
        slider=(-2, 2),
        step=0.05,
        key="presence_penalty",
    )
    frequency_penalty: float = option(
        0.0,
        label="Frequency penalty",
        help="of each time it occurs in the text; 0 is off",
        low=-10,
        high=10,
        slider=(-2, 2),
        step=0.05,
        key="frequency_penalty",
    )
    logit_bias: str = option("", help="added to the logits of token ids", metavar="TOKEN=BIAS,..")
    generation_config: str = option(
        "auto",
        help="auto: what the target's generation_config.json asks of every row is obeyed, such as suppress_tokens; "
        "none: it is left out",
    )

    def __post_init__(self) -> None:
        Declared.__post_init__(self)
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
        return replace(self, temperature=1.0, generation_config="auto") == Sampling() and not self.obeys

    @property
    def obeys(self) -> bool:
        """True if a row is changed by settings of the target's own, which a run names here in place of "auto"."""
        return self.generation_config not in ("auto", "none")

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
        from playground.models.warping import warp

        return warp(logits, temperature=self.temperature, top_k=self.top_k, top_p=self.top_p, min_p=self.min_p)

    def probs_on_host(self, logits: NDArray[Any]) -> NDArray[Any]:
        """`probs` of logits that are on the host. (n, V)"""
        import torch

        return self.probs(torch.from_numpy(logits)).numpy()

    def as_dict(self) -> dict[str, float | str]:
        """Temperature, top-k and top-p, and of the others those that are not off: for traces and files."""
        return {name: value for name, value in asdict(self).items() if name in ALWAYS or value != OFF[name]}


OFF = asdict(Sampling())
