"""The card of trained exits. Every figure is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.models.bundled import EXITS
from playground.models.drafters.trained_exit import WEIGHTS
from playground.training.pair.card import front, title_of

CARD = """---
{front}tags:
  - speculative-decoding
  - early-exit
  - from-scratch
---

# {title}: exits of the target

The first layers of the [target](../target/README.md) draft for the whole of it, and its last norm and output layer,
which were made for the last layer, say what comes next. In front of those stand, for each of these depths, a norm and
a matrix of rank {rank} that were trained to let them say what the last layer will: {parameters:,} parameters in all,
{kilobytes:.0f} kB in bfloat16. The target's own weights are as they were, so its text is, too. They fit that target
and no other; transformers does not load them, the playground does: `--drafter exit{deepest}`.

| | |
|---|---|
| depths | {depths} of {layers} layers |
| trained by | KL divergence from the target's own distribution; Muon and AdamW, {a_step:,} tokens a step |
| read | {tokens:.2f} million tokens in {step:,} steps |
| machine and time | {hours:.2f} core-hours of {machine} |

How often speculative sampling accepts a token drafted after so many layers at temperature 1, the mean of
sum min(p, q), exactly, with the exit as it is without training and as it is here:

{table}
Source: Belrose et al. 2023, the tuned lens, arXiv 2303.08112. Made by `python -m playground train exits`.

## Training data

{data}
"""


def exits_card(folder: Path, record: dict[str, Any], evaluation: dict[str, Any]) -> str:
    """Return the card of the exits in a folder of models, beside their target.

    Args:
        folder: with the models `target` and `exits`.
        record: how they were trained, under "exits".
        evaluation: their figures, under "exits".
    """
    run, measured = record["exits"], evaluation["exits"]
    depths = run["about"]["depths"].split(",")
    return CARD.format(
        front=front(record),
        title=title_of(record),
        rank=run["shape"]["feed_forward"],
        parameters=measured["parameters"],
        kilobytes=(folder / EXITS / WEIGHTS).stat().st_size / 1e3,
        deepest=depths[-1],
        depths=", ".join(depths),
        layers=run["shape"]["layers"],
        a_step=run["plan"]["tokens_per_step"],
        tokens=run["tokens"] / 1e6,
        step=run["step"],
        hours=run["cpu_s"] / 3600,
        machine=run["machine"],
        table=depths_table(measured),
        data=record["data"],
    )


def depths_table(measured: dict[str, Any]) -> str:
    """Return acceptance at temperature 1 by depth, before and after training."""
    held, own = measured["on_held_out_text"], measured["on_text_of_the_target"]
    rows = [
        "| exit after | held-out text, untrained | trained | text of the target, untrained | trained |\n",
        "| --- | --- | --- | --- | --- |\n",
    ]
    for depth in held["trained"]:
        figures = [text[kind][depth]["acceptance_1.0"] for text in (held, own) for kind in ("untrained", "trained")]
        rows.append(f"| {depth} layers | {' | '.join(f'{each:.3f}' for each in figures)} |\n")
    return "".join(rows)
