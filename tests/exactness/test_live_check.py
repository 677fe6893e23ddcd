"""A check that is watched: looks at rising numbers of samples, and what they may say."""

from collections import Counter

import pytest

from playground.errors import PlaygroundError
from playground.exactness import live_check
from playground.exactness.goodness_of_fit import Comparison
from playground.exactness.live_check import CAUGHT, FIRST_LOOK, GROWTH, LOOKS, MOST_SAMPLES, Subject, Watched
from playground.exactness.losslessness import FALSE_ALARM, check


def compared(**changes):
    values = {"tv": 0.03, "noise_floor": 0.03, "noise_upper": 0.04, "p_value": 0.5, "noise_lower": 0.02} | changes
    return Comparison(**values)


def watched(subject, *looks):
    one = Watched(subject)
    for number, found in enumerate(looks, 1):
        one.add(Counter(), 100, 0.5 * number)
        one.note(found)
    return one


def test_no_more_looks_than_the_false_alarm_is_shared_out_over():
    """One at every growth of the samples, and one at the end."""
    samples, looks = FIRST_LOOK, 1
    while samples < MOST_SAMPLES:
        samples, looks = samples * GROWTH, looks + 1
    assert looks <= LOOKS and CAUGHT * LOOKS <= FALSE_ALARM * (1 + 1e-9)


def test_it_looks_when_the_samples_have_grown_enough():
    one = Watched(Subject("autoregressive"))
    one.add(Counter(), FIRST_LOOK - 1, 0.1)
    assert not one.is_time_to_look()
    one.add(Counter(), 1, 0.1)
    assert one.is_time_to_look()
    one.note(compared())
    one.add(Counter(), 5, 0.1)
    assert not one.is_time_to_look()


def test_the_bench_draws_the_runs_of_the_command():
    """Same method, seed and number of samples: the same distance and p-value."""
    subject = Subject("specinfer", {"first_draws": 2})
    counts, seconds = live_check.count(subject, subject.seeds(300, 4))
    found = live_check.look(subject.law(), counts)
    [row] = check([("specinfer", {"first_draws": 2})], samples=300, seed=4)
    assert (found.tv, found.p_value) == (row.tv, row.p_value) and seconds > 0
    assert 0 < found.noise_lower < found.noise_floor < found.noise_upper


def test_a_beginning_of_the_seeds_is_the_same_however_many_there_are():
    subject = Subject("undivided", broken=True)
    assert subject.seeds(10, 1) == subject.seeds(1000, 1)[:10]


def test_what_was_caught_stays_caught():
    one = watched(Subject("undivided", broken=True), compared(), compared(tv=0.3, p_value=CAUGHT / 2), compared())
    assert one.caught_at == 1
    assert one.verdict().startswith("Caught after 200 samples (1.5 s).") and "breaks its claim" in one.verdict()


@pytest.mark.parametrize(
    ("subject", "look", "says"),
    [
        (Subject("rsd_s"), compared(), "0.0200 to 0.0400 in 98 of 100 cases. Nothing tells it from an exact sampler."),
        (Subject("rsd_s"), compared(tv=0.05), "above that now, which alone proves nothing"),
        (Subject("mtad"), compared(), "Nothing tells it from the target yet."),
        (Subject("mtad"), compared(tv=0.3, p_value=0.0), "Told from the target's law after 100 samples (0.5 s)."),
        (Subject("undivided", broken=True), compared(), "the mistake is not caught yet"),
        (
            Subject("beam_search"),
            compared(tv=0.0, noise_floor=0.0, noise_upper=0.0, noise_lower=0.0, p_value=1.0),
            "All 100 runs came out as beam search says",
        ),
        (
            Subject("beam_search"),
            compared(tv=0.4, noise_floor=0.0, noise_upper=0.0, noise_lower=0.0, p_value=0.0),
            "Its distance is 0.400 by now. It breaks its claim",
        ),
    ],
)
def test_the_verdict_says_what_the_samples_can_bear(subject, look, says):
    assert says in watched(subject, look).verdict()


def test_before_the_first_look_nothing_is_said():
    assert "first samples" in Watched(Subject("rsd_s")).verdict()


@pytest.mark.parametrize("subject", [Subject("rsd_x"), Subject("rsd_s", {"width": 0}), Subject("none", broken=True)])
def test_what_does_not_exist_is_refused(subject):
    with pytest.raises(PlaygroundError):
        subject.law()
