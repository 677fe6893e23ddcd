"""A branch of a run: one change, the rest as the original has it, its untouched coins among it."""

from dataclasses import asdict

import numpy as np
import pytest

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method
from playground.decoding.what_if import Change, branch
from playground.decoding.what_if.streams import Tape
from playground.errors import PlaygroundError
from playground.models.table_model import TableModel
from playground.trace import from_json, to_json, validate
from playground.trace.events import Branch
from tests.decoding.runs import request, trace_of, uniforms_of

METHODS = {
    "speculative_sampling": {},
    "rsd_s": {"draft_length": 4, "width": 4},
    "spectr": {},
    "dsbd": {},
    "lookahead": {},
}
TARGET = TableModel.random(5, order=2, seed=5)
DRAFT = TableModel.random(5, order=1, seed=6)


def asked_of(method, options=None, length=30):
    return request(make_method(method, options), target=TARGET, draft=DRAFT, seed=3, length=length)


def judged(trace, number):
    return next(each.verified for each in trace.rounds if each.number == number)


def coins(trace, number):
    return [uniform for uniform in judged(trace, number).uniforms if uniform is not None]


def decided_by_coin(trace, outcome):
    """(round, node) of the first draw with this verdict that another coin would have turned, not in the first round."""
    for each in trace.rounds[1:]:
        columns = zip(
            each.verified.nodes, each.verified.outcomes, each.verified.accept_probs, each.verified.uniforms, strict=True
        )
        for node, result, chance, uniform in columns:
            if result == outcome and uniform is not None and 0 < chance < 1:
                return each.number, node
    raise AssertionError(f"no draw was {outcome} by a coin")


def before(trace, number):
    """All that was drafted, judged and emitted before a round, times left out."""
    rounds = [each for each in trace.rounds if each.number < number]
    return [(drafted(each), each.verified, each.committed.nodes) for each in rounds]


def drafted(each):
    return [(drafted.nodes, drafted.tokens) for drafted in each.drafted]


def emitted(trace):
    return [each.committed.nodes for each in trace.rounds]


def assert_sound(made, change):
    validate(made)
    assert from_json(to_json(made)).started.branch == Branch(**asdict(change), of=made.started.branch.of)
    assert not made.started.lossless and made.started.reproduces == "none"


@pytest.mark.parametrize(("method", "options"), METHODS.items())
@pytest.mark.parametrize(("was", "forced"), [("accepted", "rejected"), ("rejected", "accepted")])
def test_a_forced_verdict_turns_one_coin_and_leaves_all_others(method, options, was, forced):
    run_request = asked_of(method, options)
    original = trace_of(run_request)
    number, node = decided_by_coin(original, was)
    change = Change(number, node, outcome=forced)
    variant = branch(run_request, change, original)
    assert_sound(variant, change)
    assert before(variant, number) == before(original, number)
    old, new = judged(original, number), judged(variant, number)
    index = next(i for i, each in enumerate(old.nodes) if each == node and old.outcomes[i] == was)
    assert new.outcomes[index] == forced and new.reasons[index].startswith("turned+")
    assert new.uniforms[:index] == old.uniforms[:index] and new.uniforms[index] != old.uniforms[index]
    assert drafted(variant.rounds[number - 1]) == drafted(original.rounds[number - 1])
    later = range(number + 1, min(len(variant.rounds), len(original.rounds)) + 1)
    shared = [list(zip(coins(variant, n), coins(original, n), strict=False)) for n in later]
    assert any(shared) and all(mine == theirs for pairs in shared for mine, theirs in pairs)


