"""How long a chain is drafted must not change what is written: laws by enumeration, and the lengths themselves."""

from itertools import pairwise

import numpy as np
import pytest

from playground.decoding.drafting.lengths import LONGEST, confidence
from playground.decoding.method import make_method, methods
from playground.exactness.enumeration import method_round, runs_distribution, texts_distribution
from playground.exactness.trial import DRAFT, NUM_TOKENS, PROMPT, TARGET, target_distribution
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from tests.decoding.runs import request, rounds_of

CHAINS = [name for name, method in methods().items() if "stop_below" in method.Options.__dataclass_fields__]


def rounds(name, **options):
    return rounds_of(request(make_method(name, options), length=60))


def test_the_chains_that_servers_ship_can_stop():
    assert {"speculative_sampling", "block_verification", "greedy_draft", "sample_and_match"} == set(CHAINS)


@pytest.mark.parametrize("threshold", [0.3, 0.6])
@pytest.mark.parametrize("name", CHAINS)
def test_stopping_at_a_doubt_leaves_the_targets_law_to_rounding(name, threshold):
    """The token that was looked at stays, and that is all it takes: also for a block."""
    method = make_method(name, {"draft_length": 2, "stop_below": threshold})
    distribution = texts_distribution(method_round(method, TARGET, DRAFT), PROMPT, NUM_TOKENS)
    assert max(abs(distribution.get(text, 0) - p) for text, p in target_distribution().items()) < 1e-12


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, options) for name in CHAINS for options in ({"adapt": 1}, {"adapt": 2, "token_cost": 1.0})),
        ("speculative_sampling", {"adapt": 2, "token_cost": 0.1}),
    ],
)
def test_a_length_by_the_last_round_or_by_goodput_leaves_the_targets_law_to_rounding(name, options):
    method, pairs = make_method(name, {"draft_length": 1} | options), TARGET.distribution(list(PROMPT), 2)
    distribution, _ = runs_distribution(method, TARGET, DRAFT, PROMPT, 2)
    assert max(abs(distribution.get(text, 0) - pairs[text]) for text in np.ndindex(pairs.shape)) < 1e-12


@pytest.mark.parametrize("name", CHAINS)
def test_where_no_draft_can_pay_goodput_drafts_none_after_the_first_round(name):
    lengths = [len(each.draft.depths) for each in rounds(name, draft_length=2, adapt=2, token_cost=1.0)]
    assert lengths[0] == 2 and not any(lengths[1:])


def test_a_cheaper_token_makes_longer_drafts():
    def drafted(token_cost):
        return sum(len(each.draft.depths) for each in rounds("speculative_sampling", adapt=2, token_cost=token_cost))

    assert drafted(0.02) > drafted(0.2) > drafted(0.9)


@pytest.mark.parametrize("name", CHAINS)
def test_drafting_stops_behind_the_first_doubt_and_nowhere_else(name):
    seen = set()
    for each in rounds(name, draft_length=6, stop_below=0.5):
        if not each.draft.depths:
            continue
        chances = [_confidence_after(each.draft, depth) for depth in range(1, len(each.draft.depths) + 1)]
        assert all(chance >= 0.5 for chance in chances[:-1])
        seen.add((len(chances), chances[-1] < 0.5))
    assert (1, True) in seen and len(seen) > 1


def _confidence_after(draft, depth):
    shorter = type(draft)(draft.depths[:depth], dict(list(draft.draws.items())[:depth]))
    return confidence(shorter)


def test_a_token_as_likely_as_the_threshold_is_no_doubt():
    even = TableModel([[0.5, 0.5]] * 2)
    method = make_method("speculative_sampling", {"draft_length": 4, "stop_below": 0.5})
    first, *_ = rounds_of(request(method, target=even, draft=even))
    assert len(first.draft.depths) == 4


@pytest.mark.parametrize("name", CHAINS)
def test_a_draft_kept_whole_is_followed_by_a_longer_one(name):
    made = rounds(name, draft_length=3, adapt=1)
    assert len(made[0].draft.depths) == 3
    for before, after in pairwise(made[:-1]):  # the last may be cut by the budget
        drafted = len(before.draft.depths)
        whole = len(before.nodes) == drafted + 1
        assert len(after.draft.depths) == (min(LONGEST, drafted + 2) if whole else max(1, drafted - 1))


def test_without_chance_a_draft_is_as_likely_as_the_draft_model_says():
    """A certain draft is judged with q = 1, but its draft model may doubt it; at temperature 0 it cannot."""
    warm = make_method("greedy_draft", {"draft_length": 4, "stop_below": 0.99})
    cold = rounds_of(request(warm, length=40, sampling=Sampling(0)))
    assert {len(item.draft.depths) for item in rounds("greedy_draft", draft_length=4, stop_below=0.99)} == {1, 0}
    assert len(cold[0].draft.depths) == 4


def test_what_may_grow_says_how_far():
    assert make_method("greedy_draft", {"draft_length": 3, "adapt": 1}).options.num_drafted == LONGEST
    assert make_method("greedy_draft", {"draft_length": 3}).options.num_drafted == 3
