"""A race as text: a table for a terminal, and one in Markdown with the conditions it was measured under."""

from collections.abc import Mapping, Sequence
from typing import Any

from playground.metrics.comparison import RaceRow, Spread
from playground.trace.events import RunStarted
from playground.views.race.against import BASELINE, against_of

# field of a row, title, digits
COLUMNS = (
    ("target_calls", "target calls", 0),
    ("draft_calls", "draft calls", 0),
    ("acceptance_per_position", "acceptance per position", 2),
    ("acceptance_per_draw", "per draw", 2),
    ("draft_efficiency", "draft efficiency", 2),
    ("block_efficiency", "block efficiency", 2),
)
TIMES = ("tokens/s", "speed-up")


def markdown(rows: Sequence[RaceRow], started: RunStarted, *, num_prompts: int, repeats: int, workers: int = 1) -> str:
    """Return the table and its conditions.

    Args:
        started: how any of its runs began: models, machine and sampling are the same for all.
        num_prompts: how many prompts every entry ran on.
        repeats: how often, each time with another seed.
        workers: runs at a time, where they shared the machine.
    """
    lines = [f"| {' | '.join(titles())} |", "|" + "---|" * len(titles()), *map(_line, rows)]
    measured_under = conditions(started, num_prompts=num_prompts, repeats=repeats)
    together = f" {workers} runs at a time: their times compare only among themselves." if workers > 1 else ""
    return "\n".join([*lines, "", *_rivals(rows), measured_under + together]) + "\n"


def titles() -> list[str]:
    """Titles of the columns."""
    return ["method", *(title for _, title, _ in COLUMNS), *TIMES]


def number_format(facts: Mapping[str, Any]) -> str:
    """Return the number format of a model by its facts in a trace: of a file's blocks it is in the name of its pass."""
    if facts.get("reads") and not facts.get("bits"):
        return str(facts["forward_pass"]).removeprefix("lean, compiled, ")
    return str(facts["dtype"])


def conditions(started: RunStarted, *, num_prompts: int, repeats: int) -> str:
    """Conditions of a race in one paragraph: runs, models, machine, and what the numbers are."""
    target, draft, machine, versions = started.target, started.draft, started.machine, started.versions
    models = f"target {target['name']}, {target['parameters'] / 1e6:.1f} M parameters in {number_format(target)}"
    if draft:
        models += f"; draft {draft['name']}, {draft['parameters'] / 1e6:.1f} M in {number_format(draft)}"
    sampling = ", ".join(f"{name.replace('_', '-')} {value:g}" for name, value in started.sampling.items())
    day = f", {started.created[:10]}" if started.created else ""
    threads = "1 thread" if machine["threads"] == 1 else f"{machine['threads']} threads"
    return (
        f"*Measured:* medians of {num_prompts * repeats} runs, {repeats} on each of {num_prompts} prompts, with seeds "
        f"from {started.seed}; behind the tokens/s the middle half of the runs; in brackets a 95 % bootstrap interval "
        "over prompts, of all rows together, of the speed-up, taken run by run. Prefill is excluded. Models: "
        f"{models}; "
        f"on {target['device']}, "
        f"{threads}, {machine['gpu'] or machine['processor']}{day}; torch {versions['torch']}, transformers "
        f"{versions['transformers']}; {sampling}, {started.max_new_tokens} tokens."
    )


def plain_text(rows: Sequence[RaceRow]) -> str:
    """Write the table in letters of equal width; a dash where a number does not exist."""
    width = max(len(row["label"]) for row in rows)
    titles = ("tokens/s", "speed-up (95 %)", "block eff.", "per pos.", "perplexity")
    lines = ["{:{}} {:>8} {:>20} {:>10} {:>10} {:>10}".format("method", width, *titles)]
    return "\n".join([*lines, *(_plain_line(row, width) for row in rows), *_rivals(rows)])


def _rivals(rows: Sequence[RaceRow]) -> list[str]:
    """Sentences on what a beam method's speed-up is over, as that is not plain decoding."""
    beams = [row for row in rows if row.get("unrated") or against_of(row) not in (BASELINE, row["label"], "")]
    return [
        f"{row['label']} is not rated: {rival} is not in this race."
        if (rival := row.get("unrated"))
        else f"The speed-up of {row['label']} is over {against_of(row)}."
        for row in beams
    ]


def _plain_line(row: RaceRow, width: int) -> str:
    label = f"{row['label']:{width}}"
    if "failed" in row:
        return f"{label} failed: {row['failed']}"
    fields = (("tokens_per_s", 0), ("block_efficiency", 2), ("acceptance_per_position", 2), ("perplexity", 1))
    speed, *others = (_median(row.get(field), digits) or "-" for field, digits in fields)
    ratio = _ratio(row.get("speed_up"), "-") or "-"
    return " ".join([label, f"{speed:>8}", f"{ratio:>20}", *(f"{other:>10}" for other in others)])


def _line(row: RaceRow) -> str:
    name = f"`{row['label']}`"
    if "failed" in row:
        return f"| {name} | failed: {row['failed']}" + " |" * (len(COLUMNS) + len(TIMES))
    cells = [_median(row[field], digits) for field, _, digits in COLUMNS]
    speed = row.get("tokens_per_s")
    cells.append(f"{speed['median']:.0f}, {speed['low']:.0f} to {speed['high']:.0f}" if speed else "")
    return f"| {' | '.join([name, *cells, _ratio(row.get('speed_up'), ' to ')])} |"


def _ratio(speed_up: Spread | None, to: str) -> str:
    """Write a speed-up, with its interval where it has one; empty where there is none."""
    if not speed_up or speed_up["low"] is None:
        return _median(speed_up, 2)
    return f"{speed_up['median']:.2f} ({speed_up['low']:.2f}{to}{speed_up['high']:.2f})"


def _median(spread: Spread | None, digits: int) -> str:
    return "" if not spread else f"{spread['median']:.{digits}f}"
