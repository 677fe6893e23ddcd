"""`train`: make a pair of small models from a folder of plain text, step by step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.cli.command import Parser, add_command, print_json

if TYPE_CHECKING:
    from playground.training.pipeline import Changes

SHAPE = ("layers", "width", "heads", "feed_forward", "tied")
PLAN = (
    "tokens_per_step", "window", "warm_up", "decay_steps", "max_steps", "checkpoint_s", "measure_steps",
    "low_precision", "seed",
)  # fmt: skip
RATES = ("matrices", "embeddings", "others", "decay")


def add(commands: Any) -> None:
    """Add `train` and its steps to the subcommands."""
    help = "Make a pair of small models from a folder of plain text. Every step can be stopped and asked for again."
    train = commands.add_parser("train", help=help, description=help)
    steps = train.add_subparsers(dest="step", required=True, parser_class=Parser)

    tokenizer = _step(steps, "tokenizer", _tokenizer, "Learn a tokenizer, and tokenise the text with it.")
    tokenizer.add_argument("--text", type=Path, required=True, metavar="DIR", help="a folder with .txt files")
    tokenizer.add_argument("--held-out", type=Path, metavar="FILE", help="keep it out of training; default: the end")
    tokenizer.add_argument("--vocab", type=int, default=4096, metavar="N", help="tokens to learn")
    tokenizer.add_argument("--tokenizer", type=Path, metavar="FILE", help="a tokenizer.json to use instead")

    target = _step(steps, "target", _target, "Train the target, or go on with it.")
    target.add_argument("--name", default="target", help="of the run, a folder in the work folder")
    target.add_argument("--finish", type=int, default=0, metavar="N", help="finish a copy of the run, in N more steps")
    _add_changes(target)

    samples = _step(steps, "samples", _samples, "Have the target write text for its draft to learn on.")
    samples.add_argument("--tokens", type=int, default=1_000_000, metavar="N")
    samples.add_argument("--teacher", metavar="RUN|DIR", help="the target; default: target-finished, else target")

    draft = _step(steps, "draft", _draft, "Train a draft to agree with the target, or go on with it.")
    draft.add_argument("--name", default="draft", help="of the run, a folder in the work folder")
    draft.add_argument("--teacher", metavar="RUN|DIR", help="the target; default: target-finished, else target")
    draft.add_argument("--source", default="samples", help="corpus, or samples: text the target wrote")
    draft.add_argument("--objective", default="divergence", help="divergence, rejection or next-token")
    _add_changes(draft)


def _step(steps: Any, name: str, run: Callable[[argparse.Namespace], None], help: str) -> argparse.ArgumentParser:
    step = add_command(steps, name, run, help)
    step.add_argument("--work", type=Path, required=True, metavar="DIR", help="where everything is kept")
    return step


def _add_changes(step: argparse.ArgumentParser) -> None:
    """Flags whose default is what the run was begun with."""
    flags = step.add_argument_group("settings, kept by the run")
    for name in ("layers", "width", "heads", "feed-forward", "tokens-per-step", "window", "warm-up", "measure-steps"):
        flags.add_argument(f"--{name}", type=int, metavar="N")
    flags.add_argument("--tied", action=argparse.BooleanOptionalAction, default=None, help="output layer = embedding")
    flags.add_argument("--max-steps", type=int, metavar="N", help="end there; default: when told to")
    flags.add_argument("--decay-steps", type=int, metavar="N", help="let the rate fall to zero in the last N")
    flags.add_argument("--checkpoint-s", type=float, metavar="SECONDS", help="between checkpoints")
    flags.add_argument("--low-precision", action=argparse.BooleanOptionalAction, default=None, help="bfloat16")
    flags.add_argument("--seed", type=int)
    for name in RATES:
        flags.add_argument(f"--rate-{name}", type=float, metavar="X", dest=name)


def _changes(parsed: argparse.Namespace) -> Changes:
    from playground.training.pipeline import Changes

    given = {name: value for name, value in vars(parsed).items() if value is not None}
    return Changes(*({name: given[name] for name in names if name in given} for names in (SHAPE, PLAN, RATES)))


def _tokenizer(parsed: argparse.Namespace) -> None:
    from playground.training.corpus import prepare_corpus

    corpus = prepare_corpus(
        parsed.text,
        parsed.work / "corpus",
        vocab=parsed.vocab,
        held_out=parsed.held_out,
        tokenizer=parsed.tokenizer,
        progress=_say,
    )
    _finish(parsed, corpus.about)


def _target(parsed: argparse.Namespace) -> None:
    from playground.training.pipeline import train_target

    _one_thread()
    _finish(parsed, train_target(parsed.work, parsed.name, _changes(parsed), finish=parsed.finish, say=_say))


def _samples(parsed: argparse.Namespace) -> None:
    from playground.training.pipeline import make_samples

    _one_thread()
    _finish(parsed, make_samples(parsed.work, parsed.teacher, parsed.tokens, say=_say))


def _draft(parsed: argparse.Namespace) -> None:
    from playground.training.pipeline import train_draft

    _one_thread()
    _finish(
        parsed,
        train_draft(
            parsed.work,
            parsed.name,
            _changes(parsed),
            teacher=parsed.teacher,
            source=parsed.source,
            objective=parsed.objective,
            say=_say,
        ),
    )


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def _finish(parsed: argparse.Namespace, result: dict[str, Any]) -> None:
    if parsed.json:
        print_json(result)
    else:
        print("\n".join(f"{name}: {value}" for name, value in result.items()))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
