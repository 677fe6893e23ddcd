"""Baseline of an entry of a race: plain decoding, or for beams plain beams."""

from collections.abc import Mapping
from typing import Any

BASELINE = "autoregressive"


def against_of(row: Mapping[str, Any]) -> str:
    """Return the label of the entry that a row's speed-up is over; older files always meant plain decoding."""
    return row.get("against", BASELINE) or ""
