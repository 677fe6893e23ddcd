"""What methods with several texts share: the joint law of all beams' continuations, and the ranking of texts.

A pair (row, token) is one continuation of one beam; row counts the beams in the order they were given. A beam that
stands there twice, because two draws coincided, has two rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from playground.decoding.round import Beam, Beams
from playground.decoding.sampling import Sampling, categorical

if TYPE_CHECKING:
    import numpy as np

    from playground.decoding.round import Reader, Reading, Setting
    from playground.trace.events import Origin

Pair = tuple[int, int]


def ask(reader: Reader, nodes: list[int]) -> Reading:
    """A model's answer at these nodes, each asked once, unwarped: beams weigh whole texts, and warp their joint law."""
    return reader.read(list(dict.fromkeys(nodes)), Sampling())


def read_rows(reading: Reading, beams: list[Beam]) -> torch.Tensor:
    """Log-probability of every continuation of every beam, its own included, under the unwarped model. (B, V)"""
    row_of = {node: row for row, node in enumerate(reading.nodes)}
    rows = reading.forward.logits[[row_of[beam.node] for beam in beams]].double()  # (B, V)
    so_far = torch.tensor([beam.log_prob for beam in beams], dtype=rows.dtype, device=rows.device)
    return so_far[:, None] + torch.log_softmax(rows, -1)


def joint_law(log_probs: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """p_beam: the joint probabilities of all pairs, warped as one distribution; the whole table sums to 1. (B, V)"""
    return sampling.probs(log_probs.reshape(1, -1)).reshape(log_probs.shape)


def top_pairs(scores: torch.Tensor, num_pairs: int) -> list[Pair]:
    """The pairs with the largest scores, falling; equals by row, then by token. Impossible ones are left out."""
    flat, vocab_size = scores.flatten(), scores.shape[-1]
    least = flat.topk(min(num_pairs, flat.numel())).values[-1]
    at = torch.nonzero((flat >= least) & (flat > -torch.inf)).flatten()  # rising, so that the sort below settles ties
    order = flat[at].sort(descending=True, stable=True).indices[:num_pairs]
    return [divmod(index, vocab_size) for index in at[order].tolist()]


def extend(setting: Setting, beams: list[Beam], log_probs: torch.Tensor, pairs: list[Pair]) -> list[Beam]:
    """The beams that these pairs make, in the tree. Two draws of one pair are one node and two beams."""
    return [Beam(setting.tree.add(beams[row].node, token), float(log_probs[row, token])) for row, token in pairs]


def independent_pairs(law: torch.Tensor, num_draws: int, rng: np.random.Generator) -> list[Pair]:
    """i.i.d. draws from a table (B, V)."""
    return [divmod(categorical(law.flatten(), rng.random()), law.shape[-1]) for _ in range(num_draws)]


def search_step(setting: Setting, beams: list[Beam], reading: Reading, width: int, *, last: bool) -> list[Beam]:
    """One step of beam search: the `width` best continuations that live on, then those of the best that end.

    A text that ends takes no live one's place, so there may be more than `width`. In the last step there is no living
    on: these are then the best of all.
    """
    log_probs = read_rows(reading, beams)  # (B, V)
    return extend(setting, beams, log_probs, search_pairs(log_probs, width, setting.eos_ids, last=last))


def search_pairs(scores: torch.Tensor, width: int, eos_ids: frozenset[int], *, last: bool) -> list[Pair]:
    """The continuations that a step of beam search keeps, by their scores (B, V); see `search_step`."""
    spare = 0 if last else width * len(eos_ids)
    ranked = top_pairs(scores, width + spare)
    ended = [pair for pair in ranked[:width] if pair[1] in eos_ids]
    return [pair for pair in ranked if pair[1] not in eos_ids][:width] + ended


def settle(
    setting: Setting, beams: list[Beam], ended: list[Beam], origins: dict[int, Origin], length_penalty: float = 1.0
) -> Beams:
    """Part the texts that have just ended from those that live on, and say which of all is the best.

    Args:
        setting: the round's setting.
        beams: the new texts.
        ended: those that had ended before.
        origins: of this round's nodes, parents before children.
        length_penalty: see `score`.
    """
    tokens, eos_ids = setting.tree.tokens, setting.eos_ids
    live = [beam for beam in beams if tokens[beam.node] not in eos_ids]
    live.sort(key=lambda beam: -beam.log_prob)
    ended = ended + [beam for beam in beams if tokens[beam.node] in eos_ids]
    best = max(ended + live, key=lambda beam: score(setting, beam, length_penalty))
    return Beams(live, ended, best.node, origins)


def settle_search(
    setting: Setting,
    beams: list[Beam],
    ended: list[Beam],
    origins: dict[int, Origin],
    *,
    length_penalty: float,
    width: int,
) -> Beams:
    """The same for beam search, which keeps the best `width` ended texts and may find that it is over.

    It is over when that many have ended and the best live one is, at its present length, no better than the worst of
    them: transformers' rule for early_stopping=False.
    """
    settled = settle(setting, beams, ended, origins, length_penalty)
    settled.ended.sort(key=lambda beam: -score(setting, beam, length_penalty))
    settled.ended = settled.ended[:width]
    if settled.live and len(settled.ended) == width:
        best_live, worst_ended = (score(setting, beam, length_penalty) for beam in (settled.live[0], settled.ended[-1]))
        settled.over = best_live <= worst_ended
    return settled


def survivors(setting: Setting, settled: Beams) -> Beams:
    """Without the origins of nodes that a later step of the same round left behind; parents before children."""
    kept: set[int] = set()
    for beam in settled.live + settled.ended:
        node = beam.node
        while node in settled.origins and node not in kept:
            kept.add(node)
            node = setting.tree.parents[node]
    settled.origins = {node: settled.origins[node] for node in sorted(kept)}
    return settled


def score(setting: Setting, beam: Beam, length_penalty: float) -> float:
    """Log-probability / length^penalty, the length without the prompt and with the end token."""
    length = setting.tree.depths[beam.node] - setting.start_depth
    return beam.log_prob / length**length_penalty
