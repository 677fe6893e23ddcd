"""Renew all that depends on the bundled pair: `python -m tests.renew`.

A piece is one file and the command that makes it. assets/renewed.json keeps of every piece which pair it was made with,
in which number format, by which code, when and on what machine; a piece of another pair or format, or older than the
code that makes it, the forward pass included, is stale. Only stale pieces are
made, each is whole or not there, and one that was interrupted is made at the next call. One whose models are in a
package that is not installed stays as it is, with a sentence on what to install. Whatever was made, the tables of the
READMEs are written last.

    python -m tests.renew --list               what is stale, and nothing else
    python -m tests.renew --only traces        pieces whose name has this word; --all: also those that are not stale
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playground.models.bundled import pair_in
from playground.models.machine import machine
from playground.models.products import multiplies_halves
from tests import tables
from tests.pieces import FILE, RENEWED, ROOT, Piece, code_version, pieces


def stale(all_pieces: Iterable[Piece], pair: str, kept: Path = RENEWED) -> list[Piece]:
    """Return the pieces that are of another pair, model, number format or code, or are not there."""
    made = _read(kept)
    return [each for each in all_pieces if not (each.is_fresh(made, pair) and each.is_of_this_code(made))]


def renew(wanted: Iterable[Piece], pair: str, kept: Path = RENEWED) -> Iterator[Piece]:
    """Make pieces one after the other, each given out once it is whole and kept."""
    for piece in wanted:
        _make(piece)
        about = piece.made_with(pair) | {
            "on": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": machine()["processor"],
            "code": code_version(piece.code),
        }
        _write(kept, json.dumps(_read(kept) | {piece.name: about}, indent=1, sort_keys=True) + "\n")
        yield piece


def _make(piece: Piece) -> None:
    """Run the command into a new file, which takes the old one's place when it is whole."""
    new = piece.file.parent / ".new" / piece.file.name  # apart: who lists the folder must not find half a file
    shutil.rmtree(new.parent, ignore_errors=True)  # what a killed call left
    new.parent.mkdir(parents=True)
    command = [str(new) if word == FILE else word for word in piece.command]
    if FILE in piece.command:
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    else:
        with new.open("w", encoding="utf-8") as file:
            subprocess.run(command, cwd=ROOT, check=True, stdout=file)
    os.replace(new, piece.file)
    new.parent.rmdir()


def _read(kept: Path) -> dict[str, Any]:
    return json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}


def _write(path: Path, text: str) -> None:
    new = path.with_name(f"new-{path.name}")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit code: with --list, 1 where something is stale."""
    parser = argparse.ArgumentParser(prog="python -m tests.renew", description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="say what is stale, and make nothing")
    parser.add_argument("--only", metavar="WORD", default="", help="pieces whose name has it")
    parser.add_argument("--all", action="store_true", help="also pieces that are not stale")
    request = parser.parse_args(arguments)
    pair, known = pair_in(), [each for each in pieces() if request.only in each.name]
    wanted = known if request.all else stale(known, pair)
    for piece in (each for each in wanted if each.lacks):
        print(f"{piece.name} stays as it is. {piece.lacks}")
    wanted = [each for each in wanted if not each.lacks]
    if wanted and not request.list and not multiplies_halves():
        print("What is recorded is made with weights in 16 bits, for which this processor or torch has no product.")
        return 2
    if request.list:
        made = _read(RENEWED)
        for each in wanted:
            why = "" if not each.is_fresh(made, pair) else ", older than the code that makes it"
            print(f"stale: {each.name}{why}")
        if not wanted:
            print(f"Everything is of the pair {pair}, and of the code that is here.")
        return bool(wanted)
    for number, piece in enumerate(renew(wanted, pair), 1):
        print(f"{number} of {len(wanted)}: {piece.name}", flush=True)
    tables.write()
    print(f"Everything asked for is of the pair {pair}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
