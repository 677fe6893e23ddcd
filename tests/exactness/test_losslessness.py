"""The check must tell a lossless method from a lossy one and from a broken one, whatever law the method claims."""

import dataclasses
import json
from collections import Counter
from dataclasses import asdict
from itertools import islice

import numpy as np
import pytest

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.exactness import experiments, losslessness
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import anytime_p_value, chi_square_p_value
from playground.exactness.losslessness import (
    DIFFERS,
    LOSSLESS,
    NOT_MEASURED,
    check,
    conclude,
    every_claim,
    run_seeds,
)
from tests.decoding.runs import request, texts_of_runs

SAMPLES = 2_000


def one(method_id, *, options=None, samples=SAMPLES, **how):
    [result] = check([(method_id, options or {})], samples=samples, **how)
    return result


def test_every_law_that_a_method_claims_is_among_the_claims_and_once():
    claimed = [(name, make_method(name, options).reproduces) for name, options in every_claim()]
    assert list(dict.fromkeys(name for name, _ in claimed)) == list(methods()) and len(set(claimed)) == len(claimed)
    assert ("beam_sampling", "beam sampling without replacement") in claimed


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), every_claim(), ids=str)
def test_every_claim_is_measured_by_its_own_law_and_holds(name, options):
    """False alarm: 1e-4 each for the verdict, were the seed not fixed; the distance bound is loose beside it."""
    claimed = make_method(name, options).reproduces
    result = one(name, options=options, samples=100 if claimed == "none" else 300)
    assert result.verdict != NOT_MEASURED and result.reproduces == claimed
    if claimed != "none":
        assert result.verdict == LOSSLESS and result.law == claimed, result
        assert result.tv <= 1.5 * result.noise_upper, result


@pytest.mark.parametrize(
    ("method_id", "options", "refused"),
    [
        ("beam_sampling", {"width": 3}, "beam width = 2"),
        ("beam_sampling", {"width": "4"}, "beam width = 2"),  # the default, but not what the law is known for
        ("dsbd", {"threshold": 0, "width": 3}, "least width = 2"),
        ("atspeed_relaxed", {"width": 3}, "beam width = 2"),
        ("beam_search", {"width": 5}, "beam width = 3"),
        ("atspeed_strict", {"length_penalty": 2}, "length penalty = 1"),
    ],
)
def test_an_option_that_would_change_the_law_is_refused(method_id, options, refused):
    """A method that is right would be accused of missing the law of other options."""
    with pytest.raises(PlaygroundError, match=f"is measured with {refused}: .* Leave"):
        check([(method_id, options)])


@pytest.mark.parametrize("name", ["speculative_sampling", "rsd_s"])
def test_drafts_of_another_tokenizer_leave_the_law(name):
    """Their support is cut, as that of heads in tests/models/test_drafters.py, where rounds are enumerated."""
    sound = one(name, samples=200, kind="foreign")
    assert sound.verdict == LOSSLESS and "three of the five" in sound.compared


def test_drafts_of_another_tokenizer_are_for_one_law():
    with pytest.raises(PlaygroundError, match="checked for target sampling"):
        check([("beam_search", {})], samples=100, kind="foreign")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("autoregressive", {}),
        ("speculative_sampling", {}),
        ("rsd_c", {}),
        ("beam_sampling", {}),
        ("beam_sampling", {"replacement": 0}),
        ("dsbd", {"threshold": 0}),
    ],
)
def test_end_tokens_temperature_top_k_and_top_p_leave_the_law(name, options):
    """Warped rows, and texts that end. Seeded; false alarm 1e-4 each, were the seed not fixed."""
    result = one(name, options=options, samples=500, kind="warped")
    assert result.verdict == LOSSLESS and "top-k 4" in result.compared, result


def test_the_warped_law_is_that_of_plain_decoding():
    """Enumerated; some of its texts end early, and some of the plain law's are excluded."""
    warped = {"sampling": experiments.WARP, "prompt": experiments.PROMPT, "length": 3}
    made = request(make_method("autoregressive"), target=experiments.ENDING_TARGET, draft=experiments.DRAFT, **warped)
    distribution = losslessness.WARPED["target sampling"].distribution(None)
    assert texts_of_runs(made) == pytest.approx(distribution, abs=1e-12)
    assert len(distribution) < len(EXPERIMENTS["target sampling"].distribution(None))
    assert {len(text) for text in distribution} == {1, 2, 3} and sum(distribution.values()) == pytest.approx(1)


