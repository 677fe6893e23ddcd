"""A hundred visitors open the page and press Run at once, over loopback: `python -m tests.load.class_of_a_hundred`

Each has a run of their own, of 48 tokens. Told are how many were refused, lost or stuck, and how each wait that was
told, at once or later, compares with the wait that came. Three come before them, one after the other: before those
nothing was measured.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from tests.browser.app_fixture import started_app
from tests.visitors import Page, Visitor, ended_well, page_at

TOKENS = 48
LATE_S = 900.0  # a visitor who has no run by then is stuck
SHORT_S = 5.0  # a wait of less is not told in numbers that could be compared
FACTOR = 2.0
AGAIN_S = 10.0  # between two looks at the place in the line, as of a page that waits long
ALONE = 3  # visitors before all others
TOLD = re.compile(r"About (\d+) (s|minutes)")


@dataclass(frozen=True)
class Visit:
    """What came of it: an empty problem is a run."""

    problem: str
    waited_s: float = 0.0
    rates: tuple[tuple[float, float], ...] = ()  # (told, true rest), in the order in which they were told


def visit(page: Page, number: int) -> Visit:
    """Open the page, press Run, wait for the run."""
    with Visitor(page, f"pupil{number}") as pupil:
        try:
            pupil.open()
            asked = pupil.ask(**{"New tokens (at most)": TOKENS, "Seed": number})
            told = [(asked[-1]["at"], json.dumps(asked))]
            with _asking_again(page, pupil.session, told):
                ran = list(pupil.run())
        except Exception as error:  # what became of a visitor is what is counted
            return Visit(f"{type(error).__name__}: {error}"[:200])
    if not ended_well(asked) or not ended_well(ran) or f"{TOKENS} tokens" not in json.dumps(ran[-3:]):
        return Visit("lost: " + json.dumps(ran[-1:])[:200])
    began = next(each["at"] for each in ran if "Reading the prompt" in json.dumps(each))
    waits = [(seconds, began - at) for at, text in told if (seconds := _seconds(text)) and began - at > SHORT_S]
    return Visit("", began - asked[-1]["at"], tuple(waits))


@contextmanager
def _asking_again(page: Page, session: str, told: list[tuple[float, str]]) -> Iterator[None]:
    """Meanwhile ask for the place in the line, as the page does."""
    over = threading.Event()

    def ask() -> None:
        with Visitor(page, session) as same:
            while not over.wait(AGAIN_S):
                told.append((time.monotonic(), same.place()))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _seconds(text: str) -> float | None:
    found = TOLD.search(text)
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
    print(
        f"{number} visitors in {seconds:.0f} s: {number - len(problems)} runs, {len(problems)} refused, lost or stuck."
    )
    waits = sorted(each.waited_s for each in visits if not each.problem)
    print(f"Waits: median {median(waits):.0f} s, longest {waits[-1]:.0f} s.")
    for name, rates in (
        ("All that were told", [rate for each in visits for rate in each.rates]),
        ("The first that each was told", [each.rates[0] for each in visits if each.rates]),
    ):
        ratios = [told / rest for told, rest in rates] or [1.0]
        right = sum(1 / FACTOR <= each <= FACTOR for each in ratios)
        print(f"{name}: {right} of {len(rates)} within a factor of {FACTOR:g} (told over waited: median ", end="")
        print(f"{median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}).")
    print("\n".join(problems[:10]))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
