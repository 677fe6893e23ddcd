"""Each law, broken once: the trace is sound, one thing is changed, and the sentence names the round and the quarrel."""

import math

import pytest

from playground.errors import PlaygroundError
from playground.trace import Trace, from_json, to_json, validate
from playground.trace.events import Committed, RunFinished
from playground.trace.invariants import broken_invariants
from tests.trace.example import autoregressive_trace, replace, speculative_trace

STARTED, DEPTH_1, DEPTH_2, SCORED, VERIFIED, COMMITTED, *ROUND_2, FINISHED = range(12)
LAST = ROUND_2[-1]


def _changed(number, trace=None, **changes):
    """The speculative trace with fields of one event changed; events count from 0."""
    events = list((trace or speculative_trace()).events)
    events[number] = replace(events[number], **changes)
    return Trace(tuple(events))


def _order(*numbers):
    events = speculative_trace().events
    return Trace(tuple(events[number] for number in numbers))


@pytest.mark.parametrize("trace", [speculative_trace(), autoregressive_trace()])
def test_the_examples_are_sound_before_and_after_a_file(trace):
    assert broken_invariants(trace) == []
    assert broken_invariants(from_json(to_json(trace))) == []
    assert trace.finished
    validate(trace)


@pytest.mark.parametrize("length", range(1, 12))
def test_an_interrupted_run_is_sound_wherever_it_stopped(length):
    trace = Trace(speculative_trace().events[:length])
    assert broken_invariants(trace) == []
    assert trace.finished is None


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (Trace(()), "The first event is not run_started."),
        (_order(1, 2, 3), "The first event is not run_started."),
        (_order(0, 0), "Round 1: event 2 (run_started) cannot follow run_started."),
        (_order(0, 4), "Round 1: event 2 (verified) cannot follow run_started."),
        (_order(0, 1, 4), "Round 1: event 3 (verified) cannot follow drafted."),
        (_order(0, 1, 3, 2), "Round 1: event 4 (drafted) cannot follow scored."),
        (_order(0, 1, 3, 5), "Round 1: event 4 (committed) cannot follow scored."),
        (_order(0, 1, 2, 3, 4, 5, 0), "Round 2: event 7 (run_started) cannot follow committed."),
        (_order(0, 1, 2, 3, 11), "Round 1: event 5 (run_finished) cannot follow scored."),
        (_order(0, 11, 11), "Round 1: event 3 (run_finished) cannot follow run_finished."),
        (_order(0, 6), "Round 1: event 2 (drafted) says round 2; rounds count 1, 2, 3 without gaps."),
        (_changed(VERIFIED, round=2), "Round 1: event 5 (verified) says round 2; rounds count 1, 2, 3 without gaps."),
    ],
)
def test_events_come_in_order(trace, sentence):
    assert broken_invariants(trace) == [sentence]


@pytest.mark.parametrize(
    ("number", "column"),
    [(DEPTH_1, c) for c in ("parents", "nodes", "tokens", "draft_probs")]
    + [(SCORED, c) for c in ("nodes", "overlaps", "alternatives")]
    + [
        (VERIFIED, c)
        for c in ("nodes", "outcomes", "target_probs", "draft_probs", "accept_probs", "uniforms", "reasons")
    ]
    + [(COMMITTED, c) for c in ("nodes", "tokens", "origins", "log_probs")],
)
def test_columns_are_of_equal_length(number, column):
    longer = getattr(speculative_trace().events[number], column) * 2
    [sentence] = broken_invariants(_changed(number, **{column: longer}))
    assert sentence.startswith("Round 1: the columns of ") and f"{column} {len(longer)}" in sentence


