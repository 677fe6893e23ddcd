"""The three files of a shop, in the form of the public data sets (LC-Rec, AtSpeed), gzipped or not.

    splits   {"train": {user: [item, ...]}, "valid": ..., "test": ...}   items by number, in the order of time; or
             {user: [item, ...]}                                         then a user's last is the test, as in LC-Rec
    index    {item: ["<a_58>", "<b_241>", "<c_151>", "<d_175>"], ...}    the identifier of every item from 0
    items    {"names": [...], "attributes": {name: [...]}}                 may be missing: then identifiers are names

Everything that is wrong with a file is one sentence with the place.
"""

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.files import read_json
from playground.paths import ASSETS
from playground.recommender.shop import Item, Shop, User
from playground.words import word

SHOP = ASSETS / "shop"
INVENTED = word("shop_invented")
PARTS = ("train", "valid", "test")
CODE = re.compile(r"<\D*\d+>")


def read_shop(splits: Path, index: Path, items: Path | None = None, *, title: str = "", renumber: bool = False) -> Shop:
    """Read a shop from its files.

    Args:
        splits, index, items: see above.
        title: what to call it; the name of the splits' file when empty.
        renumber: where items share an identifier, give the later ones another last code, instead of refusing.

    Raises:
        PlaygroundError: if a file cannot be read, or holds what cannot be.
    """
    codes = _read_index(index, renumber=renumber)
    parts = _read_splits(splits, len(codes))
    names, attributes = _read_items(items, codes) if items else (["".join(each) for each in codes], {})
    listed = tuple(
        Item(number, names[number], {name: values[number] for name, values in attributes.items()}, codes[number])
        for number in range(len(codes))
    )
    return Shop(title or splits.name.partition(".")[0], listed, {user: User(user, *row) for user, row in parts.items()})


@lru_cache(maxsize=1)
def load_shop() -> Shop:
    """Load the bundled, invented shop."""
    return read_shop(SHOP / "splits.json.gz", SHOP / "index.json.gz", SHOP / "items.json.gz", title=INVENTED)


def _read_index(path: Path, *, renumber: bool) -> list[tuple[str, ...]]:
    """Read the identifier of every item, by number."""
    index = _read(path)
    if not isinstance(index, dict) or not index:
        raise PlaygroundError(f"{path.name} is not an index: it must map item numbers to lists of codes.")
    for number in range(len(index)):
        if str(number) not in index:
            raise PlaygroundError(f"{path.name} has {len(index)} items, but none is number {number}. Fill that hole.")
    length = len(index["0"]) if isinstance(index["0"], list) else 0
    codes, owners = [], {}
    for number in range(len(index)):
        row = index[str(number)]
        if not isinstance(row, list) or not all(isinstance(code, str) and CODE.fullmatch(code) for code in row):
            raise PlaygroundError(f"{path.name}, item {number}: {_short(row)} is not a list of codes like <a_58>.")
        if len(row) != length or not 2 <= length <= 8:
            raise PlaygroundError(
                f"{path.name}, item {number}: {len(row)} codes, and item 0 has {length}. All need the same, 2 to 8."
            )
        each = tuple(row)
        if each in owners and renumber:
            each = _next_free(each, owners)
        if each in owners:
            raise PlaygroundError(
                f"{path.name}: items {owners[each]} and {number} share the identifier {''.join(each)}. "
                "Give one of them another, or ask for --renumber."
            )
        owners[each] = number
        codes.append(each)
    _check_levels(path, codes)
    return codes


def _next_free(codes: tuple[str, ...], used: dict[tuple[str, ...], int]) -> tuple[str, ...]:
    """Return the codes with the next free last one, by number."""
    stem, number = codes[-1].rstrip("0123456789>"), int(re.findall(r"\d+", codes[-1])[-1])
    while codes in used:
        number += 1
        codes = (*codes[:-1], f"{stem}{number}>")
    return codes


def _check_levels(path: Path, codes: list[tuple[str, ...]]) -> None:
    """Check that a code names its level: one used at two levels would be one token with two meanings."""
    level_of: dict[str, int] = {}
    for number, each in enumerate(codes):
        for level, code in enumerate(each):
            if level_of.setdefault(code, level) != level:
                raise PlaygroundError(
                    f"{path.name}, item {number}: {code} is its code number {level + 1}, and elsewhere it is number "
                    f"{level_of[code] + 1}. Every level needs codes of its own."
                )


def _read_splits(path: Path, num_items: int) -> dict[int, tuple[tuple[int, ...], ...]]:
    """Read each user's purchases in the three parts."""
    splits = _read(path)
    if isinstance(splits, dict) and splits and all(isinstance(row, list) for row in splits.values()):
        cuts = {"train": slice(None, -2), "valid": slice(-2, -1), "test": slice(-1, None)}
        splits = {part: {user: row[cut] for user, row in splits.items()} for part, cut in cuts.items()}
    if not isinstance(splits, dict) or any(not isinstance(splits.get(part), dict) for part in PARTS):
        raise PlaygroundError(f"{path.name} is not a split: it needs train, valid and test, each by user.")
    bought: dict[int, dict[str, tuple[int, ...]]] = {}
    for part in PARTS:
        for user, row in splits[part].items():
            where = f"{path.name}, {part}, user {user}"
            if not user.isdecimal():
                raise PlaygroundError(f"{where}: a user is a whole number. Rename that user.")
            mine = bought.setdefault(int(user), {})
            if part in mine:
                raise PlaygroundError(f"{where}: this user is there twice, with zeros before the number. Keep one.")
            if not isinstance(row, list) or not all(type(item) is int for item in row):
                raise PlaygroundError(f"{where}: {_short(row)} is not a list of item numbers. Repair that line.")
            unknown = next((item for item in row if not 0 <= item < num_items), None)
            if unknown is not None:
                raise PlaygroundError(f"{where}: item {unknown} is unknown, the index ends at {num_items - 1}.")
            mine[part] = tuple(row)
    users = {user: tuple(mine.get(part, ()) for part in PARTS) for user, mine in bought.items()}
    if not any(train for train, _, _ in users.values()):
        raise PlaygroundError(f"{path.name}: nobody has bought anything in train. There is nothing to learn from.")
    return users


def _read_items(path: Path, codes: list[tuple[str, ...]]) -> tuple[list[str], dict[str, list[str]]]:
    """Read names and attributes of the items."""
    items = _read(path)
    if not isinstance(items, dict) or not isinstance(items.get("attributes", {}), dict):
        raise PlaygroundError(f"{path.name}: no names. It needs a list of {len(codes)} names, one for each item.")
    columns: dict[str, Any] = {"names": items.get("names"), **items.get("attributes", {})}
    for name, column in columns.items():
        if not isinstance(column, list) or len(column) != len(codes):
            raise PlaygroundError(f"{path.name}: {name} must be a list of {len(codes)} texts, one for each item.")
    read = {name: [str(value) for value in column] for name, column in columns.items()}
    return read.pop("names"), read


def _read(path: Path) -> Any:
    try:
        return read_json(path)
    except json.JSONDecodeError as error:
        raise PlaygroundError(
            f"{path.name}, line {error.lineno}, column {error.colno}: no JSON ({error.msg}). Repair that line."
        ) from None
    except UnicodeDecodeError:
        raise PlaygroundError(f"{path.name} is not text (UTF-8). Fetch it again.") from None
    except ValueError as error:
        raise PlaygroundError(f"{path.name} {error} Fetch it again.") from None
    except OSError as error:
        raise PlaygroundError(f"{path} cannot be read: {error.strerror}. Give another file.") from None


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
