"""From trained runs to the folder of models that is shipped: export, measure, describe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.makers.training.beside import EVALUATION, RECORD_FILE, read_json_file, write_card, write_json
from playground.makers.training.checkpoints import checkpoints, load_network, read_checkpoint
from playground.makers.training.export import export, refuse_other_content
from playground.makers.training.kinds import BESIDE
from playground.makers.training.pair.card import write_cards
from playground.makers.training.pair.evaluation import costs_by_format, evaluate
from playground.makers.training.run import STARTED_FROM, settings_of
from playground.makers.training.text.corpus import open_corpus
from playground.makers.training.text.tokenizer import read_tokenizer
from playground.models.machine import machine

TOKENIZER = "tokenizer.json"


def export_pair(work: Path, out: Path, runs: dict[str, str], *, words: dict[str, str]) -> dict[str, Any]:
    """Write models as folders that can be loaded, and next to them how they were made.

    Args:
        work: the work folder.
        out: where a folder for each role goes.
        runs: the run of each role, `target` and `draft` at least.
        words: for the model cards: `title` of the pair, `data` (what the text is and where it came from), and perhaps
            its `language` and the models' `licence`.

    Raises:
        PlaygroundError: if something is missing, or in the way.
    """
    corpus = open_corpus(work / "corpus")
    for role in runs:
        refuse_other_content(out / role)
    beside = {name: value for name, value in read_json_file(out / RECORD_FILE).items() if name in BESIDE}  # they stay
    record: dict[str, Any] = {"machine": machine()["processor"], "corpus": corpus.about, **words, "runs": {}, **beside}
    for role, run in runs.items():
        export(load_network(work / run), corpus.folder / TOKENIZER, out / role)
        record["runs"][role] = _with_before(_lineage(work, run)[0])
    write_json(out / RECORD_FILE, record)
    return record


def export_one(work: Path, out: Path, role: str, run: str, *, words: dict[str, str]) -> dict[str, Any]:
    """Replace one model of an existing pair; its other models stay; with what was said of all of them.

    Of a run that was started from the very model whose place it takes, that model's runs are told first.

    Args:
        work, out: as for `export_pair`.
        role: which of the pair's models.
        run: that takes its place.
        words: for the model cards, in the place of those that were said of the pair; see `export_pair`.

    Raises:
        PlaygroundError: if there is no such model, or its tokenizer is another one.
    """
    corpus = open_corpus(work / "corpus")
    record: dict[str, Any] = read_json_file(out / RECORD_FILE) | words
    if role not in record.get("runs", {}):
        raise PlaygroundError(f"{out} holds no exported pair with a {role}. Export the whole pair first.")
    own, its = (read_tokenizer(folder / TOKENIZER).get_vocab() for folder in (corpus.folder, out / role))
    if own != its:
        raise PlaygroundError(f"{run} has another tokenizer than the pair in {out}. Export the whole pair.")
    export(load_network(work / run), out / role / TOKENIZER, out / role)
    chain, source = _lineage(work, run)
    chain = [each | {"machine": machine()["processor"]} for each in chain]
    if source and Path(source).resolve() == (out / role).resolve():
        known = _runs_of(record["runs"][role], record["machine"])
        chain = [*(known[: known.index(chain[0])] if chain[0] in known else known), *chain]
    record["runs"][role] = _with_before(chain) | {"corpus": corpus.about}
    write_json(out / RECORD_FILE, record)
    return record


def _lineage(work: Path, run: str) -> tuple[list[dict[str, Any]], str | None]:
    """Return settings of the runs that lead to this one, the first first; and what that one was started from."""
    state = read_checkpoint(work / run)
    settings = {name: value for name, value in settings_of(state).items() if name != "step"}
    source = state["about"].get(STARTED_FROM)
    if not source or Path(source).is_dir() or not checkpoints(work / source):
        return [settings], source
    earlier, root = _lineage(work, source)
    return [*earlier, settings], root


def _runs_of(run: dict[str, Any], usual: str) -> list[dict[str, Any]]:
    """All runs of a model as `made.json` tells them, the first first, each with its machine."""
    own = {name: value for name, value in run.items() if name not in ("before", "corpus")}
    return [{"machine": own.get("machine", usual)} | each for each in [*run.get("before", []), own]]


def _with_before(chain: list[dict[str, Any]]) -> dict[str, Any]:
    """As `made.json` tells them: the last, and `before` that the others."""
    *before, last = chain
    return last | ({"before": before} if before else {})


def evaluate_pair(folder: Path, held_out: Path, prompts: list[str], *, count: int) -> dict[str, Any]:
    """Measure an exported pair; where it is known how it was made, write the figures and the model cards beside it.

    The arguments are those of `pair.evaluate`.
    """
    measured = evaluate(folder, held_out, prompts, count=count)
    if (folder / RECORD_FILE).is_file():
        earlier = read_json_file(folder / EVALUATION)
        measured = {name: earlier[name] for name in BESIDE if name in earlier} | measured
        write_json(folder / EVALUATION, measured)
        write_cards(folder, read_json_file(folder / RECORD_FILE), measured)
        for kind in BESIDE.values():
            write_card(kind, folder)
    return measured


def evaluate_costs(folder: Path, prompts: list[str]) -> list[dict[str, Any]]:
    """Measure again what the calls of a measured pair cost; the other figures stay, and the cards are rewritten.

    The arguments are those of `pair.costs_by_format`.

    Raises:
        PlaygroundError: if the pair was never measured.
    """
    if not all((folder / name).is_file() for name in (RECORD_FILE, EVALUATION)):
        raise PlaygroundError(f"{folder} holds no figures of a pair. Measure all of it first: leave out --only.")
    record, measured = (read_json_file(folder / name) for name in (RECORD_FILE, EVALUATION))
    measured["costs"] = costs_by_format(folder, prompts)
    write_json(folder / EVALUATION, measured)
    write_cards(folder, record, measured)
    return measured["costs"]
