"""From trained runs to the folder of models that is shipped: export, measure, describe, of a pair and its drafters."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.beside import Beside
from playground.makers.training.checkpoints import checkpoints, load_network, read_checkpoint
from playground.makers.training.evaluation import COUNT
from playground.makers.training.export import as_transformers, export, read_exported, refuse_other_content
from playground.makers.training.kinds import BESIDE
from playground.makers.training.network import Network
from playground.makers.training.pair.card import write_card_beside, write_cards
from playground.makers.training.pair.evaluation import contexts_of, evaluate
from playground.makers.training.run import STARTED_FROM, read_target, settings_of
from playground.makers.training.text.corpus import open_corpus
from playground.makers.training.text.tokenizer import read_tokenizer
from playground.models.drafters.beside import fingerprint
from playground.models.machine import machine

TOKENIZER = "tokenizer.json"
RECORD_FILE, EVALUATION = "made.json", "evaluation.json"  # next to the models


def export_pair(work: Path, out: Path, runs: dict[str, str], *, words: dict[str, str]) -> dict[str, object]:
    """Write models as folders that can be loaded, and next to them how they were made.

    Args:
        runs: the run of each role, `target` and `draft` at least.
        words: for the model cards: `title` of the pair, `data` (what the text is and where it came from), and perhaps
            its `language` and the models' `licence`.

    Raises:
        PlaygroundError: if something is missing, or in the way.
    """
    corpus = open_corpus(work / "corpus")
    for role in runs:
        refuse_other_content(out / role)
    beside = {name: value for name, value in _read(out / RECORD_FILE).items() if name in BESIDE}  # they stay
    record: dict[str, Any] = {"machine": machine()["processor"], "corpus": corpus.about, **words, "runs": {}, **beside}
    for role, run in runs.items():
        export(load_network(work / run), corpus.folder / TOKENIZER, out / role)
        record["runs"][role] = _with_before(_lineage(work, run)[0])
    _write(out / RECORD_FILE, record)
    return record


def export_one(work: Path, out: Path, role: str, run: str, *, words: dict[str, str]) -> dict[str, object]:
    """Replace one model of an exported pair; the others stay, with what `made.json` says of them.

    Where the run was started from the model that it replaces, the runs of that model are listed first.

    Args:
        run: that takes its place.
        words: for the model cards, in the place of those that were said of the pair; see `export_pair`.

    Raises:
        PlaygroundError: if there is no such model, or its tokenizer is another one.
    """
    corpus = open_corpus(work / "corpus")
    record: dict[str, Any] = _read(out / RECORD_FILE) | words
    if role not in record.get("runs", {}):
        raise PlaygroundError(f"{out} holds no exported pair with a {role}. Export the whole pair first.")
    own, its = (read_tokenizer(folder / TOKENIZER).get_vocab() for folder in (corpus.folder, out / role))
    if own != its:
        raise PlaygroundError(f"{run} has another tokenizer than the pair in {out}. Export the whole pair.")
    export(load_network(work / run), out / role / TOKENIZER, out / role)
    chain, source = _lineage(work, run)
    chain = [each | {"machine": machine()["processor"]} for each in chain]
    if source and Path(source).resolve() == (out / role).resolve():
        last = {name: value for name, value in record["runs"][role].items() if name not in ("before", "corpus")}
        usual = {"machine": last.get("machine", record["machine"])}
        known = [usual | each for each in [*record["runs"][role].get("before", []), last]]
        chain = [*(known[: known.index(chain[0])] if chain[0] in known else known), *chain]
    record["runs"][role] = _with_before(chain) | {"corpus": corpus.about}
    _write(out / RECORD_FILE, record)
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


def _with_before(chain: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the last of these runs for `made.json`, with the earlier ones under `before`."""
    *before, last = chain
    return last | ({"before": before} if before else {})


def export_beside(kind: type[Beside], work: Path, out: Path, run: str) -> dict[str, Any]:
    """Write a trained drafter in bfloat16 next to its target, and into `made.json` how it was made.

    Raises:
        PlaygroundError: if the target there is not the one that it was trained on, or it cannot be written.
    """
    state = read_checkpoint(work / run)
    mark = fingerprint(read_target(work, state["about"]["teacher"]))
    if mark != fingerprint(read_exported(out / "target")):
        raise PlaygroundError(f"The target in {out} is not the one that {run} was trained on. Name its own folder.")
    folder, config, trained = out / kind.name, kind.config_of(state), state["weights"]
    numbers = {name: each.to(torch.bfloat16) for name, each in trained.items() if each.is_floating_point()}
    weights = {name: numbers.get(name, each).contiguous() for name, each in trained.items()}
    write_file(folder / kind.files[1], save(weights))
    _write(folder / kind.files[0], config | {"fingerprint": mark}, end="\n")
    about = settings_of(state) | {"machine": machine()["processor"]}
    _write(out / RECORD_FILE, _read(out / RECORD_FILE) | {kind.name: about})
    return {
        kind.name: str(folder),
        "parameters": sum(map(torch.numel, numbers.values())),
        "step": state["step"],
        **config,
    }


def read_beside(kind: type[Beside], folder: Path, target: Network) -> Beside:
    """Return the drafter in a folder.

    Raises:
        PlaygroundError: if there is none, or it is another target's.
    """
    try:
        config = json.loads((folder / kind.files[0]).read_text(encoding="utf-8"))
        weights = load_file(folder / kind.files[1])
        network = kind.of_config(config, target, weights)
        network.load_state_dict(weights)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise PlaygroundError(f"{folder} holds no {kind.name} of this kind: {str(error).splitlines()[0]}") from None
    if config["fingerprint"] != fingerprint(target):
        raise PlaygroundError(f"What {folder} holds was trained on another target. Train the {kind.name} for this one.")
    return network.eval()


def evaluate_pair(folder: Path, held_out: Path, prompts: list[str], *, count: int) -> dict[str, object]:
    """Measure an exported pair; where it is known how it was made, write the figures and the model cards next to it.

    The arguments are those of `evaluation.evaluate`.
    """
    measured = evaluate(folder, held_out, prompts, count=count)
    if (folder / RECORD_FILE).is_file():
        earlier = _read(folder / EVALUATION)
        measured = {name: earlier[name] for name in BESIDE if name in earlier} | measured
        write_cards(folder, _describe(folder, measured), measured)
    return measured


def evaluate_beside(kind: type[Beside], models: Path, held_out: Path, *, count: int = COUNT) -> dict[str, object]:
    """Measure a drafter of a target on the contexts of the pair's drafts; write its figures and its card.

    Raises:
        PlaygroundError: if there is none, or it is another target's.
    """
    target = read_exported(models / "target")
    network = read_beside(kind, models / kind.name, target)
    contexts = contexts_of(models, as_transformers(target), held_out, count)
    measured = {"parameters": network.num_parameters, **network.measure(target, *contexts)}
    _describe(models, _read(models / EVALUATION) | {kind.name: measured})
    return measured


def _describe(folder: Path, measured: dict[str, Any]) -> dict[str, object]:
    """Write the figures of models, and the card of each drafter of the target; return how all were made."""
    record = _read(folder / RECORD_FILE)
    _write(folder / EVALUATION, measured)
    for name, kind in BESIDE.items():
        if name in record and name in measured:
            write_card_beside(kind, folder, record, measured)
    return record


def _read(path: Path) -> dict[str, Any]:
    """Return the values of a file by name; none where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _write(path: Path, value: dict[str, Any], *, end: str = "") -> None:
    """Write a file whole or not at all."""
    write_file(path, json.dumps(value, indent=2) + end)
