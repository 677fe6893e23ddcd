"""Verification rules that are broken on purpose, each by a mistake that real code has made: what the bench must catch.

Every one wraps a real method and changes the one thing that its sentence names. They claim the law that the real one
reproduces, and are wrong. They are no methods: nothing offers them but the losslessness bench.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from playground.decoding.beams import survivors
from playground.decoding.drafting import grow_level, most_likely
from playground.decoding.forest import ForestDraft, verify_forest
from playground.decoding.method import DecodingMethod, find_method
from playground.decoding.methods.block_verification import BlockVerification
from playground.decoding.methods.dsbd import DSBD
from playground.decoding.methods.dynamic_tree import DynamicTree
from playground.decoding.methods.rsd_c import RSDC
from playground.decoding.methods.specinfer import SpecInfer
from playground.decoding.methods.spectr import SpecTr
from playground.decoding.methods.speculative_sampling import SpeculativeSampling
from playground.decoding.round import Draft, Setting, Verdict
from playground.decoding.sampling import categorical
from playground.decoding.verification import k_seq, recursive, speculative
from playground.decoding.verification.layer import LayerResult
from playground.decoding.verification.walk import NodeResult, Rule, verify_tree
from playground.errors import PlaygroundError, did_you_mean

Row = torch.Tensor  # (V,)


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One mistake.

    Attributes:
        title: what it is called.
        mistake: what the code does instead, in a sentence.
        why: what that does to the law of the text, in a sentence.
        method: id of the real method.
        kind: the real method's class with the mistake in it.
        options: of both, where their defaults hide the mistake.
    """

    title: str
    mistake: str
    why: str
    method: str
    kind: type[DecodingMethod]
    options: dict[str, Any] = field(default_factory=dict)

    def make(self) -> DecodingMethod:
        """The broken method, ready to decode."""
        return self.kind(find_method(self.method).Options(**self.options))


def broken_rule(name: str) -> BrokenRule:
    """The rule of this name.

    Raises:
        PlaygroundError: if there is none.
    """
    if name not in BROKEN:
        raise PlaygroundError(f"Unknown broken rule {name!r}.{did_you_mean(name, BROKEN)}")
    return BROKEN[name]


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


def _walking(real: type[DecodingMethod], rule: Rule) -> type[DecodingMethod]:
    """A tree method that judges the draws of a node by this rule."""

    class Broken(real):
        def verify(self, setting: Setting, draft: Draft) -> Verdict:
            """Walk down the tree."""
            return verify_tree(setting, draft, rule)

    return Broken


def _recursive(reject: Callable[[Row, Row, int], Row], without: Callable[[Row, int], Row]) -> Rule:
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


def _same_law(offered: Row, token: int) -> Row:
    return offered


def _zeroed(offered: Row, token: int) -> Row:
    left = offered.clone()
    left[token] = 0
    return left


def _left(rest: Row, offered: Row, token: int) -> Row:
    return recursive.reject(rest, offered)


def _left_of_the_rest(rest: Row, offered: Row, token: int) -> Row:
    return recursive.reject(rest, recursive.without(offered, token))


def _not_normalised(rest: Row, offered: Row, token: int) -> Row:
    return (rest - offered).clamp(min=0)


