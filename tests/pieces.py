"""Files that depend on the bundled pair, each with the command that makes it; `tests.renew` calls these."""

import ast
import hashlib
import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import grimp

from playground.decoding.method import methods
from playground.lab.verification_costs import THREADS, costs_file
from playground.models.bundled import BESIDE, HEAD, pair_in
from playground.models.catalog import MODELS, find_pair
from playground.ui.recommend.recorded import KIND as RECOMMENDATION
from playground.ui.recorded import EDIT, OPENING, file_of, kind_of
from playground.ui.runs.race.lineup import KIND as LINEUP
from playground.views.link_card import PICTURE
from tests.opening import REAL_OPENING
from tests.recordings import COMPARED, SWEEP, TRIED, race_form

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "assets"
RENEWED = ASSETS / "renewed.json"  # It has the pair that each piece was made with.
RACED = (
    "--methods speculative_sampling:draft_length=2,speculative_sampling,speculative_sampling:draft_length=32 "
    "--temperature 0.7 --seed 1 --max-new-tokens 64"
)
CHAT_RACED = (
    "--methods speculative_sampling:draft_length=1,prompt_lookup:draft_length=3,suffix_decoding,hybrid "
    "--pair smollm2-135m --prompts chat --temperature 0.7 --seed 1 --max-new-tokens 40"
)
PLAYGROUND = (sys.executable, "-m", "playground")
DEFAULT_FORMAT = "float16 and float32"  # Both models have it, on one thread of a processor.
LOSSY = [each for each, method in methods().items() if not method.lossless]
FILE = "{file}"
# Where numbers are made. Whatever else a piece imports says words, finds files or shows, and is not followed
NUMBERS = (
    *("decoding.", "theory.", "metrics.", "makers.", "bench.", "lab.", "recommender.", "tree", "models.passes."),
    *("models.drafters.", "models.products", "models.sampling", "models.reading"),
)
LOOP, FILES_OWN_PASS = "decoding.record", "models.passes.block_pass"
BUNDLED_PASS = ("models.passes.compiled_pass", "models.passes.compiled")  # the one loads the other's kernels by name
DRAFTERS = {"exit": "early_exit", "foreign": "translated_model", "block": "block", "head": "head"}
SHOP_CODE = (
    *("makers.recommender.evaluation", LOOP, *BUNDLED_PASS),
    *(f"decoding.methods.{name}" for name in ("atspeed_relaxed", "atspeed_strict", "beam_sampling", "beam_search")),
)
# Words that name a thing decide nothing.
PROSE = {"label", "help", "unit", "key", "title", "full_name", "summary", "paper"}


def _by(module: str) -> tuple[str, ...]:
    return (sys.executable, "-m", f"tests.{module}")


OPENED = _by("opening")
REAL_PAIR = "smollm2-135m"
EDITED = kind_of(EDIT, REAL_PAIR)
OPENED_RUNS = {  # traces that come of one recording
    "opening.json.gz": (OPENING, "run"),
    "autoregressive.json.gz": (OPENING, "plain"),
    "opening_smollm2.json.gz": (REAL_OPENING, "run"),
    "plain_smollm2.json.gz": (REAL_OPENING, "plain"),
    "edit_smollm2.json.gz": (EDITED, "run"),
    "plain_edit.json.gz": (EDITED, "plain"),
}


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
        code: modules of `playground` that make its numbers, with what these import, see `code_version`.
        minutes: that it took or should take on two quiet cores, where `renewed.json` does not say.
        is_timed: whether its numbers are times, which belong to one sitting on one machine.
    """

    name: str
    file: Path
    command: tuple[str, ...]
    pair: str = ""
    number_format: str = DEFAULT_FORMAT
    lacks: str = ""
    code: tuple[str, ...] = ()
    minutes: float = 1.0
    is_timed: bool = False

    def made_with(self, bundled: str) -> dict[str, str]:
        """Return the pair and the number format that it is to be made with, where `bundled` is the bundled pair."""
        return {"pair": self.pair or bundled, "format": self.number_format}

    def is_fresh(self, records: dict[str, dict[str, str]], bundled: str) -> bool:
        """Return whether the file is there and, by `renewed.json`, made with these."""
        return self.made_with(bundled).items() <= records.get(self.name, {}).items() and self.file.exists()

    def is_of_this_code(self, records: dict[str, dict[str, str]]) -> bool:
        """Return whether, by `renewed.json`, it was made by the command and the code that are here."""
        return records.get(self.name, {}).get("code") == self.version()

    def version(self) -> str:
        """Return the version of its command and its code."""
        words = " ".join(word for word in self.command if word != sys.executable and not Path(word).is_absolute())
        return hashlib.sha256(f"{words} {code_version(self.code)}".encode()).hexdigest()[:12]


@cache
def code_version(modules: tuple[str, ...]) -> str:
    """Return a hash of the syntax of modules and all that they import within `NUMBERS`; see `_syntax`.

    Args:
        modules: within `playground`; a package stands for its modules.
    """
    graph, wanted, known = _imports(), list(modules), set[str]()
    while wanted:
        name = wanted.pop()
        if name not in known and (name in modules or f"{name}.".startswith(NUMBERS)):
            known.add(name)
            full = f"playground.{name}"
            reached = graph.find_modules_directly_imported_by(full)
            reached |= graph.find_children(full) if name in modules else set()
            wanted += [each.removeprefix("playground.") for each in reached if each != "playground"]
    return hashlib.sha256("".join(sorted(map(_syntax, known))).encode()).hexdigest()


@cache
def _imports() -> Any:
    return grimp.build_graph("playground", exclude_type_checking_imports=True, cache_dir=None)


def _syntax(name: str) -> str:
    """Return a module's syntax without layout, docstrings, annotations, messages of errors, and names for readers."""
    path = ROOT.joinpath("playground", *name.split("."))
    tree = ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                node.body = [each for each in node.body if not _is_prose(each)]
            case ast.Raise():
                node.exc = None
            case ast.Call():
                node.keywords = [each for each in node.keywords if each.arg not in PROSE]
            case ast.arg() | ast.AnnAssign():
                node.annotation = ast.Constant(None)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    return ast.dump(tree)