@pytest.mark.parametrize("method", ["speculative_sampling", "rsd_s", "spectr", "typical_acceptance"])
def test_a_token_takes_the_place_of_a_judged_one(method):
    run_request = asked_of(method, METHODS.get(method))
    original = trace_of(run_request)
    each = next(each for each in original.rounds[1:] if "accepted" in each.verified.outcomes)
    node = each.verified.nodes[each.verified.outcomes.index("accepted")]
    tokens = {n: t for drafted in each.drafted for n, t in zip(drafted.nodes, drafted.tokens, strict=True)}
    for token in set(range(5)) - {tokens[node]}:
        change = Change(each.number, node, token=token)
        variant = branch(run_request, change, original)
        assert_sound(variant, change)
        assert before(variant, each.number) == before(original, each.number)
        depth = next(drafted.depth for drafted in each.drafted if node in drafted.nodes)
        assert variant.rounds[each.number - 1].committed.tokens[depth - 1] == token


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("speculative_sampling", {"draft_length": 7}),
        ("rsd_s", {"width": 5}),
        ("dsbd", {"num_draws": 9}),
        ("lookahead", {"window": 9}),
    ],
)
def test_other_options_from_a_round_on_keep_the_coins_of_every_round(method, options):
    run_request = asked_of(method)
    original, change = trace_of(run_request), Change(3, options=options)
    variant = branch(run_request, change, original)
    assert_sound(variant, change)
    assert before(variant, 3) == before(original, 3)
    now, was = (trace.rounds[2].drafted[0].tokens for trace in (variant, original))
    assert now[: len(was)] == was
    assert coins(variant, 3)[:2] == coins(original, 3)[:2]


def test_a_branch_is_made_again_alike_and_throws_no_coin_twice():
    run_request, change = asked_of("speculative_sampling"), Change(2, options={"draft_length": 9})
    variant = branch(run_request, change)
    thrown = uniforms_of(variant)
    assert len(set(thrown)) == len(thrown)
    assert [each.committed.nodes for each in branch(run_request, change).rounds] == [
        each.committed.nodes for each in variant.rounds
    ]


@pytest.mark.parametrize("method", ["speculative_sampling", "rsd_s"])
def test_each_round_counts_its_own_numbers_and_no_later_ones(method):
    """So a longer draft of a branch gets new numbers, not those of the next round; in a run of many rounds, too."""
    run_request, tape = asked_of(method, {"draft_length": 1}, length=700), Tape(3)
    starts = []

    def record(number, setting):
        tape.record(setting)
        starts.append(setting.verify_rng.bit_generator.state["state"]["state"])
        return run_request.method

    rounds = [item for item in decode(run_request, method_of=record) if isinstance(item, Round)]
    assert len(rounds) == len(tape.rounds) > 350, "as many as Python's stack would not hold"
    for begun, now, then in zip(tape.rounds, starts, starts[1:], strict=False):
        replayed = np.random.PCG64()
        replayed.state = begun["verify_rng"].state
        assert replayed.state["state"]["state"] == now
        replayed.advance(begun["verify_rng"].stream.served)
        assert replayed.state["state"]["state"] == then


def test_what_cannot_be_changed_is_said_in_a_sentence():
    run_request = asked_of("speculative_sampling")
    original = trace_of(run_request)
    number, node = decided_by_coin(original, "rejected")
    after = judged(original, number).nodes[-1]
    sure = next(
        (each.number, n)
        for each in original.rounds
        for n, result, chance in zip(
            each.verified.nodes, each.verified.outcomes, each.verified.accept_probs, strict=True
        )
        if result == "accepted" and chance == 1
    )
    cases = [
        (Change(99, node, outcome="accepted"), "no round 99"),
        (Change(0, node, outcome="accepted"), "no round 0"),
        (Change(number, 10**6, outcome="accepted"), "drafted no token"),
        (Change(number, node, outcome="rejected"), "that verdict already"),
        (Change(*sure, outcome="rejected"), "No random number can turn"),
        (Change(number, node, token=5), "no token 5"),
        (Change(number, options={"draft_length": 99}), "out of range"),
        (Change(number, options={"widht": 2}), "has no option"),
    ]
    if judged(original, number).outcomes[-1] == "not_tested":
        cases.append((Change(number, after, outcome="accepted"), "not tested"))
    for change, said in cases:
        with pytest.raises(PlaygroundError, match=said):
            branch(run_request, change, original)
    with pytest.raises(PlaygroundError, match="one change"):
        Change(1, 5)
    with pytest.raises(PlaygroundError, match="other tokens"):
        branch(
            run_request,
            Change(number, node, outcome="accepted"),
            trace_of(asked_of("speculative_sampling", {"draft_length": 2})),
        )
    with pytest.raises(PlaygroundError, match="drafted no token"):
        branch(asked_of("autoregressive"), Change(1, 4, token=1))
    beams = asked_of("dsbd")
    number, node = decided_by_coin(trace_of(beams), "accepted")
    with pytest.raises(PlaygroundError, match="compete"):
        branch(beams, Change(number, node, token=1))
