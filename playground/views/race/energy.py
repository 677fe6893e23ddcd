"""Energy of a race, as plain data: bars per entry, of the estimate in parts and of what was measured.

The page draws them. Its reader may put other watts in than the machine's, so the estimate comes as seconds: T_flop and
T_mem of equation 9 of the MTAD paper, per emitted token. What was measured is one number, as no counter tells parts.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from playground.metrics.energy import NO_JOULES
from playground.theory.roofline import MACHINES
from playground.words import Word, paragraph, recognised, word

PARTS = ("text", "rejected", "draft")


class EnergyBar(TypedDict):
    """The energy of an entry's middle run, so that the parts add up to the median in the table of the race."""

    label: str
    title: str
    parts: Annotated[dict[str, list[float]], Meta(description="T_flop and T_mem in seconds per token, by part")]
    measured: Annotated[float | None, Meta(description="joules per token")]


class EnergyValue(TypedDict):
    """The bars of a race, with the watts of the machine whose constants they take."""

    machine: str
    watts: dict[str, float]
    source: Annotated[str | None, Meta(description="what measured; null where nothing did")]
    why: Annotated[str | None, Meta(description="why nothing did")]
    bars: list[EnergyBar]


def energy_data(
    rows: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]], machine: Mapping[str, Any] | None
) -> EnergyValue | None:
    """Return the bars of a race; None where nothing was estimated.

    Args:
        rows: of the race, each also with its `title`.
        runs: numbers of every run: its entry's `label`, `num_tokens` and `energy`.
    """
    bars: list[EnergyBar] = []
    for row in rows:
        of_entry = [each for each in runs if each["label"] == row["label"] and each["num_tokens"]]
        if not of_entry or not all(each["energy"].get("estimated_seconds") for each in of_entry):
            continue
        joules = [each["energy"]["joules"] for each in of_entry]
        middle = _middle(of_entry, "estimated_joules")
        bars.append(
            {
                "label": row["label"],
                "title": row["title"],
                "parts": {part: [_seconds_per_token(middle, part, kind) for kind in (0, 1)] for part in PARTS},
                "measured": None if None in joules else median(_per_token(each, "joules") for each in of_entry),
            }
        )
    if not bars or machine is None:
        return None
    energies = [each["energy"] for each in runs]
    return {
        "machine": _ours(machine, "title"),
        "watts": {name: machine[name] for name in ("flop_w", "memory_w")},
        "source": next((each["source"] for each in energies if each["source"]), None),
        "why": next((recognised(each["reason"], NO_JOULES) for each in energies if each["reason"]), None),
        "bars": bars,
    }


def no_joules_in_words(reason: str | None) -> str:
    """Say why nothing was measured, from a run's `energy_reason`; empty where it says nothing."""
    why = recognised((reason or "").rstrip("."), NO_JOULES)
    return word("column_not_measured_why", why=why) if why else ""


def constants_in_words(constants: Mapping[str, Any]) -> Word:
    """Describe the constants of an estimate of energy."""
    return paragraph(
        word(
            "column_constants",
            machine=_ours(constants, "title"),
            flops=f"{constants['flops_per_s'] / 1e12:g}",
            flop_w=f"{constants['flop_w']:g}",
            bytes=f"{constants['bytes_per_s'] / 1e9:g}",
            memory_w=f"{constants['memory_w']:g}",
        ),
        _ours(constants, "source"),
    )


def _ours(machine: Mapping[str, Any], field: str) -> str:
    """Return a machine's text in the package's words, where a file holds the same English."""
    ours: str = getattr(MACHINES.get(machine.get("id", "")), field, "")
    return ours if ours == machine[field] else machine[field]


def _middle(runs: Sequence[Mapping[str, Any]], energy: str) -> list[Mapping[str, Any]]:
    """Return the run that has the median of this energy per token, or the two whose mean it is."""
    ordered = sorted(runs, key=lambda run: _per_token(run, energy))
    return ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]


def _per_token(run: Mapping[str, Any], energy: str) -> float:
    return run["energy"][energy] / run["num_tokens"]


def _seconds_per_token(runs: Sequence[Mapping[str, Any]], part: str, kind: int) -> float:
    return fmean(run["energy"]["estimated_seconds"][part][kind] / run["num_tokens"] for run in runs)
