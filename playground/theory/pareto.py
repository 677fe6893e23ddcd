"""The Pareto front: what nothing else beats in two respects at once."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Literal, TypeVar

Better = Literal["smaller", "larger"]
Row = TypeVar("Row", bound=Mapping[str, Any])


def pareto_front(
    rows: Sequence[Row], *, x: str, y: str, x_better: Better = "larger", y_better: Better = "larger"
) -> list[Row]:
    """Return the rows that no other row dominates, from the best x to the worst.

    A row dominates another when it is at least as good in both numbers and better in one; so rows that are equal in
    both stay together. Rows that lack a number, or whose number is not finite, are on no front.
    """
    signs = {"smaller": 1.0, "larger": -1.0}
    costs = [
        (signs[x_better] * row[x], signs[y_better] * row[y], index)
        for index, row in enumerate(rows)
        if _is_number(row.get(x)) and _is_number(row.get(y))
    ]
    front: list[tuple[float, float, int]] = []
    for cost in sorted(costs):  # by falling quality in x: a later one must be better in y, or equal in both
        if not front or cost[1] < front[-1][1] or cost[:2] == front[-1][:2]:
            front.append(cost)
    return [rows[index] for _, _, index in front]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
