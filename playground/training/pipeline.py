"""The steps that make a pair, each of which can be stopped and asked for again.

A work folder holds `corpus/` and one folder per run: `target`, `target-finished` (a copy of it whose rate fell to
zero), `draft`, and whatever else they are named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from playground.errors import PlaygroundError, did_you_mean
from playground.training.checkpoints import checkpoints, load_checkpoint, load_network
from playground.training.evaluation import agreement, bits_per_byte, held_out_losses
from playground.training.export import read_exported
from playground.training.growth import grow
from playground.training.loop import Objective, Plan, train
from playground.training.network import Network, Shape
from playground.training.objectives import Divergence, Rejection, next_token
from playground.training.optimiser import Rates
from playground.training.storage import only_one
from playground.training.text.corpus import Corpus, even_windows, open_corpus, windows
from playground.training.text.plainest import keep_plainest, read_plainest
from playground.training.text.sampled_text import read_samples, sample_text
from playground.training.text.tokenizer import END_OF_TEXT, read_tokenizer

TARGET = Shape(layers=8, width=320, heads=5, feed_forward=896, tied=False)
DRAFT = Shape(layers=1, width=160, heads=5, feed_forward=432)
TARGET_SOURCES = ("corpus", "plainest")
DRAFT_SOURCES = ("corpus", "samples")
OBJECTIVES = ("next-token", "divergence", "rejection")
FINISHED = "-finished"
PLAINEST = "plainest"
LINES = 10  # steps between two lines of progress
CONTEXTS = (16, 256)  # windows of held-out text on which a draft is compared with its target while it trains

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs from a run's own settings, or from the defaults in a new run: fields of shape, plan and rates."""

    shape: dict[str, Any] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    rates: dict[str, Any] = field(default_factory=dict)


def train_target(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    finish: int = 0,
    source: str | None = None,
    grow_from: str | None = None,
) -> dict[str, Any]:
    """Train a target on the next token, or continue it, or finish it.

    Args:
        work: the work folder.
        name: of the run.
        changes: to its settings.
        say: told how it goes.
        finish: if positive, train a copy of the run for so many more steps, with a rate that falls to zero. A finish
            that was interrupted is continued.
        source: what it reads, "corpus" or "plainest": the texts that `make_plainest` kept. None is what the run was
            begun with, and in a new one the corpus.
        grow_from: a smaller network to begin from, a run or an exported folder; ignored where the run has begun.

    Returns:
        What the run has come to.
    """
    corpus = open_corpus(work / "corpus")
    folder, start = work / name, None
    if finish:
        folder, start = work / f"{name}{FINISHED}", read_checkpoint(work / name)
        start["plan"] |= {"max_steps": start["step"] + finish, "decay_steps": finish}
        if (kept := load_checkpoint(folder)) and kept["step"] >= kept["plan"]["max_steps"]:
            raise PlaygroundError(f"{folder} is finished already. Remove it to finish the run anew.")
    elif grow_from and not checkpoints(folder):
        start = _grown(work, grow_from, replace(TARGET, vocab=corpus.about["vocab"], **changes.shape))
    begun = load_checkpoint(folder) or start or {}
    about = begun.get("about") or {"objective": "next-token", "source": source or "corpus"}
    if grow_from and "about" not in begun:
        about["grown_from"] = grow_from
    if source and source != about["source"]:
        raise PlaygroundError(
            f"{folder} reads the {about['source']} to its end. To go on with other text, begin a new run with "
            f"--grow-from {name}."
        )
    _check_known("A target", about["source"], TARGET_SOURCES)
    tokens = corpus.train
    if about["source"] == "plainest":
        tokens, of_texts = read_plainest(work / PLAINEST)
        if about.setdefault("of_texts", of_texts) != of_texts:
            raise PlaygroundError(
                f"{folder} was begun with {about['of_texts']} texts, and {work / PLAINEST} now keeps {of_texts}. Run "
                "the step plainest with the share of then, or begin a new run."
            )
    return _run(folder, corpus, tokens, next_token, TARGET, changes, about, say, start=start)


