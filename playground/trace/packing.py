"""Events in a file say nothing twice: how their columns are written short, and read back whole.

    nodes      3, 4, 5, 6, 9              -> [3, 6], 9       following ids: the first and the last of them
    outcomes   no, yes, no, yes, yes, yes -> no, yes, 0, [1, 3]    a text again: where it first stood; and how often
    reasons    also                       -> -2              the second of the reasons that earlier events gave
    coins      0.3, 0.7, null, null       -> 0.3, 0.7        null at the end: as many as there are nodes
    mask       1000, 1100, 1110, 1101     -> 1000, 0, 1, 1   a row sees what an earlier row sees, and itself

The last is what a token tree makes of attention: a child sees what its parent sees. A column that does not have the
expected form stands as it is, so packing loses nothing, and what was never packed reads as itself. Both ways work on
events as JSON data; the player does the same in assets/player/unpack.js.
"""

from __future__ import annotations

from typing import Any

from playground.errors import PlaygroundError

MAX_ENTRIES = 10_000_000  # of the lists and masks that a file's events unpack to; as many as bytes in an unpacked file

_IDS = ("nodes", "parents", "frontier", "fed", "columns")
_TEXTS = ("outcomes", "reasons", "origins")
_SAID_ONCE = "reasons"  # sentences; the words of the other columns are short, and a file should be readable
_UNKNOWN = {  # columns whose entries may be null, as many as there are nodes
    "scored": ("overlaps",),
    "judged": ("target_probs", "draft_probs", "accept_probs", "coins"),
}
_LEAST_RUN = 3  # two take no less room as a pair
_ALTERNATIVE = 3  # token, p, q or null


class Said:
    """The reasons that a file's events have given so far, each once, in the order in which they came."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.numbers: dict[str, int] = {}  # -1 is the first, -2 the second, ...

    def add(self, texts: list[str]) -> None:
        """Remember an event's reasons."""
        for text in texts:
            if text not in self.numbers:
                self.texts.append(text)
                self.numbers[text] = -len(self.texts)


def pack(event: dict[str, Any], said: Said | None = None) -> dict[str, Any]:
    """The event with its columns written short.

    Args:
        event: as JSON data.
        said: what the events before it in the same file said; None: it must be read on its own.
    """
    packed = dict(event)
    if event.get("mask"):
        packed["mask"] = _pack_mask(event["mask"], event["fed"], event["columns"])
    for name in _present(event, _IDS):
        packed[name] = _pack_ids(event[name])
    for name in _present(event, _TEXTS):
        packed[name] = _pack_texts(event[name], said.numbers if said and name == _SAID_ONCE else {})
    if said and _SAID_ONCE in event:
        said.add(event[_SAID_ONCE])
    for name in _UNKNOWN.get(event["event"], ()):
        if len(event[name]) == len(event["nodes"]):
            packed[name] = _without_nulls_at_the_end(event[name])
    if "alternatives" in event:
        packed["alternatives"] = [[_without_nulls_at_the_end(row) for row in rows] for rows in event["alternatives"]]
    return packed


def unpack(event: dict[str, Any], where: str, said: Said | None = None) -> dict[str, Any]:
    """The event with its columns whole. It has the shape that the schema asks for, and `entries(event)` is bearable.

    Args:
        event: as JSON data.
        where: begins the sentence that refuses it.
        said: what the events before it in the same file said.

    Raises:
        PlaygroundError: where something refers to what is not there.
    """
    whole = dict(event)
    for name in _present(event, _IDS):
        whole[name] = _unpack_ids(event[name], f"{where}, {name}")
    for name in _present(event, _TEXTS):
        known = said.texts if said and name == _SAID_ONCE else []
        whole[name] = _unpack_texts(event[name], f"{where}, {name}", known)
    if said and _SAID_ONCE in event:
        said.add(whole[_SAID_ONCE])
    for name in _UNKNOWN.get(event["event"], ()):
        whole[name] = event[name] + [None] * (len(whole["nodes"]) - len(event[name]))
    if "alternatives" in event:
        whole["alternatives"] = [
            [row + [None] * (_ALTERNATIVE - len(row)) for row in rows] for rows in event["alternatives"]
        ]
    if event.get("mask"):
        whole["mask"] = _unpack_mask(event["mask"], whole["fed"], whole["columns"], f"{where}, mask")
    return whole


