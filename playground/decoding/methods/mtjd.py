"""Multi-token joint decoding: blocks of gamma tokens, each the most probable block there is; the target alone.

    frontier --target--> texts of one token --target--> of two --target--> ... --target--> of gamma tokens: the best one
    all texts are kept where they are few, else the W best; by option the block is drawn from their joint distribution

Paper: Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference, arXiv 2407.09722,
    section 3.1; what MTAD approximates.
Differs from the paper: a round is one target call, so a block takes gamma rounds, and its texts are side by side
    until the last. The search is exact, by enumeration, while at most 64 texts lack only the block's last token; beyond
    that it is a beam search, and the workings of each block say whether a dropped text could have mattered. A text that
    ends is a block of its own length. Probabilities are warped by the run's own settings, token by token: at
    temperature 0 this is greedy decoding. A block drawn from all texts has the target's distribution; others have not.
"""

import math
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from playground.decoding import method
from playground.decoding.beams import Pair, extend, read_rows, search_pairs, split_ended, top_pairs
from playground.decoding.categorical import categorical
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Beams, Verdict
from playground.decoding.workings.records import JointSearch
from playground.models.reading import Array
from playground.trace.events import Origin

ENUMERABLE = 64  # most texts, without their last token, that are all kept


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Length of a block, width of the search, and choice of the block."""

    block_length: int = option(
        4, label="Block length", help="Tokens decided together; gamma in the paper.", low=1, high=16, unit="tokens"
    )
    width: int = option(
        8, label="Search width", help="Texts kept where not all of them can be (W).", low=1, high=16, unit="texts"
    )
    sample: int = option(
        0,
        label="Draw the block",
        help="0: the most probable block. 1: one drawn from the joint distribution.",
        low=0,
        high=1,
    )


@dataclass(slots=True)
class Block(Beams):
    """A block under search, and its texts so far."""

    length: int = 0  # number of tokens of the whole block
    position: int = 0  # number of tokens of its live texts
    # node -> log-probability of its text since the block began, under the warped target
    joint: dict[int, float] = field(default_factory=dict)
    lost: float = -math.inf  # log-probability of the best text that was dropped; -inf while none was


class MTJD(DecodingMethod):
    """Decides several tokens together, as the most probable block; one target call for every token."""

    title = "MTJD"
    full_name = "Multi-token joint decoding"
    paper = "Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model, arXiv 2407.09722"
    reproduces = "none"
    needs_draft_model = False
    tests = ""

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One step of the search; at the end of a block also the choice."""
        block = setting.beams if isinstance(setting.beams, Block) else self._first_block(setting)
        reading = setting.target.read([beam.node for beam in block.live], unwarped=True)
        so_far = np.array([block.joint[beam.node] for beam in block.live])
        with np.errstate(divide="ignore"):
            scores = so_far[:, None] + np.log(reading.probs.astype(np.float64))  # (B, V)
        if float(scores.max()) == -np.inf:
            setting.refuse_dead_end()
        last = block.position + 1 == block.length
        pairs = self._last_pair(setting, scores) if last else self._next_pairs(setting, block, scores)
        beams = extend(setting, block.live, read_rows(reading, block.live), pairs)
        earlier, num_weighed = block.ended, len(block.ended) + int((scores > -np.inf).sum())
        block = _grown(setting, block, beams, [float(scores[pair]) for pair in pairs])
        if not last:
            block.lost = max(block.lost, _best_without(scores, pairs))
        mass = float(np.logaddexp.reduce(scores, axis=None)) if last else None
        chosen = self._choice(setting, block, [*earlier, *beams], mass)
        shown = partial(workings, block, chosen, num_weighed, drawn=bool(self.options.sample))
        return Verdict(reading, [], beams=_closed(block, chosen) if chosen else block, workings=[shown])

    def _first_block(self, setting: Setting) -> Block:
        """Empty block at the frontier."""
        [beam] = setting.beams.live
        length = min(self.options.block_length, setting.tokens_left)
        return Block([beam], [], beam.node, length=length, joint={beam.node: 0.0})

    def _next_pairs(self, setting: Setting, block: Block, scores: Array) -> list[Pair]:
        """Return the pairs of the next step: all of them, or the best."""
        keeps_all = scores.shape[-1] ** (block.length - 1) <= ENUMERABLE
        width = ENUMERABLE if keeps_all else self.options.width
        return search_pairs(setting, block.live, scores, width, last=False)

    def _last_pair(self, setting: Setting, scores: Array) -> list[Pair]:
        """Pair of the best whole text, or of one drawn from all whole texts."""
        if not self.options.sample:
            return top_pairs(scores, 1)
        return [
            divmod(categorical(np.exp(scores - scores.max()).ravel(), setting.verify_rng.random()), scores.shape[-1])
        ]

    def _choice(self, setting: Setting, block: Block, texts: list[Beam], mass: float | None) -> Beam | None:
        """Return the chosen text, or None while the search goes on.

        Args:
            block: the block after this step.
            texts: texts that ended before, then those of this step.
            mass: after the last step the log-probability of all whole texts, of which this step's is one.
        """
        weights = [block.joint[text.node] for text in texts]
        if not self.options.sample:
            best = texts[weights.index(max(weights))]
            return best if mass is not None or best in block.ended else None  # a longer text is never more probable
        if mass is None and block.live:
            return None
        if len(texts) == 1:  # without a random number: a block of one token uses the same ones as plain decoding
            return texts[0]
        if mass is not None:
            weights[-1] = mass
        masses = np.exp(np.array(weights) - max(weights))
        return texts[categorical(masses, setting.verify_rng.random())]


def workings(block: Block, chosen: Beam | None, num_candidates: int, *, drawn: bool) -> JointSearch:
    """One step of a block's search."""
    log_prob = block.joint[chosen.node if chosen else block.best]
    return JointSearch(
        depth=block.position,
        length=block.length,
        exact=block.lost == -math.inf or (chosen is not None and not drawn and log_prob >= block.lost),
        width=len(block.live) + len(block.ended),
        num_candidates=num_candidates,
        log_prob=log_prob,
        drawn=drawn,
    )


def _grown(setting: Setting, block: Block, beams: list[Beam], scores: list[float]) -> Block:
    """Block after a step, with the extended beams."""
    joint = block.joint | {beam.node: score for beam, score in zip(beams, scores, strict=True)}
    live, newly_ended = split_ended(setting, beams)
    ended = block.ended + newly_ended
    best = max([*ended, *live], key=lambda beam: joint[beam.node])
    origins: dict[int, Origin] = {beam.node: "plain" for beam in beams}
    return Block(live, ended, best.node, origins, False, block.length, block.position + 1, joint, block.lost)


def _best_without(scores: Array, pairs: list[Pair]) -> float:
    """Largest score outside these pairs."""
    others = scores.copy()
    rows, tokens = zip(*pairs, strict=True)
    others[list(rows), list(tokens)] = -np.inf
    return float(others.max())


def _closed(block: Block, chosen: Beam) -> Beams:
    """Beams of the chosen text alone; the next block begins there, unless it has ended."""
    ends = chosen in block.ended
    return Beams([] if ends else [chosen], [chosen] if ends else [], chosen.node, block.origins)
