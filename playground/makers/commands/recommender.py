"""`recommender`: train the recommenders of the shop or of data of your own, and measure them."""

import argparse
from pathlib import Path
from typing import Any

from playground.cli.command import Parser, add_command, finish, print_json, say_progress
from playground.cli.recommend import add_data, read_data
from playground.errors import PlaygroundError


def add(commands: Any) -> None:
    """Add `recommender` and its steps to the subcommands."""
    help = "Train recommenders of the shop or of your own data, and measure them. Every step can be resumed."
    whole = commands.add_parser("recommender", help=help, description=help)
    steps = whole.add_subparsers(dest="step", required=True, parser_class=Parser)

    train = add_command(steps, "train", _train, "Train what is not trained yet: the target, and its drafts.")
    _add_work(train)
    train.add_argument("--only", default="", metavar="RUN", help="target, first_draft, or a version of the draft")
    for name, about in (
        ("target-steps", "of the target"),
        ("draft-steps", "of the first draft"),
        ("align-steps", "of each version, from the first draft"),
        ("moments", "at which the target's lists are made"),
    ):
        train.add_argument(f"--{name}", type=int, metavar="N", help=about)
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--threads", type=int, choices=range(1, 257), default=1, metavar="N")
    add_data(train)

    export = add_command(steps, "export", _export, "Write the trained models as folders that can be loaded.")
    _add_work(export)
    export.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets a folder for each model")
    add_data(export)

    evaluate = add_command(steps, "evaluate", _evaluate, "Measure recommenders: how good the lists are, and how fast.")
    _add_models(evaluate)
    evaluate.add_argument("--users", type=int, default=200, metavar="N", help="with a test; default: 200")
    evaluate.add_argument(
        "--drafts", type=int, default=40, metavar="N", help="beams drafted at every depth; default: 40"
    )
    evaluate.add_argument("--lengths", default="1,3,5,10,20", metavar="K,K..", help="of the lists")
    evaluate.add_argument("--versions", metavar="ID,ID..", help="of the draft; default: all")
    evaluate.add_argument("--temperature", type=float, default=1.0, help="of relaxed verification")
    evaluate.add_argument("--cards", action="store_true", help="rewrite the models' cards")

    check = add_command(steps, "check", _check, "Show that strict verification finds the lists of beam search.")
    _add_models(check)
    check.add_argument("--users", type=int, default=500, metavar="N", help="default: 500")
    check.add_argument("--drafts", type=int, default=40, metavar="N", help="beams drafted at every depth; default: 40")
    check.add_argument("--lengths", default="1,3,5,10,20", metavar="K,K..", help="of the lists")
    check.add_argument("--draft-version", default="atspeed_s", metavar="ID", help="default: atspeed_s")


def _add_models(step: argparse.ArgumentParser) -> None:
    step.add_argument("--models", type=Path, metavar="DIR", help="default: those that come along")
    step.add_argument("--threads", type=int, choices=range(1, 257), default=1, metavar="N", help="default: 1")
    add_data(step)


def _add_work(step: argparse.ArgumentParser) -> None:
    step.add_argument("--work", type=Path, required=True, metavar="DIR", help="where the runs are kept")


def _train(parsed: argparse.Namespace) -> None:
    import torch

    from playground.makers.recommender.pipeline import Amounts, train_shop

    torch.set_num_threads(parsed.threads)
    names = ("target_steps", "draft_steps", "align_steps", "moments")
    amounts = {name: value for name in names if (value := getattr(parsed, name)) is not None}
    shop = read_data(parsed)
    run = {"only": parsed.only, "amounts": Amounts(**amounts), "seed": parsed.seed}
    finish(parsed, train_shop(shop, parsed.work, **run, say=say_progress))


def _export(parsed: argparse.Namespace) -> None:
    from playground.makers.recommender.pipeline import export_models

    finish(parsed, export_models(read_data(parsed), parsed.work, parsed.out))


def _evaluate(parsed: argparse.Namespace) -> None:
    import torch

    from playground.makers.recommender.card import write_cards
    from playground.makers.recommender.evaluation import evaluate
    from playground.makers.recommender.tables import tables
    from playground.recommender.recommend import MODELS
    from playground.recommender.versions import VERSIONS

    torch.set_num_threads(parsed.threads)
    evaluation = evaluate(
        read_data(parsed),
        parsed.models or MODELS,
        num_users=parsed.users,
        drafts=parsed.drafts,
        lengths=_numbers(parsed.lengths),
        versions=parsed.versions.split(",") if parsed.versions else tuple(VERSIONS),
        temperature=parsed.temperature,
        say=say_progress,
    )
    if parsed.cards:
        write_cards(parsed.models or MODELS, evaluation)
    if parsed.json:
        print_json(evaluation)
    else:
        print(tables(evaluation))


def _check(parsed: argparse.Namespace) -> None:
    import torch

    from playground.makers.recommender.evaluation import check
    from playground.recommender.recommend import MODELS, load_recommender

    torch.set_num_threads(parsed.threads)
    pair = load_recommender(parsed.draft_version, models=parsed.models or MODELS)
    lengths, shop = _numbers(parsed.lengths), read_data(parsed)
    rows = check(shop, pair, num_users=parsed.users, drafts=parsed.drafts, lengths=lengths, say=say_progress)
    if parsed.json:
        print_json(rows)
    if any(row["same"] != row["users"] or row["unknown"] for row in rows):
        raise PlaygroundError("Not all lists are those of beam search, or not all that came out are items.")


def _numbers(text: str) -> list[int]:
    if not all(part.isdecimal() and int(part) > 0 for part in text.split(",")):
        raise PlaygroundError(f"{text!r} are not lengths of lists. Give whole numbers from 1, between commas.")
    return [int(part) for part in text.split(",")]