LAWS = [
    # the contract of a file
    (STARTED, {"prefill_s": -0.1}, "Event 1 (run_started), prefill_s: -0.1 is below the limit, 0."),
    (DEPTH_1, {"draft_probs": [math.nan]}, "Event 2 (drafted), draft_probs[0]: NaN is "),
    (DEPTH_1, {"draft_probs": [-0.1]}, "Event 2 (drafted), draft_probs[0]: -0.1 is below"),
    (SCORED, {"overlaps": [0.5, 1.5, None]}, "Event 4 (scored), overlaps[1]: 1.5 is above"),
    (SCORED, {"alternatives": [[[3, math.inf, None]], [], []]}, "Event 4 (scored), alternatives[0][0][1]: Infinity is"),
    (SCORED, {"mask": ["1x0", "110", "111"]}, 'Event 4 (scored), mask[0]: "1x0" is not allowed here.'),
    (COMMITTED, {"log_probs": [0.5, -0.5]}, "Event 6 (committed), log_probs[0]: 0.5 is above"),
    # the tree
    (STARTED, {"frontier": [9]}, "run_started: the frontier names node 9, which is not in the prompt."),
    (STARTED, {"frontier": [0]}, "run_started: decoding starts from node 0, not from the prompt's last, 1."),
    (DEPTH_2, {"depth": 3}, "Round 1, depth 3: depth 2 was to come next; depths count 1, 2, 3 without gaps."),
    (DEPTH_2, {"parents": [1]}, "Round 1, depth 2: node 3 hangs from node 1, which is not at the depth above."),
    (DEPTH_1, {"parents": [7]}, "Round 1, depth 1: node 2 hangs from node 7, which is not at the depth above."),
    (DEPTH_1, {"parents": [7]}, "Round 1, depth 1: node 2 has no larger id than its parent, node 7."),
    (ROUND_2[0], {"nodes": [3]}, "Round 2, depth 1: node 3 is already another node of the tree."),
    (DEPTH_1, {"nodes": [0]}, "Round 1, depth 1: node 0 is already another node of the tree."),
    (SCORED, {"nodes": [1, 2, 8]}, "Round 1: nodes of scored names node 8, which does not exist."),
    (SCORED, {"fed": [1, 2, 8]}, "Round 1: fed of scored names node 8, which does not exist."),
    (SCORED, {"columns": [8, 2, 3]}, "Round 1: columns of scored names node 8, which does not exist."),
    (COMMITTED, {"nodes": [3, 4]}, "Round 1: accepted node 3 (token 5) was not drafted below node 1."),
    (COMMITTED, {"tokens": [9, 7]}, "Round 1: accepted node 2 (token 9) was not drafted below node 1."),
    (LAST, {"nodes": [5, 6, 3]}, "Round 2: the bonus node 3 is already another node of the tree."),
    (COMMITTED, {"frontier": [2]}, "Round 1: the frontier is node 2, but the last committed node is 4."),
    (COMMITTED, {"frontier": [99]}, "Round 1: the frontier is node 99, but the last committed node is 4."),
    # the probabilities of one node
    (
        SCORED,
        {"alternatives": [[[3, 0.7, 1.0], [4, 0.6, 1.0]], [], []]},
        "Round 1: p behind node 1 comes to 1.3 over different tokens, more than 1.",
    ),
    # the mask
    (SCORED, {"mask": ["100", "110"]}, "Round 1: the mask has 2 rows, but 3 nodes were fed."),
    (SCORED, {"mask": ["10", "110", "111"]}, "Round 1: node 1's row of the mask has 2 letters, not 3."),
    (SCORED, {"mask": ["100", "100", "111"]}, "Round 1: node 2 was fed but does not see itself in the mask."),
    (SCORED, {"columns": [1, 2, 0]}, "Round 1: node 3 was fed but does not see itself in the mask."),
    # the verdicts
    (
        VERIFIED,
        {"nodes": [2, 2]},
        "Round 1: node 2 was drafted 1 times but has 2 verdicts; every draw has one, be it not tested.",
    ),
    (VERIFIED, {"nodes": [2, 9]}, "Round 1: node 3 was drafted 1 times but has 0 verdicts"),
    (VERIFIED, {"outcomes": ["accepted", "not_tested"]}, "Round 1: node 3 is not_tested, but has a random number"),
    (
        VERIFIED,
        {"uniforms": [0.37, None]},
        "Round 1: node 3 is rejected, but has no random number, and its acceptance",
    ),
    (VERIFIED, {"accept_probs": [None, 0.25]}, "Round 1: node 2 is accepted, but has no acceptance probability."),
    (
        VERIFIED,
        {"uniforms": [0.37, 0.2]},
        "Round 1: node 3 is rejected, but its random number 0.2 and acceptance probability 0.25",
    ),
    (
        VERIFIED,
        {"accept_probs": [0.3, 0.25]},
        "Round 1: node 2 is accepted, but its random number 0.37 and acceptance prob",
    ),
    (
        VERIFIED,
        {"accept_probs": [1.0, 1.0], "uniforms": [None, None]},
        "Round 1: node 3 is rejected, but its random number",
    ),
    # These are of emitted tokens.
    (STARTED, {"max_new_tokens": 4}, "Round 2: 5 tokens are emitted by now, more than the 4 allowed."),
    (
        COMMITTED,
        {"origins": ["correction", "accepted"]},
        "Round 1: the origins are correction, accepted; accepted ones come first, then at most one extra.",
    ),
    (LAST, {"origins": ["accepted", "bonus", "bonus"]}, "Round 2: the origins are accepted, bonus, bonus;"),
    (COMMITTED, {"origins": ["accepted", "bonus"]}, "Round 1: a bonus token was emitted, but a draw below node 2"),
    (COMMITTED, {"origins": ["accepted", "plain"]}, "Round 1: a plain token was emitted, but 2 tokens were drafted."),
    (
        LAST,
        {"origins": ["accepted", "accepted", "correction"]},
        "Round 2: a correction token was emitted, but nothing was rejected.",
    ),
    (COMMITTED, {"origins": ["accepted", "accepted"]}, "Round 1: extra_prob is given, but no extra token was emitted."),
    (
        COMMITTED,
        {"origins": ["accepted", "accepted"]},
        "Round 1: node 4 is emitted as accepted, but was not verified",
    ),
    (
        COMMITTED,
        {"nodes": [2], "tokens": [5], "origins": ["accepted"], "log_probs": [-0.5]},
        "Round 1: 1 tokens are emitted, 1 of them accepted; a round that does not end the run emits",
    ),
    (
        LAST,
        {"nodes": [5, 7], "tokens": [8, 10], "origins": ["accepted", "bonus"], "log_probs": [-0.9, -0.4]},
        "Round 2: node 6 was accepted, but is not emitted.",
    ),
    # the clock
    (COMMITTED, {"clock_s": 0.016}, "Round 1: the clock says 0.016 s, but the phases so far sum to 0.015 s."),
    (COMMITTED, {"clock_s": 0.05}, "Round 2: the clock runs backwards, from 0.05 s to 0.031 s."),
    # the totals
    (FINISHED, {"num_tokens": 4}, "run_finished: num_tokens is 4, but the rounds make 5."),
    (FINISHED, {"rounds": 3}, "run_finished: rounds is 3, but the rounds make 2."),
    (FINISHED, {"target_calls": 3}, "run_finished: target_calls is 3, but the rounds make 2."),
    (FINISHED, {"num_drafted": 3}, "run_finished: num_drafted is 3, but the rounds make 4."),
    (FINISHED, {"num_tested": 3}, "run_finished: num_tested is 3, but the rounds make 4."),
    (FINISHED, {"num_accepted": 4}, "run_finished: num_accepted is 4, but the rounds make 3."),
    (FINISHED, {"draft_s": 0.009}, "run_finished: draft_s is 0.009, but the rounds sum to 0.008."),
    (FINISHED, {"verify_s": 0.01}, "run_finished: verify_s is 0.01, but the rounds sum to 0.02."),
    (FINISHED, {"other_s": 0.0}, "run_finished: other_s is 0, but the rounds sum to 0.003."),
    (FINISHED, {"text": " sat"}, "run_finished: the text is not what the rounds wrote, one after the other."),
    (FINISHED, {"perplexity": 1.9}, "run_finished: perplexity is 1.9, but the log-probabilities have the mean -0.655"),
    (FINISHED, {"perplexity": None}, "run_finished: perplexity is None after 5 tokens; None means no tokens."),
]


