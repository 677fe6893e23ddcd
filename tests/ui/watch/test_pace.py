"""A page that falls behind is sent fewer messages; nonsense and strangers change nothing."""

import pytest

from playground.ui.watch import pace as page_pace

TOOK = {"type": "took", "run": "run", "seconds": 1}


def test_a_slow_page_gets_half_of_its_time_for_the_reader():
    with page_pace.looked_at("run"):
        assert page_pace.interval("run") == 0
        page_pace.took(TOOK | {"seconds": 0.4})
        assert page_pace.interval("run") == 0.8
        page_pace.took(TOOK | {"seconds": 60})
        assert page_pace.interval("run") == page_pace.MOST_S
        page_pace.took(TOOK | {"seconds": 0.05})
        assert page_pace.interval("run") == 0.1
    page_pace.took(TOOK)
    assert page_pace.interval("run") == 0, "it is over, and forgotten"


@pytest.mark.parametrize(
    "said", [None, {}, {"run": "run", "seconds": 1}, *(TOOK | {"seconds": each} for each in ("1", -1, float("nan"))),
             TOOK | {"run": "other"}]
)  # fmt: skip
def test_nonsense_changes_nothing(said):
    with page_pace.looked_at("run"):
        page_pace.took(said)
        assert page_pace.interval("run") == 0 and page_pace.interval("other") == 0
