"""Beams: the joint distribution of all beams' continuations, draws from it, and the ranking of texts.

A pair (row, token) is one continuation of one beam; row is the beam's index in the list. A beam that is listed
twice, because two draws coincided, has two rows.
"""

import math
from itertools import groupby
from typing import Any

import numpy as np

from playground.decoding.categorical import categorical, categoricals
from playground.decoding.distribution import zeroed
from playground.decoding.method import option
from playground.decoding.ranking import largest
from playground.decoding.reader import Reader
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Beams
from playground.models.reading import Array, Reading
from playground.models.sampling import Sampling
from playground.trace.events import Origin

Pair = tuple[int, int]


def read_unwarped(reader: Reader, nodes: list[int]) -> Reading:
    """Unwarped distributions after these nodes, each read once: beams warp their joint distribution instead."""
    return reader.read(list(dict.fromkeys(nodes)), Sampling(), unwarped=True)


def read_rows(reading: Reading, beams: list[Beam]) -> Array:
    """Log-probability of every continuation of every beam since the prompt, under the unwarped model. (B, V)

    The row of a beam at a dead end is -inf.
    """
    log_probs = reading.log_probs([beam.node for beam in beams])
    log_probs += np.array([beam.log_prob for beam in beams])[:, None]
    return log_probs


def joint_distribution(log_probs: Array, sampling: Sampling) -> Array:
    """Joint distribution p_beam of all pairs, warped as one; the whole table sums to 1. (B, V)

    All zeros where no pair is possible: nothing is drawn from that table.
    """
    if float(log_probs.max()) == -math.inf:
        return np.zeros_like(log_probs)
    return sampling.probs_on_host(log_probs.reshape(1, -1)).reshape(log_probs.shape)


def top_pairs(scores: Array, num_pairs: int) -> list[Pair]:
    """Pairs with the largest scores, falling; ties by row, then by token. Pairs of score -inf are left out."""
    flat, vocab_size = scores.ravel(), scores.shape[-1]
    top, indices = largest(flat, min(num_pairs + 1, len(flat)))  # one more, to see a tie at the border
    if len(top) > num_pairs and top[num_pairs] == top[num_pairs - 1]:
        indices = np.flatnonzero(flat >= top[num_pairs])
        top = flat[indices]
    ranked = sorted((-score, index) for score, index in zip(top.tolist(), indices.tolist(), strict=True))
    return [divmod(index, vocab_size) for score, index in ranked[:num_pairs] if score < math.inf]


def extend(setting: Setting, beams: list[Beam], log_probs: Array, pairs: list[Pair]) -> list[Beam]:
    """Beams extended by these pairs, in the tree. Two draws of one pair are one node and two beams."""
    rows, tokens = [row for row, _ in pairs], [token for _, token in pairs]
    scores = log_probs[rows, tokens].tolist()
    nodes = [setting.tree.add(beams[row].node, token) for row, token in pairs]
    return [Beam(node, score) for node, score in zip(nodes, scores, strict=True)]


def independent_pairs(distribution: Array, num_draws: int, rng: np.random.Generator) -> list[Pair]:
    """Draw i.i.d. pairs from a table (B, V)."""
    return draw_pairs([distribution] * num_draws, distribution.shape[-1], rng)


def draw_pairs(distributions: list[Array], vocab_size: int, rng: np.random.Generator) -> list[Pair]:
    """Draw one pair from each of these tables (B, V), flat or not, that is not all zeros.

    A table that occurs several times in a row is summed once.
    """
    pairs: list[Pair] = []
    for _, repeats in groupby(distributions, key=id):
        distribution, *others = repeats
        if not float(distribution.sum()) > 0:
            continue
        uniforms = [rng.random() for _ in range(1 + len(others))]
        pairs += [divmod(index, vocab_size) for index in categoricals(distribution.ravel(), uniforms)]
    return pairs


def distinct_pairs(distribution: Array, num_draws: int, rng: np.random.Generator) -> list[Pair]:
    """Draw pairs without replacement, one after the other, from a table (B, V); fewer where it has fewer pairs."""
    return other_pairs([distribution] * num_draws, distribution, [], rng)