@pytest.mark.parametrize(("number", "changes", "sentence"), LAWS)
def test_a_broken_law_is_named(number, changes, sentence):
    broken = broken_invariants(_changed(number, **changes))
    assert any(line.startswith(sentence) for line in broken), broken
    assert all(line.endswith(".") for line in broken)


def test_correction_and_extra_nodes_need_larger_ids_than_their_parents():
    """A fresh id below its parent's: the drafts get the ids 12 and 13, so that 4 is new but too small."""
    trace = _changed(DEPTH_1, nodes=[12])
    trace = _changed(DEPTH_2, trace, parents=[12], nodes=[13])
    trace = _changed(VERIFIED, trace, nodes=[12, 13])
    trace = _changed(COMMITTED, trace, nodes=[12, 4])
    assert "Round 1: the correction node 4 has no larger id than its parent, node 12." in broken_invariants(trace)


def test_a_repeated_draw_is_one_node_with_two_verdicts():
    """Two i.i.d. draws that coincide: the first is rejected, so the second is tested against what is left."""
    events = list(speculative_trace().events[:6])
    events[1] = replace(events[1], parents=[1, 1], nodes=[2, 2], tokens=[5, 5], draft_probs=[0.5, 0.5])
    events[4] = replace(
        events[4],
        nodes=[2, 2, 3],
        outcomes=["rejected", "accepted", "not_tested"],
        target_probs=[0.6, 0.6, None],
        draft_probs=[0.5, 0.5, None],
        accept_probs=[0.2, 0.9, None],
        uniforms=[0.3, 0.3, None],
        reasons=["", "", ""],
    )
    events[5] = replace(events[5], origins=["accepted", "bonus"])
    assert broken_invariants(Trace(tuple(events))) == []
    events[1] = replace(events[1], tokens=[5, 6])
    assert "Round 1, depth 1: node 2 is already another node of the tree." in broken_invariants(Trace(tuple(events)))


