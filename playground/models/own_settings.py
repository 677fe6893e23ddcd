"""Settings of a model's generation_config.json that change rows, obeyed by the processors of transformers.

Each row is changed by the tokens on its own path, as penalties are: `generate` writes the same greedy text, and a
sampled one has exactly the distribution of the target under these settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from playground.errors import PlaygroundError

if TYPE_CHECKING:
    import torch

AUTO, NONE = "auto", "none"  # values of the option generation_config: obeyed, left out
ONE_IS_OFF = ("repetition_penalty", "encoder_repetition_penalty", "guidance_scale", "typical_p")
NUMBER_OF_TOKEN = ("forced_bos_token_id", "forced_eos_token_id")  # Token 0 is a value of theirs.
LEFT_OUT = (
    *("guidance_scale", "encoder_repetition_penalty", "encoder_no_repeat_ngram_size", "watermarking_config"),
    *("typical_p", "epsilon_cutoff", "eta_cutoff", "top_h", "stop_strings"),
)


class _Run(NamedTuple):
    """Facts of a run that its processors depend on."""

    end_tokens: list[int]
    start: int  # tokens of the prompt
    longest: int  # tokens of prompt and text at most


def _makers() -> dict[str, Callable[[Any, _Run], Any]]:
    """Return the processor of each setting that is obeyed, in the order of `generate`."""
    from transformers.generation import logits_process as of

    return {
        "sequence_bias": lambda value, _: of.SequenceBiasLogitsProcessor(value),
        "repetition_penalty": lambda value, _: of.RepetitionPenaltyLogitsProcessor(value),
        "no_repeat_ngram_size": lambda value, _: of.NoRepeatNGramLogitsProcessor(value),
        "bad_words_ids": lambda value, run: of.NoBadWordsLogitsProcessor(value, run.end_tokens),
        "min_length": lambda value, run: of.MinLengthLogitsProcessor(value, run.end_tokens),
        "min_new_tokens": lambda value, run: of.MinNewTokensLengthLogitsProcessor(run.start, value, run.end_tokens),
        "forced_bos_token_id": lambda value, _: of.ForcedBOSTokenLogitsProcessor(value),
        "forced_eos_token_id": lambda value, run: of.ForcedEOSTokenLogitsProcessor(run.longest, value),
        "exponential_decay_length_penalty": lambda value, run: of.ExponentialDecayLengthPenalty(
            value, run.end_tokens, run.start
        ),
        "suppress_tokens": lambda value, _: of.SuppressTokensLogitsProcessor(value),
        "begin_suppress_tokens": lambda value, run: of.SuppressTokensAtBeginLogitsProcessor(value, run.start),
    }


def obeyed_settings(config: Any) -> dict[str, object]:
    """Return the settings of transformers' `GenerationConfig` that change a row and are obeyed, by name."""
    return _on(config, _makers())


def left_out_settings(config: Any) -> list[str]:
    """Return the names of those that would change a text and are left out."""
    return [*_on(config, LEFT_OUT)]


def _on(config: Any, names: Any) -> dict[str, object]:
    values = {name: getattr(config, name, None) for name in names}
    return {name: value for name, value in values.items() if not _is_off(name, value)}


def _is_off(name: str, value: Any) -> bool:
    if name in NUMBER_OF_TOKEN:
        return value is None
    return value in (None, 0, [], {}) or (name in ONE_IS_OFF and value == 1)


class OwnSettings:
    """The settings of a target, for one run."""

    def __init__(self, target: Any, prompt: Sequence[int], max_new_tokens: int, replaced: Sequence[str]) -> None:
        """Make the processors, and try them on a row.

        Args:
            target: a model with `own_settings`.
            prompt: its tokens.
            max_new_tokens: of the run.
            replaced: settings that the run has of its own.

        Raises:
            PlaygroundError: if transformers refuses a setting.
        """
        import torch

        run = _Run(sorted(target.eos_ids), len(prompt), len(prompt) + max_new_tokens)
        makers, self._processors = _makers(), []
        row = torch.zeros(1, target.vocab_size, dtype=torch.float32, device=target.device)
        for name, value in target.own_settings.items():
            if name in replaced or (not run.end_tokens and name in ("min_length", "min_new_tokens")):
                continue
            try:
                processor = makers[name](value, run)
                processor(torch.tensor([prompt], device=target.device), row)
            except Exception as error:  # transformers raises many kinds of errors on values of the file.
                reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")[:200]
                raise PlaygroundError(
                    f"The generation_config.json of {target.name} has a {name} that cannot be obeyed: {reason}. "
                    f"Correct it, or leave the file's settings out (generation_config={NONE!r})."
                ) from None
            self._processors.append(processor)

    def apply(self, logits: torch.Tensor, paths: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the rows under the settings, each by the tokens of its own path. (n, V)"""
        import torch

        rows = []
        for row, path in zip(logits.split(1), paths, strict=True):
            ids = torch.tensor([path], device=logits.device)  # (1, T)
            for processor in self._processors:
                row = processor(ids, row)
            rows.append(row)
        return torch.cat(rows)
