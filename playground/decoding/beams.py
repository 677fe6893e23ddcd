"""What methods with several texts share: the joint law of all beams' continuations, and the ranking of texts.

A pair (row, token) is one continuation of one beam; row counts the beams in the order they were given. A beam that
stands there twice, because two draws coincided, has two rows.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

import numpy as np
import torch

from playground.decoding.method import option
from playground.decoding.reader import Reader, Reading
from playground.decoding.sampling import Sampling, categorical, categoricals
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Beams
from playground.trace.events import Origin

Pair = tuple[int, int]

_PIECE = 64  # values, in the search for the largest


def ask(reader: Reader, nodes: list[int]) -> Reading:
    """A model's answer at these nodes, each asked once, unwarped: beams weigh whole texts, and warp their joint law."""
    return reader.read(list(dict.fromkeys(nodes)), Sampling())


def read_rows(reading: Reading, beams: list[Beam]) -> torch.Tensor:
    """Log-probability of every continuation of every beam, its own included, under the unwarped model. (B, V)

    A beam at a dead end has none: minus infinity.
    """
    rows, nodes = reading.logits, [beam.node for beam in beams]
    if nodes != reading.nodes:
        rows = rows[[reading.row_of[node] for node in nodes]]
    log_probs = torch.log_softmax(rows.double(), -1)  # (B, V)
    if reading.dead_ends is not None:
        dead = reading.dead_ends[[reading.row_of[node] for node in nodes]]
        log_probs.masked_fill_(dead[:, None], -torch.inf)
    so_far = torch.tensor([beam.log_prob for beam in beams], dtype=log_probs.dtype, device=log_probs.device)
    return log_probs.add_(so_far[:, None])