def _undivided(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
    """K-SEQ with a division factor of 1."""
    tests = []
    for place, token in enumerate(tokens):
        coin, p_x, q_x = coins.random(), float(target_probs[token]), float(draft_probs[token])
        tests.append((min(1.0, p_x / q_x), coin))
        if coin * q_x < p_x:
            return _result(place, tests, target_probs)
    return _result(None, tests, k_seq.residual(target_probs, draft_probs, len(tokens), 1.0))


def _each_token_once(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
    """SpecInfer's rule on the distinct tokens among its draws."""
    distinct = list(dict.fromkeys(tokens))
    result = recursive.judge_with_replacement(target_probs, draft_probs, distinct, coins)
    places = [tokens.index(token) for token in distinct]
    accepted = None if result.accepted is None else places[result.accepted]
    return replace(result, accepted=accepted, tested=places[: len(result.coins)])


def _by_token(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
    """RSD's rule on siblings sorted by token."""
    places = sorted(range(len(tokens)), key=lambda place: tokens[place])
    in_order = [tokens[place] for place in places]
    result = recursive.judge_without_replacement(target_probs, draft_probs, in_order, coins)
    accepted = None if result.accepted is None else places[result.accepted]
    return replace(result, accepted=accepted, tested=places[: len(result.coins)])


def _unmasked(target_probs: Row, draft_probs: Row, tokens: list[int], coins: np.random.Generator) -> NodeResult:
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


BROKEN: dict[str, BrokenRule] = {
    "correction_from_target": BrokenRule(
        "Correction from p",
        "After a rejection the correction is drawn from p, not from what p has beyond q.",
        "Tokens that are often accepted get their share a second time.",
        "speculative_sampling",
        CorrectionFromTarget,
    ),
    "bonus_from_draft": BrokenRule(
        "Bonus from q",
        "After a draft that was kept whole, the extra token is drawn from the draft model.",
        "Nobody ever judges that token, so it follows q.",
        "speculative_sampling",
        BonusFromDraft,
        {"draft_length": 1},
    ),
    "one_number": BrokenRule(
        "One random number a round",
        "The same random number tests every draft of a round and draws the correction, as if seeded anew each time.",
        "A coin small enough for the first test is small for the second, and a correction only comes with large ones.",
        "speculative_sampling",
        OneNumber,
    ),
    "noise_reused": BrokenRule(
        "Noise drawn once for the text",
        "Drafts and coins of every round come from the numbers of the first round.",
        "Each round may look right alone; together they repeat each other's luck.",
        "speculative_sampling",
        NoiseReused,
        {"draft_length": 1},
    ),
    "draft_before_temperature": BrokenRule(
        "q before its temperature",
        "Drafts are sampled at twice the temperature and judged against q without it.",
        "A hot draft's rare tokens come more often than q says, and are accepted too often.",
        "speculative_sampling",
        DraftBeforeTemperature,
        {"draft_temperature_factor": 2.0},
    ),
    "certain_draft": BrokenRule(
        "Likeliest draft judged by its q",
        "The draft model's likeliest token is always proposed, but tested with p/q as if it had been drawn from q.",
        "It is proposed with certainty and accepted as if it were rarer; its q should be 1.",
        "speculative_sampling",
        CertainDraft,
    ),
    "block_by_tokens": BrokenRule(
        "Block judged by its tokens",
        "The longest prefix whose last token passes p/q is kept, whatever the tokens before it would have said.",
        "A token that the target does not want is carried along by a later one that it does.",
        "block_verification",
        BlockByTokens,
    ),
    "undivided": BrokenRule(
        "K-SEQ without its division",
        "Each of four drafts is accepted with min(1, p/q): the division factor is left at 1.",
        "Four chances give popular drafts more mass than p has for them, and no correction can take it back.",
        "spectr",
        _walking(SpecTr, _undivided),
    ),
    "each_token_once": BrokenRule(
        "A repeated draft tested once",
        "Independent drafts that repeat a token are tested only once.",
        "The second draft was offered too, and its rejection must take q away from what is left.",
        "specinfer",
        _walking(SpecInfer, _each_token_once),
        {"draft_length": 2, "first_draws": 3, "later_draws": 2, "draft_temperature_factor": 0.15},
    ),
    "not_normalised": BrokenRule(
        "What is left, not normalised",
        "After a rejection the next draft is tested against max(0, r - q) as it is, not normalised.",
        "Later drafts are accepted too rarely, and the correction gives their tokens' share to others.",
        "specinfer",
        _walking(SpecInfer, _recursive(_not_normalised, _same_law)),
        {"draft_length": 3, "first_draws": 6, "later_draws": 2},
    ),
    "judged_as_independent": BrokenRule(
        "Different drafts judged as independent",
        "Drafts drawn without replacement are all tested against the same q.",
        "The second draft came from q without the first one's token, not from q.",
        "rsd_c",
        _walking(RSDC, recursive.judge_with_replacement),
        {"first_branching": 3, "second_branching": 3, "later_branching": 2},
    ),
    "zeroed_too_early": BrokenRule(
        "Token taken out of q too early",
        "A rejected token is taken out of q before, not after, q is subtracted from what is left.",
        "The rejected token keeps all its mass and comes back as a correction.",
        "rsd_c",
        _walking(RSDC, _recursive(_left_of_the_rest, recursive.without)),
    ),
    "zeroed_only": BrokenRule(
        "q not normalised again",
        "A rejected token is taken out of q, and the rest of q is left as it was.",
        "The next draft looks rarer than it was, and is accepted too often.",
        "rsd_c",
        _walking(RSDC, _recursive(_left, _zeroed)),
        {"first_branching": 3, "second_branching": 3, "later_branching": 2},
    ),
    "sorted_by_token": BrokenRule(
        "Siblings sorted by token",
        "Drafts drawn without replacement are tested in the order of their token numbers, not as they were drawn.",
        "The law of a draft depends on those drawn before it; the sorted order has another one.",
        "rsd_c",
        _walking(RSDC, _by_token),
    ),
    "unmasked": BrokenRule(
        "Rejected token not masked",
        "Certain drafts are tested in turn, and the correction may be one of those that were just rejected.",
        "A rejected token gets its share of p once in its test, and again in the correction.",
        "dynamic_tree",
        _walking(DynamicTree, _unmasked),
    ),
    "upside_down": BrokenRule(
        "Ratio upside down",
        "A draft of a layer of beams is accepted with min(1, q/p), as a paper's algorithm prints it.",
        "What the draft model prefers is favoured, where it should be held back.",
        "dsbd",
        UpsideDown,
        {"threshold": 0.0},
    ),
}