def test_a_certain_verdict_needs_no_coin():
    trace = _changed(VERIFIED, Trace(speculative_trace().events[:6]), accept_probs=[1.0, 0.0], uniforms=[None, None])
    assert broken_invariants(trace) == []


def test_the_rounding_of_a_file_cannot_turn_a_verdict():
    near = _changed(
        VERIFIED, Trace(speculative_trace().events[:6]), accept_probs=[1.0, 0.25], uniforms=[0.37, 0.2499999]
    )
    assert broken_invariants(near) == []


def test_a_round_may_take_no_time_that_the_clock_shows():
    still = {"draft_s": 0.0, "verify_s": 0.0, "other_s": 0.0, "clock_s": 0.015}
    assert broken_invariants(_changed(LAST, Trace(speculative_trace().events[:-1]), **still)) == []


def test_the_extra_token_may_be_one_that_was_drafted():
    """A lossy method may draw the rejected token again; the tree has it already, as the same child of the path."""
    trace = _changed(COMMITTED, Trace(speculative_trace().events[:6]), nodes=[2, 3], tokens=[5, 6], frontier=[3])
    assert broken_invariants(trace) == []


def test_only_the_round_that_ends_the_run_may_be_cut_short():
    """An end-of-text token among the accepted ones, or the budget, leaves the rest of the path unemitted."""
    short = {"nodes": [5], "tokens": [8], "origins": ["accepted"], "log_probs": [-0.9], "extra_prob": None}
    trace = _changed(LAST, Trace(speculative_trace().events[:-1]), **short, frontier=[5])
    assert broken_invariants(trace) == []


def test_a_run_that_emits_nothing_is_sound():
    started, *_, finished = autoregressive_trace().events
    nothing = {
        "text": "",
        "num_tokens": 0,
        "rounds": 0,
        "target_calls": 0,
        "verify_s": 0.0,
        "other_s": 0.0,
        "perplexity": None,
    }
    assert broken_invariants(Trace((started, replace(finished, finish_reason="context", **nothing)))) == []


def test_a_frontier_of_several_beams_is_free_of_the_laws_of_one_path():
    trace = Trace(speculative_trace().events[:6])
    beams = _changed(COMMITTED, trace, nodes=[4, 5], tokens=[7, 8], origins=["plain", "plain"], frontier=[4, 5])
    assert broken_invariants(beams) == []
    lost = _changed(COMMITTED, beams, frontier=[4, 6])
    assert broken_invariants(lost) == ["Round 1: the frontier names node 6, which does not exist."]


