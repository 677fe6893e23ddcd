"""From one row per run to one row per setting: medians over prompts and seeds, for pictures and fronts."""

from collections.abc import Sequence
from statistics import median
from typing import Any, TypeGuard

from playground.bench.grid import SAMPLING
from playground.metrics.comparison import RunRow

ABOUT = ("label", "method", "options", *SAMPLING)  # The runs of a setting share these.
NOT_MEASURED = ("run", "prompt", "seed", "trace_bytes")


def by_setting(rows: Sequence[RunRow]) -> list[dict[str, Any]]:
    """Return one row per label, in the order of their first runs.

    Each has what its runs share; `num_runs` and `num_failed`; `runs`, the numbers of those that did not fail; `run`,
    that of the median one; and the median of every number they have. A number that some of them lack is the median of
    the others.
    """
    of_label: dict[str, list[RunRow]] = {}
    for row in rows:
        of_label.setdefault(row["label"], []).append(row)
    return [_setting(runs) for runs in of_label.values()]


def median_run(rows: Sequence[RunRow]) -> RunRow | None:
    """Return the row with the median tokens/s, the slower of two in the middle; None where every run failed."""
    runs = [row for row in rows if "failed" not in row]
    runs.sort(key=lambda row: (row.get("tokens_per_s") or 0.0, row["run"]))
    return runs[(len(runs) - 1) // 2] if runs else None


def _setting(rows: Sequence[RunRow]) -> dict[str, Any]:
    whole = [row for row in rows if "failed" not in row]
    numbers = {
        name: [value for row in whole if _is_number(value := row.get(name))]
        for name in dict.fromkeys(name for row in whole for name in row)
        if name not in (*ABOUT, *NOT_MEASURED)
    }
    return {
        **{name: rows[0].get(name) for name in ABOUT if name in rows[0]},
        "num_runs": len(rows),
        "num_failed": len(rows) - len(whole),
        "runs": [row["run"] for row in whole],
        "run": middle["run"] if (middle := median_run(rows)) else None,
        **{name: median(values) for name, values in numbers.items() if values},
    }


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
