"""`recommend`: the items that a user may want next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from playground.cli.command import FlagsOf, Json, Threads, flag, print_json
from playground.errors import PlaygroundError
from playground.options import option

if TYPE_CHECKING:
    from playground.recommender.shop import Shop


@dataclass(frozen=True, kw_only=True)
class Data:
    """Another shop than the bundled one, in the form of the public data sets."""

    splits: str | None = option(
        None, metavar="FILE", help='a shop of your own: {"train": {user: [item, ..]}, "valid": .., "test": ..}'
    )
    index: str | None = option(None, metavar="FILE", help='its identifiers: {item: ["<a_58>", "<b_241>", ..], ..}')
    names: str | None = option(None, metavar="FILE", help='{"names": [..], "attributes": {name: [..]}}')
    renumber: bool = option(False, help="give items that share an identifier another last code")


DataFlags = Annotated[dict[str, Any], FlagsOf(Data)]
Drafts = Annotated[int, flag("beams drafted at every depth; default: 40", metavar="N")]
Version = Annotated[str, flag("default: atspeed_s", metavar="ID")]


def read_data(splits: str | None, index: str | None, names: str | None, *, renumber: bool) -> Shop:
    """Load the shop that those options name, or the bundled one."""
    from playground.recommender.files import load_shop, read_shop

    if splits and index:
        return read_shop(Path(splits), Path(index), Path(names) if names else None, renumber=renumber)
    if splits or index:
        raise PlaygroundError("A shop of your own needs --splits and --index, both.")
    return load_shop()


def recommend(
    *,
    user: Annotated[int | None, flag("a user of the shop: the history without its test part", metavar="ID")] = None,
    items: Annotated[str | None, flag("a history of your own, the last item last", metavar="ID,ID..")] = None,
    verification: Annotated[str, flag("none, strict (default), relaxed or sampled")] = "strict",
    top_k: Annotated[int, flag("items of the list; default: 10", metavar="K")] = 10,
    drafts: Drafts = 40,
    draft_length: Annotated[int, flag("depths drafted a round; default: 3", metavar="L")] = 3,
    draft_version: Version = "atspeed_s",
    temperature: Annotated[float, flag("of relaxed and sampled")] = 1.0,
    seed: Annotated[int, flag("of relaxed and sampled")] = 0,
    threads: Threads = 1,
    models: Annotated[Path | None, flag("models trained by `recommender train`", metavar="DIR")] = None,
    data: DataFlags,
    as_json: Json = False,
) -> None:
    """Recommend items to a user, or after some items."""
    if (user is None) == (items is None):
        raise PlaygroundError("A list is for a user of the shop or after some items. Give --user or --items.")

    from playground.metrics.summary import summarise
    from playground.models.modes import use_threads
    from playground.recommender.recommend import MODELS, load_recommender
    from playground.recommender.recommend import recommend as recommended

    use_threads(threads)
    shop = read_data(**data)
    history = list(shop.user(user).history) if user is not None else _items(items or "")
    recommendation = recommended(
        history,
        verification=verification,
        top_k=top_k,
        drafts=drafts,
        draft_length=draft_length,
        temperature=temperature,
        seed=seed,
        shop=shop,
        pair=load_recommender(draft_version, models=models or MODELS),
    )
    summary = summarise(recommendation.trace)
    if as_json:
        listed = [
            {"item": each.item.id, "name": each.item.name, "codes": each.item.codes, "log_prob": each.log_prob}
            for each in recommendation.items
        ]
        fields = ("method", "options", "target_calls", "draft_calls", "draft_efficiency", "seconds", "prefill_s")
        print_json({"history": history, "items": listed, **{name: summary[name] for name in fields}})
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
