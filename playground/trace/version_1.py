"""Files of version 1: their columns could be written short, because gzip did not do it yet. Here they come whole.

    ids     [3, 6], 9               3, 4, 5, 6, 9
    texts   "no", "yes", 0, [1, 3]  a number is the place where the text first stood; [place, times]
            -2                      the second of the different reasons that earlier events gave
    null    left out at the end of a column of as many entries as there are nodes
    mask    "1000", 0, 1            a row sees what the row at that place sees, and itself

What was not written short stays as it is, and so does what refers to nothing: no schema knows it, and it is refused
like anything else that does not belong there.
"""

from __future__ import annotations

from typing import Any

from playground.errors import PlaygroundError

_IDS = ("nodes", "parents", "frontier", "fed", "columns")
_TEXTS = ("outcomes", "reasons", "origins")
_UNKNOWN = ("overlaps", "target_probs", "draft_probs", "accept_probs", "coins")  # of them those at the end are left out
_ALTERNATIVE = 3  # token, p, q or null


def unpacked(events: list[Any], room: int) -> list[Any]:
    """The events with their columns whole.

    Args:
        events: JSON data; nothing is known of it yet.
        room: bytes that a file may have; the columns may not need more.

    Raises:
        PlaygroundError: if they do.
    """
    reader = _Reader(room)
    return [reader.event(event) if isinstance(event, dict) else event for event in events]


class _Reader:
    def __init__(self, room: int) -> None:
        self.room = room
        self.reasons: list[str] = []  # that events gave so far, each once
        self.known: set[str] = set()  # the same, to look up

    def event(self, event: dict[str, Any]) -> dict[str, Any]:
        whole = dict(event)
        for name in _IDS:
            if isinstance(event.get(name), list):
                whole[name] = self.ids(event[name])
        for name in _TEXTS:
            if isinstance(event.get(name), list):
                whole[name] = self.texts(event[name], self.reasons if name == "reasons" else [])
        for reason in whole.get("reasons", []) if isinstance(event.get("reasons"), list) else []:
            if isinstance(reason, str) and reason not in self.known:
                self.known.add(reason)
                self.reasons.append(reason)
        num_nodes = len(whole["nodes"]) if isinstance(whole.get("nodes"), list) else 0
        for name in _UNKNOWN:
            if isinstance(event.get(name), list):
                whole[name] = self.filled(event[name], num_nodes)
        if isinstance(event.get("alternatives"), list):
            whole["alternatives"] = [
                [self.filled(row, _ALTERNATIVE) if isinstance(row, list) else row for row in rows]
                if isinstance(rows, list)
                else rows
                for rows in event["alternatives"]
            ]
        if all(isinstance(whole.get(name), list) for name in ("mask", "fed", "columns")):
            whole["mask"] = self.mask(event["mask"], whole["fed"], whole["columns"])
        return whole

    def ids(self, packed: list[Any]) -> list[Any]:
        ids: list[Any] = []
        for entry in packed:
            if _is_pair(entry) and entry[0] <= entry[1]:
                first, last = entry
                self.take(2 * (last - first + 1))
                ids.extend(range(first, last + 1))
            else:
                ids.append(entry)
        return ids

    def texts(self, packed: list[Any], said: list[str]) -> list[Any]:
        texts: list[Any] = []
        for entry in packed:
            place, times = entry if _is_pair(entry) else (entry, 1)
            known, place = (said, -1 - place) if _is_number(place) and place < 0 else (texts, place)
            if _is_number(place) and place < len(known) and times > 0:
                self.take(times * (len(known[place]) + 3) if isinstance(known[place], str) else times)
                texts += [known[place]] * times
            else:
                texts.append(entry)
        return texts

    def filled(self, column: list[Any], length: int) -> list[Any]:
        missing = max(0, length - len(column))
        self.take(5 * missing)
        return column + [None] * missing

    def mask(self, packed: list[Any], fed: list[Any], columns: list[Any]) -> list[Any]:
        own = {node: column for column, node in enumerate(columns) if _is_number(node)}
        rows: list[Any] = []
        for entry in packed:
            place = len(rows)
            column = own.get(fed[place]) if place < len(fed) and _is_number(fed[place]) else None
            if _is_number(entry) and 0 <= entry < place and isinstance(rows[entry], str) and column is not None:
                row = rows[entry]
                self.take(len(row) + 3)
                entry = row[:column] + "1" + row[column + 1 :]
            rows.append(entry)
        return rows

    def take(self, size: int) -> None:
        """Count what is about to be made before it takes any room."""
        self.room -= size
        if self.room < 0:
            raise PlaygroundError("Its columns unpack to more than a trace may hold.")


def _is_number(entry: Any) -> bool:
    return isinstance(entry, int) and not isinstance(entry, bool)


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 2 and all(_is_number(each) for each in entry)
