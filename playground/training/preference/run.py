"""A target that learns from its own continuations which ones a reader keeps: written, judged, and trained on."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.training.checkpoints import load_checkpoint
from playground.training.export import as_transformers
from playground.training.loop import Plan
from playground.training.pair import PROSE
from playground.training.pipeline import Changes, grown, newest_target, read_target, run_network
from playground.training.preference.judged import Pair, pairs, read_judged, write_continuations, write_judged
from playground.training.preference.objective import Preference
from playground.training.text.corpus import open_corpus
from playground.training.text.tokenizer import END_OF_TEXT, read_tokenizer

SOURCE = "judged"
LENGTH = 150  # tokens of a continuation
SENTENCES = (1, 2, 3)  # of a text's beginning that are given
SENTENCE = re.compile(r"[^.!?]*[.!?][\"']?(?=\s|$)")
FEWEST = 8  # sentences of a text: a shorter one is over before there is anything to judge
MOST = 3  # pairs of one opening
BETA = 0.1
AT_A_STEP, TOGETHER = 16, 8  # pairs
PASSES = 3
# of Muon and AdamW, far below those of training: the network is to remain what it is
RATES = {"matrices": 0.0009, "embeddings": 0.00005, "others": 0.00005, "decay": 0.0}

Say = Callable[[str], None]


def make_continuations(
    work: Path, teacher: str | None, file: Path, *, openings: int, each: int, seed: int, say: Say
) -> dict[str, Any]:
    """Have a target continue beginnings of its text, for a reader to judge.

    Args:
        work: the work folder.
        teacher: the target, a run or an exported folder.
        file: what is written, `.jsonl` or `.jsonl.gz`.
        openings: how many beginnings.
        each: continuations of one.
        seed: of what is drawn.
        say: told how it goes.

    Raises:
        PlaygroundError: if the file is there, the text holds too few beginnings, or it cannot be written.
    """
    if file.exists():
        raise PlaygroundError(f"{file} is there already, perhaps with judgements. Choose another name.")
    corpus = open_corpus(work / "corpus")
    tokenizer = read_tokenizer(corpus.folder / "tokenizer.json")
    text = tokenizer.decode(corpus.train.tolist(), skip_special_tokens=False)
    given = _openings(text, openings, seed)
    model = as_transformers(read_target(work, teacher or newest_target(work)), dtype=torch.float32)
    lines = write_continuations(
        model,
        tokenizer,
        given,
        each=each,
        length=LENGTH,
        temperature=PROSE.temperature,
        top_p=PROSE.top_p,
        seed=seed,
        progress=lambda count: say(f"{count:,} continuations"),
    )
    write_judged(file, lines)
    return {"file": str(file), "openings": len(given), "continuations": len(lines)}


def train_preferred(
    work: Path, name: str, changes: Changes, *, say: Say, judged: Path | None = None, grow_from: str | None = None
) -> dict[str, Any]:
    """Train a copy of a target on what a reader preferred, or continue it.

    Args:
        work, name, changes, say: as for `train_target`.
        judged: a file of judged continuations, or a folder of such files; None is what the run was begun with.
        grow_from: the target, a run or an exported folder, that wrote them or is near it; needed for a new run.

    Raises:
        PlaygroundError: if nothing was judged, or more than when the run was begun, it is not said what to begin from,
            or layers are to be compiled.
    """
    corpus = open_corpus(work / "corpus")
    folder = work / name
    kept = load_checkpoint(folder) or {}
    about = dict(kept.get("about", {}))
    source, begin = about.get(SOURCE) or judged, about.get("grown_from") or grow_from
    if not source or not begin:
        raise PlaygroundError("A new run needs both: --judged with the continuations, and --grow-from with the target.")
    if changes.plan.get("compiled"):
        raise PlaygroundError("Continuations are of all lengths, and each would be compiled for. Leave out --compiled.")
    reference = read_target(work, begin)
    found = pairs(_read(Path(source)), read_tokenizer(corpus.folder / "tokenizer.json"), most=MOST)
    about |= {"objective": "preference", "source": SOURCE, SOURCE: str(source), "grown_from": begin}
    if about.setdefault("of_pairs", f"{len(found):,}") != f"{len(found):,}":
        raise PlaygroundError(
            f"{folder} was begun with {about['of_pairs']} pairs, and {source} makes {len(found):,}. Begin a new run."
        )
    low_precision = Plan(**_plan(found) | kept.get("plan", {}) | changes.plan).low_precision
    objective = Preference(found, reference, BETA, low_precision=low_precision)
    start = grown(work, begin, reference.shape) | {"plan": _plan(found), "rates": RATES}
    return run_network(
        folder,
        corpus,
        lambda plan: lambda first, count: objective.order(first, count, seed=plan.seed),
        objective,
        reference.shape,
        changes,
        about,
        say,
        start=start,
    )


def _openings(text: str, count: int, seed: int) -> list[str]:
    """The first sentences of texts, drawn; such that hold whole speeches."""
    draws = random.Random(seed)
    texts = [part.strip() for part in text.split(END_OF_TEXT)]
    draws.shuffle(texts)
    found: list[str] = []
    for part in texts:
        sentences = SENTENCE.findall(part)
        opening = "".join(sentences[: draws.choice(SENTENCES)])
        if len(sentences) >= FEWEST and opening.count('"') % 2 == 0 and opening not in found:
            found.append(opening)
        if len(found) == count:
            return found
    raise PlaygroundError(f"The text has {len(found):,} beginnings that can be continued. Ask for no more.")


def _read(source: Path) -> list[dict[str, Any]]:
    files = sorted(source.glob("*.jsonl*")) if source.is_dir() else [source]
    if not files:
        raise PlaygroundError(f"{source} holds no file of judged continuations. Write and judge some first.")
    return [line for file in files for line in read_judged(file)]


def _plan(found: list[Pair]) -> dict[str, Any]:
    """Some passes over all pairs, with a falling rate; in it, a pair is what elsewhere is a window."""
    sizes = [len(each.opening) + len(each.tokens) for pair in found for each in pair]
    window = 2 * sum(sizes) // len(sizes)
    steps = max(1, PASSES * len(found) // AT_A_STEP)
    warm_up = min(10, steps // 2)
    settings = {"window": window, "tokens_per_step": AT_A_STEP * window, "tokens_at_once": TOGETHER * window}
    return settings | {"warm_up": warm_up, "max_steps": steps, "decay_steps": steps - warm_up, "measure_steps": 50}
