"""The map of lossy rules: tokens a target call gained, against distance from the target's distribution given away.

The distance is the total variation distance between p and the distribution of the first token of a round of two drafts,
exactly: on tables by enumeration of the method itself, on a pair by the formulas below, at the positions of texts that
the target wrote. The tokens a call are counted on the pair, in runs, and enumerated on the tables. The target truncated
by top-p, top-k or a lower temperature stands beside the rules; speculative sampling reproduces that without loss.

For one draft a position that is drawn from q, a rule that accepts with probability a gives away at least a - (1 - D), D
being the distance of p and q: what it keeps beyond p is at least what it accepts beyond min(p, q). A correction from
the residual reaches this bound. So the static ensemble, entropy verification and FLy pay the same price for a draft.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from playground.bench.entry import Entry
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.decoding.verification import speculative
from playground.decoding.verification.lossy import deferred, entropy, relaxed, typical
from playground.exactness.enumeration import Stream, courses, method_round
from playground.makers.several_drafts import mean_of_positions, normalised, read_target_text
from playground.metrics.interval import bootstrap
from playground.models.loading import LoadedPair
from playground.models.reading import Array
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel

DRAFT_LENGTH = 2
LOSSLESS = "speculative_sampling"
LEFT_OUT = 0.01  # Share of max(0, q - p) at a position whose tokens are taken to fail, whatever would come after them.
NUM_TABLES = 4
DIGITS = 5  # Numbers of the file are rounded to these.


class Position(NamedTuple):
    """Both models' rows after a text, and after some tokens more: those that a test of p/q may reject."""

    p: Array  # (V,)
    q: Array  # (V,)
    tokens: Array  # (n,)
    p_after: Array  # (n, V)
    q_after: Array  # (n, V)


# -- distribution of the first token of a round, exactly


def of_entropy(at: Position, options: Any) -> Array:
    """Keep a draft with min(1, p / (t q)), else draw from the residual: entropy verification."""
    factor = entropy.leniency(at.p, alpha=options.alpha, most=options.most)
    return _completed(np.minimum(at.q, at.p / factor), speculative.residual(at.p, at.q))


def of_ensemble(at: Position, options: Any) -> Array:
    """Mix p and q: the static ensemble."""
    return options.weight * at.p + (1 - options.weight) * at.q


def of_fly(at: Position, options: Any) -> Array:
    """Keep a draft that failed if the target is unsure and the next one passes: FLy."""
    mass = np.minimum(at.p, at.q)
    if deferred.unsureness(at.p) > options.threshold:
        failed = np.maximum(at.q - at.p, 0)[at.tokens]
        mass[at.tokens] += failed * speculative.acceptance_probability(at.p_after, at.q_after)
    return _completed(mass, speculative.residual(at.p, at.q))


def of_joint(at: Position, options: Any) -> Array:
    """Keep a draft whose p/q exceeds tau, or the two drafts' joint one, else draw from p: MTAD with one beam."""
    passes = (at.p > options.tau * at.q) & (options.tau < 1)
    mass = np.where(passes, at.q, 0)
    ratio = at.p[at.tokens] / at.q[at.tokens]
    carried = (at.q_after * (ratio[:, None] * at.p_after > options.tau * at.q_after)).sum(-1) * (options.tau < 1)
    mass[at.tokens] = np.where(passes[at.tokens], mass[at.tokens], at.q[at.tokens] * carried)
    return _completed(mass, at.p)


def of_typical(at: Position, options: Any) -> Array:
    """Keep the draft model's likeliest token where it passes, else draw from p: typical acceptance."""
    return _best_guess(at, passes_typical(at, options))


def of_bild(at: Position, options: Any) -> Array:
    """Keep likewise, if the draft model is sure enough to draft at all: BiLD."""
    return _best_guess(at, passes_bild(at, options) & (at.q >= options.fallback))


def of_relaxed(at: Position, options: Any) -> Array:
    """Keep the first of N draws that passes p/q, else draw from the residual: relaxed AtSpeed with one beam."""
    accepted, num_draws = np.minimum(at.p, at.q), options.width + options.spare
    share = relaxed.expected_share(min(1.0, accepted.sum()), num_draws, options.width)
    return _completed(share * accepted / accepted.sum(), speculative.residual(at.p, at.q))


def passes_typical(at: Position, options: Any) -> Array:
    """Return which tokens typical acceptance lets pass. (V,)"""
    return at.p > typical.threshold(at.p, epsilon=options.epsilon, delta=options.delta)


def passes_bild(at: Position, options: Any) -> Array:
    """Return which tokens are within the rollback threshold. (V,)"""
    return at.p >= math.exp(-options.rollback)


