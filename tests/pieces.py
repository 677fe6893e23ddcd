"""What depends on the bundled pair: files that a command makes anew. `tests.renew` makes them."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from playground.models.bundled import BESIDE, EXITS, HEAD, pair_in
from playground.models.catalog import MODELS, find_pair
from playground.studies.directions import claims
from playground.ui.recorded.file import KINDS, file_of
from playground.ui.recorded.lengths import KIND as OPENING
from playground.ui.recorded.lineup import KIND as LINEUP
from playground.ui.recorded.positions import KIND as POSITIONS
from playground.ui.recorded.recommend import KIND as RECOMMENDATION
from playground.views.link_card import PICTURE

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "assets"
RENEWED = ASSETS / "renewed.json"  # of every piece, the pair it was made with
RACED = (
    "--methods speculative_sampling:draft_length=2,speculative_sampling,speculative_sampling:draft_length=32 "
    "--temperature 0.7 --seed 1 --max-new-tokens 64"
)
PLAYGROUND = (sys.executable, "-m", "playground")
DEFAULT_FORMAT = "float16 and float32"  # of both models, on one thread of a processor
FILE = "{file}"
# What every piece runs: the loop and its methods, and the forward pass with its products
CODE = ("decoding", "models/passes", "models/products.py", "models/language_model.py", "models/sampling.py")
OPENED = (sys.executable, "-m", "tests.opening")
OPENED_RUNS = {"opening.json.gz": "run", "autoregressive.json.gz": "plain"}  # traces that come of one recording


@dataclass(frozen=True, slots=True)
class Piece:
    """One file, and how it is made.

    Attributes:
        name: what it is called in `renewed.json`.
        file: what the command writes.
        command: its words; FILE stands for the file. Where that is not among them, the file is what it prints.
        pair: of the models it is made with, where these are others than the bundled pair.
        number_format: of both models' weights, as a trace names it.
        lacks: the sentence on a package that its models are in and that is not installed; empty where nothing lacks.
        code: folders and files of `playground` that decide what it says.
    """

    name: str
    file: Path
    command: tuple[str, ...]
    pair: str = ""
    number_format: str = DEFAULT_FORMAT
    lacks: str = ""
    code: tuple[str, ...] = CODE

    def made_with(self, bundled: str) -> dict[str, str]:
        """The pair and the number format that it is to be made with, where `bundled` is the bundled pair."""
        return {"pair": self.pair or bundled, "format": self.number_format}

    def is_fresh(self, made: dict[str, dict[str, str]], bundled: str) -> bool:
        """Whether the file is there and, by `renewed.json`, made with these."""
        return self.made_with(bundled).items() <= made.get(self.name, {}).items() and self.file.exists()

    def is_of_this_code(self, made: dict[str, dict[str, str]]) -> bool:
        """Return whether, by `renewed.json`, it was made by the code that is here."""
        return made.get(self.name, {}).get("code") == code_version(self.code)


@cache
def code_version(paths: tuple[str, ...]) -> str:
    """Return the version of folders and files of `playground`: a hash of their syntax, without prose and layout."""
    digest = hashlib.sha256()
    for path in paths:
        place = ROOT / "playground" / path
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    node.body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            digest.update(f"{file.relative_to(ROOT)} {ast.dump(tree)}".encode())
    return digest.hexdigest()[:12]


def pieces(assets: Path = ASSETS) -> list[Piece]:
    """Every piece, the quick ones first. Claims of one method share runs, which are kept in runs/, by pair."""
    kept_path = ROOT / "runs" / f"directions-{pair_in()}"
    return [
        Piece(f"recorded {OPENING}", file_of(OPENING), (*OPENED, "measure", FILE)),
        *_recorded_runs(assets / "traces"),
        Piece("times", assets / "times.md", (*PLAYGROUND, "compare", *RACED.split(), "--markdown")),
        Piece(
            "times in float32",
            assets / "times_float32.md",
            (*PLAYGROUND, "compare", *RACED.split(), "--dtype", "float32", "--markdown"),
            number_format="float32",
        ),
        Piece(
            "drafters",
            assets / "drafters.json",
            (*PLAYGROUND, "drafters", "--times", "--seeds", "0,1,2", "--json"),
            pair_in(beside=BESIDE),
            code=(*CODE, "studies", "models/drafters"),
        ),
        *(
            Piece(
                f"several drafts{name}",
                assets / f"several_drafts{name.replace(' ', '_').replace('-', '_')}.json",
                (*PLAYGROUND, "positions", "--num-drafts", "2,3,4", *sampling, "--json"),
                code=(*CODE, "studies", "theory"),
            )
            for name, sampling in (("", ()), (" top-p", ("--top-p", "0.95")))
        ),
        Piece("engine", assets / "engine.json", (*PLAYGROUND, "benchmark", "--json"), code=(*CODE, "bench/engine")),
        Piece(
            "engine in float32",
            assets / "engine_float32.json",
            (*PLAYGROUND, "benchmark", "--dtype", "float32", "--json"),
            number_format="float32",
            code=(*CODE, "bench/engine"),
        ),
        *(
            Piece(f"recorded {kind}", file_of(kind), (sys.executable, "-m", "tests.recordings", kind, FILE))
            for kind in (LINEUP, *KINDS)
        ),
        Piece(
            f"recorded {POSITIONS}",
            file_of(POSITIONS),
            (sys.executable, "-m", "tests.recordings", POSITIONS, FILE),
            pair_in(beside=(EXITS,)),
        ),
        Piece(
            "recorded recommendation",
            file_of(RECOMMENDATION),
            (sys.executable, "-m", "tests.recordings", RECOMMENDATION, FILE),
            pair_in(assets / "shop" / "models"),
        ),
        Piece(
            "recommender",
            assets / "shop" / "evaluation.json",
            (*PLAYGROUND, "recommender", "evaluate", "--users", "60", "--cards", "--json"),
            pair_in(assets / "shop" / "models"),
        ),
        Piece("link card", PICTURE, (sys.executable, "-m", "tests.browser.link_card", FILE)),
        Piece(
            "strict lists",
            assets / "shop" / "strict.json",
            (*PLAYGROUND, "recommender", "check", "--users", "500", "--json"),
            pair_in(assets / "shop" / "models"),
        ),
        Piece("picture", assets / "playground.gif", (sys.executable, "-m", "tests.browser.moving_picture", FILE)),
        *(
            Piece(
                f"directions {name}",
                assets / "directions" / f"{re.sub('[^a-z0-9]+', '_', name.lower())}.json",
                (
                    *PLAYGROUND,
                    "directions",
                    "--only",
                    name,
                    "--kept",
                    str(kept_path / re.split("[^a-z-]", name.lower())[0]),
                    "--json",
                ),
            )
            for name in dict.fromkeys(claim.name for claim in claims())
        ),
    ]


def _recorded_runs(folder: Path) -> Iterator[Piece]:
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["run"])
        piece = Piece(
            f"traces {entry['file'].partition('.')[0]}",
            folder / entry["file"],
            (*PLAYGROUND, "run", *words, "--trace", FILE),
        )
        if part := OPENED_RUNS.get(entry["file"]):
            yield replace(piece, command=(*OPENED, part, FILE))
            continue
        if "--pair" in words:
            chosen = find_pair(words[words.index("--pair") + 1])
            with_head = f"{chosen.id} {pair_in(MODELS / chosen.id, beside=(HEAD,))}"
            pair = chosen.id if "suffix_decoding" in words else with_head
            yield replace(piece, pair=pair, number_format="float32", lacks=chosen.way_to_get)
            continue
        beside = tuple(name for name in BESIDE if f"--drafter {name.removesuffix('s')}" in entry["run"])  # exit8
        yield replace(piece, pair=pair_in(beside=beside) if beside else "")
