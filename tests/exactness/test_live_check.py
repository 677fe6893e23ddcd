"""A check that is watched: looks at rising numbers of samples, and what they may say."""

import math
from collections import Counter

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.exactness import live_check
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import Comparison, anytime_p_value
from playground.exactness.live_check import CAUGHT, FIRST_LOOK, GROWTH, Subject, Watched
from playground.exactness.losslessness import check


def compared(**changes):
    values = {"tv": 0.03, "noise_floor": 0.03, "noise_upper": 0.04, "p_value": 0.5, "noise_lower": 0.02} | changes
    return Comparison(**values)


def watched(subject, *looks):
    one = Watched(subject)
    for number, result in enumerate(looks, 1):
        one.add(Counter(), 100, 0.5 * number)
        one.note(result)
    return one


@pytest.mark.parametrize("law", ["target sampling", "i.i.d. beam sampling", "beam sampling without replacement"])
def test_an_exact_sampler_is_accused_no_more_often_than_promised(law):
    """Courses of 20 looks at up to 3,500 samples, drawn from the law itself: 18,000 looks in all, 6,000 a law.

    At the promise of 1e-4 two courses of 300 or more are accused in 4 of 10,000 seeds; the seed is fixed. Of
    40,000 courses (1,080,000 looks, up to 20,000 samples) of the first law one was accused where four are promised;
    a chi-square test at 1e-4 shared out over the looks accused eight.
    """
    rng, chances = np.random.default_rng(0), np.array(list(EXPERIMENTS[law].distribution(None).values()))
    accused = 0
    for _ in range(300):
        counts, samples, result = np.zeros(len(chances), dtype=np.int64), 0, 1.0
        for number in range(20):
            more = math.ceil(FIRST_LOOK * GROWTH**number) - samples
            counts, samples = counts + rng.multinomial(more, chances / chances.sum()), samples + more
            result = min(result, anytime_p_value([(counts, chances)]))
        accused += result < CAUGHT
    assert accused <= 1


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
    """Same method, seed and number of samples: the same distance. The bench's p-value stands for all its looks."""
    subject = Subject("specinfer", {"first_draws": 2})
    counts, seconds = live_check.count(subject, subject.seeds(300, 4))
    result = live_check.look(subject.reference(), counts)
    [row] = check([("specinfer", {"first_draws": 2})], samples=300, seed=4)
    assert result.tv == row.tv and result.p_value == 1.0 and seconds > 0
    assert 0 < result.noise_lower < result.noise_floor < result.noise_upper


def test_a_beginning_of_the_seeds_is_the_same_however_many_there_are():
    subject = Subject("undivided", broken=True)
    assert subject.seeds(10, 1) == subject.seeds(1000, 1)[:10]


def test_what_was_caught_stays_caught():
    one = watched(Subject("undivided", broken=True), compared(), compared(tv=0.3, p_value=CAUGHT / 2), compared())
    assert one.caught_at == 1
    assert (
        one.verdict().startswith("Caught after 200 samples (1.5 s).") and "not lossless, as it claims" in one.verdict()
    )


@pytest.mark.parametrize(
    ("subject", "look", "says"),
    [
        (
            Subject("rsd_s"),
            compared(),
            "98 of 100 cases. So far it is indistinguishable from an exact sampler.",
        ),
        (Subject("rsd_s"), compared(tv=0.05), "More samples will decide"),
        (Subject("mtad"), compared(), "So far it is indistinguishable from an exact sampler."),
        (
            Subject("mtad"),
            compared(tv=0.3, p_value=0.0),
            "Differs from the target's distribution: detected after 100 samples (0.5 s).",
        ),
        (Subject("undivided", broken=True), compared(), "More samples will decide"),
        (
            Subject("beam_search"),
            compared(tv=0.0, noise_floor=0.0, noise_upper=0.0, noise_lower=0.0, p_value=1.0),
            "All 100 runs came out as beam search says",
        ),
        (
            Subject("beam_search"),
            compared(tv=0.4, noise_floor=0.0, noise_upper=0.0, noise_lower=0.0, p_value=0.0),
            "Its distance is now 0.400. It is not lossless, as it claims",
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
        subject.reference()