def other_pairs(
    distributions: list[Array], fallback: Array, earlier: list[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Draw one pair from each of these tables, none of them twice or drawn earlier.

    Args:
        distributions: tables (B, V), flat or not.
        fallback: (B, V) table that replaces one without further pairs; where it has none either, the drawing ends.
        rng: uniform numbers: one for each draw.
    """
    vocab_size = fallback.shape[-1]
    drawn, pairs = [row * vocab_size + token for row, token in earlier], []
    for table in distributions:
        remaining = zeroed(table.ravel(), drawn)
        if not (remaining > 0).any():
            remaining = zeroed(fallback.ravel(), drawn)
            if not (remaining > 0).any():
                break
        drawn.append(categorical(remaining, rng.random()))
        pairs.append(divmod(drawn[-1], vocab_size))
    return pairs


def search_step(setting: Setting, beams: list[Beam], reading: Reading, width: int, *, last: bool) -> list[Beam]:
    """One step of beam search: the `width` best live continuations, then those of the best that end.

    A text that ends does not displace a live one, so there may be more than `width`. In the last step no continuation
    lives on: these are then the best of all.
    """
    log_probs = read_rows(reading, beams)  # (B, V)
    return extend(setting, beams, log_probs, search_pairs(setting, beams, log_probs, width, last=last))


def search_pairs(setting: Setting, beams: list[Beam], scores: Array, width: int, *, last: bool) -> list[Pair]:
    """Return the continuations that a step of beam search keeps, by their scores (B, V); see `search_step`."""
    best = top_pairs(scores, width)
    ends = {pair for pair in best if setting.ends_with(beams[pair[0]].node, pair[1])}
    live = [pair for pair in best if pair not in ends]
    if ends and not last:
        scores = scores.copy()
        for row, beam in enumerate(beams):
            scores[row, setting.last_tokens(beam.node)] = -np.inf
        live = top_pairs(scores, width)
    return live + [pair for pair in best if pair in ends]


def split_ended(setting: Setting, beams: list[Beam]) -> tuple[list[Beam], list[Beam]]:
    """Split the beams into those that go on and those that have reached an end token."""
    live = [beam for beam in beams if not setting.ends(beam.node)]
    return live, [beam for beam in beams if setting.ends(beam.node)]


def rank_beams(
    setting: Setting, beams: list[Beam], ended: list[Beam], origins: dict[int, Origin], length_penalty: float = 1.0
) -> Beams:
    """Beams after a step: the live ones by log-probability, the ended ones, and the best of all.

    Args:
        ended: texts that had ended before.
        origins: origins of this round's nodes, parents before children.
    """
    live, newly_ended = split_ended(setting, beams)
    live.sort(key=lambda beam: -beam.log_prob)
    ended = ended + newly_ended
    if not ended and not live:
        setting.refuse_dead_end()
    best = max(ended + live, key=lambda beam: score(setting, beam, length_penalty))
    return Beams(live, ended, best.node, origins)


def rank_search_beams(
    setting: Setting,
    beams: list[Beam],
    ended: list[Beam],
    origins: dict[int, Origin],
    *,
    length_penalty: float,
    width: int,
) -> Beams:
    """Beams after a step of beam search: `rank_beams`, with the best `width` ended texts, and the end of the search.

    The search is over when that many texts have ended and the best live one is, at its present length, no better than
    the worst of them: transformers' rule for early_stopping=False.
    """
    ranked = rank_beams(setting, beams, ended, origins, length_penalty)
    ranked.ended.sort(key=lambda beam: -score(setting, beam, length_penalty))
    ranked.ended = ranked.ended[:width]
    if ranked.live and len(ranked.ended) == width:
        best_live, worst_ended = (score(setting, beam, length_penalty) for beam in (ranked.live[0], ranked.ended[-1]))
        ranked.over = best_live <= worst_ended
    return ranked


def survivors(setting: Setting, beams: Beams) -> Beams:
    """Beams without the origins of nodes that a later step of the same round dropped; parents before children."""
    path_nodes: set[int] = set()
    for beam in beams.live + beams.ended:
        node = beam.node
        while node in beams.origins and node not in path_nodes:
            path_nodes.add(node)
            node = setting.tree.parents[node]
    beams.origins = {node: beams.origins[node] for node in sorted(path_nodes)}
    return beams


def penalty_option() -> Any:
    """Field of `Options`: length penalty of `score`."""
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
    """Score of a text: log-probability / length^penalty, the length without the prompt and with the end token."""
    length = setting.tree.depths[beam.node] - setting.start_depth
    return beam.log_prob / length**length_penalty
