from playground.metrics.acceptance import DepthAcceptance, RoundAcceptance, acceptance_by_depth, accepted_per_round
from playground.trace.events import Trace, Verified
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace


def test_the_empty_trace_has_no_depths_and_no_rounds():
    for trace in (empty_trace(), Trace(())):
        assert acceptance_by_depth(trace) == []
        assert accepted_per_round(trace) == []


def test_depths_of_the_example():
    assert acceptance_by_depth(speculative_trace()) == [
        DepthAcceptance(1, 2, 2, 2, "positions reached", num_tries=2, num_passed=2, rate=1.0, reach=1.0, exact=0.9),
        DepthAcceptance(2, 2, 2, 1, "positions reached", num_tries=2, num_passed=1, rate=0.5, reach=1.0, exact=0.725),
    ]


def test_rounds_of_the_example_tell_what_ended_them():
    assert accepted_per_round(speculative_trace()) == [
        RoundAcceptance(1, 2, 2, 1, emitted_drafts=1, extras=("correction",), num_emitted=2),
        RoundAcceptance(2, 2, 2, 2, emitted_drafts=2, extras=("bonus",), num_emitted=3),
    ]


def test_plain_decoding_has_no_depths_and_emits_one_plain_token_a_round():
    assert acceptance_by_depth(autoregressive_trace()) == []
    assert [each.extras for each in accepted_per_round(autoregressive_trace())] == [("plain",)] * 3


def test_a_round_cut_short_is_in_no_number():
    assert [each.round for each in accepted_per_round(interrupted_trace())] == [1]
    assert [each.num_drafted for each in acceptance_by_depth(interrupted_trace())] == [1, 1]


def test_draws_that_coincide_are_counted_each_and_their_parent_once_in_the_exact_probability():
    (only,) = acceptance_by_depth(coinciding_trace())
    assert (only.num_drafted, only.num_tested, only.num_accepted, only.exact) == (3, 2, 1, 0.6)


def test_tries_are_what_the_rule_tests():
    start, *events = coinciding_trace().events
    for tests, tries in {
        "draws": ("positions reached", 1, 1),
        "selected draws": ("positions reached", 1, 1),
        "layers": ("tested drafts", 2, 1),
        "prefixes": ("drafts", 3, 1),
        "": ("", 0, 0),
    }.items():
        (only,) = acceptance_by_depth(Trace((replace(start, tests=tests), *events)))
        assert (only.tries, only.num_tries, only.num_passed) == tries
        assert only.rate == (tries[2] / tries[1] if tries[1] else None)


def test_the_reach_of_a_depth_is_the_share_of_rounds_in_which_it_was_tested():
    """The first of two rounds ends at its first draft, so its second is not tested, and has no part in `exact`."""
    events = [
        replace(event, outcomes=["rejected", "not_tested"])
        if isinstance(event, Verified) and event.round == 1
        else event
        for event in speculative_trace().events
    ]
    first, second = acceptance_by_depth(Trace(tuple(events)))
    assert (first.reach, first.num_tries, first.num_passed, first.rate) == (1, 2, 1, 0.5)
    assert (second.reach, second.num_drafted, second.num_tested, second.num_tries, second.rate) == (0.5, 2, 1, 1, 1)
    assert second.exact == 0.75
