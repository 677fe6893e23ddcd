"""`train`: make a pair of small models from a folder of plain text, step by step."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.cli.command import Parser, add_command, finish, print_json, say_progress
from playground.errors import PlaygroundError

if TYPE_CHECKING:
    from playground.training.beside import Beside
    from playground.training.run import Changes

SHAPE = ("layers", "width", "heads", "feed_forward", "tied", "positions", "rank")
PLAN = (
    "tokens_per_step", "window", "warm_up", "decay_steps", "max_steps", "checkpoint_s", "measure_steps",
    "low_precision", "compiled", "seed",
)  # fmt: skip
RATES = ("matrices", "embeddings", "others", "decay")
SOME_TEXT = "A folder of plain text."


def add(commands: Any) -> None:
    """Add `train` and its steps to the subcommands."""
    help = "Make a pair of small models from a folder of plain text. Every step can be stopped and asked for again."
    train = commands.add_parser("train", help=help, description=help)
    steps = train.add_subparsers(dest="step", required=True, parser_class=Parser)
    for add_step in (
        _add_tokenizer,
        _add_target,
        _add_plainest,
        _add_samples,
        _add_draft,
        _add_head,
        _add_block,
        _add_exits,
        _add_export,
        _add_foreign,
        _add_evaluate,
    ):
        add_step(steps)


def _add_tokenizer(steps: Any) -> None:
    step = _step(steps, "tokenizer", _tokenizer, "Learn a tokenizer, and tokenise the text with it.")
    step.add_argument("--text", type=Path, required=True, metavar="DIR", help="a folder with .txt files")
    step.add_argument("--held-out", type=Path, metavar="FILE", help="keep it out of training; default: the end")
    step.add_argument("--vocab", type=int, default=4096, metavar="N", help="tokens to learn")
    step.add_argument("--tokenizer", type=Path, metavar="FILE", help="a tokenizer.json to use instead")


def _add_target(steps: Any) -> None:
    step = _step(steps, "target", _target, "Train the target, or go on with it.")
    step.add_argument("--name", default="target", help="of the run, a folder in the work folder")
    step.add_argument("--finish", type=int, default=0, metavar="N", help="finish a copy of the run, in N more steps")
    step.add_argument("--source", help="corpus (default), or plainest: the texts that the step of that name kept")
    step.add_argument("--grow-from", metavar="RUN|DIR", help="begin a new run as a smaller network, made larger")
    _add_changes(step)


def _add_plainest(steps: Any) -> None:
    step = _step(steps, "plainest", _plainest, "Keep the texts that a target finds easiest, for its last steps.")
    step.add_argument("--share", type=float, default=0.4, metavar="X", help="of the texts; default: 0.4")
    step.add_argument("--teacher", metavar="RUN|DIR", help="who ranks; default: target-finished, else target")
    step.add_argument("--threads", type=int, default=1, metavar="N", help="default: 1")


def _add_samples(steps: Any) -> None:
    step = _step(steps, "samples", _samples, "Have the target write text for its draft to learn on.")
    step.add_argument("--tokens", type=int, default=1_000_000, metavar="N")
    step.add_argument("--teacher", metavar="RUN|DIR|GGUF", help="the target; default: target-finished, else target")
    step.add_argument("--chat", action="store_true", help="begin as a user of the chat model, and not with the corpus")


def _add_draft(steps: Any) -> None:
    step = _step(steps, "draft", _draft, "Train a draft to agree with the target, or go on with it.")
    step.add_argument("--name", default="draft", help="of the run, a folder in the work folder")
    step.add_argument("--teacher", metavar="RUN|DIR", help="the target; default: target-finished, else target")
    step.add_argument("--source", help="samples: text the target wrote (default), or corpus")
    step.add_argument("--objective", help="divergence (default), rejection or next-token")
    step.add_argument("--grow-from", metavar="RUN|DIR", help="begin a new run as a draft, made larger or as it is")
    _add_changes(step)


def _add_head(steps: Any) -> None:
    step = _step(steps, "head", _head, "Train a head that drafts from the target's features, or go on with it.")
    step.add_argument("--name", default="head", help="of the run, a folder in the work folder")
    step.add_argument("--teacher", metavar="RUN|DIR|GGUF", help="the target; default: target-finished, else target")
    step.add_argument("--source", help="corpus (default), or samples: text the target wrote")
    step.add_argument("--draft-vocabulary", type=int, metavar="K", help="draft its K most frequent tokens alone")
    step.add_argument("--objective", help="divergence (default), or features: EAGLE's own")
    step.add_argument("--steps", type=int, metavar="N", help="train on so many of the head's own guesses; default: 3")
    step.add_argument("--tokens", type=int, metavar="N", help="whose features are kept and read; default: 262144")
    _add_changes(step)


def _add_block(steps: Any) -> None:
    step = _step(steps, "block", _block, "Train a drafter of several positions in one call, or go on with it.")
    step.add_argument("--name", default="block", help="of the run, a folder in the work folder")
    step.add_argument("--teacher", metavar="RUN|DIR", help="the target; default: target-finished, else target")
    step.add_argument("--positions", type=int, metavar="N", help="drafted in one call; default: 8")
    step.add_argument("--rank", type=int, metavar="N", help="of the Markov bias; default: 32")
    step.add_argument("--tokens", type=int, metavar="N", help="whose features are kept and read; default: 262144")
    _add_changes(step)


def _add_exits(steps: Any) -> None:
    step = _step(steps, "exits", _exits, "Train exits from a target's middle layers, or go on with them.")
    step.add_argument("--name", default="exits", help="of the run, a folder in the work folder")
    step.add_argument("--teacher", metavar="RUN|DIR", help="the target; default: target-finished, else target")
    step.add_argument("--depths", metavar="N,..", help="after how many layers; default: every second")
    _add_changes(step)


def _add_export(steps: Any) -> None:
    step = _step(steps, "export", _export, "Write the trained models as folders that can be loaded.")
    step.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets a folder for each model")
    step.add_argument("--target", metavar="RUN", help="default: target-finished, else target")
    step.add_argument("--draft", default="draft", metavar="RUN")
    step.add_argument("--also", action="append", default=[], metavar="RUN", help="another run to write beside them")
    step.add_argument("--only", metavar="ROLE", help="write this model of a pair that is there, and nothing else")
    step.add_argument("--head", metavar="RUN", help="write this head beside the target there, and nothing else")
    step.add_argument("--block", metavar="RUN", help="write this block drafter beside the target there, nothing else")
    step.add_argument("--exits", metavar="RUN", help="write these exits beside the target there, and nothing else")
    _add_words(step)


def _add_foreign(steps: Any) -> None:
    step = _step(steps, "foreign", _foreign, "Write a trained model as a draft for a target with another tokenizer.")
    step.add_argument("--name", default="foreign", metavar="RUN", help="of the run, in the work folder")
    step.add_argument("--out", type=Path, required=True, metavar="DIR", help="the model's folder")
    step.add_argument("--target", type=Path, required=True, metavar="DIR", help="the target's folder")
    step.add_argument("--held-out", type=Path, required=True, metavar="FILE", help="text that neither has read")
    step.add_argument("--learnt-from", default="other text", metavar="TEXT", help="what the tokenizer has read")
    _add_words(step)


def _add_evaluate(steps: Any) -> None:
    step = add_command(steps, "evaluate", _evaluate, "Measure an exported pair, and write its model cards.")
    step.add_argument("--models", type=Path, required=True, metavar="DIR", help="with folders target and draft")
    step.add_argument("--held-out", type=Path, required=True, metavar="FILE", help="text that neither has read")
    step.add_argument(
        "--prompts", default="quick", metavar="FILE|PRESET", help="a .txt, .jsonl, .json or .csv, or a preset"
    )
    step.add_argument("--windows", type=int, default=60, metavar="N", help="of 512 held-out tokens, spread evenly")
    step.add_argument("--head", action="store_true", help="measure the head beside the target, and nothing else")
    step.add_argument("--block", action="store_true", help="measure the block drafter there, and nothing else")
    step.add_argument("--exits", action="store_true", help="measure the exits beside the target, and nothing else")
    other = "measure the draft of another tokenizer beside the target, and nothing else"
    step.add_argument("--foreign", action="store_true", help=other)
    step.add_argument("--costs", action="store_true", help="measure what a call costs here, and nothing else")
    against = "another target, of the same tokenizer; its losses on the same windows are compared"
    step.add_argument("--against", type=Path, metavar="DIR", help=against)


def _add_words(step: argparse.ArgumentParser) -> None:
    words = step.add_argument_group("for the model cards")
    words.add_argument("--title", metavar="TEXT", help="of the pair")
    words.add_argument("--data", metavar="TEXT", help=f"what the text is; default: {SOME_TEXT}")
    words.add_argument("--language", metavar="CODE", help="of the text: en, de, ...")
    words.add_argument("--licence", metavar="ID", help="of the models: mit, cc0-1.0, ...")


def _words(parsed: argparse.Namespace) -> dict[str, str]:
    words = {name: getattr(parsed, name) for name in ("title", "data", "language", "licence")}
    return {name: text for name, text in words.items() if text}


def _step(steps: Any, name: str, run: Callable[[argparse.Namespace], None], help: str) -> argparse.ArgumentParser:
    step = add_command(steps, name, run, help)
    step.add_argument("--work", type=Path, required=True, metavar="DIR", help="where everything is kept")
    return step


def _add_changes(step: argparse.ArgumentParser) -> None:
    """Add options whose default is what the run was begun with."""
    step.add_argument("--threads", type=int, default=1, metavar="N", help="of this call, not kept; default: 1")
    flags = step.add_argument_group("settings, kept by the run")
    for name in ("layers", "width", "heads", "feed-forward", "tokens-per-step", "window", "warm-up", "measure-steps"):
        flags.add_argument(f"--{name}", type=int, metavar="N")
    flags.add_argument("--tied", action=argparse.BooleanOptionalAction, default=None, help="output layer = embedding")
    flags.add_argument("--max-steps", type=int, metavar="N", help="end there; 0: only when told to")
    flags.add_argument("--decay-steps", type=int, metavar="N", help="let the rate fall to zero in the last N")
    flags.add_argument("--checkpoint-s", type=float, metavar="SECONDS", help="between checkpoints")
    flags.add_argument("--low-precision", action=argparse.BooleanOptionalAction, default=None, help="bfloat16")
    fused = "fuse operations: half as fast again after a minute's compiling; needs a C++ compiler"
    flags.add_argument("--compiled", action=argparse.BooleanOptionalAction, default=None, help=fused)
    flags.add_argument("--seed", type=int)
    for name in RATES:
        flags.add_argument(f"--rate-{name}", type=float, metavar="X", dest=name)


def _changes(parsed: argparse.Namespace) -> Changes:
    from playground.training.run import Changes

    given = {name: value for name, value in vars(parsed).items() if value is not None}
    if given.get("max_steps") == 0:
        given["max_steps"] = None
    return Changes(*({name: given[name] for name in names if name in given} for names in (SHAPE, PLAN, RATES)))


def _tokenizer(parsed: argparse.Namespace) -> None:
    from playground.training.text.corpus import prepare_corpus

    corpus = prepare_corpus(
        parsed.text,
        parsed.work / "corpus",
        vocab=parsed.vocab,
        held_out=parsed.held_out,
        tokenizer=parsed.tokenizer,
        progress=say_progress,
    )
    finish(parsed, corpus.about)


def _target(parsed: argparse.Namespace) -> None:
    from playground.training.pair.target import train_target

    _use_threads(parsed.threads)
    finish(
        parsed,
        train_target(
            parsed.work,
            parsed.name,
            _changes(parsed),
            finish=parsed.finish,
            source=parsed.source,
            grow_from=parsed.grow_from,
            say=say_progress,
        ),
    )


def _plainest(parsed: argparse.Namespace) -> None:
    from playground.training.pair.target import make_plainest

    _use_threads(parsed.threads)
    finish(parsed, make_plainest(parsed.work, parsed.teacher, parsed.share, say=say_progress))


def _samples(parsed: argparse.Namespace) -> None:
    from playground.training.pair.draft import make_samples

    _use_threads(1)
    _check_positive("tokens", parsed.tokens)
    finish(parsed, make_samples(parsed.work, parsed.teacher, parsed.tokens, say=say_progress, is_chat=parsed.chat))


def _draft(parsed: argparse.Namespace) -> None:
    from playground.training.pair.draft import train_draft

    _use_threads(parsed.threads)
    finish(
        parsed,
        train_draft(
            parsed.work,
            parsed.name,
            _changes(parsed),
            teacher=parsed.teacher,
            source=parsed.source,
            objective=parsed.objective,
            grow_from=parsed.grow_from,
            say=say_progress,
        ),
    )


def _head(parsed: argparse.Namespace) -> None:
    from playground.training.head.run import train_head

    _use_threads(parsed.threads)
    for flag in ("steps", "tokens", "draft_vocabulary"):
        if getattr(parsed, flag) is not None:
            _check_positive(flag, getattr(parsed, flag))
    finish(
        parsed,
        train_head(
            parsed.work,
            parsed.name,
            _changes(parsed),
            teacher=parsed.teacher,
            objective=parsed.objective,
            steps=parsed.steps,
            source=parsed.source,
            num_tokens=parsed.tokens,
            draft_vocabulary=parsed.draft_vocabulary,
            say=say_progress,
        ),
    )


def _block(parsed: argparse.Namespace) -> None:
    from playground.training.block.run import train_block

    _use_threads(parsed.threads)
    for flag in ("positions", "rank", "tokens"):
        if getattr(parsed, flag) is not None:
            _check_positive(flag, getattr(parsed, flag))
    finish(
        parsed,
        train_block(
            parsed.work,
            parsed.name,
            _changes(parsed),
            teacher=parsed.teacher,
            num_tokens=parsed.tokens,
            say=say_progress,
        ),
    )


def _exits(parsed: argparse.Namespace) -> None:
    from playground.training.exits.run import train_exits

    _use_threads(parsed.threads)
    try:
        depths = [int(each) for each in parsed.depths.split(",")] if parsed.depths else None
    except ValueError:
        raise PlaygroundError(f"--depths is {parsed.depths!r}. Give numbers of layers, such as 2,4,6.") from None
    finish(
        parsed,
        train_exits(
            parsed.work, parsed.name, _changes(parsed), teacher=parsed.teacher, depths=depths, say=say_progress
        ),
    )


def _export(parsed: argparse.Namespace) -> None:
    from playground.training.beside import export_beside
    from playground.training.pair.release import export_one, export_pair
    from playground.training.run import newest_target

    if run := parsed.head or parsed.block or parsed.exits:
        finish(parsed, export_beside(_beside(parsed), parsed.work, parsed.out, run))
        return
    runs = {"target": parsed.target or newest_target(parsed.work), "draft": parsed.draft}
    runs |= {name: name for name in parsed.also}
    if parsed.only:
        run = runs.get(parsed.only, parsed.only)
        finish(parsed, export_one(parsed.work, parsed.out, parsed.only, run, words=_words(parsed)))
        return
    finish(parsed, export_pair(parsed.work, parsed.out, runs, words={"data": SOME_TEXT} | _words(parsed)))


def _foreign(parsed: argparse.Namespace) -> None:
    from playground.training.foreign import release_foreign

    _use_threads(1)
    measured = release_foreign(
        parsed.work,
        parsed.name,
        parsed.out,
        parsed.target,
        parsed.held_out,
        learnt_from=parsed.learnt_from,
        words={"title": "A draft with another tokenizer", "data": SOME_TEXT} | _words(parsed),
    )
    finish(parsed, measured)


def _evaluate(parsed: argparse.Namespace) -> None:
    from playground.bench.prompts import read_prompts
    from playground.training.beside import evaluate_beside
    from playground.training.pair.release import evaluate_costs, evaluate_pair

    _use_threads(1)
    _check_positive("windows", parsed.windows)
    if parsed.head or parsed.block or parsed.exits:
        print_json(evaluate_beside(_beside(parsed), parsed.models, parsed.held_out, count=parsed.windows))
        return
    if parsed.foreign:
        from playground.training.foreign import evaluate_foreign

        print_json(evaluate_foreign(parsed.models, parsed.held_out))
        return
    prompts = read_prompts(parsed.prompts)
    if parsed.costs:
        print_json(evaluate_costs(parsed.models, prompts))
        return
    measured = evaluate_pair(parsed.models, parsed.held_out, prompts, count=parsed.windows, against=parsed.against)
    if parsed.json:
        print_json(measured)
    else:
        _print_measured(measured)


def _beside(parsed: argparse.Namespace) -> Beside[Any]:
    """Load the drafter and target that the options name."""
    if parsed.head:
        from playground.training.head.run import BESIDE
    elif parsed.block:
        from playground.training.block.run import BESIDE
    else:
        from playground.training.exits.run import BESIDE
    return BESIDE


def _print_measured(measured: dict[str, Any]) -> None:
    for role in ("target", "draft"):
        numbers = measured[role]
        print(f"{role}: {numbers['parameters']:,} parameters, {numbers['bits_per_byte']:.4f} bits a byte held out")
    if other := measured.get("against"):
        print(
            f"the other target: {other['bits_per_byte']:.4f}; the difference is {other['difference']:+.4f} "
            f"({other['low']:+.4f} to {other['high']:+.4f}), in favour of this one in {other['lower_in']} of "
            f"{measured['held_out']['windows']} windows"
        )
    for where in ("on_held_out_text", "on_text_of_the_target"):
        numbers = "  ".join(f"{name} {value:.4f}" for name, value in measured[where].items())
        print(f"{where.replace('_', ' ')}: {numbers}")
    for costs in measured["costs"]:
        best = max(costs["by_draft_length"].items(), key=lambda item: item[1]["speed_up"])
        print(
            f"target {costs['target_dtype']}, draft {costs['draft_dtype']}: a draft call costs "
            f"{costs['cost_ratio']:.3f} of a target call; "
            f"at draft length {best[0]} {best[1]['speed_up']:.2f} times plain decoding"
        )
    for sample in measured["samples"]:
        print(f"\n{sample['prompt']}|{sample['text']}")


def _use_threads(count: int) -> None:
    import torch

    _check_positive("threads", count)
    torch.set_num_threads(count)


def _check_positive(flag: str, value: int) -> None:
    if value < 1:
        raise PlaygroundError(f"--{flag} is {value}. Choose 1 or more.")
