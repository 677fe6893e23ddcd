"""A page with a race's results on it, from numbers small enough to check by hand."""

import json
from typing import Any

from playground.views.modules import styles_of
from playground.views.race.standings import standings_data
from tests.browser.empty_page import empty_page
from tests.views.rows import badge, baseline, failed, row

CLOCKS = {"autoregressive": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "chain": [0.12345, 0.25], "beams": [0.2, 0.4, 0.45]}
PLAIN = [" a", " b", " c", " d", " e", " f"]


def mount_race(page, value: dict[str, Any] | None = None, *, dark: bool = False) -> None:
    """Puts the panel alone on a page, as `window.r`; what the reader wishes of the server is in `window.wishes`."""
    empty_page(page, "runs/race.js", "specRace", styles_of("shared", "player", "runs"), dark=dark)
    page.evaluate(
        """() => {
          window.wishes = [];
          window.r = specRace.mount(document.getElementById('host'), {
            choosePrompt: (place) => wishes.push(['prompt', place]),
            watchRun: (label, place) => wishes.push(['watch', label, place]),
            explainRow: (label) => wishes.push(['explain', label]),
          });
          window.rest = () => r.pause();
        }"""
    )
    if value is not None:
        show(page, value)


def show(page, value: dict[str, Any]) -> None:
    """As text: an object is handed over value by value."""
    page.evaluate("(text) => r.show(JSON.parse(text))", json.dumps(value))


def state(page) -> dict[str, Any]:
    return page.evaluate("r.replay.state()")


def goto(page, seconds: float) -> None:
    page.evaluate("(seconds) => r.replay.goto(seconds)", seconds)


def lane(page, label: str):
    return page.locator(f'.sr-lane[data-label="{label}"]')


def tokens_of(page, label: str) -> int:
    return next(each["tokens"] for each in state(page)["lanes"] if each["label"] == label)


def words(page, label: str) -> str:
    return lane(page, label).locator(".sr-output").text_content()


def signs(page, label: str) -> str:
    """The letters of the signs that stand in a lane's small tree."""
    return page.evaluate(
        """(label) => Array.from(document.querySelectorAll(`.sr-lane[data-label="${label}"] .sr-sign`))
          .filter((sign) => sign.getAttribute('d')).map((sign) => sign.getAttribute('class').match(/sr-sign-(\\w)/)[1])
          .sort().join('')""",
        label,
    )


def sort_by(page, name: str) -> None:
    page.locator(f'.sr-sort[data-key="sort {name}"]').click()


# -- values ------------------------------------------------------------------------------------------------------------


def race_value(**changes: Any) -> dict[str, Any]:
    """Three entries and one that failed, on two prompts."""
    rows = [
        baseline(),
        row("chain", 1.8, title="Chain (draft length 2)", name="Chain", note="draft length 2"),
        row("beams", 0.7, lossless=False, badge=badge(lossless=False)),
        failed("broken", "ZeroDivisionError: on purpose"),
    ]
    return {
        "race": "one",
        "verdict": ["Chain is fastest.", "Beams is slower."],
        "conditions": "36 measured runs.",
        "standings": standings_data(rows) | {"notes": ["Estimated joules are for a toy."]},
        "chart": {
            "id": "speed_up",
            "title": "Speed-up",
            "summary": "As measured.",
            "figure": {"data": [], "layout": {"height": 200}},
            "rows": {"header": ["entry", "speed-up"], "body": [["Chain", "1.80×"]]},
        },
        "prompts": ["The first prompt", "The second prompt"],
        "place": 0,
        "lanes": lanes(),
    } | changes


def lanes(**runs: Any) -> list[dict[str, Any]]:
    """Plain decoding in 0.6 s, a chain in 0.25 s, beams that take words back in 0.45 s, and one without a run."""
    made = {
        "autoregressive": [plain_round(0.1 * (i + 1), piece, i) for i, piece in enumerate(PLAIN)],
        "chain": [
            round_(0.12345, 0, [[" the", "a"], [" old", "a"], [" oak", "c"]], [-1, 0, 1, 2, 2], "raaxc", draft_s=0.04),
            round_(0.25, 3, [[" fell", "a"], [" down", "a"], [".", "b"]], [-1, 0, 1, 2], "raab", draft_s=0.04),
        ],
        "beams": [
            round_(0.2, 0, [[" one", "p"], [" two", "p"]], [-1, 0, 1], "rpp"),
            round_(0.4, 1, [[" three", "p"], [" four", "p"]], [-1, -1, 0, 1], "rrpp"),
            round_(0.45, 3, [[" five", "p"], [" six", "p"], [" seven", "p"]], [-1, 0], "rp"),
        ],
        "broken": None,
    } | runs
    about = {"chain": ("Chain (draft length 2)", "Chain", "draft length 2"), "broken": ("Broken", "Broken", "")}
    found = []
    for label, rounds in made.items():
        title, name, note = about.get(label, (label.capitalize(), label.capitalize(), ""))
        why = "ZeroDivisionError: on purpose" if label == "broken" else None
        entry = {"label": label, "title": title, "name": name, "note": note, "badge": badge(lossless=label != "beams")}
        found.append(entry | {"failed": why, "run": None if rounds is None else run(rounds)})
    return found


def run(rounds: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    return {
        "prompt": "The king", "seconds": rounds[-1]["clock_s"], "tokens": 6, "tokens_per_s": 24.0, "budget": 6,
        "reason": "length", "seed": 1, "repeat": 2, "repeats": 3, "rounds": rounds,
    } | changes  # fmt: skip


def round_(
    clock_s: float, num_kept: int, words: list, parents: list, states: str, *, draft_s: float = 0.0
) -> dict[str, Any]:
    return {
        "clock_s": clock_s, "draft_s": draft_s, "num_kept": num_kept, "words": words, "parents": parents,
        "states": states,
    }  # fmt: skip


def plain_round(clock_s: float, piece: str, num_kept: int) -> dict[str, Any]:
    return round_(clock_s, num_kept, [[piece, "p"]], [-1, 0], "rp")
