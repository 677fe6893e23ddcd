"""Experiments: a seeded run with a countable outcome, and its exact distribution, for each claim of a method.

Models are tables of probabilities, so the distributions are exact. A method is measured by what it claims: a new one
needs no entry here, only a new distribution does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import DecodingMethod
from playground.decoding.verdict import Beams
from playground.exactness.beam_distributions import (
    Text,
    beam_sampling_distribution,
    beam_sampling_step,
    beam_search,
    warped,
)
from playground.models.drafters.translated_model import TranslatedModel, Translation
from playground.models.forward import Model
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.words import word

Condition = Any  # A distribution may depend on it; None where there is one distribution. Hashable, as the next one
Outcome = Any  # It came out under a condition.
Seen = list[tuple[Condition, Outcome]]


@dataclass(frozen=True, slots=True)
class Experiment:
    """The experiment that measures one distribution."""

    compared: str  # It says which part of a run is compared.
    vocab_size: int  # tokens of the toy models
    num_tokens: int  # length of the texts that are compared
    # It runs a method with a seed, and mostly gives one outcome, under no condition.
    observe: Callable[[DecodingMethod, int], Seen]
    distribution: Callable[[Condition], dict[Outcome, float]]  # It gives each outcome's probability.
    # options that decide the distribution, for methods that have them, and the values it is known for
    options: dict[str, float] = field(default_factory=dict)


# Tokens drawn in turn

PLAIN = Sampling()
NUM_TOKENS = 3
BUDGET = 5  # tokens a run may emit: a whole draft of four fits into the first round
TARGET = TableModel.random(5, order=2, seed=5)
DRAFT = TableModel.random(5, order=1, seed=6)
OTHER_DRAFTS = tuple(TableModel.random(5, order=1, seed=seed) for seed in (7, 8, 9))
PROMPT = (0, 1, 2, 0, 1)  # repeats itself, so that prompt lookup finds something to copy
# Drafts of another tokenizer: of the target's five tokens they know the first, third and fourth, one of the others they
# spell in two pieces, and one not at all
TRANSLATION = Translation([(0, 4), (2, 1), (3, 5)], [(4,), (0, 2), (1,), (5,), ()], beginning=(3,))
FOREIGN_DRAFTS = tuple(
    TranslatedModel(TableModel.random(6, order=1, seed=seed), TRANSLATION, TARGET) for seed in (6, 7, 8, 9)
)


# With end tokens, and with all that changes a row before it is drawn from
WARP = Sampling(temperature=0.8, top_k=4, top_p=0.9)
ENDING_TARGET = TableModel(TARGET.table, eos_ids=frozenset([0]))


def first_tokens(
    method: DecodingMethod,
    seed: int,
    draft: Model = DRAFT,
    other_drafts: tuple[Model, ...] = OTHER_DRAFTS,
    target: Model = TARGET,
    sampling: Sampling = PLAIN,
) -> Seen:
    """Return the first tokens of a run on tables, see `begun_text`."""
    request = Request(method, target, "", draft, sampling, seed, BUDGET, PROMPT, other_drafts)
    return [(None, begun_text(request, NUM_TOKENS))]


def begun_text(request: Request, num_tokens: int) -> Text:
    """Return the first tokens of a run, or fewer where it ends; it is left as soon as they are there."""
    emitted: list[int] = []
    for item in decode(request):
        if isinstance(item, Round):
            path = item.tree.path(item.best, below=len(request.prompt_ids) - 1)
            emitted = [item.tree.tokens[node] for node in path]
            if len(emitted) >= num_tokens and (item.verdict.beams is None or item.finish):
                break
    return tuple(emitted[:num_tokens])


def token_distribution(_: Condition) -> dict[Outcome, float]:
    """Return a product of table entries."""
    distribution = TARGET.distribution(list(PROMPT), NUM_TOKENS)
    return {tokens: float(distribution[tokens]) for tokens in np.ndindex(distribution.shape)}


def warped_token_distribution(_: Condition) -> dict[Outcome, float]:
    """Return the distribution of one beam: by the definition, of rows that are warped, of texts that may end."""
    distribution = beam_sampling_distribution(
        ENDING_TARGET, PROMPT, width=1, num_steps=NUM_TOKENS, replacement=True, warp=partial(warped, sampling=WARP)
    )
    return {text: chance for (text,), chance in distribution.items()}


# Beams drawn from their joint distribution

WIDTH = 2
NUM_STEPS = 3  # Up to two of them are drafted.
BEAM_TARGET = TableModel(TableModel.random(4, order=2, seed=5).table, eos_ids=frozenset([3]))
BEAM_DRAFT = TableModel.random(4, order=1, seed=6)
BEAM_PROMPT = (0, 1)


def texts_of_all_beams(method: DecodingMethod, seed: int, sampling: Sampling = PLAIN) -> Seen:
    """Return the texts that a run has come to, as a sorted tuple; those that have ended are among them."""
    *_, last = _rounds(Request(method, BEAM_TARGET, "", BEAM_DRAFT, sampling, seed, NUM_STEPS, BEAM_PROMPT))
    beams = _beams(last)
    return [(None, tuple(sorted(_texts(last, [beam.node for beam in (*beams.live, *beams.ended)]))))]


def beam_distribution(_: Condition, *, replacement: bool, sampling: Sampling = PLAIN) -> dict[Outcome, float]:
    """By the definition of beam sampling."""
    how = {"width": WIDTH, "num_steps": NUM_STEPS, "replacement": replacement}
    return beam_sampling_distribution(BEAM_TARGET, BEAM_PROMPT, **how, warp=partial(warped, sampling=sampling))


# Beams of a width that a method chooses step by step: two of each step's beams, under what the step began with

STEP_TARGET = TableModel.random(3, order=2, seed=4)
# half the target, so that widths have something to choose from
STEP_DRAFT = TableModel((STEP_TARGET.table + TableModel.random(3, order=2, seed=54).table) / 2)
STEPS_SEEN = 2  # a budget of one more, so that both can be drafted


def two_beams_of_each_step(method: DecodingMethod, seed: int) -> Seen:
    """Two beams picked blindly, or the one there is, for each of the first steps, under the texts they were drawn from.

    No text ends on this table: a run that is over keeps only what has ended.
    """
    rng = np.random.default_rng(seed)
    request = Request(method, STEP_TARGET, "", STEP_DRAFT, Sampling(), seed, STEPS_SEEN + 1, BEAM_PROMPT)
    above, seen = [()], []
    for beams in _beams_by_step(_rounds(request))[:STEPS_SEEN]:
        picked = rng.choice(len(beams), size=min(2, len(beams)), replace=False)
        seen.append(((tuple(sorted(above)), len(picked)), tuple(sorted(beams[index] for index in picked))))
        above = beams
    return seen


def _beams_by_step(rounds: list[Round]) -> list[list[Text]]:
    """Return the texts after every step. Of a step that a round went past they are the draws that it accepted."""
    steps, depth = [], len(BEAM_PROMPT) - 1
    for each in rounds:
        verdicts = iter(each.verdict.judgements)  # depth by depth, in draw order
        by_depth = [list(islice(verdicts, len(drafted.nodes))) for drafted in each.draft.depths]
        accepted = [[verdict.node for verdict in there if verdict.outcome == "accepted"] for there in by_depth]
        num_steps, depth = each.tree.depths[each.frontier[0]] - depth, each.tree.depths[each.frontier[0]]
        last = [beam.node for beam in _beams(each).live]
        steps += [_texts(each, nodes) for nodes in [*accepted[: num_steps - 1], last]]
    return steps


def step_distribution(condition: Condition) -> dict[Outcome, float]:
    """Draws from the joint distribution of the continuations of the texts that the step began with."""
    live, num_draws = condition
    return beam_sampling_step(STEP_TARGET, BEAM_PROMPT, live, num_draws=num_draws, replacement=True)


# Searches, where a run has one right outcome

SEARCH_WIDTH = 3
SEARCH_VOCAB_SIZE = 4
SEARCH_LENGTH = 5
# Texts that a shorter memory takes through the same rows in another order are equally probable, and rounding decides.
SEARCH_ORDER = 5


def finds_what_beam_search_finds(method: DecodingMethod, seed: int) -> Seen:
    """Return whether the answer and all texts held at the end are right, on two tables that the seed makes.

    Every other table has a token that ends a text.
    """
    rng = np.random.default_rng(seed)
    table = TableModel.random(SEARCH_VOCAB_SIZE, order=SEARCH_ORDER, seed=int(rng.integers(2**32))).table
    target = TableModel(table, eos_ids=frozenset([3] if rng.integers(2) else []))
    draft = TableModel.random(SEARCH_VOCAB_SIZE, order=1, seed=int(rng.integers(2**32)))
    *_, last = _rounds(Request(method, target, "", draft, Sampling(), seed, SEARCH_LENGTH, BEAM_PROMPT))
    beams = _beams(last)
    [answer] = _texts(last, [last.best])
    live, ended = (_texts(last, [beam.node for beam in texts]) for texts in (beams.live, beams.ended))
    right = beam_search(target, BEAM_PROMPT, width=SEARCH_WIDTH, num_tokens=SEARCH_LENGTH)
    return [(None, (answer, live, ended) == right)]


def _rounds(request: Request) -> list[Round]:
    return [item for item in decode(request) if isinstance(item, Round)]


def _beams(last: Round) -> Beams:
    beams = last.verdict.beams
    assert beams is not None, "a method that claims a distribution of beams ended a round without any"
    return beams


def _texts(last: Round, nodes: list[int]) -> list[tuple[int, ...]]:
    """Texts after the beams' prompt, down to each of these nodes."""
    tree = last.tree
    return [tuple(tree.tokens[node] for node in tree.path(end, below=len(BEAM_PROMPT) - 1)) for end in nodes]


