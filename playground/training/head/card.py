"""The card of a drafting head. Every figure is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.files import write_file
from playground.models.bundled import HEAD
from playground.models.drafters.head import WEIGHTS
from playground.training.card import FRONT, UNTITLED, acceptance_table

CARD = """---
{about}tags:
  - speculative-decoding
  - draft-model
  - from-scratch
---

# {title}: a head that drafts

One decoder layer of {parameters:,} parameters, {megabytes:.2f} MB in bfloat16, that reads what the
[target](../target/README.md) has made of its text: at every place the embedding of the token that came, and what the
target's last norm handed to its output layer one place before. Its answer goes through the target's own output layer.
It drafts for that target and for no other, and is no language model of its own; transformers does not load it, the
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

The pair's [draft model](../draft/README.md), which has {draft:,} parameters, its own embedding among them, is accepted
{draft_1:.3f} of the time there, and on text written by the target {draft_own_1:.3f}.

Papers: Li et al. 2024, EAGLE, arXiv 2401.15077; Zhang et al. 2024, HASS, arXiv 2408.15766; Li et al. 2025, EAGLE-3,
arXiv 2503.01840. Made by `python -m playground train head`.

## Training data

{data}
"""
GOALS = {
    "divergence": "KL divergence from the target's distribution, over {steps} steps of the head's own guesses",
    "features": "smooth L1 distance from the target's features, and 0.1 times the cross-entropy",
}


def write_head_card(folder: Path, made: dict[str, Any], measured: dict[str, Any]) -> None:
    """Write `README.md` beside the head's weights.

    Args:
        folder: with the models `target` and `head`.
        made: how they were trained.
        measured: of the pair, and under "head" of the head.
    """
    run, numbers, draft = made["head"], measured["head"], measured["draft"]
    held, own = numbers["on_held_out_text"], numbers["on_text_of_the_target"]
    card = CARD.format(
        about="".join(f"{key}: {made[name]}\n" for key, name in FRONT.items() if name in made),
        title=made.get("title", UNTITLED),
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
        acceptance=acceptance_table(held, own),
        by_step=", ".join(f"{each:.3f}" for each in numbers["accepted_by_step"]),
        draft=draft["parameters"],
        draft_1=measured["on_held_out_text"]["acceptance_1.0"],
        draft_own_1=measured["on_text_of_the_target"]["acceptance_1.0"],
        data=made["data"],
    )
    write_file(folder / HEAD / "README.md", lambda file: file.write(card.encode()))
