"""Sequoia: the draft tree that should emit most, planned from how often a first, second, ... child is accepted.

    a = (a1, a2, a3, ...)        probability that of a node's children it is the k-th that is accepted
    frontier -> x1 -> y1 -> z1   the best tree of this many nodes for this a, by dynamic programming; children are drawn
             |     \\-> y2        without replacement, in draw order, and first children carry the larger subtrees
             \\-> x2 -> y3
    walk: recursive rejection, as in RSD; each test that is made is also a measurement of a

The vector is estimated while the run goes on: the prior is that of the bundled pair, and this run's own tests update
it; the tree is planned again after 1, 2, 4, 8, ... rounds. So no pair needs a calibration, and none depends on another
pair's numbers. It stays lossless: a tree's shape depends on earlier rounds only, and whatever happened in them, the
next round draws from the target's distribution.

Paper: Chen et al. 2024, Sequoia: Scalable, Robust, and Hardware-aware Speculative Decoding, arXiv 2402.12374.
Differs from the paper: it measures the vector once, beforehand, and picks size and depth by the hardware's timings;
    here the vector follows the run, and size and depth are options. Gumbel noise and random numbers are new in every
    round.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import distinct_draws, grow_each
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree
from playground.decoding.workings import records
from playground.theory.sequoia import Tree, acceptance_vector, best_tree, expected_emitted

# Probability of a k-th child to pass its test once all before it have failed. Measured with the bundled pair, version
# 1, at temperature 1: the ten prompts of assets/prompts/quick.json, seeds 0 to 15, 128 tokens each, by this method with
# 16 nodes of depth 1; 10,491 first children were tested, 3,287 second ones.
PASSING = (
    *(0.684, 0.293, 0.220, 0.165, 0.144, 0.117, 0.083, 0.096),
    *(0.082, 0.067, 0.065, 0.072, 0.060, 0.045, 0.032, 0.054),
)


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Size of the tree, and weight of the prior."""

    num_nodes: int = option(16, label="Tree size", help="Tokens drafted per round.", low=1, high=64, unit="tokens")
    draft_length: int = option(
        5, label="Greatest draft length", help="Depths drafted per round at most.", low=1, high=16, unit="depths"
    )
    prior_weight: int = option(
        16,
        label="Weight of the start",
        help="The acceptance vector that a run starts with counts as this many tests of every child.",
        low=1,
        high=100_000,
        unit="tests",
    )

    @property
    def num_drafted(self) -> int:
        """Size of the tree."""
        return self.num_nodes


@dataclass(slots=True)
class AcceptanceEstimate:
    """A run's estimate of its acceptance vector, and the plan of the round."""

    acceptance: list[float]  # (K,) a_1 .. a_K, the vector that trees are planned for; replaced, never changed in place
    tested: list[int]  # (K,) tests of a k-th child, with those of a child that was wanted where q had no further token
    # (K,) sum of the acceptance probabilities of these tests, less noisy than the number of acceptances
    passed: list[float]
    num_rounds: int = 0  # rounds so far
    tree: Tree = ()  # tree planned for this round
    # node -> number of children that it was to have in this round
    planned: dict[int, int] = field(default_factory=dict)


class Sequoia(DecodingMethod):
    """A draft tree of the shape that should emit most, given how often a first, second, ... child is accepted."""

    title = "Sequoia"
    paper = "Chen et al. 2024, Sequoia, arXiv 2402.12374"
    reproduces = "target sampling"

    def draft(self, setting: Setting) -> Draft:
        """Draft the planned tree, depth by depth."""
        memory = setting.memory = setting.memory or _prior(setting)
        depth = setting.depth(self.options.draft_length)
        memory.tree = best_tree(memory.acceptance, num_nodes=self.options.num_nodes, depth=depth)
        draft, plans = Draft(), {setting.frontier[0]: memory.tree}  # node -> plan of its subtrees
        memory.planned = {}
        for parents in setting.parents_by_depth(draft, depth):
            planned = {node: len(plans[node]) for node in parents if plans[node]}
            if not planned:
                break
            memory.planned |= planned
            grow_each(setting, draft, {node: distinct_draws(setting, num) for node, num in planned.items()})
            plans = {
                child: below
                for node in planned
                if node in draft.draws
                for child, below in zip(draft.draws[node].nodes, plans[node], strict=False)
            }
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree, and update the estimate with its tests."""
        verdict, memory = verify_tree(setting, draft, recursive.judge), setting.memory
        add_tests(memory, setting, verdict)
        seen = list(memory.tested), list(memory.passed)
        verdict.workings.append(partial(workings, setting.frontier[0], memory.tree, memory.acceptance, *seen))
        if memory.num_rounds.bit_count() == 1:  # a power of two
            memory.acceptance = estimate(memory, self.options.prior_weight)
        return verdict


def _prior(setting: Setting) -> AcceptanceEstimate:
    """Estimate at the beginning of a run, for the most children that q can have."""
    model, sampling = setting.target.model, setting.draft_model.sampling
    most = 1 if sampling.temperature == 0 else min(len(PASSING), model.vocab_size, sampling.top_k or model.vocab_size)
    return AcceptanceEstimate(acceptance_vector(PASSING[:most]), [0] * most, [0.0] * most)


def add_tests(memory: AcceptanceEstimate, setting: Setting, verdict: Verdict) -> None:
    """Add a round's tests to the estimate."""
    num_tested: Counter[int] = Counter()  # by parent
    for judgement in verdict.judgements:
        if judgement.outcome != "not_tested" and judgement.accept_prob is not None:
            parent = setting.tree.parents[judgement.node]
            memory.tested[num_tested[parent]] += 1
            memory.passed[num_tested[parent]] += judgement.accept_prob
            num_tested[parent] += 1
    if verdict.origin == "correction":  # here all children failed, and so did those that q had no token for
        end = [*setting.frontier, *verdict.accepted][-1]
        for index in range(num_tested[end], memory.planned[end]):
            memory.tested[index] += 1
    memory.num_rounds += 1


def estimate(memory: AcceptanceEstimate, prior_weight: int) -> list[float]:
    """Estimate the acceptance vector from the prior and the tests so far. (K,)"""
    passing = [
        (prior_weight * before + passed) / (prior_weight + tested)
        for before, passed, tested in zip(PASSING, memory.passed, memory.tested, strict=False)
    ]
    return acceptance_vector(passing)


def workings(node: int, tree: Tree, acceptance: list[float], tested: list[int], passed: list[float]) -> records.Sequoia:
    """Plan of a round, and the tests by the end of it."""
    last = max((index for index, count in enumerate(tested, 1) if count), default=0)
    return records.Sequoia(
        node=node,
        acceptance=acceptance,
        expected=expected_emitted(tree, acceptance),
        tested=tested[:last],
        passed=passed[:last],
    )
