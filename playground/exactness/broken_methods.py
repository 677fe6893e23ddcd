"""Mistakes that methods are patched with, one function of the real method at a time.

broken_rules.py says of each what is wrong and why it matters; nothing else uses them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from playground.decoding import distribution
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
from playground.decoding.verification import k_seq, recursive, speculative
from playground.decoding.verification.ruling import ChainRule, NodeRule, Ruling, Test, untested
from playground.decoding.verifying import verify_chain, verify_tree
from playground.models.reading import Array
from playground.trace.reasons import Reason

Row = Array  # (V,)

WRONG = Reason("broken_on_purpose")
TOP_K = 2  # Drafts from the K best tokens are tested as if drawn from all.
TOP_P = 0.6  # The extra token is drawn from fewer tokens than the tests knew.
LENIENCE = 1.5  # factor of p in a lenient test
UNLIKELY = 0.3  # q under which a draft is thrown away after it was drawn


def patched(real: type[DecodingMethod], **mistakes: Callable[..., Any]) -> type[DecodingMethod]:
    """Return the real method with these of its functions replaced."""
    return type(f"Broken{real.__name__}", (real,), mistakes)


def tested_by(real: type[DecodingMethod], judge: ChainRule) -> type[DecodingMethod]:
    """A chain method that tests its drafts by this rule."""
    return patched(real, verify=lambda _, setting, draft: verify_chain(setting, draft, judge))


def walking(real: type[DecodingMethod], judge: NodeRule) -> type[DecodingMethod]:
    """Return a tree method that tests the draws of a node by this rule, which `node_rule` finds again."""
    verify = lambda _, setting, draft: verify_tree(setting, draft, judge)  # noqa: E731
    return patched(real, rule=staticmethod(judge), verify=verify)


def node_rule(kind: type[DecodingMethod]) -> NodeRule | None:
    """Return the rule that a class made by `walking` applies to a node's draws; None for others."""
    return getattr(kind, "rule", None)


# A chain of drafts: its rule


def corrected_by(left: Callable[[Row, Row, int], Row]) -> ChainRule:
    """Return the right tests, and a correction from what this says is left by p, q and the rejected token."""

    def judge(target_probs: Row, draft_probs: Row, tokens: list[int], rng: np.random.Generator) -> Ruling:
        ruling = speculative.judge(target_probs, draft_probs, tokens, rng)
        index = len(ruling.accepted)
        rows = [left(target_probs[index], draft_probs[index], tokens[index])] if ruling.extra_probs else []
        return replace(ruling, extra_probs=rows)

    return judge


def with_numbers(numbers: Callable[[np.ndarray], Sequence[float]]) -> ChainRule:
    """Return the right rule with numbers that are made of its uniform ones."""

    def judge(target_probs: Row, draft_probs: Row, tokens: list[int], rng: np.random.Generator) -> Ruling:
        return speculative.judge(target_probs, draft_probs, tokens, _stream(numbers(rng.random(len(tokens)))))

    return judge


def _stream(numbers: Sequence[float]) -> np.random.Generator:
    """Return a stream that gives these numbers, from the first on in every call."""

    def random(size: int | None = None) -> float | np.ndarray:
        return numbers[0] if size is None else np.array(numbers[:size])

    return cast("np.random.Generator", SimpleNamespace(random=random))


def by_next_row_of_q(target_probs: Row, draft_probs: Row, tokens: list[int], rng: np.random.Generator) -> Ruling:
    """Test by q as it is after each draft; the last draft, which has no next row, has its own."""
    return speculative.judge(target_probs, np.concatenate([draft_probs[1:], draft_probs[-1:]]), tokens, rng)


def but_the_first(target_probs: Row, draft_probs: Row, tokens: list[int], rng: np.random.Generator) -> Ruling:
    """Keep the first token, and test the others."""
    first = Test(0, "accepted", None, None, WRONG)
    if len(tokens) == 1:
        return Ruling([first])
    others = speculative.judge(target_probs[1:], draft_probs[1:], tokens[1:], rng)
    return Ruling([first, *(test._replace(draw=test.draw + 1) for test in others.tests)], others.extra_probs)