def _beams(*, number=COMMITTED, **changes):
    """One round that commits two beams below node 1, and a second that grows both; the second beam overtakes."""
    started, *_, finished = autoregressive_trace().events
    first, second = autoregressive_trace().events[1:4], autoregressive_trace().events[4:7]
    plain = {"origins": ["plain", "plain"], "extra_prob": None, "log_probs": [-1.0, -2.0]}
    rounds = [
        *first[:2],
        replace(
            first[2], nodes=[2, 3], parents=[1, 1], tokens=[5, 6], frontier=[2, 3], frontier_log_probs=[-1.0, -2.0],
            best=2, text_offset=0, text="a", **plain,
        ),
        *second[:2],
        replace(
            second[2], nodes=[4, 5], parents=[3, 2], tokens=[7, 8], frontier=[4, 5], frontier_log_probs=[-3.0, -3.0],
            best=4, text_offset=0, text="bc", **plain,
        ),
    ]  # fmt: skip
    rounds[2], rounds[5] = (
        replace(event, **changes) if number == event.round else event for event in (rounds[2], rounds[5])
    )
    totals = {"text": "bc", "num_tokens": 2, "rounds": 2, "target_calls": 2, "perplexity": math.exp(1.5)}
    times = {"verify_s": 0.02, "other_s": 0.002}
    return Trace((started, *rounds, replace(finished, **totals, **times)))


def test_beams_that_overtake_each_other_are_sound():
    assert broken_invariants(_beams()) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parents": [3, 1]}, "Round 2: node 5 is committed below node 1, which is not a beam and was not committed."),
        ({"parents": [3]}, "Round 2: 2 nodes are committed with 1 parents."),
        ({"parents": []}, "Round 2: with beams, the parents of the committed nodes must be said."),
        ({"frontier": [4, 1]}, "Round 2: the beam at node 1 does not hang from a beam of the round before."),
        ({"frontier": [4, 9]}, "Round 2: the frontier names node 9, which does not exist."),
        ({"frontier_log_probs": [-3.0]}, "Round 2: 2 beams have 1 log-probabilities."),
        (
            {"frontier_log_probs": [-3.0, -4.0]},
            "Round 2: the beam at node 5 has the log-probability -4, but its tokens make -3.",
        ),
        ({"best": 9}, "Round 2: the best text ends at node 9, which was never committed."),
        ({"best": 2}, "run_finished: num_tokens is 2, but the rounds make 1."),
        ({"text": "b"}, "run_finished: the text is not what the rounds wrote, one after the other."),
        ({"text_offset": 1}, "run_finished: the text is not what the rounds wrote, one after the other."),
    ],
)
def test_laws_of_beams(changes, sentence):
    assert sentence in broken_invariants(_beams(number=2, **changes))


def test_an_improbable_text_has_a_perplexity_all_the_same():
    """exp(-mean) overflows a float beyond 709, and must not crash."""
    trace = autoregressive_trace()
    events = [replace(e, log_probs=[-5000.0]) if isinstance(e, Committed) else e for e in trace.events]
    [sentence] = broken_invariants(Trace(tuple(events)))
    assert "the mean -5000" in sentence


def test_validate_names_the_first_few_and_counts_the_rest():
    counts = ("num_tokens", "rounds", "target_calls", "num_drafted", "num_tested", "num_accepted")
    with pytest.raises(PlaygroundError) as refusal:
        validate(_changed(FINISHED, **dict.fromkeys(counts, 0), text=""))
    lines = str(refusal.value).splitlines()
    assert lines[0] == "This trace contradicts itself."
    assert len(lines) == 1 + 5 + 1 + 1 and lines[-2] == "... and 2 more."


def test_every_number_that_laws_read_is_read_by_some_law():
    """The two totals that no event can confirm are named here, so that a new one is a decision."""
    unconfirmed = {"finish_reason", "draft_calls", "peak_cache_bytes", "energy"}
    confirmed = {name for number, changes, _ in LAWS if number == FINISHED for name in changes}
    assert unconfirmed | confirmed == set(RunFinished.__struct_fields__)
