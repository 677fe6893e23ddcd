"""Likeness to known mistakes: counts against the exact distribution of every rule that is broken on purpose.

A mistake is only ever named where the counts do not come from the target's distribution, and where they may well come
from its own. Two mistakes whose distributions both fit are both named. Nothing is named because it is nearest, and
nothing while the texts are too few to tell it from its nearest other.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.exactness.broken_rules import AS_A_CHAIN, BROKEN
from playground.exactness.enumeration import STREAMS, Text, method_round, texts_distribution
from playground.exactness.goodness_of_fit import (
    FALSE_ALARM,
    Comparison,
    anytime_p_value,
    compare_under_conditions,
    visible_distance,
)
from playground.exactness.independence import dependence
from playground.exactness.losslessness import FEW
from playground.exactness.trial import NUM_TOKENS, PROMPT, Rule, Trial, target_distribution, write_round

FEWEST = 100  # samples
SAME = 1e-9  # distance of two distributions that differ by rounding alone

REWOUND = {"noise_reused": STREAMS, "seeded_in_the_loop": STREAMS[1:]}  # by each round, as the mistake has it
DIVIDES_BY_ZERO = "next_row_of_q"  # where that row lacks the draft: what comes of it is each library's own
CERTAIN_CHAIN = ("certain_draft", "unmasked")
# how drafts at one position are drawn -> the methods whose mistakes can be made with them
OF_DRAWS = {"independent": ("spectr", "specinfer", "dsbd"), "distinct": ("rsd_c",), "likeliest": ("dynamic_tree",)}


@dataclass(frozen=True, slots=True)
class Likeness:
    """A mistake whose distribution the counts may come from."""

    name: str  # of the rule in `BROKEN`
    p_value: float  # of the counts against its distribution
    tv: float  # total variation distance of the frequencies from its distribution


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Diagnosis of some counts."""

    samples: int  # number of texts
    dependence: str  # A sentence on why they are not independent, and so not judged; empty where they are.
    # True where they may come from the target's distribution; a sound rule is accused once in 1 / FALSE_ALARM checks.
    # None where they are not judged.
    lossless: bool | None
    comparison: Comparison  # The counts are compared with the target's distribution.
    # mistakes that fit, the likeliest first; empty where it is lossless, or none is known to fit
    likenesses: list[Likeness]
    examined: tuple[str, ...]  # ids of all that were held against the counts
    visible: float | None  # see `visible_distance`; None with few samples
    # texts from which on those that fit are named, see `texts_that_tell`; 0 where none fits
    texts_to_name: int = 0

    @property
    def named(self) -> list[Likeness]:
        """The mistakes that fit, where there are texts enough to tell them from their nearest others."""
        return self.likenesses if self.samples >= self.texts_to_name else []


def diagnose(texts: Sequence[Text], trial: Trial) -> Diagnosis:
    """Check whether texts are independent and come from the target's distribution; else name the mistakes that fit.

    Raises:
        PlaygroundError: if there are too few samples.
    """
    samples, counts = len(texts), Counter(texts)
    if samples < FEWEST:
        raise PlaygroundError(f"{samples} samples tell nothing. Take {FEWEST} or more; {20_000:,} name a mistake.")
    target = target_distribution(trial)
    comparison = _compared(counts, target)
    visible = visible_distance([(counts, target)]) if samples >= FEW else None
    if sentence := dependence(texts):
        return Diagnosis(samples, sentence, None, comparison, [], (), None)
    if comparison.p_value >= FALSE_ALARM:
        return Diagnosis(samples, "", True, comparison, [], (), visible)
    distributions = {name: enumerate_mistake(name, trial) for name in mistakes(trial)}
    ranked = sorted(distributions, key=lambda name: -_log_likelihood(counts, distributions[name]))
    compared = {name: _compared(counts, distributions[name]) for name in ranked}
    fitting = [Likeness(name, each.p_value, each.tv) for name, each in compared.items() if each.p_value >= FALSE_ALARM]
    # the target is no longer among the others: the counts do not come from it
    others = distributions.values()
    enough = max((texts_that_tell(distributions[each.name], others) for each in fitting), default=0)
    return Diagnosis(samples, "", False, comparison, fitting, tuple(distributions), visible, enough)


def texts_that_tell(distribution: Mapping[Text, float], others: Iterable[Mapping[Text, float]]) -> int:
    """Return from how many texts on a distribution is farther from its nearest other than from its own samples.

    The distance of n samples is on average that of `noise_floor`, which falls with the root of n. An other that is the
    same distribution cannot be told from it by any number, and does not count; 0 where there is none but those.
    """
    distances = [
        sum(abs(distribution.get(text, 0) - other.get(text, 0)) for text in {*distribution, *other}) / 2
        for other in others
    ]
    nearest = min((distance for distance in distances if distance > SAME), default=math.inf)
    noise_of_one = math.fsum(math.sqrt(p * max(1 - p, 0) / (2 * math.pi)) for p in distribution.values())
    return math.ceil((noise_of_one / nearest) ** 2)


def mistakes(trial: Trial) -> tuple[str, ...]:
    """Ids of the broken rules that a trial knows the distribution of."""
    if trial.at_one_position:
        return tuple(name for name, rule in BROKEN.items() if rule.method in OF_DRAWS[trial.drawn])
    if trial.drawn == "likeliest":
        return CERTAIN_CHAIN
    of_chains = (name for name, rule in BROKEN.items() if rule.kind.drafts == "chain" or name == "upside_down")
    return tuple(name for name in of_chains if not (trial.warped and name == DIVIDES_BY_ZERO))


@lru_cache(maxsize=64)
def enumerate_mistake(name: str, trial: Trial) -> dict[Text, float]:
    """Enumerate every course of a broken rule's rounds: its first tokens on the trial's tables."""
    torch.set_num_threads(1)  # with more, threads wait for each other over rows of four numbers
    broken = BROKEN[name]
    rule = broken.rule if trial.at_one_position else AS_A_CHAIN.get(name, broken.rule)
    if rule is None:
        method = broken.kind(replace(broken.make().options, draft_length=trial.draft_length))
        return texts_distribution(method_round(method, *trial.tables), PROMPT, NUM_TOKENS, REWOUND.get(name, ()))
    return rule_distribution(rule, trial)


def rule_distribution(rule: Rule, trial: Trial) -> dict[Text, float]:
    """Enumerate every course of a rule's rounds, see `enumeration.Uniform` for what it may do with random numbers."""

    def write(context: Text, streams: Sequence[Any]) -> Text:
        return tuple(write_round(rule, trial, context[-1], *streams))

    return texts_distribution(write, PROMPT, NUM_TOKENS)


def _compared(counts: Mapping[Any, int], texts: Mapping[Any, float]) -> Comparison:
    return compare_under_conditions([(counts, texts)], test=anytime_p_value if sum(counts.values()) < FEW else None)


def _log_likelihood(counts: Mapping[Text, int], texts: Mapping[Text, float]) -> float:
    return math.fsum(
        number * (math.log(texts[text]) if texts.get(text) else -math.inf) for text, number in counts.items()
    )
