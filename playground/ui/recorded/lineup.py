"""Entries tried before a race is recorded, each with its speed-up: those that pay are what a race opens on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.ui.recorded.file import file_of, read

KIND = "lineup"
NONE_TRIED = ["speculative_sampling:draft_length=2", "speculative_sampling:draft_length=3"]


def tried_entries(file: Path | None = None) -> list[dict[str, Any]]:
    """Return {entry, median, low, high} of each, the fastest first; [] where the recording is of another pair."""
    try:
        return read(file or file_of(KIND), KIND)["tried"]
    except PlaygroundError:
        return []


def paying_entries(tried: list[dict[str, Any]]) -> list[str]:
    """Return the entries whose interval is above 1; the two fastest where there is no such entry."""
    paying = [each["entry"] for each in tried if each["low"] > 1]
    return paying or [each["entry"] for each in tried[:2]] or NONE_TRIED


def other_entries(tried: list[dict[str, Any]]) -> list[str]:
    """Return the entries that were tried and not measured to pay, the fastest first."""
    paying = paying_entries(tried)
    return [each["entry"] for each in tried if each["entry"] not in paying]
