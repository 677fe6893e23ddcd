"""`train`: make a pair of small models from a folder of plain text, step by step, and drafters for its target."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playground.cli.command import Parser, add_command, finish, print_json, say_progress

SHAPE = ("layers", "width", "heads", "feed_forward", "tied", "positions", "rank")
PLAN = (
    "tokens_per_step", "window", "warm_up", "decay_steps", "max_steps", "checkpoint_s", "measure_steps",
    "low_precision", "compiled", "seed",
)  # fmt: skip
RATES = ("matrices", "embeddings", "others", "decay")
SOME_TEXT = "A folder of plain text."
WORDS = {  # for the model cards
    "title": "of the pair",
    "data": f"what the text is; default: {SOME_TEXT}",
    "language": "code of the text's: en, de, ...",
    "licence": "of the models: mit, cc0-1.0, ...",
}


def add(commands: Any) -> None:
    """Add `train` and its steps to the subcommands."""
    help = "Make a pair of small models from a folder of plain text. Every step can be stopped and asked for again."
    train = commands.add_parser("train", help=help, description=help)
    steps = train.add_subparsers(dest="step", required=True, parser_class=Parser)
    _add_texts(steps)
    _add_runs(steps)
    _add_results(steps)


def _add_texts(steps: Any) -> None:
    step = _step(steps, "tokenizer", _tokenizer, "Learn a tokenizer, and tokenise the text with it.")
    step.add_argument("--text", type=Path, required=True, metavar="DIR", help="a folder with .txt files")
    step.add_argument("--held-out", type=Path, metavar="FILE", help="keep it out of training; default: the end")
    step.add_argument("--vocab", type=int, default=4096, metavar="N", help="tokens to learn")
    step.add_argument("--tokenizer", type=Path, metavar="FILE", help="a tokenizer.json to use instead")

    step = _step(steps, "samples", _samples, "Have the target write text for its draft to learn on.")
    step.add_argument("--tokens", type=_count, default=1_000_000, metavar="N")
    step.add_argument("--chat", action="store_true", help="begin as a user of the chat model, and not with the corpus")
    _add_teacher(step)


def _add_runs(steps: Any) -> None:
    """Add a step for each kind of run; options without a default keep what the run was begun with."""
    number = {"type": _count, "metavar": "N"}
    teacher = {"metavar": "RUN|DIR|GGUF", "help": "the target; default: target"}
    tokens = number | {"dest": "num_tokens", "help": "whose features are kept and read; default: 262144"}
    fused = "fuse operations: half as fast again after a minute's compiling; needs a C++ compiler"
    whole = {
        "--compiled": {"action": argparse.BooleanOptionalAction, "default": None, "help": fused},
        "--start-from": {"dest": "started_from", "metavar": "RUN|DIR", "help": "begin a new run as this model"},
    }
    own: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
        "target": ("the target", whole),
        "draft": (
            "a draft to agree with the target",
            whole
            | {
                "--source": {"help": "samples: text the target wrote (default), or corpus"},
                "--objective": {"help": "divergence (default), rejection or next-token"},
                "--teacher": teacher,
            },
        ),
        "head": (
            "a head that drafts from the target's features",
            {
                "--source": {"help": "corpus (default), or samples: text the target wrote"},
                "--draft-vocabulary": number | {"help": "draft its N most frequent tokens alone"},
                "--steps": number | {"help": "number of the head's own guesses to train on; default: 3"},
                "--teacher": teacher,
                "--tokens": tokens,
            },
        ),
        "block": (
            "a drafter of several positions in one call",
            {
                "--positions": number | {"help": "drafted in one call; default: 8"},
                "--rank": number | {"help": "of the Markov bias; default: 32"},
                "--teacher": teacher,
                "--tokens": tokens,
            },
        ),
    }
    for kind, (what, options) in own.items():
        step = _add_run(steps, kind, f"Train {what}, or go on with it.")
        for flag, option in options.items():
            step.add_argument(flag, **option)


def _add_results(steps: Any) -> None:
    step = _step(steps, "export", _export, "Write the trained models as folders that can be loaded.")
    step.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets a folder for each model")
    step.add_argument("--target", metavar="RUN", default="target")
    step.add_argument("--draft", default="draft", metavar="RUN")
    step.add_argument("--also", action="append", default=[], metavar="RUN", help="another run to write with them")
    only = "write this model of a pair that is there, or its head or block, and nothing else"
    step.add_argument("--only", metavar="ROLE", help=only)
    step.add_argument("--run", dest="one_run", metavar="RUN", help="whose model that is; default: of the role's name")
    words = step.add_argument_group("for the model cards")
    for name, of in WORDS.items():
        words.add_argument(f"--{name}", metavar="TEXT", help=of)

    step = add_command(steps, "evaluate", _evaluate, "Measure an exported pair, and write its model cards.")
    step.add_argument("--models", type=Path, required=True, metavar="DIR", help="with folders target and draft")
    step.add_argument("--held-out", type=Path, required=True, metavar="FILE", help="text that neither has read")
    prompts = "a .txt, .jsonl, .json or .csv, or a preset"
    step.add_argument("--prompts", default="quick", metavar="FILE|PRESET", help=prompts)
    step.add_argument("--windows", type=_count, default=60, metavar="N", help="of 512 held-out tokens, spread evenly")
    step.add_argument("--only", choices=("head", "block"), help="measure this drafter for the target alone")


def _step(steps: Any, name: str, run: Callable[[argparse.Namespace], None], help: str) -> argparse.ArgumentParser:
    step = add_command(steps, name, run, help)
    step.add_argument("--work", type=Path, required=True, metavar="DIR", help="where everything is kept")
    return step


def _add_run(steps: Any, kind: str, help: str) -> argparse.ArgumentParser:
    step = _step(steps, kind, _train, help)
    step.add_argument("--name", default=kind, help="of the run, a folder in the work folder")
    step.add_argument("--threads", type=_count, default=1, metavar="N", help="of this call, not kept; default: 1")
    flags = step.add_argument_group("settings, kept by the run")
    for name in ("layers", "width", "heads", "feed-forward", "tokens-per-step", "window", "warm-up", "measure-steps"):
        flags.add_argument(f"--{name}", type=int, metavar="N")
    flags.add_argument("--tied", action=argparse.BooleanOptionalAction, default=None, help="output layer = embedding")
    flags.add_argument("--max-steps", type=int, metavar="N", help="end there; 0: only when told to")
    flags.add_argument("--decay-steps", type=int, metavar="N", help="let the rate fall to zero in the last N")
    flags.add_argument("--checkpoint-s", type=float, metavar="SECONDS", help="between checkpoints")
    flags.add_argument("--low-precision", action=argparse.BooleanOptionalAction, default=None, help="bfloat16")
    flags.add_argument("--seed", type=int)
    for name in RATES:
        flags.add_argument(f"--rate-{name}", type=float, metavar="X", dest=name)
    return step


def _add_teacher(step: argparse.ArgumentParser) -> None:
    step.add_argument("--teacher", metavar="RUN|DIR|GGUF", help="the target; default: target")


def _count(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word} is not a number from 1")
    return int(word)


def _tokenizer(parsed: argparse.Namespace) -> None:
    from playground.makers.training.text.corpus import prepare_corpus

    given = {name: getattr(parsed, name) for name in ("vocab", "held_out", "tokenizer")}
    finish(parsed, prepare_corpus(parsed.text, parsed.work / "corpus", **given, progress=say_progress).about)


def _samples(parsed: argparse.Namespace) -> None:
    from playground.makers.training.pair.runs import make_samples

    _use_threads(1)
    chat = parsed.chat
    finish(parsed, make_samples(parsed.work, parsed.teacher or "target", parsed.tokens, say=say_progress, is_chat=chat))


def _train(parsed: argparse.Namespace) -> None:
    from playground.makers.training.kinds import KINDS
    from playground.makers.training.run import STARTED_FROM, Changes, train_run

    _use_threads(parsed.threads)
    kind, values = KINDS[parsed.step], {name: value for name, value in vars(parsed).items() if value is not None}
    if values.get("max_steps") == 0:
        values["max_steps"] = None
    changes = Changes(*({name: values[name] for name in names if name in values} for names in (SHAPE, PLAN, RATES)))
    given = {name: str(values[name]) for name in (*kind.usual, STARTED_FROM) if name in values}
    finish(parsed, train_run(kind, parsed.work, parsed.name, changes, given, say_progress))


def _export(parsed: argparse.Namespace) -> None:
    from playground.makers.training.kinds import BESIDE
    from playground.makers.training.pair.release import export_beside, export_one, export_pair

    runs = {"target": parsed.target, "draft": parsed.draft}
    runs |= {name: name for name in parsed.also}
    words = {name: text for name in WORDS if (text := getattr(parsed, name))}
    role, folders = parsed.only, (parsed.work, parsed.out)
    run = parsed.one_run or runs.get(role, role)
    if role is None:
        finish(parsed, export_pair(*folders, runs, words={"data": SOME_TEXT} | words))
    elif role in BESIDE:
        finish(parsed, export_beside(BESIDE[role], *folders, run))
    else:
        finish(parsed, export_one(*folders, role, run, words=words))


def _evaluate(parsed: argparse.Namespace) -> None:
    from playground.bench.prompts import read_prompts
    from playground.makers.training.kinds import BESIDE
    from playground.makers.training.pair.release import evaluate_beside, evaluate_pair

    _use_threads(1)
    if parsed.only in BESIDE:
        print_json(evaluate_beside(BESIDE[parsed.only], parsed.models, parsed.held_out, count=parsed.windows))
    else:
        prompts = read_prompts(parsed.prompts)
        print_json(evaluate_pair(parsed.models, parsed.held_out, prompts, count=parsed.windows))


def _use_threads(count: int) -> None:
    import torch

    torch.set_num_threads(count)
