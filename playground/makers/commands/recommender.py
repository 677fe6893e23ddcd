"""`recommender`: train the recommenders of the shop or of data of your own, and measure them."""

from pathlib import Path
from typing import Annotated, Any

from playground.cli.command import Json, Threads, add_command, finish, flag, print_json, say_progress
from playground.cli.recommend import DataFlags, Drafts, Version, read_data
from playground.errors import PlaygroundError
from playground.flags import Parser


def add(commands: Any) -> None:
    """Add `recommender` and its steps to the subcommands."""
    help = "Train recommenders of the shop or of your own data, and measure them. Every step can be resumed."
    whole = commands.add_parser("recommender", help=help, description=help)
    steps = whole.add_subparsers(dest="step", required=True, parser_class=Parser)

    for step in (train, export, evaluate, check):
        add_command(steps, step)


Work = Annotated[Path, flag("where the runs are kept", metavar="DIR")]
ModelsFolder = Annotated[Path | None, flag("default: those that come along", metavar="DIR")]
Lengths = Annotated[str, flag("of the lists", metavar="K,K..")]


def train(
    *,
    work: Work,
    only: Annotated[str, flag("target, first_draft, or a version of the draft", metavar="RUN")] = "",
    target_steps: Annotated[int | None, flag("of the target", metavar="N")] = None,
    draft_steps: Annotated[int | None, flag("of the first draft", metavar="N")] = None,
    align_steps: Annotated[int | None, flag("of each version, from the first draft", metavar="N")] = None,
    moments: Annotated[int | None, flag("at which the target's lists are made", metavar="N")] = None,
    seed: int = 0,
    threads: Threads = 1,
    data: DataFlags,
    as_json: Json = False,
) -> None:
    """Train what is not trained yet: the target, and its drafts."""

    from playground.makers.recommender.pipeline import Amounts, train_shop
    from playground.models.modes import use_threads

    use_threads(threads)
    steps = {"target_steps": target_steps, "draft_steps": draft_steps, "align_steps": align_steps, "moments": moments}
    amounts = Amounts(**{name: value for name, value in steps.items() if value is not None})
    run = {"only": only, "amounts": amounts, "seed": seed}
    finish(train_shop(read_data(**data), work, **run, say=say_progress), as_json=as_json)


def export(
    *,
    work: Work,
    out: Annotated[Path, flag("gets a folder for each model", metavar="DIR")],
    data: DataFlags,
    as_json: Json = False,
) -> None:
    """Write the trained models as folders that can be loaded."""
    from playground.makers.recommender.pipeline import export_models

    finish(export_models(read_data(**data), work, out), as_json=as_json)


def evaluate(
    *,
    models: ModelsFolder = None,
    threads: Threads = 1,
    users: Annotated[int, flag("with a test; default: 200", metavar="N")] = 200,
    drafts: Drafts = 40,
    lengths: Lengths = "1,3,5,10,20",
    versions: Annotated[str | None, flag("of the draft; default: all", metavar="ID,ID..")] = None,
    temperature: Annotated[float, flag("of relaxed verification")] = 1.0,
    cards: Annotated[bool, flag("rewrite the models' cards")] = False,
    data: DataFlags,
    as_json: Json = False,
) -> None:
    """Measure recommenders: how good the lists are, and how fast."""

    from playground.makers.recommender import evaluation
    from playground.makers.recommender.card import write_cards
    from playground.makers.recommender.tables import tables
    from playground.models.modes import use_threads
    from playground.recommender.recommend import MODELS
    from playground.recommender.versions import VERSIONS

    use_threads(threads)
    measured = evaluation.evaluate(
        read_data(**data),
        models or MODELS,
        num_users=users,
        drafts=drafts,
        lengths=_numbers(lengths),
        versions=versions.split(",") if versions else tuple(VERSIONS),
        temperature=temperature,
        say=say_progress,
    )
    if cards:
        write_cards(models or MODELS, measured)
    if as_json:
        print_json(measured)
    else:
        print(tables(measured))


def check(
    *,
    models: ModelsFolder = None,
    threads: Threads = 1,
    users: Annotated[int, flag("default: 500", metavar="N")] = 500,
    drafts: Drafts = 40,
    lengths: Lengths = "1,3,5,10,20",
    draft_version: Version = "atspeed_s",
    data: DataFlags,
    as_json: Json = False,
) -> None:
    """Show that strict verification finds the lists of beam search."""

    from playground.makers.recommender import evaluation
    from playground.models.modes import use_threads
    from playground.recommender.recommend import MODELS, load_recommender

    use_threads(threads)
    pair = load_recommender(draft_version, models=models or MODELS)
    how = {"num_users": users, "drafts": drafts, "lengths": _numbers(lengths)}
    rows = evaluation.check(read_data(**data), pair, **how, say=say_progress)
    if as_json:
        print_json(rows)
    if any(row["same"] != row["users"] or row["unknown"] for row in rows):
        raise PlaygroundError("Not all lists are those of beam search, or not all that came out are items.")


def _numbers(text: str) -> list[int]:
    if not all(part.isdecimal() and int(part) > 0 for part in text.split(",")):
        raise PlaygroundError(f"{text!r} are not lengths of lists. Give whole numbers from 1, between commas.")
    return [int(part) for part in text.split(",")]