def _is_prose(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or names a thing for its readers."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in PROSE
    return False


def pieces(assets: Path = ASSETS) -> list[Piece]:
    """Every piece: what the page opens on, then what its tabs and the READMEs show, then counts that take long."""
    speculative = _of_a_run("speculative_sampling")
    return [
        Piece(
            f"recorded {OPENING}",
            file_of(OPENING),
            (*OPENED, OPENING, "measure", FILE),
            code=speculative,
            is_timed=True,
        ),
        Piece(
            f"recorded {REAL_OPENING}",
            file_of(REAL_OPENING),
            (*OPENED, REAL_OPENING, "measure", FILE),
            **_of_chat_model("prompt_lookup", code=()),
            is_timed=True,
        ),
        Piece(
            f"recorded {EDITED}",
            file_of(EDITED),
            (*OPENED, EDITED, "measure", FILE),
            **_of_chat_model("hybrid", code=("models.drafters.head",)),
            is_timed=True,
        ),
        *_recorded_tabs(assets / "shop"),
        *_recorded_runs(assets / "traces"),
        *_times(assets),
        *_of_the_shop(assets / "shop"),
        Piece(
            "several drafts",
            assets / "several_drafts.json",
            (*PLAYGROUND, "several-drafts", "--json"),
            code=("makers.several_drafts", *_of_a_run("importance_sampling")),
        ),
        Piece(
            "contexts",
            assets / "contexts.json",
            (*PLAYGROUND, "costs", "--by-context", "--json"),
            code=("bench.contexts", *BUNDLED_PASS),
            minutes=1.5,
            is_timed=True,
        ),
        *(
            Piece(
                f"greedy texts{name}",
                assets / f"greedy{suffix}.json",
                (*PLAYGROUND, "greedy", *words, "--json"),
                number_format=words[-1] if words else DEFAULT_FORMAT,
                code=("exactness.greedy_texts", *_of_a_run("speculative_sampling")),
            )
            for name, suffix, words in (("", "", ()), (" in bfloat16", "_bfloat16", ("--dtype", "bfloat16")))
        ),
        Piece(
            "lossy map",
            assets / "lossy_map.json",
            (*PLAYGROUND, "lossy-map", "--json"),
            code=("makers.lossy_map", "exactness.enumeration", *_of_a_run(*LOSSY, "speculative_sampling")),
            minutes=4,
        ),
        Piece("link card", PICTURE, (*_by("browser.link_card"), FILE)),
        Piece("picture", assets / "playground.gif", (*_by("browser.moving_picture"), FILE), minutes=2),
    ]


def _of_a_run(*methods: str, model_pass: tuple[str, ...] = BUNDLED_PASS) -> tuple[str, ...]:
    """Return the modules that make a run of these methods; plain decoding stands beside each."""
    names = dict.fromkeys(each.partition(":")[0] for each in (*methods, "autoregressive"))
    return (LOOP, *model_pass, *(f"decoding.methods.{name}" for name in names))


def _of_chat_model(*names: str, code: tuple[str, ...]) -> dict[str, Any]:
    """Return what tells a piece of the real chat model: pair, number format, what lacks, and code beside `code`."""
    chosen = find_pair(REAL_PAIR)
    drafts_by_head = any(methods()[name.partition(":")[0]].needs_draft_model for name in names)
    return {
        "pair": f"{chosen.id} {pair_in(MODELS / chosen.id, beside=(HEAD,))}" if drafts_by_head else chosen.id,
        "number_format": "float32",
        "lacks": chosen.way_to_get,
        "code": (*code, *_of_a_run(*names, model_pass=(FILES_OWN_PASS,))),
    }


def _recorded_tabs(shop: Path) -> Iterator[Piece]:
    def recorded(kind: str, *, minutes: float, **about: Any) -> Piece:
        return Piece(
            f"recorded {kind}", file_of(kind), (*_by("recordings"), kind, FILE), minutes=minutes, is_timed=True, **about
        )

    for pair in TRIED:
        for kind, entries in ((LINEUP, TRIED[pair]), ("race", race_form(pair).methods)):
            code, head = ("bench.race",), ("bench.race", "models.drafters.head")
            about = (
                _of_chat_model(*entries, code=head) if pair == REAL_PAIR else {"code": (*code, *_of_a_run(*entries))}
            )
            yield recorded(kind_of(kind, pair), minutes=1.5, **about)
    yield recorded(COMPARED, code=("decoding.methods", LOOP, *BUNDLED_PASS), minutes=3)
    yield recorded("sweep", code=("bench.sweep", *_of_a_run(*SWEEP.methods)), minutes=2)
    yield recorded(RECOMMENDATION, pair=pair_in(shop / "models"), code=SHOP_CODE, minutes=1)


def _recorded_runs(folder: Path) -> Iterator[Piece]:
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["run"])
        method = words[words.index("--method") + 1]
        name, command = f"traces {entry['file'].partition('.')[0]}", (*PLAYGROUND, "run", *words, "--trace", FILE)
        piece = Piece(name, folder / entry["file"], command, code=_of_a_run(method), minutes=0.02)
        if part := OPENED_RUNS.get(entry["file"]):
            piece = replace(piece, command=(*OPENED, *part, FILE), is_timed=True)
        if "--pair" in words:
            yield replace(piece, minutes=0.5, **_of_chat_model(method, code=("models.drafters.head",)))
            continue
        drafter = words[words.index("--drafter") + 1] if "--drafter" in words else ""
        modules = [f"models.drafters.{module}" for word, module in DRAFTERS.items() if drafter.startswith(word)]
        beside = tuple(name for name in BESIDE if drafter and drafter.startswith(name))
        yield replace(piece, pair=pair_in(beside=beside) if beside else "", code=(*piece.code, *modules))


