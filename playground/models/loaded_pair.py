"""Models that run together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playground.models.forward import Model
    from playground.models.language_model import LanguageModel


@dataclass(frozen=True, slots=True)
class LoadedPair:
    """Models ready to run: a target, its draft and further drafts, all speaking the target's tokens."""

    target: LanguageModel
    draft: Model | None
    others: tuple[Model, ...] = ()
