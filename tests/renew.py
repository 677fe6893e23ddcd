"""Renew all that depends on the bundled pair: `python -m tests.renew`.

A piece is one file and the command that makes it. assets/renewed.json keeps of every piece which pair it was made with,
in which number format, by which code, when, on what machine and in how many minutes. A piece is stale if its pair, its
format, its command or the code that makes its numbers is another one now, see `pieces.code_version`. Only stale pieces
are made, what the page shows first; each is whole or not there, and one that was interrupted is made at the next call.
A recorded run that the code of today makes again, times apart, stays as it is. Times that are measured belong to one
sitting on one quiet machine: --timed makes all of them, whether stale or not, and what comes of an opening with it.
One whose models are in a package that is not installed stays as it is, with a sentence on what to install. Whatever was
made, the tables of the READMEs are written last.

    python -m tests.renew --list               what is stale, with the minutes it should take, and nothing else
    python -m tests.renew --only traces        pieces whose name has this word; --all: also those that are not stale
    python -m tests.renew --timed              all that is stale, and every measured time
    python -m tests.renew --minutes 25         begins no piece that should take longer than what is left of them
"""

import argparse
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playground.cli import main as playground
from playground.errors import PlaygroundError
from playground.models.bundled import pair_in
from playground.models.machine import machine
from playground.models.products import compiled_kernel
from playground.trace import event_to_dict, load
from tests import tables
from tests.pieces import FILE, PLAYGROUND, RENEWED, ROOT, Piece, pieces

OF_THE_MACHINE = re.compile(r"_s$|^(?:seconds|created|machine|versions|energy)$")  # fields of a trace


def stale(all_pieces: Iterable[Piece], pair: str, record_file: Path = RENEWED) -> list[Piece]:
    """Return the pieces that are of another pair, model, number format or code, or are not there."""
    records = _read(record_file)
    return [each for each in all_pieces if not (each.is_fresh(records, pair) and each.is_of_this_code(records))]


def renew(
    wanted: Iterable[Piece], pair: str, record_file: Path = RENEWED, *, minutes: float = math.inf
) -> Iterator[Piece]:
    """Make pieces one after the other, each given out once it is whole and kept.

    Args:
        wanted: the pieces.
        pair: the bundled pair.
        record_file: the file that says how each was made.
        minutes: a piece that should take longer than what is left of them is passed over.
    """
    start = time.monotonic()
    for piece in wanted:
        piece_start = time.monotonic()
        if minutes_of(piece, record_file) > minutes - (piece_start - start) / 60:
            continue
        about = {"code": piece.version()}
        if _make(piece):
            about |= piece.made_with(pair) | {
                "on": f"{datetime.now(UTC):%Y-%m-%d}",
                "machine": machine()["processor"],
                "minutes": round((time.monotonic() - piece_start) / 60, 2),
            }
        else:
            about = _read(record_file)[piece.name] | about
        _write(record_file, json.dumps(_read(record_file) | {piece.name: about}, indent=1, sort_keys=True) + "\n")
        yield piece


def minutes_of(piece: Piece, record_file: Path = RENEWED) -> float:
    """Return the minutes that a piece took the last time, or should take."""
    return _read(record_file).get(piece.name, {}).get("minutes", piece.minutes)


def _make(piece: Piece) -> bool:
    """Run the command into a new file, which takes the old one's place when it is whole; return whether it did.

    Runs of the command line share this process: starting one for each takes longer than they do.
    """
    new = piece.file.parent / ".new" / piece.file.name  # apart: who lists the folder must not find half a file
    shutil.rmtree(new.parent, ignore_errors=True)  # A killed call may have left it.
    new.parent.mkdir(parents=True)
    command = [str(new) if word == FILE else word for word in piece.command]
    if piece.command[: len(PLAYGROUND) + 1] == (*PLAYGROUND, "run"):
        with redirect_stdout(io.StringIO()):
            assert playground(command[len(PLAYGROUND) :]) == 0, piece.name
    elif FILE in piece.command:
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    else:
        with new.open("w", encoding="utf-8") as file:
            subprocess.run(command, cwd=ROOT, check=True, stdout=file)
    may_stay = not piece.is_timed and piece.file.name.endswith(".json.gz") and piece.file.exists()
    is_new = not (may_stay and is_same_run(new, piece.file))
    if is_new:
        os.replace(new, piece.file)
    shutil.rmtree(new.parent)
    return is_new


