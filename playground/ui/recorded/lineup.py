"""Entries tried before a race is recorded, each with its speed-up: those that pay are what a race opens on."""

from __future__ import annotations

from typing import Any

KIND = "lineup"
NONE_TRIED = ["speculative_sampling:draft_length=2", "speculative_sampling:draft_length=3"]


def paying_entries(tried: list[dict[str, Any]]) -> list[str]:
    """Return the entries whose interval is above 1; the two fastest where there is no such entry."""
    paying = [each["entry"] for each in tried if each["low"] > 1]
    return paying or [each["entry"] for each in tried[:2]] or NONE_TRIED


def other_entries(tried: list[dict[str, Any]]) -> list[str]:
    """Return the entries that were tried and not measured to pay, the fastest first."""
    paying = paying_entries(tried)
    return [each["entry"] for each in tried if each["entry"] not in paying]
