"""Measurements of both models, for tests to which what they come to is not the matter."""

from playground.bench import calibration


def measure_briefly(monkeypatch) -> None:
    """Few repeats; and what a busy machine makes of the times is believed."""
    for repeats, few in (("STEPS", 8), ("ROUNDS", 3), ("REPEATS", 1)):
        monkeypatch.setattr(calibration, repeats, few)
    for each in ("playground.ui.page.why", "playground.views.why_not_faster"):
        monkeypatch.setattr(f"{each}.doubt", lambda *_: "")
