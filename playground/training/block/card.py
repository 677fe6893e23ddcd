"""The card of a block drafter. Every figure is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.models.bundled import BLOCK
from playground.models.drafters.block import WEIGHTS
from playground.training.pair.card import front, title_of

CARD = """---
{front}tags:
  - speculative-decoding
  - draft-model
  - from-scratch
---

# {title}: a block drafter

A block of {layers} decoder layers and a low-rank bias, {parameters:,} parameters, {megabytes:.2f} MB in bfloat16.
It reads what the [target](../target/README.md) has made of its text, and drafts {positions} positions in one call. It
drafts for that target and for no other, and is not a language model of its own; transformers does not load it, the
playground does: `--drafter block`, `block-markov` with the bias, `block-confidence` with the draft length that
its confidence sets.

| | |
|---|---|
| layers | {layers}, width {width}, {heads} heads, feed-forward {feed_forward}; the rest is the target's |
| Markov bias | rank {rank} |
| trained by | KL divergence from the target, with and without the bias; {tokens_per_step:,} tokens a step |
| read | {tokens:.2f} million tokens in {step:,} steps, of {kept:.2f} million whose features were kept |
| machine and time | {hours:.2f} core-hours of {machine} |

Acceptance of speculative sampling at each position, the mean of sum min(p, q) at temperature 1, exactly, the tokens
before being the text's:

{rows}
Papers: DFlash, arXiv 2602.06036; DSpark, arXiv 2607.05147. Made by `python -m playground train block`.

## Training data

{data}
"""
TEXTS = {"on_held_out_text": "the held-out text", "on_text_of_the_target": "text written by the target"}
KINDS = {"base": "without the bias", "with_bias": "with the bias", "confidence": "predicted by the confidence"}


def positions_table(measured: dict[str, Any]) -> str:
    """Return acceptance at temperature 1 by position: without and with the Markov bias, and as predicted."""
    count = len(measured["on_held_out_text"]["base"])
    rows = [f"| contexts | {' | '.join(map(str, range(1, count + 1)))} |\n", f"|{' --- |' * (count + 1)}\n"]
    for where, text in TEXTS.items():
        for name, kind in KINDS.items():
            rates = " | ".join(f"{rate:.3f}" for rate in measured[where][name])
            rows.append(f"| {text}, {kind} | {rates} |\n")
    return "".join(rows)


def block_card(folder: Path, record: dict[str, Any], evaluation: dict[str, Any]) -> str:
    """Return the card of the block drafter in a folder of models, beside its target.

    Args:
        folder: with the models `target` and `block`.
        record: how they were trained.
        evaluation: figures of the block drafter under "block".
    """
    run, numbers = record["block"], evaluation["block"]
    return CARD.format(
        front=front(record),
        title=title_of(record),
        parameters=numbers["parameters"],
        megabytes=(folder / BLOCK / WEIGHTS).stat().st_size / 1e6,
        **{name: run["shape"][name] for name in ("layers", "width", "heads", "feed_forward", "positions", "rank")},
        tokens_per_step=run["plan"]["tokens_per_step"],
        tokens=run["tokens"] / 1e6,
        step=run["step"],
        kept=int(run["about"]["num_tokens"]) / 1e6,
        hours=run["cpu_s"] / 3600,
        machine=run["machine"],
        rows=positions_table(numbers),
        data=record["data"],
    )
