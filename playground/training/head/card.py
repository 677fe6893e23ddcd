"""The card of a drafting head. Every figure is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.models.bundled import HEAD
from playground.models.drafters.head import WEIGHTS
from playground.training.pair.card import acceptance_table, front, title_of

CARD = """---
{front}tags:
  - speculative-decoding
  - draft-model
  - from-scratch
---

# {title}: a head that drafts

One decoder layer of {parameters:,} parameters, {megabytes:.2f} MB in bfloat16, that reads what the
[target](../target/README.md) has made of its text: at every place the embedding of the token that came, and what the
target's last norm handed to its output layer one place before. Its answer goes through the target's own output layer.
It drafts for that target and for no other, and is not a language model of its own; transformers does not load it, the
playground does: `--drafter head`.

| | |
|---|---|
| layer | width {width}, {heads} heads, feed-forward {feed_forward}; embedding and output layer are the target's |
| trained by | {goal}; Muon and AdamW, {tokens_per_step:,} tokens a step |
| read | {tokens:.2f} million tokens in {step:,} steps, of {kept:.2f} million whose features were kept |
| machine and time | {hours:.2f} core-hours of {machine} |

How often speculative sampling accepts what it drafts, the mean of sum min(p, q), exactly:

{acceptance}
That is its first token behind what the target has read. The further ones, which it drafts from its own guesses, on the
held-out text at temperature 1: {by_step}.
{draft}
Papers: Li et al. 2024, EAGLE, arXiv 2401.15077; Zhang et al. 2024, HASS, arXiv 2408.15766; Li et al. 2025, EAGLE-3,
arXiv 2503.01840. Made by `python -m playground train head`.

## Training data

{data}
"""
DRAFT = """
The pair's [draft model](../draft/README.md), which has {size:,} parameters, its own embedding among them, is accepted
{held:.3f} of the time there, and on text written by the target {own:.3f}.
"""
GOALS = {
    "divergence": "KL divergence from the target's distribution, over {steps} steps of the head's own guesses",
    "features": "smooth L1 distance from the target's features, and 0.1 times the cross-entropy",
}


def head_card(folder: Path, record: dict[str, Any], evaluation: dict[str, Any]) -> str:
    """Return the card of the head in a folder of models, beside its target.

    Args:
        folder: with the models `target` and `head`.
        record: how they were trained.
        evaluation: figures of the head under "head", and of the pair where it was measured.
    """
    run, numbers = record["head"], evaluation["head"]
    return CARD.format(
        front=front(record),
        title=title_of(record),
        parameters=numbers["parameters"],
        megabytes=(folder / HEAD / WEIGHTS).stat().st_size / 1e6,
        **{name: run["shape"][name] for name in ("width", "heads", "feed_forward")},
        goal=GOALS[run["about"]["objective"]].format(**run["about"]),
        tokens_per_step=run["plan"]["tokens_per_step"],
        tokens=run["tokens"] / 1e6,
        step=run["step"],
        kept=int(run["about"]["num_tokens"]) / 1e6,
        hours=run["cpu_s"] / 3600,
        machine=run["machine"],
        acceptance=acceptance_table(numbers["on_held_out_text"], numbers["on_text_of_the_target"]),
        by_step=", ".join(f"{each:.3f}" for each in numbers["accepted_by_step"]),
        draft=_draft(evaluation),
        data=record["data"],
    )


def _draft(evaluation: dict[str, Any]) -> str:
    """Return the pair's draft model beside the head; nothing where the pair was not measured."""
    if "draft" not in evaluation:
        return ""
    held, own = (evaluation[text]["acceptance_1.0"] for text in ("on_held_out_text", "on_text_of_the_target"))
    return DRAFT.format(size=evaluation["draft"]["parameters"], held=held, own=own)
