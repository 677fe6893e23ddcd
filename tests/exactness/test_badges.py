"""A method's mark says what was measured of it, and nothing where nothing was."""

import json

import pytest

from playground.decoding.method import methods
from playground.errors import PlaygroundError
from playground.exactness import badges
from playground.exactness.badges import badge
from playground.papers.presets import presets


def row(method, **changes):
    return {
        "method": method, "options": {}, "reproduces": "target sampling", "law": "target sampling",
        "compared": "the first three tokens", "tv": 0.0079, "noise_floor": 0.0075, "samples": 200_000,
        "verdict": "lossless within noise",
    } | changes  # fmt: skip


@pytest.fixture
def measured(monkeypatch):
    def say(*rows):
        monkeypatch.setattr(badges, "measured", lambda: list(rows))

    return say


def test_a_lossy_method_carries_its_distance_and_the_samples_behind_it(measured):
    measured(row("mtad", reproduces="none", tv=0.4123, verdict="distinguishable from the target"))
    mark = badge("mtad")
    assert not mark["lossless"] and mark["mark"] == "LOSSY · TV 0.41"
    assert "0.412 from target sampling (the first three tokens" in mark["words"] and "200,000 samples" in mark["words"]


def test_with_other_options_its_distance_is_not_claimed(measured):
    measured(row("mtad", reproduces="none", tv=0.4123, verdict="distinguishable from the target"))
    mark = badge("mtad", {"tau": 0.9})
    assert mark["mark"] == "LOSSY" and mark["claim"].endswith("not measured.")
    assert "at its defaults" in mark["words"]


def test_options_that_no_exact_law_is_known_for_are_not_measured_and_no_error(measured):
    """The experiment has two beams: a race of eight is still called what it is."""
    row_of_two = row("atspeed_relaxed", reproduces="none", tv=0.2, law="i.i.d. beam sampling", options={"width": 2})
    measured(row_of_two)
    mark = badge("atspeed_relaxed", {"width": 8})
    assert mark["mark"] == "LOSSY" and mark["claim"].endswith("not measured.")
    assert badge("atspeed_relaxed", {"width": 2})["mark"] == "LOSSY · TV 0.20"


def test_every_entry_of_every_comparison_has_a_mark():
    for preset in presets().values():
        for method_id, options in preset.choices:
            assert badge(method_id, options)["mark"]


def test_what_was_never_measured_says_so(measured):
    measured()
    assert badge("mtad")["mark"] == "LOSSY" and "not measured" in badge("mtad")["words"]
    assert badge("rsd_s")["words"] == "Lossless: reproduces target sampling. Not measured."


def test_a_lossless_method_says_which_law_it_reproduces(measured):
    measured(row("rsd_s"))
    mark = badge("rsd_s", {"width": 2})
    assert mark["lossless"] and mark["mark"] == "lossless"
    assert mark["words"].startswith(
        "Lossless: reproduces target sampling. Measured with its defaults: total variation distance 0.0079"
    )
    assert "Measured: total" in badge("rsd_s")["words"]
    measured(row("beam_sampling", reproduces="i.i.d. beam sampling", options={"width": 2}))
    assert "Measured with beam width 2: total" in badge("beam_sampling")["words"]
    assert "Measured: total" in badge("beam_sampling", {"width": 2})["words"]


def test_lossless_is_said_of_plain_sampling_alone():
    assert badge("rsd_s")["mark"] == "lossless"
    assert badge("beam_search")["mark"] == badge("atspeed_strict")["mark"] == "exact beam search"
    assert badge("beam_sampling")["mark"] == badge("dsbd")["mark"] == "exact beam sampling"
    assert "not plain sampling" in badge("beam_search")["claim"]


def test_an_option_that_changes_the_claim_changes_the_mark(measured):
    measured(row("atspeed_relaxed", reproduces="none", tv=0.2, law="i.i.d. beam sampling", options={"width": 2}))
    assert badge("atspeed_relaxed")["mark"] == "LOSSY · TV 0.20"
    assert badge("atspeed_relaxed", {"spare": 0})["lossless"]


def test_a_claim_that_was_refuted_does_not_stand_unchallenged(measured):
    measured(row("rsd_s", tv=0.3, verdict="differs from the distribution it claims"))
    assert badge("rsd_s")["words"].endswith("its claim fails.")


@pytest.mark.parametrize("method_id", methods())
def test_every_method_has_a_mark_that_agrees_with_its_claim(method_id):
    mark = badge(method_id)
    assert mark["lossless"] == (methods()[method_id]().reproduces != "none")
    assert json.loads(json.dumps(mark)) == mark


def test_what_does_not_exist_has_none():
    with pytest.raises(PlaygroundError, match="Did you mean"):
        badge("rsd_x")