def train_draft(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    teacher: str | None = None,
    source: str | None = None,
    objective: str | None = None,
    grow_from: str | None = None,
) -> dict[str, Any]:
    """Train a draft, or continue it.

    Args:
        work, name, changes, say: as for `train_target`.
        teacher: the target, a run in the work folder or an exported folder.
        source: what the draft reads, "corpus" or "samples": text that the target wrote.
        objective: "next-token", or the "divergence" or the "rejection" rate from the target.
            None, for each of these three, is what the run was begun with; in a new run the target as far as it is
            made, its samples, and the divergence.
        grow_from: as for `train_target`.
    """
    corpus = open_corpus(work / "corpus")
    kept = (load_checkpoint(work / name) or {}).get("about", {})
    about = {
        "teacher": teacher or kept.get("teacher") or newest_target(work),
        "source": source or kept.get("source") or "samples",
        "objective": objective or kept.get("objective") or "divergence",
    }
    start = None
    if grow_from and not kept:
        start = _grown(work, grow_from, replace(DRAFT, vocab=corpus.about["vocab"], **changes.shape))
    if grown_from := kept.get("grown_from") or grow_from:
        about["grown_from"] = grown_from
    for asked, known in ((about["source"], DRAFT_SOURCES), (about["objective"], OBJECTIVES)):
        _check_known("A draft", asked, known)
    target = read_target(work, about["teacher"])
    if changes.plan.get("compiled"):
        target.compile_layers()
    tokens = (
        corpus.train if about["source"] == "corpus" else read_samples(samples_folder(work, about["teacher"]), target)
    )
    objectives = {"next-token": next_token, "divergence": Divergence(target), "rejection": Rejection(target)}
    contexts = even_windows(corpus.held_out, *CONTEXTS)

    def measure(draft: Network) -> dict[str, float]:
        return _loss(corpus, draft) | agreement(target, draft, contexts)

    objective_of_run = objectives[about["objective"]]
    return _run(work / name, corpus, tokens, objective_of_run, DRAFT, changes, about, say, start=start, measure=measure)


def make_samples(work: Path, teacher: str | None, num_tokens: int, *, say: Say) -> dict[str, Any]:
    """Have the target write text for its draft to learn on, or more of it."""
    corpus = open_corpus(work / "corpus")
    name = teacher or newest_target(work)
    folder, target = samples_folder(work, name), read_target(work, name)
    with only_one(folder):
        made = sample_text(target, corpus.train, folder, num_tokens=num_tokens, progress=lambda n: say(f"{n:,} tokens"))
    return {"samples": str(folder), "tokens": len(made)}


def make_plainest(work: Path, teacher: str | None, share: float, *, say: Say) -> dict[str, Any]:
    """Have a network choose the texts that it finds easiest, for a target's last steps."""
    corpus = open_corpus(work / "corpus")
    end = read_tokenizer(corpus.folder / "tokenizer.json").token_to_id(END_OF_TEXT)
    folder, network = work / PLAINEST, read_target(work, teacher or newest_target(work))
    with only_one(folder):
        about = keep_plainest(
            network, corpus.train, end, folder, share=share, progress=lambda n: say(f"{n:,} texts ranked")
        )
    return {"plainest": str(folder), **about}


def newest_target(work: Path) -> str:
    """The name of the finished target, or of the one in training."""
    return f"target{FINISHED}" if checkpoints(work / f"target{FINISHED}") else "target"


def read_target(work: Path, name: str) -> Network:
    """The target that a draft learns from: a run in the work folder, or an exported folder."""
    if (Path(name) / "config.json").is_file():
        return read_exported(Path(name))
    if (work / name).is_dir():
        return load_network(work / name)
    raise PlaygroundError(f"There is no run {name!r} in {work}, nor a model folder of that name. Train it first.")