def is_same_run(one: Path, other: Path) -> bool:
    """Return whether two files are traces of the same run: every token, draft and verdict; times and machine differ."""
    try:
        first, second = (_without_times(list(map(event_to_dict, load(path).events))) for path in (one, other))
    except PlaygroundError:  # another kind of recording
        return False
    return first == second


def _without_times(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_times(each) for each in value]
    if isinstance(value, dict):
        return {name: _without_times(each) for name, each in value.items() if not OF_THE_MACHINE.search(name)}
    return value


def _read(record_file: Path) -> dict[str, Any]:
    return json.loads(record_file.read_text(encoding="utf-8")) if record_file.exists() else {}


def _write(path: Path, text: str) -> None:
    new = path.with_name(f"new-{path.name}")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit code: with --list, 1 where something is stale."""
    parser = argparse.ArgumentParser(prog="python -m tests.renew", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="say what is stale, and make nothing")
    parser.add_argument("--only", metavar="WORD", default="", help="pieces whose name has it")
    parser.add_argument("--all", action="store_true", help="also pieces that are not stale")
    parser.add_argument("--timed", action="store_true", help="also every measured time, for one sitting")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N", help="begin nothing that takes longer")
    request = parser.parse_args(arguments)
    pair, known = pair_in(), [each for each in pieces() if request.only in each.name]
    is_stale = {each.name for each in stale(known, pair)}
    wanted = [each for each in known if request.all or each.name in is_stale or (request.timed and each.is_timed)]
    for piece in (each for each in wanted if each.lacks):
        print(f"{piece.name} stays as it is. {piece.lacks}")
    wanted = [each for each in wanted if not each.lacks]
    if request.list:
        return _list(wanted, pair)
    if wanted and not compiled_kernel():
        print("What is recorded is made with weights in 16 bits, and nothing is compiled here, which they need.")
        return 2
    left, failed, start = dict.fromkeys(each.name for each in wanted), [], time.monotonic()
    for piece in wanted:  # one by one: one that fails does not keep the others from being made in this sitting
        try:
            for made in renew([piece], pair, minutes=request.minutes - (time.monotonic() - start) / 60):
                left.pop(made.name)
                print(f"{made.name}: {minutes_of(made):.2f} minutes, {len(left)} left", flush=True)
        except (AssertionError, OSError, PlaygroundError, subprocess.CalledProcessError) as error:
            failed.append(left.pop(piece.name, None) or piece.name)
            print(f"{piece.name} failed, and its file is the old one: {error}", flush=True)
    tables.write()
    done = len(wanted) - len(left) - len(failed)
    print(f"{done} pieces made in {(time.monotonic() - start) / 60:.1f} minutes on {machine()['processor']}.")
    if left:
        print(f"Not begun, for want of time: {', '.join(left)}.")
    if failed:
        print(f"Failed: {', '.join(failed)}.")
    return bool(failed)


def _list(wanted: list[Piece], pair: str) -> int:
    """Print what is stale, why, and the minutes it should take; return 1 where anything is."""
    records = _read(RENEWED)
    for each in wanted:
        is_fresh, is_of_code = each.is_fresh(records, pair), each.is_of_this_code(records)
        why = "to be timed again" if is_fresh and is_of_code else "the code that makes it has changed"
        why = why if is_fresh else "of another pair or format"
        print(f"stale: {each.name} ({why if each.name in records else 'not made yet'}; {minutes_of(each):.1f} minutes)")
    if wanted:
        print(f"{len(wanted)} pieces, some {sum(map(minutes_of, wanted)):.0f} minutes.")
    else:
        print(f"Everything is of the pair {pair}, and of the code that is here.")
    return bool(wanted)


if __name__ == "__main__":
    sys.exit(main())
