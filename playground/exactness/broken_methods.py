"""Methods with one mistake in them: each wraps the real one and changes a single thing.

broken_rules.py says of each what is wrong and why it matters; nothing else uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch

from playground.decoding.beams import survivors
from playground.decoding.drafting import grow_level, most_likely
from playground.decoding.forest import ForestDraft, verify_forest
from playground.decoding.method import DecodingMethod
from playground.decoding.methods.block_verification import BlockVerification
from playground.decoding.methods.dsbd import DSBD
from playground.decoding.methods.speculative_sampling import SpeculativeSampling
from playground.decoding.round import Draft, Setting, Verdict
from playground.decoding.sampling import categorical
from playground.decoding.verification import k_seq, recursive, speculative
from playground.decoding.verification.layer import LayerResult
from playground.decoding.verification.walk import NodeResult, Rule, verify_tree

Row = torch.Tensor  # (V,)


# A chain of drafts


class CorrectionFromTarget(SpeculativeSampling):
    """The residual forgotten."""

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Draw the correction again, from p."""
        verdict = super().verify(setting, draft)
        return _redrawn(setting, verdict, verdict.reading.probs[len(verdict.accepted)], "correction")


class BonusFromDraft(SpeculativeSampling):
    """The wrong model asked for the last token."""

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Draw the bonus again, from q."""
        verdict = super().verify(setting, draft)
        last = (verdict.accepted or setting.frontier)[-1]
        return _redrawn(setting, verdict, setting.draft_model.read([last]).probs[0], "bonus")


class OneNumber(SpeculativeSampling):
    """One random number for the whole round."""

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Hand the rule a stream that repeats itself."""
        return super().verify(replace(setting, verify_rng=_Repeating(setting.verify_rng.random())), draft)


class _Repeating:
    """A stream of one number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self, size: int | None = None) -> float | np.ndarray:
        """The number, as often as asked."""
        return self.number if size is None else np.full(size, self.number)


class DraftBeforeTemperature(SpeculativeSampling):
    """Drawn at one temperature, judged at another."""

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Judge against the draft model's rows before its own temperature."""
        parents = list(draft.probs)
        rows = setting.draft_model.read(parents).probs if parents else []
        return super().verify(setting, replace(draft, probs=dict(zip(parents, rows, strict=True))))


class CertainDraft(SpeculativeSampling):
    """The draft's likeliest tokens, judged as if they had been drawn."""

    def draft(self, setting: Setting) -> Draft:
        """A chain without chance; the rows are those that it was not drawn from."""
        draft, chain = Draft(), setting.frontier
        for _ in range(min(self.options.draft_length, setting.room - 1)):
            chain = grow_level(setting, draft, chain, most_likely)
        return draft


