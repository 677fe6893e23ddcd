"""A hundred visitors open the page and press Run at once, over loopback: `python -m tests.load.class_of_a_hundred`

Each has a run of their own, of 48 tokens. Told are how many were refused, lost or stuck, and how the wait that each was
told compares with the wait that came. Three come before them, one after the other: before those nothing was measured.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.browser.app_fixture import started_app
from tests.visitors import Page, Visitor, ended_well, page_at

TOKENS = 48
LATE_S = 900.0  # a visitor who has no run by then is stuck
SHORT_S = 5.0  # a wait of less is not told in numbers that could be compared
FACTOR = 2.0
ALONE = 3  # visitors before all others
TOLD = re.compile(r"About (\d+) (s|minutes)")


@dataclass(frozen=True)
class Visit:
    """What came of it: an empty problem is a run."""

    problem: str
    told_s: float | None = None
    waited_s: float = 0.0


def visit(page: Page, number: int) -> Visit:
    """Open the page, press Run, wait for the run."""
    with Visitor(page, f"pupil{number}") as pupil:
        try:
            pupil.open()
            asked = pupil.ask(**{"New tokens (at most)": TOKENS, "Seed": number})
            ran = list(pupil.run())
        except Exception as error:  # what became of a visitor is what is counted
            return Visit(f"{type(error).__name__}: {error}"[:200])
    if not ended_well(asked) or not ended_well(ran) or f"{TOKENS} tokens" not in json.dumps(ran[-3:]):
        return Visit("lost: " + json.dumps(ran[-1:])[:200])
    began = next(each["at"] for each in ran if "Reading the prompt" in json.dumps(each))
    return Visit("", _told(asked), began - asked[-1]["at"])


def _told(asked: list[dict[str, Any]]) -> float | None:
    found = TOLD.search(json.dumps(asked))
    return float(found[1]) * (60 if found[2] == "minutes" else 1) if found else None


def main() -> None:
    """Read the flags, let them all in, and say what came of it; ends with 1 where somebody has no run."""
    parser = argparse.ArgumentParser(description="A hundred visitors press Run at once.")
    parser.add_argument("--visitors", type=int, default=100)
    number = parser.parse_args().visitors
    with started_app() as (address, _):
        page = page_at(address)
        for early in range(number, number + ALONE):
            assert not (first := visit(page, early)).problem, first.problem
        began = time.monotonic()
        with ThreadPoolExecutor(number) as pupils:
            visits = list(pupils.map(lambda each: visit(page, each), range(number), timeout=LATE_S))
        seconds = time.monotonic() - began
    problems = [each.problem for each in visits if each.problem]
    rated = [each.told_s / each.waited_s for each in visits if each.told_s and each.waited_s > SHORT_S]
    within = [each for each in rated if 1 / FACTOR <= each <= FACTOR]
    print(
        f"{number} visitors in {seconds:.0f} s: {number - len(problems)} runs, {len(problems)} refused, lost or stuck."
    )
    waits = sorted(each.waited_s for each in visits if not each.problem)
    print(f"Waits: median {median(waits):.0f} s, longest {waits[-1]:.0f} s.")
    if rated:
        ratios = f"told over waited: median {median(rated):.2f}, {min(rated):.2f} to {max(rated):.2f}"
        print(f"{len(rated)} were told a wait; {len(within)} within a factor of {FACTOR:g} ({ratios}).")
    print("\n".join(problems[:10]))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