def entries(event: dict[str, Any]) -> int:
    """How many entries the event's packed lists and its mask unpack to: the room it takes, before it is taken."""
    sizes = {name: _num_ids(event[name]) for name in _present(event, _IDS)}
    sizes |= {name: _num_texts(event[name]) for name in _present(event, _TEXTS)}
    return sum(sizes.values()) + len(event.get("mask") or []) * sizes.get("columns", 0)


def _present(event: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name in event]


def _pack_ids(ids: list[int]) -> list[int | list[int]]:
    packed: list[int | list[int]] = []
    start = 0
    for end in range(1, len(ids) + 1):
        if end < len(ids) and ids[end] == ids[end - 1] + 1:
            continue
        run = ids[start:end]
        packed += [[run[0], run[-1]]] if len(run) >= _LEAST_RUN else run
        start = end
    return packed


def _num_ids(packed: list[int | list[int]]) -> int:
    return sum(max(0, entry[1] - entry[0] + 1) if isinstance(entry, list) else 1 for entry in packed)


def _unpack_ids(packed: list[int | list[int]], where: str) -> list[int]:
    ids: list[int] = []
    for entry in packed:
        first, last = entry if isinstance(entry, list) else (entry, entry)
        if last < first:
            raise PlaygroundError(f"{where}: the ids from {first} to {last} are none.")
        ids.extend(range(first, last + 1))
    return ids


def _pack_texts(texts: list[str], numbers: dict[str, int]) -> list[str | int | list[int]]:
    packed: list[str | int | list[int]] = []
    first: dict[str, int] = {}
    start = 0
    while start < len(texts):
        text, end = texts[start], start + 1
        if text not in first:
            first[text] = start
            packed.append(numbers.get(text, text))
        else:
            while end < len(texts) and texts[end] == text:
                end += 1
            place, times = first[text], end - start
            packed += [[place, times]] if times >= _LEAST_RUN else [place] * times
        start = end
    return packed


def _num_texts(packed: list[str | int | list[int]]) -> int:
    return sum(max(0, entry[1]) if isinstance(entry, list) else 1 for entry in packed)


def _unpack_texts(packed: list[str | int | list[int]], where: str, said: list[str]) -> list[str]:
    texts: list[str] = []
    for entry in packed:
        if isinstance(entry, str):
            texts.append(entry)
            continue
        place, times = entry if isinstance(entry, list) else (entry, 1)
        if place < 0:
            if -place > len(said):
                raise PlaygroundError(f"{where}: reason {-place} is meant, but earlier events gave {len(said)}.")
            texts += [said[-place - 1]] * times
            continue
        if place >= len(texts):
            raise PlaygroundError(f"{where}: entry {len(texts)} repeats entry {place}, which is not before it.")
        texts += [texts[place]] * times
    return texts


def _without_nulls_at_the_end(column: list[Any]) -> list[Any]:
    end = len(column)
    while end and column[end - 1] is None:
        end -= 1
    return column[:end]


def _pack_mask(mask: list[str], fed: list[int], columns: list[int]) -> list[str | int]:
    own = {node: column for column, node in enumerate(columns)}
    square = len(mask) == len(fed) and all(len(row) == len(columns) for row in mask)
    if not square or any(node not in own for node in fed):
        return mask
    first: dict[str, int] = {}
    packed: list[str | int] = []
    for place, (node, row) in enumerate(zip(fed, mask, strict=True)):
        others = _with(row, own[node], "0")
        packed.append(first[others] if others in first and row != others else row)
        first.setdefault(row, place)
    return packed


def _unpack_mask(packed: list[str | int], fed: list[int], columns: list[int], where: str) -> list[str]:
    own = {node: column for column, node in enumerate(columns)}
    rows: list[str] = []
    for place, entry in enumerate(packed):
        if isinstance(entry, int):
            known = entry < place < len(fed) and fed[place] in own and len(rows[entry]) == len(columns)
            if not known:
                raise PlaygroundError(f"{where}: row {place} cannot be made from row {entry}.")
            entry = _with(rows[entry], own[fed[place]], "1")
        rows.append(entry)
    return rows


def _with(row: str, column: int, letter: str) -> str:
    return row[:column] + letter + row[column + 1 :]