class BlockByTokens(BlockVerification):
    """The longest prefix kept, but each judged by its last token alone."""

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Test from the longest prefix down with min(1, p/q) of its last token."""
        chain, rng = draft.nodes(), setting.verify_rng
        verdict = super().verify(setting, draft)
        probs = verdict.reading.probs
        kept = len(chain)
        while kept:
            token, drafted = setting.tree.tokens[chain[kept - 1]], list(draft.probs.values())[kept - 1]
            if rng.random() * float(drafted[token]) < float(probs[kept - 1][token]):
                break
            kept -= 1
        if kept == len(chain):
            rest, origin = probs[-1], "bonus" if chain else "plain"
        else:
            rest, origin = speculative.residual(probs[kept], list(draft.probs.values())[kept]), "correction"
        return Verdict(verdict.reading, [], chain[:kept], categorical(rest, rng.random()), origin, rest)


class NoiseReused(SpeculativeSampling):
    """Random numbers drawn once for the whole text."""

    def draft(self, setting: Setting) -> Draft:
        """Begin every round with the streams as they were in the first."""
        streams = (setting.draft_rng, setting.verify_rng)
        setting.memory = setting.memory or [rng.bit_generator.state for rng in streams]
        for rng, state in zip(streams, setting.memory, strict=True):
            rng.bit_generator.state = state
        return super().draft(setting)


def _redrawn(setting: Setting, verdict: Verdict, probs: Row, origin: str) -> Verdict:
    if verdict.origin != origin or verdict.extra is None:
        return verdict
    return replace(verdict, extra=categorical(probs, setting.verify_rng.random()), extra_probs=probs)


# Several drafts below a node: the real walk, with a wrong rule


def walking(real: type[DecodingMethod], rule: Rule) -> type[DecodingMethod]:
    """A tree method that judges the draws of a node by this rule."""

    class Broken(real):
        def verify(self, setting: Setting, draft: Draft) -> Verdict:
            """Walk down the tree."""
            return verify_tree(setting, draft, rule)

    return Broken


def recursive_rejection(reject: Callable[[Row, Row, int], Row], without: Callable[[Row, int], Row]) -> Rule:
    """Recursive rejection with other steps.

    Args:
        reject: what a rejection leaves, from r, the law of the draw, and the draw.
        without: the law of the next draw, from that of the last one and its draw.
    """

    def judge(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
        rest, offered, tests = target_probs, draft_probs, []
        for place, token in enumerate(tokens):
            coin, r_x, d_x = coins.random(), float(rest[token]), float(offered[token])
            tests.append((min(1.0, r_x / d_x) if d_x else 1.0, coin))
            if coin * d_x < r_x:
                return _result(place, tests, rest)
            rest, offered = reject(rest, offered, token), without(offered, token)
        return _result(None, tests, rest if float(rest.sum()) > 0 else target_probs)

    return judge


def _result(accepted: int | None, tests: Sequence[tuple[float, float]], rest: Row) -> NodeResult:
    probabilities, coins = ([each[part] for each in tests] for part in (0, 1))
    return NodeResult(accepted, probabilities, coins, rest, ["a rule that is broken on purpose"] * len(tests))


def same_law(offered: Row, token: int) -> Row:
    """The next draw has the law of this one: right with replacement."""
    return offered


def zeroed(offered: Row, token: int) -> Row:
    """The token taken out of q, and the rest left as it was."""
    left = offered.clone()
    left[token] = 0
    return left


def left(rest: Row, offered: Row, token: int) -> Row:
    """What a rejection leaves, as it should be."""
    return recursive.reject(rest, offered)


def left_of_the_rest(rest: Row, offered: Row, token: int) -> Row:
    """The same, but with the token already taken out of q."""
    return recursive.reject(rest, recursive.without(offered, token))


def not_normalised(rest: Row, offered: Row, token: int) -> Row:
    """The same, but not normalised."""
    return (rest - offered).clamp(min=0)


def undivided(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
    """K-SEQ with a division factor of 1."""
    tests = []
    for place, token in enumerate(tokens):
        coin, p_x, q_x = coins.random(), float(target_probs[token]), float(draft_probs[token])
        tests.append((min(1.0, p_x / q_x), coin))
        if coin * q_x < p_x:
            return _result(place, tests, target_probs)
    return _result(None, tests, k_seq.residual(target_probs, draft_probs, len(tokens), 1.0))


def each_token_once(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
    """SpecInfer's rule on the distinct tokens among its draws."""
    distinct = list(dict.fromkeys(tokens))
    result = recursive.judge_with_replacement(target_probs, draft_probs, distinct, coins)
    places = [tokens.index(token) for token in distinct]
    accepted = None if result.accepted is None else places[result.accepted]
    return replace(result, accepted=accepted, tested=places[: len(result.coins)])


def by_token(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
    """RSD's rule on siblings sorted by token."""
    places = sorted(range(len(tokens)), key=lambda place: tokens[place])
    in_order = [tokens[place] for place in places]
    result = recursive.judge_without_replacement(target_probs, draft_probs, in_order, coins)
    accepted = None if result.accepted is None else places[result.accepted]
    return replace(result, accepted=accepted, tested=places[: len(result.coins)])


def unmasked(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
    """Certain draws, each tested against p as it was, and the correction drawn from p as it was."""
    tests = []
    for place, token in enumerate(tokens):
        coin, p_x = coins.random(), float(target_probs[token])
        tests.append((p_x, coin))
        if coin < p_x:
            return _result(place, tests, target_probs)
    return _result(None, tests, target_probs)


# Beams


class UpsideDown(DSBD):
    """The ratio the wrong way round."""

    def verify(self, setting: Setting, draft: ForestDraft) -> Verdict:
        """As the real one, with a wrong rule for each layer."""
        found = verify_forest(setting, draft, self.options.width, _upside_down)
        return Verdict(found.reading, found.judgements, beams=survivors(setting, self.pass_on(setting, found)))


def _upside_down(
    target_probs: Row, draft_probs: Row, draws: list[int], num_outputs: int, coins: np.random.Generator
) -> LayerResult:
    rest, accepted, probabilities, flips = target_probs, [], [], []
    for place, x in enumerate(draws):
        if len(accepted) == num_outputs:
            break
        coin, r_x, q_x = coins.random(), float(rest[x]), float(draft_probs[x])
        flips.append(coin)
        probabilities.append(min(1.0, q_x / r_x) if r_x else 1.0)
        if coin * r_x < q_x:
            accepted.append(place)
            rest = target_probs
        else:
            rest = recursive.reject(rest, draft_probs)
    missing = [rest, *[target_probs] * num_outputs][: num_outputs - len(accepted)]
    return LayerResult(accepted, probabilities, flips, missing)
