"""The opening run is the one that paid most of those that were tried, and says so by its own numbers."""

import pytest

from playground.paths import ASSETS
from playground.trace.storage import load
from playground.ui.recorded.file import OPENING, file_of, read, tried
from playground.views.plain_beside import plain_clock


def test_the_opening_has_the_length_that_paid_most_and_begins_with_a_rejection():
    ratios = {row["draft_length"]: row["ratio"] for row in tried(OPENING)}
    trace = load(ASSETS / "traces" / "opening.json.gz")
    length = trace.started.options["draft_length"]
    assert (
        sorted(ratios) == list(range(1, 9))
        and length == max(ratios, key=ratios.get) == read(file_of(OPENING), OPENING)["chosen"]
    )
    assert {"rejected", "accepted"} <= set(trace.rounds[0].verified.outcomes)
    plain = plain_clock(trace.started)
    ratio = plain[-1] / len(plain) / (trace.rounds[-1].committed.clock_s / trace.finished.num_tokens)
    assert ratio == pytest.approx(ratios[length], rel=1e-3) and ratio > 1


def test_of_another_pair_or_without_a_file_no_length_was_tried(tmp_path):
    assert tried(OPENING, tmp_path / "none.json.gz") == []