EXPERIMENTS: dict[str, Experiment] = {
    "target sampling": Experiment(
        word("lossless_compared_tokens"), TARGET.vocab_size, NUM_TOKENS, first_tokens, token_distribution
    ),
    "i.i.d. beam sampling": Experiment(
        word("lossless_compared_beams"),
        BEAM_TARGET.vocab_size,
        NUM_STEPS,
        texts_of_all_beams,
        partial(beam_distribution, replacement=True),
        {"width": WIDTH},
    ),
    "beam sampling without replacement": Experiment(
        word("lossless_compared_beams"),
        BEAM_TARGET.vocab_size,
        NUM_STEPS,
        texts_of_all_beams,
        partial(beam_distribution, replacement=False),
        {"width": WIDTH},
    ),
    "i.i.d. beam sampling, given the widths": Experiment(
        word("lossless_compared_steps"),
        STEP_TARGET.vocab_size,
        STEPS_SEEN,
        two_beams_of_each_step,
        step_distribution,
    ),
    "beam search": Experiment(
        word("lossless_compared_search"),
        SEARCH_VOCAB_SIZE,
        SEARCH_LENGTH,
        finds_what_beam_search_finds,
        lambda _: {True: 1.0},
        {"width": SEARCH_WIDTH, "length_penalty": 1.0},
    ),
}

# Every drafter leaves the same distribution, also where the drafts' support is cut.
FOREIGN = {
    "target sampling": replace(
        EXPERIMENTS["target sampling"],
        compared="the first three tokens, with drafts that know three of the five",
        observe=partial(first_tokens, draft=FOREIGN_DRAFTS[0], other_drafts=FOREIGN_DRAFTS[1:]),
    )
}

# The same distributions on rows that temperature, top-k and top-p have changed, of texts that may end
WARPED = {
    "target sampling": replace(
        EXPERIMENTS["target sampling"],
        compared="the first three tokens or fewer, with an end token, temperature 0.8, top-k 4 and top-p 0.9",
        observe=partial(first_tokens, target=ENDING_TARGET, sampling=WARP),
        distribution=warped_token_distribution,
    ),
    **{
        claim: replace(
            EXPERIMENTS[claim],
            compared="the texts of both beams after three steps, at temperature 0.8, top-k 4 and top-p 0.9",
            observe=partial(texts_of_all_beams, sampling=WARP),
            distribution=partial(beam_distribution, replacement=replacement, sampling=WARP),
        )
        for claim, replacement in (("i.i.d. beam sampling", True), ("beam sampling without replacement", False))
    },
}