@pytest.mark.parametrize("what", ["top_k", "top_p", "temperature"])
def test_a_draft_that_is_judged_without_its_warp_has_another_distribution(monkeypatch, what):
    """Enumerated: a mistake that shows in warped runs alone. The rule is given a q that misses one of the three."""
    from playground.decoding.verification import speculative

    plain = {"top_k": {"top_k": 0}, "top_p": {"top_p": 1.0}, "temperature": {"temperature": 1.0}}[what]
    wrong = dataclasses.replace(experiments.WARP, **plain)
    right = speculative.judge
    rows = {tuple(experiments.WARP.probs(row).tolist()): wrong.probs(row) for row in experiments.DRAFT._logits}

    def judge(target_probs, draft_probs, tokens, coins):
        return right(target_probs, np.stack([rows[tuple(row.tolist())] for row in draft_probs]), tokens, coins)

    one_draft = make_method("speculative_sampling", {"draft_length": 1})
    warped = {"sampling": experiments.WARP, "prompt": experiments.PROMPT, "length": 2}
    made = request(one_draft, target=experiments.TARGET, draft=experiments.DRAFT, **warped)
    sound = texts_of_runs(made)
    monkeypatch.setattr(speculative, "judge", judge)
    mistaken = texts_of_runs(made)
    assert sum(abs(mistaken[text] - sound[text]) for text in {*sound, *mistaken}) / 2 > 0.02


def test_a_check_says_what_it_can_see():
    """A search that misses one run in 10,000 is seen by 23,025; of sampling see tests/test_measured_prose.py."""
    assert one("beam_search", samples=1_000).visible == pytest.approx(1 - 0.1 ** (1 / 1_000))
    assert one("autoregressive", samples=200).visible is None


def test_a_broken_rule_for_beams_is_caught(monkeypatch):
    """Of beams, at depths whose widths are chosen: a rejection that leaves p as it was. Fixed ones: `upside_down`."""
    from playground.decoding.verification import depth

    monkeypatch.setattr(depth, "reject", lambda rest, offered: rest)
    assert one("dsbd", samples=700).verdict == DIFFERS


@pytest.mark.parametrize("law", ["i.i.d. beam sampling", "i.i.d. beam sampling, given the widths"])
def test_beams_that_are_copies_of_each_other_are_caught(monkeypatch, law):
    """Each by itself has the right law, the two together have not."""
    from playground.decoding.methods import beam_sampling

    draw = beam_sampling.independent_pairs
    monkeypatch.setattr(beam_sampling.BeamSampling, "reproduces", law)
    assert one("beam_sampling", samples=500).verdict == LOSSLESS
    monkeypatch.setattr(beam_sampling, "independent_pairs", lambda law, num, rng: draw(law, 1, rng) * num)
    assert one("beam_sampling", samples=500).verdict == DIFFERS


def test_widths_that_are_chosen_do_vary_in_their_check():
    """Else it would say no more than that of a fixed width."""
    method = make_method("dsbd")
    models = {"target": experiments.STEP_TARGET, "draft": experiments.STEP_DRAFT, "prompt": experiments.BEAM_PROMPT}
    widths = Counter()
    for seed in range(100):
        rounds = [item for item in decode(request(method, **models, seed=seed, length=3)) if isinstance(item, Round)]
        widths.update(shown().as_dict()["width"] for each in rounds for shown in each.verdict.workings)
    assert {2, 3, 4} <= widths.keys() and min(widths.values()) > 3, widths


@pytest.mark.slow
def test_the_other_law_of_beam_sampling_is_caught(monkeypatch):
    """Draws without replacement under the claim that they are independent, and the other way round."""
    from playground.decoding.methods import beam_sampling

    monkeypatch.setattr(beam_sampling, "independent_pairs", beam_sampling.distinct_pairs)
    assert one("beam_sampling", samples=500).verdict == DIFFERS
    monkeypatch.undo()
    monkeypatch.setattr(beam_sampling, "distinct_pairs", beam_sampling.independent_pairs)
    assert one("beam_sampling", options={"replacement": 0}, samples=500).verdict == DIFFERS


def test_a_search_that_is_narrower_than_it_says_is_caught(monkeypatch):
    """One beam less of three: the distance is the fraction of runs that found something else."""
    from playground.decoding.methods import beam_search

    step = beam_search.search_step
    monkeypatch.setattr(
        beam_search,
        "search_step",
        lambda setting, beams, reading, width, last: step(setting, beams, reading, 2, last=last),
    )
    result = one("beam_search", samples=200)
    assert result.verdict == DIFFERS and result.p_value == 0 and result.tv > 0.5, result