def prefix(length_of: Callable[[Row, Row, np.random.Generator], int]) -> ChainRule:
    """Return a rule that accepts a prefix, with a correction from the residual behind it.

    Args:
        length_of: its length, by p and q of each drafted token, (N,) both, and the stream.
    """

    def judge(target_probs: Row, draft_probs: Row, tokens: list[int], rng: np.random.Generator) -> Ruling:
        indices, size = np.arange(len(tokens)), len(tokens)
        length = length_of(target_probs[indices, tokens], draft_probs[indices, tokens], rng)
        tests = [Test(index, "accepted" if index < length else "rejected", None, None, WRONG) for index in range(size)]
        rows = [speculative.residual(target_probs[length], draft_probs[length])] if length < size else []
        return Ruling(tests, rows)

    return judge


def longest_last(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Test from the longest prefix down with min(1, p/q) of its last token alone."""
    lengths = range(len(p), 0, -1)
    return next((length for length in lengths if rng.random() * float(q[length - 1]) < float(p[length - 1])), 0)


def lenient(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Test each token with p made larger."""
    failed = (index for index in range(len(p)) if not rng.random() * float(q[index]) < LENIENCE * float(p[index]))
    return next(failed, len(p))


def as_likely(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Accept tokens up to the first that the target finds less likely, without chance."""
    return next((index for index in range(len(p)) if p[index] < q[index]), len(p))


def num_passes(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Test every token, and count the passes."""
    return sum(rng.random() * q_x < p_x for p_x, q_x in zip(p.tolist(), q.tolist(), strict=True))


def whole_or_none(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Test the whole chain once."""
    return len(p) if rng.random() * float(q.prod()) < float(p.prod()) else 0


# A chain of drafts: its verdict


def one_number(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
    """Hand the rule a stream that repeats one number."""
    numbers = [setting.verify_rng.random()] * max(1, len(draft.draws))
    return verify_chain(replace(setting, verify_rng=_stream(numbers)), draft, speculative.judge)


def residual_by_the_test(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
    """Draw the correction again, by the number of the failed test."""
    verdict = verify_chain(setting, draft, speculative.judge)
    uniforms = [each.uniform for each in verdict.judgements if each.outcome == "rejected"]
    if verdict.extra_probs is None or not uniforms or uniforms[0] is None:
        return verdict
    return replace(verdict, extra=categorical(verdict.extra_probs, uniforms[0]))


def drawn_again(origin: str, row: Callable[[Setting, Verdict], Row]) -> Callable[..., Verdict]:
    """Draw the extra token of this origin again, from another row."""

    def verify(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
        verdict = verify_chain(setting, draft, speculative.judge)
        if verdict.origin != origin or verdict.extra is None:
            return verdict
        probs = row(setting, verdict)
        return replace(verdict, extra=categorical(probs, setting.verify_rng.random()), extra_probs=probs)

    return verify


def after_draft(setting: Setting, verdict: Verdict) -> Row:
    """Return the draft model's row after the last accepted token."""
    return setting.draft_model.read([(verdict.accepted or setting.frontier)[-1]]).probs[0]


def after_refused(_: Setting, verdict: Verdict) -> Row:
    """Return the target's row after the refused token."""
    return verdict.reading.probs[len(verdict.accepted) + 1]


def likeliest(_: Setting, verdict: Verdict) -> Row:
    """All of the probability on the target's likeliest token."""
    return np.eye(len(verdict.reading.probs[-1]))[verdict.reading.probs[-1].argmax()]


def by_plain_rows(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
    """Test by the draft model's rows at the run's own settings, which the drafts were not drawn from."""
    rows = setting.draft_model.read(list(draft.draws)).probs if draft.draws else []
    plain_draws = {
        node: replace(below, distribution=Independent(row))
        for (node, below), row in zip(draft.draws.items(), rows, strict=True)
    }
    return verify_chain(setting, replace(draft, draws=plain_draws), speculative.judge)


def before_last(_: Setting, verdict: Verdict) -> Row:
    """Return the target's row that the last draft was tested with."""
    return verdict.reading.probs[len(verdict.accepted) - 1]


def by_likeliest(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
    """Accept what the target finds likeliest, and write its likeliest token where that is another."""
    rows = setting.target.read([setting.frontier[0], *setting.living(draft.nodes())])
    best = {node: int(row.argmax()) for node, row in zip(rows.nodes, rows.probs, strict=True)}
    tokens, parents = setting.tree.tokens, setting.tree.parents
    rule = prefix(
        lambda p, q, rng: next((i for i, x in enumerate(draft.nodes()) if best[parents[x]] != tokens[x]), len(p))
    )
    verdict = verify_chain(setting, draft, rule)
    if verdict.extra is None:
        return verdict
    end = (verdict.accepted or setting.frontier)[-1]
    return replace(verdict, extra=best[end], extra_probs=np.eye(len(rows.probs[0]))[best[end]])


def top_p_after_test(_: DecodingMethod, setting: Setting, draft: Draft) -> Verdict:
    """Draw the extra token again, from the likeliest tokens of its row alone."""
    verdict = verify_chain(setting, draft, speculative.judge)
    if verdict.extra is None or verdict.extra_probs is None:
        return verdict
    row = verdict.extra_probs / verdict.extra_probs.sum()
    order = np.argsort(-row, kind="stable")
    row[order[row[order].cumsum() - row[order] >= TOP_P]] = 0
    return replace(verdict, extra=categorical(row, setting.verify_rng.random()), extra_probs=row)


# A chain of drafts: its drawing


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


# Several drafts below a node: the real walk, with a wrong rule


def recursive_rejection(reject: Callable[[Row, Row, int], Row], without: Callable[[Row, int], Row]) -> NodeRule:
    """Recursive rejection with other steps.

    Args:
        reject: what a rejection leaves, from r, the distribution of the draw, and the draw.
        without: the distribution of the next draw, from that of the last one and its draw.
    """

    def judge(
        target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator
    ) -> Ruling:
        residual, offered = target_probs, distribution.first(tokens, target_probs)

        def odds() -> Iterator[tuple[float, float]]:
            nonlocal residual, offered
            for token in tokens:
                yield float(residual[token]), float(offered[token])
                residual, offered = reject(residual, offered, token), without(offered, token)

        tests, has_passed = _in_turn(odds(), rng)
        left = residual if float(residual.sum()) > 0 else target_probs
        return _ruling(tokens, tests, None if has_passed else left)

    return judge


def _in_turn(odds: Iterable[tuple[float, float]], rng: np.random.Generator) -> tuple[list[tuple[float, float]], bool]:
    """Test draws with min(1, p/q) until one passes, by p and q of each; (tests, whether the last has passed)."""
    tests = []
    for p_x, q_x in odds:
        uniform = rng.random()
        tests.append((min(1.0, p_x / q_x) if q_x else 1.0, uniform))
        if uniform * q_x < p_x:
            return tests, True
    return tests, False


def _ruling(tokens: list[int], tests: list[tuple[float, float]], residual: Row | None) -> Ruling:
    """Rule as if the last test had passed, unless something is left of p for a correction."""
    passed = len(tests) - 1 if residual is None else len(tests)
    outcomes = [
        Test(index, "accepted" if index == passed else "rejected", accept_prob, uniform, WRONG)
        for index, (accept_prob, uniform) in enumerate(tests)
    ]
    return Ruling(outcomes + untested(range(len(tests), len(tokens)), WRONG), [] if residual is None else [residual])


def unchanged(offered: Row, token: int) -> Row:
    """Keep the distribution of this draw for the next: right with replacement."""
    return offered


def zeroed(offered: Row, token: int) -> Row:
    """Return the token taken out of q, and the rest left as it was."""
    left = offered.copy()
    left[token] = 0
    return left


def left(residual: Row, offered: Row, token: int) -> Row:
    """Residual after a rejection, as it should be."""
    return recursive.reject(residual, offered)


def left_of_the_rest(residual: Row, offered: Row, token: int) -> Row:
    """Residual with the token already taken out of q."""
    return recursive.reject(residual, distribution.without(offered, token))


def not_normalised(residual: Row, offered: Row, token: int) -> Row:
    """Residual that is not normalised."""
    return np.maximum(residual - offered, 0)


def as_independent(
    target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator
) -> Ruling:
    """Recursive rejection of draws that are taken for independent ones, all from the first one's row."""
    return recursive.judge(target_probs, Independent(distribution.first(tokens, target_probs)), tokens, rng)


def undivided(
    target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator
) -> Ruling:
    """K-SEQ with a division factor of 1."""
    q = distribution.shared()
    tests, has_passed = _in_turn(((float(target_probs[token]), float(q[token])) for token in tokens), rng)
    return _ruling(tokens, tests, None if has_passed else k_seq.residual(target_probs, q, len(tokens), 1.0))


def each_token_once(
    target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator
) -> Ruling:
    """SpecInfer's rule on the distinct tokens among its draws."""
    distinct = list(dict.fromkeys(tokens))
    ruling = recursive.judge(target_probs, distribution, distinct, rng)
    return _at_indices(ruling, [tokens.index(token) for token in distinct], len(tokens))


def by_token(target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator) -> Ruling:
    """RSD's rule on siblings sorted by token."""
    indices = sorted(range(len(tokens)), key=lambda index: tokens[index])
    ruling = recursive.judge(target_probs, distribution, [tokens[index] for index in indices], rng)
    return _at_indices(ruling, indices, len(tokens))


def _at_indices(ruling: Ruling, indices: list[int], num_draws: int) -> Ruling:
    """Return the ruling on some draws, as one on all of them."""
    tests = [test._replace(draw=indices[test.draw]) for test in ruling.tested]
    tested = {test.draw for test in tests}
    others = [test for test in untested(range(num_draws), WRONG) if test.draw not in tested]
    return replace(ruling, tests=tests + others)


def unmasked(target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator) -> Ruling:
    """Certain draws, each tested against p as it was, and the correction drawn from p as it was."""
    tests, has_passed = _in_turn(((float(target_probs[token]), 1.0) for token in tokens), rng)
    return _ruling(tokens, tests, None if has_passed else target_probs)


# Beams


def beams_upside_down(method: DSBD, setting: Setting, draft: ForestDraft) -> Verdict:
    """Verify as the real one does, with a wrong rule for each depth."""
    return verify_forest(setting, draft, method.options.width, _upside_down, method.next_beams)


def _upside_down(
    target_probs: Row, draft_probs: Row, draws: list[int], num_outputs: int, rng: np.random.Generator
) -> Ruling:
    residual, num_accepted, tests = target_probs, 0, []
    for index, x in enumerate(draws):
        if num_accepted == num_outputs:
            break
        uniform, r_x, q_x = rng.random(), float(residual[x]), float(draft_probs[x])
        passed = uniform * r_x < q_x
        outcome = "accepted" if passed else "rejected"
        tests.append(Test(index, outcome, min(1.0, q_x / r_x) if r_x else 1.0, uniform, WRONG))
        num_accepted += passed
        residual = target_probs if passed else recursive.reject(residual, draft_probs)
    tests += untested(range(len(tests), len(draws)), WRONG)
    return Ruling(tests, [residual, *[target_probs] * num_outputs][: num_outputs - num_accepted])


def ratio_upside_down(
    target_probs: Row, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator
) -> Ruling:
    """Make that mistake below a node, where one token is wanted."""
    return _upside_down(target_probs, distribution.first(tokens, target_probs), tokens, 1, rng)
