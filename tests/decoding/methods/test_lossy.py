"""Methods that claim no law: that they differ from the target, by how much, and where they meet plain decoding."""

from collections import Counter
from functools import partial

import numpy as np
import pytest

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method
from playground.decoding.methods import mtad
from playground.exactness.beam_distributions import beam_sampling_distribution, warped
from playground.exactness.enumeration import courses
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace import validate
from playground.trace.events import Drafted, Verified
from tests.decoding.runs import request, tokens, trace_of

FIVE = TableModel([0.15, 0.35, 0.1, 0.25, 0.15]), TableModel([0.4, 0.25, 0.2, 0.1, 0.05])
LOSSY = {
    "typical_acceptance": {"epsilon": 0.09, "delta": 0.3},
    "mtad": {"draft_length": 1, "tau": 0.1},
    "bild": {"fallback": 0.3, "rollback": 5.0, "draft_length": 1},
}


@pytest.mark.parametrize("name", LOSSY)
def test_the_first_token_is_the_drafts_choice_whatever_the_coins(name):
    """The draft's best token has p = 0.15 and comes out every time: total variation 1 - 0.15 = 0.85 from the target."""
    target, draft = FIVE
    method = make_method(name, LOSSY[name])
    first = {tokens(request(method, target=target, draft=draft, prompt=(0,), seed=s, length=4))[0] for s in range(50)}
    assert first == {0}


@pytest.mark.parametrize(("name", "options", "drafts"), [("mtad", {"tau": 1}, True), ("bild", {"fallback": 1}, False)])
def test_the_strictest_threshold_is_plain_decoding(name, options, drafts):
    """Nothing is kept, or nothing drafted though the small model was called: the baseline's text, at any seed."""
    for seed in range(10):
        strict, plain = (
            request(method, seed=seed) for method in (make_method(name, options), make_method("autoregressive"))
        )
        assert tokens(strict) == tokens(plain)
    finished = trace_of(strict).finished
    assert finished.num_accepted == 0 and (finished.num_drafted > 0) == drafts and finished.draft_calls > 0


def test_bild_is_not_greedy_even_at_temperature_zero():
    """Section 9.1: target (0.4, 0.6), draft (0.95, 0.05). Token 0 stays, though greedy decoding writes only 1."""
    target, draft = TableModel([0.4, 0.6]), TableModel([0.95, 0.05])
    run_request = request(make_method("bild"), target=target, draft=draft, prompt=(0,), sampling=Sampling(0), length=11)
    assert tokens(run_request) == [0] * 10 + [1]


def test_an_end_token_that_is_rolled_back_does_not_end_the_text():
    """The small model always wants to stop; the target gives that e^-9 and goes on to the full length."""
    end = np.exp(-9)
    target = TableModel([0.5, 0.5 - end, end], eos_ids=frozenset([2]))
    draft = TableModel([0.05, 0.05, 0.9], eos_ids=frozenset([2]))
    trace = trace_of(request(make_method("bild"), target=target, draft=draft, prompt=(0,), length=20))
    validate(trace)
    rejected = [node for e in trace.events if isinstance(e, Verified) for node in e.nodes if "rejected" in e.outcomes]
    assert trace.events[-1].finish_reason == "length" and trace.events[-1].num_tokens == 20
    assert len(rejected) == 19, "the last round has room for one token and drafts none"


def test_the_best_of_enough_beams_is_the_most_likely_continuation():
    """Nine beams hold every pair of three tokens: a search is exact for three."""
    draft = TableModel.random(3, order=2, seed=8)
    run_request = request(
        make_method("mtad", {"draft_length": 3, "beam_width": 9, "sample": 0}), target=draft, draft=draft
    )
    trace = trace_of(run_request)
    distribution = draft.distribution([0, 1], 3)
    best = [int(token) for token in np.unravel_index(distribution.argmax(), distribution.shape)]
    assert [event.tokens[0] for event in trace.events[1:4]] == best


def test_mtads_beams_are_drawn_by_the_joint_law_of_the_draft_model():
    """One beam is a draw of the draft model: 0.3 in 1000 rounds, 3.5 standard errors; a search never drafts it."""
    draft = TableModel([0.7, 0.3])
    for sample, low, high in ((1, 0.25, 0.35), (0, 0, 0)):
        method = make_method("mtad", {"draft_length": 1, "beam_width": 1, "tau": 1, "sample": sample})
        trace = trace_of(request(method, target=draft, draft=draft, prompt=(0,), length=1001))
        drafted = [token for event in trace.events if isinstance(event, Drafted) for token in event.tokens]
        assert len(drafted) == 1000 and low <= sum(drafted) / 1000 <= high


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0.6, 4, 0.8)], ids=["plain", "warped"])
def test_mtad_drafts_the_best_of_the_beams_that_the_warped_joint_law_draws(sampling, monkeypatch):
    """Every draw enumerated, against beam sampling written down by its definition; texts may end."""
    draft, target = TableModel.random(3, order=1, seed=3), TableModel.random(3, order=1, seed=4)
    target, ending = (TableModel(each.table, eos_ids=frozenset([2])) for each in (target, draft))
    method = make_method("mtad", {"draft_length": 2, "beam_width": 2})

    def drafted(course):
        def draw(law, num_draws, rng):
            return [divmod(course.choose(law.flatten().tolist()), law.shape[-1]) for _ in range(num_draws)]

        monkeypatch.setattr(mtad, "independent_pairs", draw)
        run_request = request(method, target=target, draft=draft, sampling=sampling, prompt=(0,), length=8)
        first = next(item for item in decode(run_request) if isinstance(item, Round))
        return tuple(token for below in first.draft.draws.values() for token in below.tokens)

    result, law = Counter(), Counter()
    for text, chance in courses(drafted):
        result[text] += chance
    warp = partial(warped, sampling=sampling)
    beams = beam_sampling_distribution(ending, (0,), width=2, num_steps=2, replacement=True, warp=warp)
    for texts, chance in beams.items():
        law[max(texts, key=lambda text: np.prod([draft.row([0, *text[:n]])[x] for n, x in enumerate(text)]))] += chance
    assert set(result) == {text for text, chance in law.items() if chance > 0}
    assert max(abs(result[text] - law[text]) for text in result) < 1e-9


def test_mtad_keeps_nothing_that_the_runs_settings_leave_no_probability():
    """Top-k of the target alone: the draft's sure token is not among it, whatever the threshold says of p/q."""
    target, draft = TableModel([0.6, 0.4]), TableModel([0.001, 0.999])
    method = make_method("mtad", {"tau": 0})
    assert (
        tokens(request(method, target=target, draft=draft, sampling=Sampling(1, 1), prompt=(0,), length=6)) == [0] * 6
    )
