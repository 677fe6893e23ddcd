"""The options of a run by the names that `playground.run` and the command line share; no model library is imported."""

from __future__ import annotations

from dataclasses import dataclass

from playground.models.sampling import Sampling
from playground.options import option

MAX_NEW_TOKENS = 1024


@dataclass(frozen=True, kw_only=True)
class PlacementOptions:
    """Device and number format of models."""

    device: str = option("auto", help="auto, cpu, cuda or cuda:1; spread: over all, by the package accelerate")
    dtype: str = option(
        "auto",
        help="auto, float32, bfloat16 or float16; in 16 bits a call over many tokens rounds unlike one over a single "
        "token, and lossless is what agrees with the calls that ran; with auto, rows have 8 bits where they meet a "
        "GGUF file's blocks, as in llama.cpp",
    )
    bits: int | None = option(
        None,
        choices=(16, 8, 4),
        help="of the layers' matrices: 16, the same numbers read in half the time, on one thread of a processor, as a "
        "small pair that was saved so has by itself unless dtype says otherwise; or 8 and 4, by the packages "
        "bitsandbytes and accelerate",
    )
    draft_bits: int | None = option(
        None,
        choices=(32, 16, 8, 4),
        help="of the draft's matrices, if not as the target's; 32: in the number format of dtype",
    )


@dataclass(frozen=True, kw_only=True)
class RunOptions(Sampling, PlacementOptions):
    """All that decides a run but its method and its prompt."""

    pair: str = option("bundled", help="a pair's id, see the command pairs")
    target: str | None = option(
        None, help="Hub id, perhaps with @revision, folder, or GGUF file, here or as id:file.gguf, instead of a pair"
    )
    draft: str | None = option(None, help="the same, with a target; with another tokenizer it drafts what both know")
    other_drafts: tuple[str, ...] = option(
        (), flag="other-draft", metavar="DRAFT", help="a further draft model, besides the draft"
    )
    drafter: str = option(
        "draft",
        metavar="WORD",
        help="draft, other (the pair's other draft), foreign (its draft with another tokenizer), head (trained to read "
        "what the target made of the text), mtp (the layer for that in the target's own files), block, block-markov or "
        "block-confidence (several tokens in one call), exit4 (the target's first 4 layers), suffix (the text itself)",
    )
    seed: int = option(
        0, label="Seed", low=0, high=2**63 - 1, help="the one seed of the run: the same seed, the same tokens"
    )
    max_new_tokens: int = option(
        128, label="The number of new tokens", low=1, high=MAX_NEW_TOKENS, help="fewer come where the text ends"
    )
    chat: bool = option(False, help="the prompt is a message: the target's chat template makes a turn of it")
    allow: tuple[str, ...] = option((), help="the texts that may be written; none: any text")
    grammar: str = option(
        "",
        metavar="TEXT",
        help="a regular expression, where \\d is a digit of any script, or a JSON schema that the text has to match; "
        "none: any text",
    )
    stop: tuple[str, ...] = option(
        (), metavar="TEXT", help="end the text before it; up to 100 of them, of up to 200 letters"
    )
    layers: bool = option(False, help="the trace tells what every layer says of the drafts")