def _best_guess(at: Position, passes: Array) -> Array:
    best = at.q.argmax()
    return np.eye(1, len(at.p), int(best))[0] if passes[best] else at.p


def _completed(mass: Array, correction: Array) -> Array:
    return mass + (1 - mass.sum()) * correction / correction.sum()


# -- the settings: rules with a parameter swept, and truncated targets


class Rule(NamedTuple):
    """A method and the options that its points have."""

    method: str
    distribution: Callable[..., Array]  # (position, options) -> (V,)
    points: Sequence[dict[str, Any]]
    # What a rule that truncates lets pass: the target truncated to the same tokens stands against it.
    passes: Callable[..., Array] | None = None


RULES = (
    Rule("entropy_verification", of_entropy, [{"alpha": alpha} for alpha in (0.1, 0.4, 1, 2, 4, 10)]),
    Rule("static_ensemble", of_ensemble, [{"weight": weight} for weight in (0.9, 0.75, 0.5, 0.25, 0)]),
    Rule("fly", of_fly, [{"threshold": threshold} for threshold in (1, 0.9, 0.7, 0.5, 0.3, 0)]),
    Rule("mtad", of_joint, [{"tau": tau, "beam_width": 1} for tau in (0.9, 0.8, 0.6, 0.4, 0.2, 0)]),
    Rule("atspeed_relaxed", of_relaxed, [{"spare": spare, "width": 1} for spare in (0, 1, 2, 4, 8)]),
    # Medusa's two numbers, 0.09 and 0.3, are each other's square and root.
    Rule(
        "typical_acceptance",
        of_typical,
        [{"epsilon": each**2, "delta": each} for each in (0.9, 0.8, 0.6, 0.45, 0.3, 0.1)],
        passes_typical,
    ),
    Rule("bild", of_bild, [{"rollback": rollback} for rollback in (0.5, 1, 1.5, 2, 3, 5)], passes_bild),
)
TRUNCATED: tuple[dict[str, Any], ...] = (
    *({"top_p": top_p} for top_p in (0.95, 0.9, 0.8, 0.6)),
    *({"top_k": top_k} for top_k in (20, 10, 5, 2)),
    *({"temperature": temperature} for temperature in (0.8, 0.6, 0.4, 0.0)),
)
SPARE_ON_TABLES = 1  # More draws have too many courses to enumerate.


class Setting(NamedTuple):
    """A point of the map: a method that runs, and its distribution at a position."""

    method: str
    options: dict[str, float]
    distribution: Callable[[Position], Array]
    sampling: dict[str, Any] = {}
    passes: Callable[[Position], Array] | None = None


def settings() -> Iterator[Setting]:
    """Yield every rule with every value of its parameter, then the target as it is and truncated."""
    for method, distribution, points, passes in RULES:
        for point in points:
            options = {"draft_length": DRAFT_LENGTH, **point}
            values = make_method(method, options).options
            bound = passes and partial(passes, options=values)
            yield Setting(method, options, partial(distribution, options=values), passes=bound)
    for sampling in ({}, *TRUNCATED):
        distribution = partial(of_target, sampling=Sampling(**sampling))
        yield Setting(LOSSLESS, {"draft_length": DRAFT_LENGTH}, distribution, sampling)


def lossy_map(pair: LoadedPair, prompts: Sequence[str], *, seed: int, max_new_tokens: int) -> dict[str, object]:
    """Place every rule and every truncated target on the map.

    Returns:
        `positions`, their number, and `points`: method, options and sampling, then `tokens` a call and `distance`, on
            `pair` with 95 % intervals over the prompts, and on `tables` where the courses are few enough. A rule that
            truncates also has `truncated`, the distance of the target truncated to the tokens that the rule lets pass,
            and `beyond`, its own distance less that.
    """
    wanted, tables = [*settings()], [*_tables()]
    how = {"seed": seed, "max_new_tokens": max_new_tokens}
    sums = np.stack([_sums(pair, prompt, wanted, **how) for prompt in prompts], axis=1)  # (settings, prompts, 5)
    points = []
    for setting, rows in zip(wanted, sums, strict=True):
        tokens, own, cut = rows[:, [3, 4]], rows[:, [0, 2]], rows[:, [1, 2]]
        on_pair: dict[str, Any] = {"tokens": _with_interval(tokens), "distance": _with_interval(own)}
        if setting.passes:
            on_pair |= {"truncated": _with_interval(cut)["value"], "beyond": _with_interval(own, cut)}
        point = {"method": setting.method, "options": setting.options, "sampling": setting.sampling, "pair": on_pair}
        if setting.options.get("spare", 0) <= SPARE_ON_TABLES:
            point["tables"] = _enumerated(tables, setting)
        points.append(point)
    return {"positions": int(sums[0, :, 2].sum()), "points": points}


