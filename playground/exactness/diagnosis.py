"""Likeness to known mistakes: counts against the exact distribution of every rule that is broken on purpose.

A mistake is only ever named where the counts do not come from the target's distribution, and where they may well come
from its own. Two mistakes whose distributions both fit are both named. Nothing is named because it is nearest, and
nothing while the texts are too few to tell it from its nearest other.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

import torch

from playground.decoding.categorical import categorical
from playground.decoding.distribution import Deterministic, Distinct, DraftDistribution, Independent, without
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod
from playground.decoding.methods.greedy_draft import GreedyDraft
from playground.decoding.methods.speculative_sampling import SpeculativeSampling
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification.ruling import NodeRule
from playground.decoding.verifying import verify_tree
from playground.errors import PlaygroundError
from playground.exactness.broken_methods import node_rule, ratio_upside_down, walking
from playground.exactness.broken_rules import BROKEN
from playground.exactness.enumeration import STREAMS, Text, texts_distribution
from playground.exactness.goodness_of_fit import (
    FALSE_ALARM,
    Comparison,
    anytime_p_value,
    compare_under_conditions,
    visible_distance,
)
from playground.exactness.independence import dependence
from playground.exactness.losslessness import FEW
from playground.exactness.trial import NUM_TOKENS, PROMPT, VOCAB_SIZE, Trial, target_distribution
from playground.files import read_json
from playground.models.reading import Array
from playground.paths import ASSETS

SAVED = ASSETS / "mistakes.json"  # by `saved_as`, probabilities of all texts in order
FEWEST = 100  # samples
SAME = 1e-9  # distance of two distributions that differ by rounding alone

REWOUND = {"noise_reused": STREAMS, "seeded_in_the_loop": STREAMS[1:]}  # by each round, as the mistake has it
DIVIDES_BY_ZERO = "next_row_of_q"  # A row without the draft divides by zero, and libraries differ in what comes of it.
CERTAIN_CHAIN = ("certain_draft", "unmasked")
# A way to draw the drafts at one position has their distribution, and the methods whose mistakes it can show.
DRAWN: dict[str, tuple[Callable[[Array], DraftDistribution], tuple[str, ...]]] = {
    "independent": (Independent, ("spectr", "specinfer", "dsbd")),
    "distinct": (Distinct, ("rsd_c",)),
    "likeliest": (Deterministic, ("dynamic_tree",)),
}


@dataclass(frozen=True, slots=True)
class Likeness:
    """A mistake whose distribution the counts may come from."""

    name: str  # It is the rule's in `BROKEN`.
    p_value: float  # The counts are tested against the rule's distribution.
    tv: float  # total variation distance of the frequencies from its distribution


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Diagnosis of some counts."""

    samples: int  # number of texts
    dependence: str  # Texts that are not independent are not judged; it says in a sentence why they are not.
    # whether they may come from the target's distribution; a sound rule is accused once in 1 / FALSE_ALARM checks. None
    # where they are not judged
    lossless: bool | None
    comparison: Comparison  # with that distribution
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
    distributions = {name: mistake_distribution(name, trial) for name in mistakes(trial)}
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
    noise_of_one = math.fsum(math.sqrt(p * (1 - p) / (2 * math.pi)) for p in distribution.values())
    return math.ceil((noise_of_one / nearest) ** 2)


def mistakes(trial: Trial) -> tuple[str, ...]:
    """Ids of the broken rules that a trial knows the distribution of."""
    if trial.at_one_position:
        return tuple(name for name, rule in BROKEN.items() if rule.method in DRAWN[trial.drawn][1])
    if trial.drawn == "likeliest":
        return CERTAIN_CHAIN
    of_chains = (name for name, rule in BROKEN.items() if node_rule(rule.kind) is None)
    return tuple(name for name in of_chains if not (trial.warped and name == DIVIDES_BY_ZERO))


def mistake_distribution(name: str, trial: Trial) -> dict[Text, float]:
    """Return the exact distribution of a broken rule's first tokens on the trial's tables.

    Those of the usual trials are in a file, which `python -m tests.mistakes` writes; others are enumerated.
    """
    if row := _saved_distributions().get(saved_as(name, trial)):
        texts = product(range(VOCAB_SIZE), repeat=NUM_TOKENS)
        return {text: chance for text, chance in zip(texts, row, strict=True) if chance}
    return enumerate_mistake(name, trial)


def saved_as(name: str, trial: Trial) -> str:
    """Return the name of a mistake's distribution in the file."""
    return " ".join([name, *map(str, astuple(trial))])


@lru_cache(maxsize=1)
def _saved_distributions() -> dict[str, list[float]]:
    return read_json(SAVED)


@lru_cache(maxsize=64)
def enumerate_mistake(name: str, trial: Trial) -> dict[Text, float]:
    """Enumerate every course of a broken rule's rounds: its first tokens on the trial's tables."""
    torch.set_num_threads(1)  # with more, threads wait for each other over rows of four numbers
    method = _method(name, trial)
    how = {"one_by_one": trial.at_one_position, "rewound": REWOUND.get(name, ())}
    return texts_distribution(method, *trial.tables, PROMPT, NUM_TOKENS, **how)


def _method(name: str, trial: Trial) -> DecodingMethod:
    rule = ratio_upside_down if name == "upside_down" else node_rule(BROKEN[name].kind)
    if trial.at_one_position:
        assert rule is not None, f"{name} is not a rule for one position"
        return AtOnePosition(rule, trial)
    options = {"draft_length": trial.draft_length}
    if rule is not None:
        real = GreedyDraft if trial.drawn == "likeliest" else SpeculativeSampling
        return walking(real, rule)(real.Options(**options))
    broken = BROKEN[name].make()
    return type(broken)(replace(broken.options, **options))


class AtOnePosition(DecodingMethod):
    """Several drafts below the text's end, judged by a rule; every draw is made with a coin of its own."""

    needs_draft_model = True

    def __init__(self, rule: NodeRule, trial: Trial) -> None:
        super().__init__()
        self.rule, self.trial = rule, trial

    def draft(self, setting: Setting) -> Draft:
        """Return the draws, in their order."""
        draft, [node] = Draft(), setting.frontier
        row = setting.draft_model.read([node]).probs[0]
        tokens, residual = [], row
        for _ in range(self.trial.num_drafts):
            certain = self.trial.drawn == "likeliest"
            tokens.append(int(residual.argmax()) if certain else categorical(residual, setting.draft_rng.random()))
            residual = row if self.trial.drawn == "independent" else without(residual, tokens[-1])
        draft.hang(setting.tree, [(node, token) for token in tokens], DRAWN[self.trial.drawn][0](row))
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """By the rule."""
        return verify_tree(setting, draft, self.rule)


def _compared(counts: Mapping[Any, int], texts: Mapping[Any, float]) -> Comparison:
    return compare_under_conditions([(counts, texts)], test=anytime_p_value if sum(counts.values()) < FEW else None)


def _log_likelihood(counts: Mapping[Text, int], texts: Mapping[Text, float]) -> float:
    return math.fsum(
        number * (math.log(texts[text]) if texts.get(text) else -math.inf) for text, number in counts.items()
    )
