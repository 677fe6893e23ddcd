"""`recommend`: the items that a user may want next."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.cli.command import add_command, print_json
from playground.errors import PlaygroundError

if TYPE_CHECKING:
    from playground.recommender.shop import Shop


def add(commands: Any) -> None:
    """Add `recommend` to the subcommands."""
    command = add_command(commands, "recommend", _recommend, "Recommend items to a user, or after some items.")
    whom = command.add_mutually_exclusive_group(required=True)
    whom.add_argument("--user", type=int, metavar="ID", help="a user of the shop: the history without its test part")
    whom.add_argument("--items", metavar="ID,ID..", help="a history of your own, the last item last")
    command.add_argument("--verification", default="strict", help="none, strict (default), relaxed or sampled")
    command.add_argument("--top-k", type=int, default=10, metavar="K", help="items of the list; default: 10")
    command.add_argument(
        "--drafts", type=int, default=40, metavar="N", help="beams drafted at every depth; default: 40"
    )
    command.add_argument("--draft-length", type=int, default=3, metavar="L", help="depths drafted a round; default: 3")
    command.add_argument("--draft-version", default="atspeed_s", metavar="ID", help="default: atspeed_s")
    command.add_argument("--temperature", type=float, default=1.0, help="of relaxed and sampled")
    command.add_argument("--seed", type=int, default=0, help="of relaxed and sampled")
    command.add_argument("--threads", type=int, default=1, choices=range(1, 257), metavar="N", help="CPU threads")
    command.add_argument("--models", type=Path, metavar="DIR", help="models trained by `recommender train`")
    add_data(command)


def add_data(command: argparse.ArgumentParser) -> None:
    """Add the options that name another shop than the bundled one."""
    data = command.add_argument_group("another shop, in the form of the public data sets")
    data.add_argument(
        "--splits", type=Path, metavar="FILE", help='{"train": {user: [item, ..]}, "valid": .., "test": ..}'
    )
    data.add_argument("--index", type=Path, metavar="FILE", help='{item: ["<a_58>", "<b_241>", ..], ..}')
    data.add_argument("--names", type=Path, metavar="FILE", help='{"names": [..], "attributes": {name: [..]}}')
    data.add_argument("--renumber", action="store_true", help="give items that share an identifier another last code")


def read_data(parsed: argparse.Namespace) -> Shop:
    """Load the shop that those options name, or the bundled one."""
    from playground.recommender.files import load_shop, read_shop

    if (parsed.splits is None) != (parsed.index is None):
        raise PlaygroundError("A shop of your own needs --splits and --index, both.")
    if parsed.splits is None:
        return load_shop()
    return read_shop(parsed.splits, parsed.index, parsed.names, renumber=parsed.renumber)


def _recommend(parsed: argparse.Namespace) -> None:
    import torch

    from playground.metrics.summary import summarise
    from playground.recommender.recommend import MODELS, load_recommender, recommend

    torch.set_num_threads(parsed.threads)
    shop = read_data(parsed)
    history = list(shop.user(parsed.user).history) if parsed.user is not None else _items(parsed.items)
    recommendation = recommend(
        history,
        verification=parsed.verification,
        top_k=parsed.top_k,
        drafts=parsed.drafts,
        draft_length=parsed.draft_length,
        temperature=parsed.temperature,
        seed=parsed.seed,
        shop=shop,
        pair=load_recommender(parsed.draft_version, models=parsed.models or MODELS),
    )
    summary = summarise(recommendation.trace)
    if parsed.json:
        items = [
            {"item": each.item.id, "name": each.item.name, "codes": each.item.codes, "log_prob": each.log_prob}
            for each in recommendation.items
        ]
        fields = ("method", "options", "target_calls", "draft_calls", "draft_efficiency", "seconds", "prefill_s")
        print_json({"history": history, "items": items, **{name: summary[name] for name in fields}})
        return
    print("after " + "; ".join(shop.items[item].name for item in history[-3:]))
    for rank, each in enumerate(recommendation.items, 1):
        print(f"{rank:3}  {each.item.name}  ({each.item.id}, log-probability {each.log_prob:.3f})")
    print(f"\n{summary['target_calls']} target calls, {summary['draft_calls']} draft calls")


def _items(text: str) -> list[int]:
    """Item numbers between commas."""
    items = []
    for part in text.split(",") if text.strip() else []:
        if not part.strip().isdecimal():
            raise PlaygroundError(f"{part.strip()!r} is not an item number. Give whole numbers between commas.")
        items.append(int(part))
    return items
