"""The opening run is the one that paid most of those that were tried, and says so by its own numbers."""

import pytest

from playground.paths import ASSETS
from playground.trace.storage import load
from playground.ui.recorded import OF_PAIR, OPENING, file_of, kind_of, read, tried
from playground.views.plain_beside import plain_clock


@pytest.mark.parametrize("kind", [kind_of(OPENING, pair) for pair in OF_PAIR])
def test_an_opening_has_the_length_that_paid_most_and_soon_shows_a_rejection(kind):
    ratios = {row["draft_length"]: row["ratio"] for row in tried(kind)}
    trace = load(ASSETS / "traces" / f"{kind}.json.gz")
    length = trace.started.options["draft_length"]
    assert sorted(ratios) == list(range(1, 9))
    assert length == max(ratios, key=ratios.get) == read(file_of(kind), kind)["chosen"]
    assert "rejected" in trace.rounds[0].verified.outcomes
    assert "accepted" in {outcome for each in trace.rounds[:5] for outcome in each.verified.outcomes}
    plain = plain_clock(trace.started)
    ratio = plain[-1] / len(plain) / (trace.rounds[-1].committed.clock_s / trace.finished.num_tokens)
    assert ratio == pytest.approx(ratios[length], rel=1e-3) and ratio > 1


def test_of_another_pair_or_without_a_file_no_length_was_tried(tmp_path):
    assert tried(OPENING, tmp_path / "none.json.gz") == []