def _sums(pair: LoadedPair, prompt: str, wanted: Sequence[Setting], **how: Any) -> Array:
    """Return of each setting on one prompt the sums of its distances and of the truncation's, and three counts.

    The counts are positions, and the tokens and target calls of a run. (settings, 5)
    """
    at, rows = [*_positions(pair, prompt, sampling=Sampling(), **how)], []
    for method, options, distribution, sampling, passes in wanted:
        request = Entry(method, method, options).request(pair, prompt, sampling=Sampling(**sampling), **how)
        end = run(request).finished
        assert end is not None, "nothing stops a run"
        own = sum(distance(distribution(each), each.p) for each in at)
        cut = sum(distance(truncated_to(each, passes), each.p) for each in at) if passes else 0.0
        rows.append([own, cut, len(at), end.num_tokens, end.target_calls])
    return np.array(rows)


def of_target(at: Position, sampling: Sampling) -> Array:
    """Return the target's row after the settings of a run: lossless rules reproduce it. (V,)"""
    return warped(at.p[None], sampling)[0]


def warped(rows: Array, sampling: Sampling) -> Array:
    """Return rows of temperature 1 after the settings of a run. (n, V)"""
    with np.errstate(divide="ignore"):
        return sampling.probs_on_host(np.log(rows))


def truncated_to(at: Position, passes: Callable[[Position], Array]) -> Array:
    """Return p on the tokens that pass, normalised; p itself where none does. (V,)"""
    cut = np.where(passes(at), at.p, 0)
    return cut / cut.sum() if cut.any() else at.p


def _positions(pair: LoadedPair, prompt: str, **settings: Any) -> Iterator[Position]:
    """Yield the positions of a text that the target writes."""
    readers, nodes = read_target_text(pair, prompt, **settings)
    for p, q, node in zip(*(normalised(*reader.read(nodes).probs) for reader in readers), nodes, strict=True):
        tokens = _may_fail(p, q)
        below = [readers[0].tree.add(node, token) for token in tokens.tolist()]
        yield Position(p, q, tokens, *(np.stack(normalised(*reader.read(below).probs)) for reader in readers))


def _may_fail(p: Array, q: Array) -> Array:
    """Return the fewest tokens with nearly all of max(0, q - p); one at least. (n,)"""
    excess = np.maximum(q - p, 0)
    order = np.argsort(-excess)
    return order[: int(np.searchsorted(excess[order].cumsum(), (1 - LEFT_OUT) * excess.sum())) + 1]


def distance(distribution: Array, p: Array) -> float:
    """Total variation distance."""
    return float(np.abs(distribution - p).sum()) / 2


def _with_interval(sums: Array, less: Array | float = 0.0) -> dict[str, float]:
    """Return a mean of (prompts, 2) sums and counts, or what it has more than another, with a 95 % interval."""

    def statistic(picks: Array) -> Array:
        return mean_of_positions(sums[picks]) - (
            mean_of_positions(less[picks]) if isinstance(less, np.ndarray) else less
        )

    value, (low, high) = float(statistic(np.arange(len(sums)))), bootstrap(statistic, len(sums))
    return {"value": round(value, DIGITS), "low": round(low, DIGITS), "high": round(high, DIGITS)}


def _tables() -> Iterator[tuple[TableModel, TableModel]]:
    """Yield targets of three tokens, each with a draft model that is halfway to another table."""
    for seed in range(NUM_TABLES):
        target, other = (TableModel.random(3, seed=2 * seed + each).table for each in (0, 1))
        yield TableModel(target), TableModel((target + other) / 2)


def _enumerated(tables: list[tuple[TableModel, TableModel]], setting: Setting) -> dict[str, float]:
    """Return the tokens of a round, and the distance of its first, by every course: means over tables and contexts."""
    results, sampling = [], Sampling(**setting.sampling)
    for models in tables:
        target, draft = (TableModel(warped(model.table, sampling)) for model in models)
        for context, row in enumerate(models[0].table):
            distribution, tokens = first_token(setting, target, draft, context)
            results.append((tokens, distance(distribution, row)))
    tokens, mean = np.mean(results, axis=0).round(DIGITS).tolist()
    return {"tokens": tokens, "distance": mean}


def first_token(setting: Setting, target: TableModel, draft: TableModel, context: int) -> tuple[Array, float]:
    """Return the distribution of the first token of a round after a token (V,), and the mean number of its tokens."""
    write = method_round(make_method(setting.method, setting.options), target, draft)
    distribution, tokens = np.zeros(target.vocab_size), 0.0
    for text, chance in courses(lambda course: write((context,), [Stream(course), Stream(course)])):
        distribution[text[0]] += chance
        tokens += chance * len(text)
    return distribution, tokens
