"""Methods with a mistake: a method that tests by a plain rule, or speculative sampling with a function replaced.

broken_rules.py says of each what is wrong and why it matters; nothing else uses them.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from playground.decoding.categorical import categorical
from playground.decoding.distribution import DraftDistribution, Independent
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import MOST_LIKELY, grow
from playground.decoding.drafting.samplers import DraftSampler, draft_chains
from playground.decoding.forest import ForestDraft, verify_forest
from playground.decoding.method import DecodingMethod
from playground.decoding.methods.dsbd import DSBD
from playground.decoding.methods.speculative_sampling import SpeculativeSampling
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import speculative
from playground.decoding.verification.ruling import Ruling, Test
from playground.decoding.verifying import close, close_chain, read, verify_chain, verify_tree
from playground.exactness.plain_rules import Row, only
from playground.exactness.trial import Rule
from playground.trace.events import Outcome
from playground.trace.reasons import Reason

WRONG = Reason("broken_on_purpose")
TOP_K = 2  # of drafts that are tested as if drawn from all tokens
UNLIKELY = 0.3  # q under which a draft is thrown away after it was drawn


def patched(real: type[DecodingMethod], **mistakes: Any) -> type[DecodingMethod]:
    """Return the real method with these of its functions replaced."""
    return type(f"Broken{real.__name__}", (real,), mistakes)


def testing_by(real: type[DecodingMethod], rule: Rule) -> type[DecodingMethod]:
    """Return the real method with a plain rule for its tests.

    The rule says only which tokens it writes: a draft counts as accepted where its token was written.
    """
    verify = _verify_chain if real.drafts == "chain" else _verify_forest if real is DSBD else _verify_tree
    return patched(real, rule=staticmethod(rule), verify=verify)


def _ruling(accepted: Collection[int], num_draws: int, extra_probs: list[Row]) -> Ruling:
    outcomes: list[Outcome] = ["accepted" if index in accepted else "rejected" for index in range(num_draws)]
    return Ruling([Test(index, outcome, None, None, WRONG) for index, outcome in enumerate(outcomes)], extra_probs)


def _verify_chain(method: Any, setting: Setting, draft: Draft) -> Verdict:
    reading, draws = read(setting, draft), list(draft.draws.values())
    if not draws:
        return close(setting, draft, reading)
    draft_probs = np.stack([below.distribution.first(below.tokens, reading.probs[0]) for below in draws])  # (N, V)
    drafts = np.array([below.tokens[0] for below in draws])
    *accepted, last = method.rule(reading.probs, draft_probs, drafts, setting.verify_rng)
    ruling = _ruling(range(len(accepted)), len(draws), [only(reading.probs[0], last)])
    return close_chain(setting, draft, reading, ruling)


def _verify_tree(method: Any, setting: Setting, draft: Draft) -> Verdict:
    def judge(
        target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator
    ) -> Ruling:
        token = method.rule(target_probs, distribution.first(tokens, target_probs), np.array(tokens), rng)
        if token in tokens:
            return _ruling([tokens.index(token)], len(tokens), [])
        return _ruling([], len(tokens), [only(target_probs, token)])

    return verify_tree(setting, draft, judge)


def _verify_forest(method: Any, setting: Setting, draft: ForestDraft) -> Verdict:
    def judge(
        target_probs: Row, draft_probs: Row, draws: list[int], num_outputs: int, rng: np.random.Generator
    ) -> Ruling:
        accepted, extra_probs, left = [], [], list(enumerate(draws))
        for _ in range(num_outputs):
            output = method.rule(target_probs, draft_probs, [x for _, x in left], rng)
            index = next((index for index, x in left if x == output), None)
            if index is None:
                extra_probs.append(only(target_probs, output))
                left = []
            else:
                accepted.append(index)
                left = [draw for draw in left if draw[0] > index]
        return _ruling(accepted, len(draws), extra_probs)

    return verify_forest(setting, draft, method.options.width, judge, method.next_beams)


# Speculative sampling with a mistake that is not one of its rule


def bonus_from_draft(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
    """Draw the bonus token again, from the draft model's row after the last accepted token."""
    verdict = verify_chain(setting, draft, speculative.judge)
    if verdict.origin != "bonus" or verdict.extra is None:
        return verdict
    probs = setting.draft_model.read([(verdict.accepted or setting.frontier)[-1]]).probs[0]
    return replace(verdict, extra=categorical(probs, setting.verify_rng.random()), extra_probs=probs)


def by_plain_rows(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
    """Test by the draft model's rows at the run's own settings, which the drafts were not drawn from."""
    rows = setting.draft_model.read(list(draft.draws)).probs if draft.draws else []
    plain_draws = {
        node: replace(below, distribution=Independent(row))
        for (node, below), row in zip(draft.draws.items(), rows, strict=True)
    }
    return verify_chain(setting, replace(draft, draws=plain_draws), speculative.judge)


def after_top_k(method: SpeculativeSampling, setting: Setting) -> Draft:
    """Return a chain drawn from the few likeliest tokens."""
    model = setting.draft_model
    narrow = DraftSampler(model, replace(model.sampling, top_k=TOP_K))
    return draft_chains(setting, method.options.draft_length, [narrow])


def unlikely_dropped(method: SpeculativeSampling, setting: Setting) -> Draft:
    """Return a chain up to the first token that the draft model finds unlikely, without it."""
    draft = SpeculativeSampling.draft(method, setting)
    chances = [below.distribution.probs(below.tokens)[0] for below in draft.draws.values()]
    length = next((index for index, chance in enumerate(chances) if chance < UNLIKELY), len(chances))
    return Draft(draft.depths[:length], dict(list(draft.draws.items())[:length]))


def certain(method: SpeculativeSampling, setting: Setting) -> Draft:
    """Return a chain without chance that says it was drawn, from rows that it was not drawn from."""
    draft = Draft()
    for parents in setting.parents_by_depth(draft, method.options.draft_length):
        grow(setting, draft, parents, MOST_LIKELY._replace(distribution=Independent))
    return draft


def rewound(*names: str) -> Callable[[SpeculativeSampling, Setting], Draft]:
    """Return a draft that restarts these random streams at the beginning of every round."""

    def draft(method: SpeculativeSampling, setting: Setting) -> Draft:
        streams = [getattr(setting, name) for name in names]
        setting.memory = setting.memory or [rng.bit_generator.state for rng in streams]
        for rng, state in zip(streams, setting.memory, strict=True):
            rng.bit_generator.state = state
        return SpeculativeSampling.draft(method, setting)

    return draft
