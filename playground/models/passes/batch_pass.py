"""A forward pass of one sequence in a batch: it waits until it can be made together with those of the others."""

from collections.abc import Callable

import torch

from playground.errors import PlaygroundError
from playground.models.language_model import LanguageModel
from playground.models.modes import own_modes
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.slots import Part, PooledSlots, SlotPool
from playground.models.reading import synchronise

Logits = torch.Tensor
Answer = Logits | BaseException  # logits, or why there are none
Ask = Callable[[Part], torch.Tensor]  # the logits at a part's rows


class BatchPass:
    """The pass of one model for one sequence, over slots that it has in a pool."""

    def __init__(self, lean: LeanPass, pool: SlotPool, ask: Ask) -> None:
        self.name, self.is_halved = f"{lean.name}, in a batch", lean.is_halved
        self._pool, self._ask = pool, ask

    def slots(self) -> PooledSlots:
        """Room for the keys and values of one tree."""
        return self._pool.slots()

    def run(
        self, slots: PooledSlots, tokens: list[int], positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens; see `ForwardPass.run`."""
        return self._ask(Part(slots, tokens, positions, mask, rows))


class BatchModel:
    """A language model that reads several sequences in one pass."""

    def __init__(self, model: object) -> None:
        """Take a model.

        Raises:
            PlaygroundError: if its pass reads one sequence at a time.
        """
        if not (isinstance(model, LanguageModel) and isinstance(model.forward_pass, LeanPass)):
            raise PlaygroundError(
                f"{getattr(model, 'name', 'This model')} reads one sequence at a time. For a batch choose models of "
                "the families Llama, Mistral, Qwen 2 or Qwen 3, the draft with a model of its own."
            )
        self._model, self._lean = model, model.forward_pass
        self._pool = SlotPool(self._lean.slots())

    def alone(self, ask: Ask) -> LanguageModel:
        """Return the model for one sequence, whose passes go through `ask`."""
        return self._model.by(BatchPass(self._lean, self._pool, ask))

    @own_modes
    @torch.inference_mode()
    def run(self, parts: list[Part]) -> list[torch.Tensor]:
        """Return the logits at the rows of each part, (len(rows), V), once the device has computed them."""
        logits = self._lean.run_batch(self._pool, parts)
        synchronise(self._model.device)
        return logits