def _times(assets: Path) -> Iterator[Piece]:
    """Speeds of the bundled pair in 16 bits and in 32, and of the chat model."""
    for name, suffix, words in (("", "", ()), (" in float32", "_float32", ("--dtype", "float32"))):
        number_format = "float32" if words else DEFAULT_FORMAT
        yield Piece(
            f"times{name}",
            assets / f"times{suffix}.md",
            (*PLAYGROUND, "compare", *RACED.split(), *words, "--markdown"),
            number_format=number_format,
            code=("bench.race", *_of_a_run("speculative_sampling")),
            minutes=1,
            is_timed=True,
        )
        yield Piece(
            f"engine{name}",
            assets / f"engine{suffix}.json",
            (*PLAYGROUND, "benchmark", *words, "--json"),
            number_format=number_format,
            code=("makers.engine.benchmark", *BUNDLED_PASS, "decoding.methods"),
            minutes=3,
            is_timed=True,
        )

    names = ("speculative_sampling", "prompt_lookup", "suffix_decoding", "hybrid")
    yield Piece(
        "times of the chat model",
        assets / "times_smollm2.md",
        (*PLAYGROUND, "compare", *CHAT_RACED.split(), "--markdown"),
        **_of_chat_model(*names, code=("bench.race", "models.drafters.head")),
        minutes=3,
        is_timed=True,
    )
    for id, threads in THREADS.items():
        yield Piece(
            f"costs {id}",
            costs_file(id),
            (*PLAYGROUND, "costs", "--pair", REAL_PAIR, "--threads", str(threads), "--json"),
            **_of_chat_model(code=("bench.calibration",)),
            minutes=0.2,
            is_timed=True,
        )


def _of_the_shop(shop: Path) -> Iterator[Piece]:
    of_shop = partial(Piece, pair=pair_in(shop / "models"), code=SHOP_CODE)
    evaluated = (*PLAYGROUND, "recommender", "evaluate", "--users", "60", "--cards", "--json")
    yield of_shop("recommender", shop / "evaluation.json", evaluated, minutes=8, is_timed=True)
    checked = (*PLAYGROUND, "recommender", "check", "--users", "500", "--json")
    yield of_shop("strict lists", shop / "strict.json", checked, minutes=5)