def joint_law(log_probs: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """p_beam: the joint probabilities of all pairs, warped as one distribution; the whole table sums to 1. (B, V)

    Zeros where no pair is possible: nothing is drawn from that table.
    """
    if float(log_probs.max()) == -math.inf:
        return torch.zeros_like(log_probs)
    return sampling.probs(log_probs.reshape(1, -1)).reshape(log_probs.shape)


def top_pairs(scores: torch.Tensor, num_pairs: int) -> list[Pair]:
    """The pairs with the largest scores, falling; equals by row, then by token. Impossible ones are left out."""
    flat, vocab_size = scores.flatten(), scores.shape[-1]
    found = _largest(flat, num_pairs + 1)  # one more, to see whether the border cuts through equals
    if len(found) > num_pairs and found[num_pairs][0] == found[num_pairs - 1][0]:
        at = torch.nonzero(flat >= found[num_pairs][0]).flatten()
        found = list(zip(flat[at].tolist(), at.tolist(), strict=True))
    ranked = sorted((-score, index) for score, index in found if score > -math.inf)
    return [divmod(index, vocab_size) for _, index in ranked[:num_pairs]]


def _largest(values: torch.Tensor, count: int) -> list[tuple[float, int]]:
    """The largest values (n,) and where they are, falling; which of equals is left to chance.

    Of pieces of equal length, those with the largest maxima hold them, as many pieces as values: a short look at all
    values, and a ranking of few.
    """
    num_pieces = values.numel() // _PIECE
    if values.numel() % _PIECE or num_pieces <= count:
        top = values.topk(min(count, values.numel()))
        return list(zip(top.values.tolist(), top.indices.tolist(), strict=True))
    pieces = values.view(num_pieces, _PIECE)
    chosen = pieces.amax(-1).topk(count).indices  # (count,)
    top = pieces[chosen].flatten().topk(count)
    starts = (chosen * _PIECE).tolist()
    places = (divmod(index, _PIECE) for index in top.indices.tolist())
    return [(value, starts[piece] + rest) for value, (piece, rest) in zip(top.values.tolist(), places, strict=True)]


def extend(setting: Setting, beams: list[Beam], log_probs: torch.Tensor, pairs: list[Pair]) -> list[Beam]:
    """The beams that these pairs make, in the tree. Two draws of one pair are one node and two beams."""
    rows, tokens = [row for row, _ in pairs], [token for _, token in pairs]
    scores = log_probs[rows, tokens].tolist()
    nodes = [setting.tree.add(beams[row].node, token) for row, token in pairs]
    return [Beam(node, score) for node, score in zip(nodes, scores, strict=True)]


def independent_pairs(law: torch.Tensor, num_draws: int, rng: np.random.Generator) -> list[Pair]:
    """i.i.d. draws from a table (B, V)."""
    return draw_pairs([law] * num_draws, law.shape[-1], rng)


def draw_pairs(laws: list[torch.Tensor], vocab_size: int, rng: np.random.Generator) -> list[Pair]:
    """A draw from each of these tables (B, V), flat or not, that is not all zeros.

    The same table several times in a row is summed once.
    """
    pairs: list[Pair] = []
    for _, same in groupby(laws, key=id):
        law, *others = same
        if not float(law.sum()) > 0:
            continue
        coins = [rng.random() for _ in range(1 + len(others))]
        pairs += [divmod(index, vocab_size) for index in categoricals(law.flatten(), coins)]
    return pairs


def distinct_pairs(law: torch.Tensor, num_draws: int, rng: np.random.Generator) -> list[Pair]:
    """Draws without replacement, one after the other, from a table (B, V); fewer where the law has fewer pairs."""
    return other_pairs([law] * num_draws, law, [], rng)


def other_pairs(laws: list[torch.Tensor], law: torch.Tensor, taken: list[Pair], rng: np.random.Generator) -> list[Pair]:
    """A draw from each of these tables (B, V), flat or not, none of them drawn before or twice.

    Args:
        laws: what is drawn from.
        law: what takes a table's place that has nothing left; where it has neither, no more is drawn.
        taken: what was drawn before.
    """
    vocab_size = law.shape[-1]
    gone, pairs = [row * vocab_size + token for row, token in taken], []
    for table in laws:
        left = _without(table, gone)
        if not bool((left > 0).any()):
            left = _without(law, gone)
            if not bool((left > 0).any()):
                break
        gone.append(categorical(left, rng.random()))
        pairs.append(divmod(gone[-1], vocab_size))
    return pairs


def _without(law: torch.Tensor, places: list[int]) -> torch.Tensor:
    """A flat copy with these places empty. (B V,)"""
    left = law.flatten().clone()
    left[places] = 0.0
    return left


def search_step(setting: Setting, beams: list[Beam], reading: Reading, width: int, *, last: bool) -> list[Beam]:
    """One step of beam search: the `width` best continuations that live on, then those of the best that end.

    A text that ends takes no live one's place, so there may be more than `width`. In the last step there is no living
    on: these are then the best of all.
    """
    log_probs = read_rows(reading, beams)  # (B, V)
    return extend(setting, beams, log_probs, search_pairs(setting, beams, log_probs, width, last=last))


def search_pairs(setting: Setting, beams: list[Beam], scores: torch.Tensor, width: int, *, last: bool) -> list[Pair]:
    """The continuations that a step of beam search keeps, by their scores (B, V); see `search_step`."""
    best = top_pairs(scores, width)
    ends = {pair for pair in best if setting.ends_with(beams[pair[0]].node, pair[1])}
    live = [pair for pair in best if pair not in ends]
    if ends and not last:
        scores = scores.clone()
        for row, beam in enumerate(beams):
            scores[row, setting.last_tokens(beam.node)] = -torch.inf
        live = top_pairs(scores, width)
    return live + [pair for pair in best if pair in ends]


def parted(setting: Setting, beams: list[Beam]) -> tuple[list[Beam], list[Beam]]:
    """Those that live on, and those that have come to an end token."""
    live = [beam for beam in beams if not setting.ends(beam.node)]
    return live, [beam for beam in beams if setting.ends(beam.node)]


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
    live, newly_ended = parted(setting, beams)
    live.sort(key=lambda beam: -beam.log_prob)
    ended = ended + newly_ended
    if not ended and not live:
        setting.refuse_dead_end()
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


def penalty_option() -> Any:
    """The field of `Options` for `score`'s length penalty."""
    return option(
        1.0,
        label="Length penalty",
        help="Texts are compared by log-probability / length^penalty; more than 0 favours longer ones.",
        low=-2,
        high=2,
        step=0.1,
        key="length_penalty",
    )


def score(setting: Setting, beam: Beam, length_penalty: float) -> float:
    """Log-probability / length^penalty, the length without the prompt and with the end token."""
    length = setting.tree.depths[beam.node] - setting.start_depth
    return beam.log_prob / length**length_penalty
