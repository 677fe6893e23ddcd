"""One rule at one position, in full: which drafts lead to which output, enumerated without a single coin.

The drafts are enumerated in every order in which they can be drawn. For each the rule is asked with coins that reject
whatever can be rejected, which tells the probability of every test and what a correction would be drawn from; that is
all there is to know. The columns of the coupling add up to the distribution of the output, and for a lossless rule that
is p.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from playground.decoding.distribution import Distinct, DraftDistribution, Independent
from playground.decoding.verification import importance, k_seq, recursive, speculative
from playground.errors import PlaygroundError

Row = NDArray[np.float64]  # (V,)

MAX_ORDERS = 150  # draws in order that are enumerated: a picture of more cannot be read, nor drawn while one drags
LAST_UNIFORM = 1 - 2**-53  # the largest uniform: it rejects whatever can be rejected


@dataclass(frozen=True, slots=True)
class Coupling:
    """Drafts against outputs, as joint probabilities."""

    drafts: list[tuple[int, ...]]  # the distinct tokens drafted, by number
    mass: Row  # (n,) how likely it is that these are drafted
    accepted: NDArray[np.float64]  # (n, V) that they are, and this token is accepted
    # (n, V) that they are, all are rejected, and this token is drawn instead
    corrected: NDArray[np.float64]

    @property
    def output(self) -> Row:
        """Distribution of the output. (V,)"""
        return (self.accepted + self.corrected).sum(0)

    @property
    def acceptance(self) -> float:
        """Probability that a draft comes out."""
        return float(self.accepted.sum())


def coupling(rule: str, target: Row, draft: Row, num_drafts: int) -> Coupling:
    """Enumerate a rule of `RULES`.

    Args:
        target: (V,) p, summing to 1.
        draft: (V,) q, summing to 1.
        num_drafts: K; no more than q knows tokens are drawn without replacement.

    Raises:
        PlaygroundError: on an unknown rule, or more orders than can be shown.
    """
    if rule not in RULES:
        raise PlaygroundError(f"Unknown rule {rule!r}. Choose one of {', '.join(RULES)}.")
    replacement, prepare = RULES[rule]
    orders = list(draws_in_order(draft, num_drafts, replacement=replacement))
    if len(orders) > MAX_ORDERS:
        raise PlaygroundError(
            f"{num_drafts} drafts out of {np.count_nonzero(draft)} tokens come in {len(orders)} orders, too many to "
            "draw. Choose fewer drafts or fewer tokens."
        )
    outcome = prepare(target, draft, num_drafts)
    rows: dict[tuple[int, ...], NDArray[np.float64]] = {}  # (2, V): accepted, corrected
    for tokens, chance in orders:
        row = rows.setdefault(tuple(sorted(set(tokens))), np.zeros((2, len(target))))
        row += chance * outcome(tokens)
    drafts = sorted(rows, key=lambda tokens: (len(tokens), tokens))
    both = np.stack([rows[tokens] for tokens in drafts])  # (n, 2, V)
    return Coupling(drafts, both.sum((1, 2)), both[:, 0], both[:, 1])


def draws_in_order(draft: Row, num_drafts: int, *, replacement: bool) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every sequence of draws from q, with its probability."""
    known = np.flatnonzero(draft).tolist()
    if replacement:
        for tokens in product(known, repeat=num_drafts):
            yield tokens, float(draft[list(tokens)].prod())
        return
    for tokens in permutations(known, min(num_drafts, len(known))):
        chance, left = 1.0, draft.copy()
        for token in tokens:
            chance *= draft[token] / left.sum()
            left[token] = 0.0  # Subtracting its mass from the sum would leave rounding where it had nearly all.
        yield tokens, float(chance)


# tokens in draw order -> (2, V): the probability that each token is accepted, and that it is the correction
Outcome = Callable[[Sequence[int]], NDArray[np.float64]]


class _Uniforms:
    """A stream of the same coin."""

    def random(self) -> float:
        return LAST_UNIFORM


def _recursive(distribution: Callable[[Row], DraftDistribution], target: Row, draft: Row, num_drafts: int) -> Outcome:
    """Recursive rejection: the rule itself is asked."""

    def outcome(tokens: Sequence[int]) -> NDArray[np.float64]:
        ruling = recursive.judge(target, distribution(draft), list(tokens), _Uniforms())
        # A draft that is accepted for certain leaves no correction to draw.
        residual = ruling.extra_probs[0] if ruling.extra_probs else target
        return _in_turn(tokens, [test.accept_prob for test in ruling.tested if test.accept_prob is not None], residual)

    return outcome


def _k_seq(target: Row, draft: Row, num_drafts: int) -> Outcome:
    """K-SEQ: every draft is tested alike, so the factor is solved once."""
    rho = k_seq.division_factor(target, draft, num_drafts)
    residual = k_seq.residual(target, draft, num_drafts, rho)
    accept = np.minimum(1.0, _over(target, rho * draft))
    return lambda tokens: _in_turn(tokens, accept[list(tokens)].tolist(), residual)


def _importance(target: Row, draft: Row, num_drafts: int) -> Outcome:
    """Apply importance sampling with every token weighed: one draw is selected, and that one is tested."""
    rule = partial(importance.truncated, lp_size=len(target), alphabet=len(target))
    stages = importance.tournament(target, [draft] * num_drafts, rule)
    distribution = stages[-1].distribution if stages else draft
    accept, residual = np.minimum(1.0, _over(target, distribution)), speculative.residual(target, distribution)

    def outcome(tokens: Sequence[int]) -> NDArray[np.float64]:
        chances = np.zeros(len(target))
        chances[tokens[0]] = 1.0
        for token, stage in zip(tokens[1:], stages, strict=True):  # the winner so far meets the next draw
            stays = np.zeros(len(target))
            for first in np.flatnonzero(chances).tolist():
                stays[first] = importance.chance_of_first(stage, first, token)
            chosen = (chances * (1 - stays)).sum()
            chances *= stays
            chances[token] += chosen
        return np.stack([chances * accept, (chances * (1 - accept)).sum() * residual / residual.sum()])

    return outcome


def _in_turn(tokens: Sequence[int], accept_probs: Sequence[float], residual: Row) -> NDArray[np.float64]:
    """(2, V) of tests made one after the other, as far as they go, and of a correction drawn from `rest`."""
    outcome, left = np.zeros((2, len(residual))), 1.0
    for token, accept in zip(tokens, accept_probs, strict=False):
        outcome[0, token] += left * accept
        left *= 1 - accept
    outcome[1] = left * residual / residual.sum()
    return outcome


def _over(numerator: Row, denominator: Row) -> Row:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


# name -> (with replacement?, (p, q, K) -> what becomes of drafts)
RULES: dict[str, tuple[bool, Callable[[Row, Row, int], Outcome]]] = {
    "k_seq": (True, _k_seq),
    "spec_infer": (True, partial(_recursive, Independent)),
    "recursive": (False, partial(_recursive, Distinct)),
    "importance": (True, _importance),
}
