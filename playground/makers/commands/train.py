"""`train`: make a pair of small models from a folder of plain text, step by step, and drafters for its target."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import field, make_dataclass
from pathlib import Path
from typing import Annotated, Any

from playground.cli.command import FlagsOf, Json, Prompts, add_command, finish, flag, print_json, say_progress
from playground.flags import Parser

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
    add_command(steps, tokenizer)
    add_command(steps, samples)
    for kind, (what, own) in OWN.items():
        add_command(steps, _train(kind, f"Train {what}, or go on with it.", own), kind)
    add_command(steps, export)
    add_command(steps, evaluate)


def _count(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word} is not a number from 1")
    return int(word)


Work = Annotated[Path, flag("where everything is kept", metavar="DIR")]
Teacher = Annotated[str | None, flag("the target; default: target", metavar="RUN|DIR|GGUF")]


def tokenizer(
    *,
    work: Work,
    text: Annotated[Path, flag("a folder with .txt files", metavar="DIR")],
    held_out: Annotated[Path | None, flag("keep it out of training; default: the end", metavar="FILE")] = None,
    vocab: Annotated[int, flag("tokens to learn", metavar="N")] = 4096,
    tokenizer: Annotated[Path | None, flag("a tokenizer.json to use instead", metavar="FILE")] = None,
    as_json: Json = False,
) -> None:
    """Learn a tokenizer, and tokenise the text with it."""
    from playground.makers.training.text.corpus import prepare_corpus

    given = {"vocab": vocab, "held_out": held_out, "tokenizer": tokenizer}
    finish(prepare_corpus(text, work / "corpus", **given, progress=say_progress).about, as_json=as_json)


def samples(
    *,
    work: Work,
    tokens: Annotated[int, flag("to write", type=_count, metavar="N")] = 1_000_000,
    chat: Annotated[bool, flag("begin as a user of the chat model, and not with the corpus")] = False,
    teacher: Teacher = None,
    as_json: Json = False,
) -> None:
    """Have the target write text for its draft to learn on."""
    from playground.makers.training.pair.runs import make_samples

    _use_threads(1)
    finish(make_samples(work, teacher or "target", tokens, say=say_progress, is_chat=chat), as_json=as_json)


def _flags(*flags: tuple[str, Any, dict[str, Any]]) -> FlagsOf:
    """Return flags of these names, types and facts; one that is not given keeps what the run was begun with."""
    kinds = [(name, kind | None, field(default=None, metadata=facts)) for name, kind, facts in flags]
    return FlagsOf(make_dataclass("Flags", kinds))


_NUMBER = {"type": _count, "metavar": "N"}
_EITHER = {"action": argparse.BooleanOptionalAction}
_TEACHER = ("teacher", str, flag("the target; default: target", metavar="RUN|DIR|GGUF"))
_TOKENS = (
    "num_tokens",
    int,
    flag("whose features are kept and read; default: 262144", **_NUMBER, flag="tokens"),
)
_WHOLE = (
    (
        "compiled",
        bool,
        flag("fuse operations: half as fast again after a minute's compiling; needs a C++ compiler", **_EITHER),
    ),
    ("started_from", str, flag("begin a new run as this model", flag="start-from", metavar="RUN|DIR")),
)
OF_RUN = _flags(
    *((name, int, flag("of the network", metavar="N")) for name in ("layers", "width", "heads", "feed_forward")),
    *((name, int, flag("of the run", metavar="N")) for name in ("tokens_per_step", "window", "warm_up")),
    ("measure_steps", int, flag("between two measurements", metavar="N")),
    ("tied", bool, flag("output layer = embedding", **_EITHER)),
    ("max_steps", int, flag("end there; 0: only when told to", metavar="N")),
    ("decay_steps", int, flag("let the rate fall to zero in the last N", metavar="N")),
    ("checkpoint_s", float, flag("between checkpoints", metavar="SECONDS")),
    ("low_precision", bool, flag("bfloat16", **_EITHER)),
    ("seed", int, flag("of the run")),
    *((name, float, flag("a rate of learning", flag=f"rate-{name}", metavar="X")) for name in RATES),
)
OWN: dict[str, tuple[str, FlagsOf]] = {
    "target": ("the target", _flags(*_WHOLE)),
    "draft": (
        "a draft to agree with the target",
        _flags(
            *_WHOLE,
            ("source", str, flag("samples: text the target wrote (default), or corpus")),
            ("objective", str, flag("divergence (default), rejection or next-token")),
            _TEACHER,
        ),
    ),
    "head": (
        "a head that drafts from the target's features",
        _flags(
            ("source", str, flag("corpus (default), or samples: text the target wrote")),
            ("draft_vocabulary", int, flag("draft its N most frequent tokens alone", **_NUMBER)),
            ("steps", int, flag("number of the head's own guesses to train on; default: 3", **_NUMBER)),
            _TEACHER,
            _TOKENS,
        ),
    ),
    "block": (
        "a drafter of several positions in one call",
        _flags(
            ("positions", int, flag("drafted in one call; default: 8", **_NUMBER)),
            ("rank", int, flag("of the Markov bias; default: 32", **_NUMBER)),
            _TEACHER,
            _TOKENS,
        ),
    ),
}


def _train(kind_name: str, about: str, own_flags: FlagsOf) -> Callable[..., None]:
    """Return the step that trains a kind of run."""

    def train(
        *,
        work: Work,
        name: Annotated[str, flag("of the run, a folder in the work folder")] = kind_name,
        threads: Annotated[int, flag("of this call, not kept; default: 1", **_NUMBER)] = 1,
        settings: Annotated[dict[str, Any], OF_RUN],
        own: Annotated[dict[str, Any], own_flags],
        as_json: Json = False,
    ) -> None:
        from playground.makers.training.kinds import KINDS
        from playground.makers.training.run import STARTED_FROM, Changes, train_run

        _use_threads(threads)
        kind = KINDS[kind_name]
        values = {name: value for name, value in {**settings, **own}.items() if value is not None}
        if values.get("max_steps") == 0:
            values["max_steps"] = None
        changes = Changes(*({name: values[name] for name in names if name in values} for names in (SHAPE, PLAN, RATES)))
        given = {name: str(values[name]) for name in (*kind.usual, STARTED_FROM) if name in values}
        finish(train_run(kind, work, name, changes, given, say_progress), as_json=as_json)

    train.__doc__ = about
    return train


def export(
    *,
    work: Work,
    out: Annotated[Path, flag("gets a folder for each model", metavar="DIR")],
    target: Annotated[str, flag("the target's run", metavar="RUN")] = "target",
    draft: Annotated[str, flag("the draft's run", metavar="RUN")] = "draft",
    also: Annotated[Sequence[str], flag("another run to write with them", metavar="RUN")] = (),
    only: Annotated[
        str | None,
        flag("write this model of a pair that is there, or its head or block, and nothing else", metavar="ROLE"),
    ] = None,
    one_run: Annotated[
        str | None, flag("whose model that is; default: of the role's name", flag="run", metavar="RUN")
    ] = None,
    words: Annotated[dict[str, Any], _flags(*((name, str, flag(of, metavar="TEXT")) for name, of in WORDS.items()))],
    as_json: Json = False,
) -> None:
    """Write the trained models as folders that can be loaded."""
    from playground.makers.training.kinds import BESIDE
    from playground.makers.training.pair.release import export_beside, export_one, export_pair

    runs = {"target": target, "draft": draft, **{name: name for name in also}}
    words = {name: text for name, text in words.items() if text}
    run = one_run or runs.get(only or "", only or "")
    if only is None:
        result = export_pair(work, out, runs, words={"data": SOME_TEXT} | words)
    elif only in BESIDE:
        result = export_beside(BESIDE[only], work, out, run)
    else:
        result = export_one(work, out, only, run, words=words)
    finish(result, as_json=as_json)


def evaluate(
    *,
    models: Annotated[Path, flag("with folders target and draft", metavar="DIR")],
    held_out: Annotated[Path, flag("text that neither has read", metavar="FILE")],
    prompts: Prompts = "quick",
    windows: Annotated[int, flag("of 512 held-out tokens, spread evenly", **_NUMBER)] = 60,
    only: Annotated[
        str | None,
        flag("measure this drafter for the target alone", choices=("head", "block")),
    ] = None,
) -> None:
    """Measure an exported pair, and write its model cards."""
    from playground.bench.prompts import read_prompts
    from playground.makers.training.kinds import BESIDE
    from playground.makers.training.pair.release import evaluate_beside, evaluate_pair

    _use_threads(1)
    if only in BESIDE:
        print_json(evaluate_beside(BESIDE[only], models, held_out, count=windows))
    else:
        print_json(evaluate_pair(models, held_out, read_prompts(prompts), count=windows))


def _use_threads(count: int) -> None:
    import torch

    torch.set_num_threads(count)