@pytest.mark.parametrize("method_id", ["typical_acceptance", "bild", "mtjd"])
def test_a_lossy_method_is_told_by_its_distance(method_id):
    result = one(method_id, samples=500)
    assert result.reproduces == "none" and result.law == "target sampling"
    assert result.verdict == "distinguishable from the target", result
    assert result.tv > 1.5 * result.noise_upper and result.p_value < 1e-9, result


def test_a_lossy_method_that_cannot_be_told_apart_is_not_called_different():
    """Blocks drawn out of all there are have the target's law, though the method claims none. False alarm: 1e-4."""
    result = one("mtjd", options={"sample": 1, "block_length": 3}, samples=1000)
    assert result.verdict == "not distinguishable from the target", result


def test_a_law_that_nobody_knows_is_not_measured(monkeypatch):
    """No number is better than one against the wrong law."""
    from playground.decoding.methods.autoregressive import Autoregressive

    monkeypatch.setattr(Autoregressive, "reproduces", "a law of its own")
    result = one("autoregressive")
    assert result.verdict == NOT_MEASURED and result.samples == 0
    assert result.tv is result.noise_floor is result.noise_upper is result.p_value is None
    json.dumps(asdict(result), allow_nan=False)


def test_a_row_says_which_options_were_changed():
    assert one("beam_sampling", options={"replacement": "0"}, samples=100).options == {"width": 2, "replacement": 0}
    assert one("autoregressive", samples=100).options == {}
    assert one("dsbd", options={"width": 3}, samples=100).verdict == LOSSLESS, "one that leaves the law alone is free"


def test_prompt_lookup_has_something_to_copy_in_this_check():
    """Else its check would only be one of plain decoding."""
    from playground.decoding.methods.prompt_lookup import copied, last_match

    context = list(experiments.PROMPT)
    assert list(islice(copied(context, last_match(context, max_ngram=3)), 4)) == [2, 0, 1, 2]


def test_the_same_seed_gives_the_same_result_and_another_seed_another():
    first, again, other = (one("autoregressive", samples=300, seed=seed) for seed in (1, 1, 2))
    assert first == again and first.tv != other.tv
    json.dumps(asdict(first), allow_nan=False)


def test_chunks_of_runs_add_up_to_the_whole(monkeypatch):
    """Worker processes get chunks; how large they are must not matter."""
    whole = [one(method_id, samples=300) for method_id in ("autoregressive", "dsbd")]
    monkeypatch.setattr(losslessness, "CHUNK", 70)
    assert [one(method_id, samples=300) for method_id in ("autoregressive", "dsbd")] == whole


def test_runs_and_claims_do_not_share_seeds():
    choices = [("spectr", {}), ("beam_sampling", {}), ("beam_sampling", {"replacement": 0})]
    assert len({seed for choice in choices for seed in run_seeds(choice, 1000, 0)}) == 3000


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"samples": 99}, "99 samples is out of range"),
        ({"samples": 10**9}, "out of range"),
        ({"seed": -1}, "Seed -1"),
        ({"method_id": "spektr"}, "Did you mean 'spectr'"),
        ({"options": {"withd": 2}}, "has no option 'withd'"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(asked, message):
    asked = {"method_id": "autoregressive", "samples": 300, "options": {}, **asked}
    with pytest.raises(PlaygroundError, match=message):
        check([(asked.pop("method_id"), asked.pop("options"))], **asked)


def test_few_samples_are_judged_by_a_test_that_keeps_its_promise():
    """Of 100 samples Pearson's tail accuses too often; the test that the bench watches with never does."""
    choice = ("speculative_sampling", {})
    distribution = EXPERIMENTS["target sampling"].distribution(None)
    shares = np.array(list(distribution.values()))
    rng, few, accused = np.random.default_rng(0), 100, Counter()
    for observed in rng.multinomial(few, shares, 2_000):
        columns = [(observed, shares / shares.sum())]
        accused["pearson"] += chi_square_p_value(columns) < 0.001
        accused["here"] += anytime_p_value(columns) < 0.001
    assert accused["here"] <= 2, accused
    observed = rng.multinomial(few, shares)
    counts = Counter({(None, text): int(seen) for text, seen in zip(distribution, observed, strict=True) if seen})
    expected = anytime_p_value([(observed, shares / shares.sum())])
    assert conclude(choice, counts, few, 0).p_value == pytest.approx(expected)