def samples_folder(work: Path, target_name: str) -> Path:
    """Where the text is that a target wrote."""
    return work / f"samples-of-{Path(target_name).name}"


def read_checkpoint(folder: Path) -> dict[str, Any]:
    """The newest checkpoint of a run.

    Raises:
        PlaygroundError: if there is none.
    """
    state = load_checkpoint(folder)
    if state is None:
        raise PlaygroundError(f"{folder} holds no checkpoint. Train this model first.")
    return state


def _check_known(who: str, asked: str, known: tuple[str, ...]) -> None:
    if asked not in known:
        raise PlaygroundError(f"{who} is not trained on {asked!r}.{did_you_mean(asked, known)}")


def _run(
    folder: Path,
    corpus: Corpus,
    tokens: np.ndarray,
    objective: Objective[Network],
    default: Shape,
    changes: Changes,
    about: dict[str, str],
    say: Say,
    *,
    start: dict[str, Any] | None = None,
    measure: Callable[[Network], dict[str, float]] | None = None,
) -> dict[str, Any]:
    """Train with the settings of the checkpoint that is continued, and with what was asked to differ."""
    kept = load_checkpoint(folder) or start
    base = Shape(**kept["shape"]) if kept else replace(default, vocab=corpus.about["vocab"])
    settings = kept or {"plan": {}, "rates": {}}
    begun = kept["step"] if kept else 0
    plan = Plan(**settings["plan"] | changes.plan)
    state = train(
        folder,
        Network(replace(base, **changes.shape), seed=plan.seed),
        plan,
        Rates(**settings["rates"] | changes.rates),
        lambda first, count: windows(tokens, first, count, plan.window, seed=plan.seed),
        objective,
        about=about,
        start=start,
        measure=measure or (lambda network: _loss(corpus, network)),
        progress=Progress(say),
    )
    network = load_network(folder)
    return {
        "run": str(folder),
        "parameters": network.num_parameters,
        "steps_now": state["step"] - begun,
        "step": state["step"],
        "tokens": state["tokens"],
        "cpu_hours": state["cpu_s"] / 3600,
        **_loss(corpus, network),
    }


def _grown(work: Path, source: str, shape: Shape) -> dict[str, Any]:
    """The start of a new run: a network that is there already, made larger."""
    start = {"shape": asdict(shape), "plan": {}, "rates": {}, "step": 0, "windows": 0, "tokens": 0, "cpu_s": 0.0}
    return start | {"weights": grow(read_target(work, source), shape).state_dict(), "optimiser": None}


def _loss(corpus: Corpus, network: Network) -> dict[str, float]:
    nats = held_out_losses(network, corpus.held_out).mean().item()
    return {"held_out_nats": nats, "held_out_bits_per_byte": bits_per_byte(nats, corpus.bytes_per_token)}


class Progress:
    """A line of words every few steps."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._losses: list[float] = []
        self._seconds = 0.0
        self._tokens: int | None = None

    def __call__(self, line: dict[str, Any]) -> None:
        """Take a line of the log."""
        self._losses.append(line["loss"])
        self._seconds += line["seconds"]
        if "held_out_bits_per_byte" in line:
            self._say(f"step {line['step']}  held out {line['held_out_bits_per_byte']:.4f} bits a byte")
        if line["step"] % LINES == 0:
            read = line["tokens"] - (self._tokens if self._tokens is not None else 0)
            speed = f"  {read / self._seconds:.0f} tokens/s" if self._tokens is not None else ""
            mean = sum(self._losses) / len(self._losses)
            self._say(f"step {line['step']}  loss {mean:.4f}  {line['tokens'] / 1e6:.2f} M tokens{speed}")
            self._losses, self._seconds, self._tokens = [], 0.0, line["tokens"]
