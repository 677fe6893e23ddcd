import pytest

from playground.metrics.counts import NO_DRAWS, NO_POSITIONS, Counts, count
from playground.trace.events import Committed, Trace
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace


def test_the_empty_trace_counts_nothing_and_has_no_ratios():
    for trace in (empty_trace(), Trace(())):
        counts = count(trace)
        assert counts in (Counts(), Counts(tests="draws"))
        assert (counts.acceptance_per_draw, counts.draft_efficiency, counts.block_efficiency) == (None, None, None)


def test_counts_of_the_example():
    counts = count(speculative_trace())
    assert counts == Counts(
        2, 2, 4, num_drafted=4, num_tested=4, num_accepted=3, num_emitted=5, num_reached=4, num_passed=3, tests="draws"
    )
    assert (counts.acceptance_per_draw, counts.draft_efficiency, counts.block_efficiency) == (0.75, 0.75, 2.5)


def test_an_interrupted_run_counts_up_to_its_last_complete_round():
    assert count(interrupted_trace()) == Counts(
        1, 1, 2, num_drafted=2, num_tested=2, num_accepted=1, num_emitted=2, num_reached=2, num_passed=1, tests="draws"
    )


def test_positions_tested_draws_and_drafts_are_told_apart():
    """Three draws at one position: rejected, accepted, not tested."""
    counts = count(coinciding_trace())
    assert (counts.num_reached, counts.num_passed, counts.acceptance_per_position) == (1, 1, 1.0)
    assert (counts.acceptance_per_draw, counts.draft_efficiency, counts.block_efficiency) == (1 / 2, 1 / 3, 2)


def test_the_fold_equals_the_totals_the_run_recorded():
    for trace in (speculative_trace(), autoregressive_trace()):
        said, folded = trace.finished, count(Trace(trace.events[:-1]))
        assert (folded.num_rounds, folded.num_emitted) == (said.rounds, said.num_tokens)
        for name in ("target_calls", "draft_calls", "num_drafted", "num_tested", "num_accepted"):
            assert getattr(folded, name) == getattr(said, name), name


def test_drafts_of_no_model_take_no_draft_call_and_those_of_several_as_many_as_they_made():
    start, *events = speculative_trace().events[:-1]  # interrupted: its end would say them
    assert count(Trace((replace(start, draft=None), *events))).draft_calls == 0
    works = iter([[2, 3, 9, 1, 1, 4], [2, 2, 12, 3, 3, 7]])
    events = [replace(e, draft_work=next(works)) if isinstance(e, Committed) else e for e in events]
    several = replace(start, other_drafts=[dict(start.draft)])
    assert count(Trace((several, *events))).draft_calls == 2 + 1 + 2 + 3


@pytest.mark.parametrize(
    ("tests", "blank"),
    [
        ("draws", ()),
        ("selected draws", ("acceptance_per_draw",)),
        ("layers", ("acceptance_per_position",)),
        ("prefixes", ("acceptance_per_position", "acceptance_per_draw")),
        ("", ("acceptance_per_position", "acceptance_per_draw")),
    ],
)
def test_an_acceptance_is_blank_where_the_rule_tests_something_else(tests, blank):
    start, *events = coinciding_trace().events
    counts = count(Trace((replace(start, tests=tests), *events)))
    names = ("acceptance_per_position", "acceptance_per_draw")
    assert tuple(name for name in names if getattr(counts, name) is None) == blank
    assert (tests in NO_POSITIONS, tests in NO_DRAWS) == tuple(name in blank for name in names)


def test_a_position_passes_by_any_of_its_draws_whichever_was_tested_last():
    """A rule that fills a depth with several texts goes on below a position after it has accepted a draw there."""
    start, drafted, scored, judged, committed = coinciding_trace().events
    for outcomes, passed in [
        (["accepted", "rejected", "rejected"], 1),
        (["rejected", "accepted", "not_tested"], 1),
        (["rejected", "rejected", "rejected"], 0),
        (["not_tested", "not_tested", "not_tested"], None),
    ]:
        events = (replace(start, tests="layers"), drafted, scored, replace(judged, outcomes=outcomes), committed)
        counts = count(Trace(events))
        assert (counts.num_reached, counts.num_passed) == ((0, 0) if passed is None else (1, passed))
