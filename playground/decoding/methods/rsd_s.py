"""Recursive speculative decoding by stochastic beam search: the best W sequences without replacement, as a tree.

    all sequences race: one arrives after an exponential time whose rate is its probability, and a beam arrives with the
    first sequence below it; at each depth the W children that arrive first stay
    siblings arrive without replacement, in the order of the race; so recursive rejection tests them in that order

The race is simulated only as far as needed. A beam's first child arrives with the beam, and is a draw from q; the next
one arrives after a further exponential time, its rate the probability that the beam has left, and is drawn from q
without the children before it. So a depth costs W draws, however large the vocabulary is.

Paper: Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160, RSD-S; stochastic beam search by Kool et al.
    2019, arXiv 1903.06059.
Differs from the paper: in form, not in distribution. The paper perturbs the log-probabilities of all children by Gumbel
    noise conditioned on the parent's; that is -log of the times here. The number of siblings is random, which is
    lossless because it depends only on tokens already offered and on times.
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from playground.decoding import method
from playground.decoding.categorical import categorical
from playground.decoding.distribution import Distinct, zeroed
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import depth_option
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth and width of the beam."""

    draft_length: int = depth_option()
    width: int = option(3, label="Beam width", help="Sequences kept at each depth (W).", low=1, high=16)

    @property
    def num_drafted(self) -> int:
        """W nodes at each depth."""
        return self.width * self.draft_length


@dataclass(frozen=True, slots=True)
class Racer:
    """A drafted sequence: its probability, and when it arrives in the race."""

    prob: float
    time: float


class RSDS(DecodingMethod):
    """A draft tree grown by stochastic beam search: the budget goes where the draft model sees probability."""

    title = "RSD-S"
    full_name = "Recursive speculative decoding, stochastic beam search"
    paper = "Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160"
    reproduces = "target sampling"

    def draft(self, setting: Setting) -> Draft:
        """Stochastic beam search from the frontier."""
        draft, racers = Draft(), {setting.frontier[0]: Racer(1.0, 0.0)}
        for parents in setting.parents_by_depth(draft, self.options.draft_length):
            racers = self._first_children(setting, draft, {node: racers[node] for node in parents})
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree."""
        return verify_tree(setting, draft, recursive.judge)

    def _first_children(self, setting: Setting, draft: Draft, beams: dict[int, Racer]) -> dict[int, Racer]:
        """Return the W children that arrive first, in the order of their arrival."""
        reading, rng = setting.draft_model.read(list(beams)), setting.draft_rng
        rows = reading.distributions()  # (V,) each
        nodes, left = list(rows), dict(rows)  # each beam's row without the children that have arrived
        drawn, arrived = [], []
        next_times = [(beams[node].time, index) for index, node in enumerate(nodes)]  # a heap of the next arrivals
        heapify(next_times)
        while next_times and len(drawn) < self.options.width:
            time, index = heappop(next_times)
            node = nodes[index]
            token = categorical(left[node], rng.random())
            drawn.append((node, token))
            arrived.append(Racer(beams[node].prob * float(rows[node][token]), time))
            left[node] = zeroed(left[node], token)
            rate = beams[node].prob * float(left[node].sum(dtype=np.float64))
            if rate > 0:  # else q has no more tokens
                heappush(next_times, (time + rng.exponential() / rate, index))
        distributions = {node: Distinct(row) for node, row in rows.items()}
        return dict(zip(draft.hang(setting.tree, drawn, distributions, reading.seconds), arrived, strict=True))
