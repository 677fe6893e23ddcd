"""Rows of a race, as `bench.race` makes them and the page names them, with numbers to compute by hand."""

from typing import Any


def spread(value: float | None) -> dict[str, float] | None:
    return None if value is None else {"median": value, "low": value * 0.9, "high": value * 1.1}


def badge(*, lossless: bool = True) -> dict[str, Any]:
    mark = "lossless" if lossless else "LOSSY · TV 0.41"
    return {"lossless": lossless, "mark": mark, "claim": mark, "words": f"All about {mark}."}


def row(method: str, speed: float | None, interval: tuple | None = None, **changes: Any) -> dict[str, Any]:
    """A race's row; the interval is 0.1 to each side of the speed-up unless given."""
    low, high = interval or (None if speed is None else speed - 0.1, None if speed is None else speed + 0.1)
    fields = {
        "label": method,
        "method": method,
        "title": method.capitalize(),
        "name": method.capitalize(),
        "note": "",
        "reproduces": "target sampling",
        "badge": badge(),
        "options": {},
        "runs": 6,
        "speed_up": None if speed is None else {"median": speed, "low": low, "high": high, "pairs": 6},
        "tokens_per_s": spread(None if speed is None else 100 * speed),
        "block_efficiency": spread(2.5),
        "acceptance_per_position": spread(0.75),
        "acceptance_per_draw": spread(0.5),
        "tests": "draws",
        "draft_efficiency": spread(0.5),
        "target_calls": spread(16),
        "draft_calls": spread(64),
        "verified_nodes": spread(4),
        "accepted_width": spread(2.0),
        "mbsu": spread(1.5),
        "draft_s_per_token": spread(0.002),
        "verify_s_per_token": spread(0.004),
        "other_s_per_token": spread(0.001),
        "joules_per_token": None,
        "energy_source": None,
        "energy_reason": "no energy counter for this run",
        "estimated_joules_per_token": spread(0.014),
        "estimated_rejected_joules_per_token": spread(0.003),
        "peak_cache_bytes": spread(800 * 1024),
        "perplexity": spread(20.0),
    }
    return fields | changes


def baseline(**changes: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("acceptance_per_position", "acceptance_per_draw", "draft_efficiency"))
    times = {"draft_s_per_token": spread(0.0), "verify_s_per_token": spread(0.0045), "other_s_per_token": spread(5e-4)}
    return row("autoregressive", 1.0, (1.0, 1.0), title="Autoregressive", **nothing, **times) | changes


def failed(method: str, why: str) -> dict[str, Any]:
    kept = ("label", "method", "title", "name", "note", "reproduces", "badge", "options")
    return {name: value for name, value in row(method, 1.0).items() if name in kept} | {"failed": why}
