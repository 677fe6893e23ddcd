"""Quality and speed of the lists: every draft version, strict and relaxed, at several lengths of list.

    AS@K      steps of a list whose drafts were accepted, summed over its rounds: L - target calls, L - 1 at most
    WS@K      seconds of beam search with tree attention / seconds of the speculative run, user by user, one after the
              other in one process; prefill is in neither, and `ws_whole` has it in both
    Recall@K  share of the held-out items that are in the list; NDCG@K counts them by their place

Source of AS@K and WS@K: Lin et al. 2024, arXiv 2410.05165, section 4.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.decoding.decode import Finished, Request, Round, Started, decode
from playground.errors import PlaygroundError, did_you_mean
from playground.metrics.interval import bootstrap
from playground.models.loading import LoadedPair
from playground.models.machine import machine
from playground.recommender.recommend import DRAFT_LENGTH, load_recommender, method_for, request_for
from playground.recommender.shop import Shop, User
from playground.recommender.versions import VERSIONS
from playground.tree import TokenTree

LENGTHS = (1, 3, 5, 10, 20)  # K
WARM_UP = 5  # users, not counted
Say = Callable[[str], None]


def evaluate(
    shop: Shop,
    models: Path,
    *,
    num_users: int,
    drafts: str,
    lengths: Sequence[int] = LENGTHS,
    versions: Sequence[str] = tuple(VERSIONS),
    temperature: float = 1.0,
    say: Say = lambda _: None,
) -> dict[str, Any]:
    """Measure a shop's recommenders.

    Args:
        shop: the shop.
        models: folders of the target and of every version.
        num_users: how many of those with a test, spread evenly.
        drafts: N, beams drafted at every depth: a number, K where that is more, or a multiple of K, as `2K`.
        lengths: of the lists, K.
        versions: of the draft.
        temperature: of relaxed verification and of the sampled lists.
        say: told how it goes.

    Returns:
        Where and how it was measured, and a row for every version, verification and K.

    Raises:
        PlaygroundError: if a model cannot be loaded, there are no users to test, or a list cannot be asked for so.
    """
    _check(shop, num_users, drafts, lengths, versions)
    users = some(shop.tested(), num_users)
    rows: list[dict[str, Any]] = []
    here = machine(torch.device("cpu"))  # where `load_beside` puts models
    number_format = load_recommender(versions[0], models=models).target.facts()["dtype"]  # the drafts', too
    for version in versions:
        pair = load_recommender(version, models=models)
        for length in (each for each in lengths if each <= len(shop.items)):
            wide, sampled = beams(drafts, length), version == versions[0]
            measured = _measure(shop, pair, users, length, wide, temperature, sampled=sampled)
            rows += [{"version": version, "k": length, "drafts": wide, **row} for row in measured]
            say(f"{version}, K {length}: " + ", ".join(_short(row) for row in measured))
    return {
        "shop": shop.title,
        "users": len(users),
        "drafts": drafts,
        "draft_length": DRAFT_LENGTH,
        "temperature": temperature,
        "machine": here,
        "dtype": number_format,
        "on": f"{datetime.now(UTC):%Y-%m-%d}",
        "command": f"python -m playground {' '.join(sys.argv[1:])}",
        "rows": rows,
    }


def check(
    shop: Shop, pair: LoadedPair, *, num_users: int, drafts: int, lengths: Sequence[int] = LENGTHS, say: Say
) -> list[dict[str, Any]]:
    """Check that strict verification is beam search: the same items in the same order, for this many users.

    Returns:
        For each K the users, how many lists were the same, the target calls of both, and what came out that is no item.

    Raises:
        PlaygroundError: if the shop has fewer users.
    """
    if num_users < 1:
        raise PlaygroundError(f"{num_users} users cannot be checked. Choose 1 or more.")
    users = sorted(user.id for user in shop.users.values() if user.history)
    if num_users > len(users):
        raise PlaygroundError(f"{shop.title} has {len(users)} users with a history. Choose at most that many.")
    chosen = [shop.users[users[index]] for index in np.linspace(0, len(users) - 1, num_users).astype(int)]
    rows = []
    for length in lengths:
        methods = [method_for(kind, length, max(drafts, length)) for kind in ("none", "strict")]
        same, calls, unknown = 0, [0, 0], 0
        for user in chosen:
            both = [make_list(shop, request_for(shop, pair, user.history, method)) for method in methods]
            same += both[0].items == both[1].items
            calls = [sum(pair) for pair in zip(calls, (each.target_calls for each in both), strict=True)]
            unknown += sum(each.unknown for each in both)
        rows.append({"k": length, "users": num_users, "same": same, "beam_search_calls": calls[0]})
        rows[-1] |= {"strict_calls": calls[1], "unknown": unknown}
        say(f"K {length}: {same} of {num_users} lists are the same, {calls[1]} target calls instead of {calls[0]}")
    return rows


def _check(shop: Shop, num_users: int, drafts: str, lengths: Sequence[int], versions: Sequence[str]) -> None:
    """Whatever could stop a measurement later stops it now."""
    if num_users < 1:
        raise PlaygroundError(f"{num_users} users cannot be measured. Choose 1 or more.")
    if not shop.tested():
        raise PlaygroundError(f"Nobody in {shop.title} has a history and held-out items, so no list can be judged.")
    for version in versions:
        if version not in VERSIONS:
            raise PlaygroundError(f"Unknown draft version {version!r}. {did_you_mean(version, VERSIONS)}")
    if min(lengths) > len(shop.items):
        raise PlaygroundError(f"{shop.title} has {len(shop.items)} items, so none of these lists can be filled.")
    for length in lengths:
        method_for("strict", length, beams(drafts, length))


def beams(drafts: str, length: int) -> int:
    """N, for a list of this length.

    Raises:
        PlaygroundError: if it is neither a number nor a multiple of K.
    """
    number = drafts.removesuffix("K")
    if not number.isdecimal() or int(number) < 1:
        raise PlaygroundError(f"{drafts!r} is not a number of drafts. Give a number, or a multiple of K, such as 2K.")
    return int(number) * length if drafts.endswith("K") else max(int(number), length)


def some(users: list[User], count: int) -> list[User]:
    """So many of them, spread evenly."""
    return [users[index] for index in np.linspace(0, len(users) - 1, min(count, len(users))).astype(int)]


def _measure(
    shop: Shop, pair: LoadedPair, users: list[User], length: int, drafts: int, temperature: float, *, sampled: bool
) -> list[dict[str, Any]]:
    """Return the rows of one version and K; those of the target alone are listed with the first version."""
    kinds = ["none", *(["sampled"] if sampled else []), "strict", "relaxed"]
    by_kind: dict[str, list[Listed]] = {kind: [] for kind in kinds}
    for number, user in enumerate([*users[:WARM_UP], *users]):
        for kind in kinds:  # alternating, so that a slow minute of the machine is everybody's
            method = method_for(kind, length, drafts)
            listed = make_list(
                shop, request_for(shop, pair, user.history, method, temperature=temperature, seed=user.id)
            )
            if number >= min(WARM_UP, len(users)):
                by_kind[kind].append(listed)
    rows = []
    for kind in kinds:
        if kind == "none" and not sampled:
            continue
        rows.append({"verification": kind, **_summary(shop, users, by_kind[kind], by_kind["none"], length)})
    return rows


def _summary(shop: Shop, users: list[User], lists: list[Listed], plain: list[Listed], length: int) -> dict[str, Any]:
    """Summary of a list of runs, next to plain beam search of the same users."""
    recalls = [recall(each.items[:length], user.held_out) for each, user in zip(lists, users, strict=True)]
    gains = [ndcg(each.items[:length], user.held_out, length) for each, user in zip(lists, users, strict=True)]
    steps = [shop.identifiers.length - each.target_calls for each in lists]
    faster = [one.seconds / each.seconds for one, each in zip(plain, lists, strict=True)]
    whole = [
        (one.seconds + one.prefill_s) / (each.seconds + each.prefill_s) for one, each in zip(plain, lists, strict=True)
    ]
    return {
        "as": mean(steps),
        "ws": spread(faster),
        "ws_whole": spread(whole),
        "recall": mean(recalls),
        "ndcg": mean(gains),
        "milliseconds": spread([1000 * each.seconds for each in lists]),
        "target_calls": sum(each.target_calls for each in lists),
        "plain_calls": sum(each.target_calls for each in plain),
        "items": sum(len(each.items) for each in lists) / len(lists),
        "unknown": sum(each.unknown for each in lists),
        "same_lists": sum(each.items == one.items for each, one in zip(lists, plain, strict=True)),
    }


def recall(items: Sequence[int], held_out: Iterable[int]) -> float:
    """Share of the held-out items that are in the list."""
    wanted = set(held_out)
    return len(wanted & set(items)) / len(wanted)


def ndcg(items: Sequence[int], held_out: Iterable[int], length: int) -> float:
    """Sum of 1 / log2(1 + place) over the items that were held out, of what the best list of K would have.

    Args:
        items: the list, which may be shorter than it was to be.
        held_out: what would have been right.
        length: K.
    """
    wanted = set(held_out)
    gain = sum(1 / math.log2(1 + rank) for rank, item in enumerate(items, 1) if item in wanted)
    best = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(wanted), length) + 1))
    return gain / best if best else 0.0


def _short(row: dict[str, Any]) -> str:
    return (
        f"{row['verification']} AS {row['as']['mean']:.2f} WS {row['ws']['median']:.2f} "
        f"recall {row['recall']['mean']:.3f}"
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """A list and what it took.

    Attributes:
        items: the best first, none twice.
        log_probs: of each, under the confined target.
        target_calls, draft_calls: the models' calls, prefill excluded.
        seconds: decoding, prefill excluded.
        prefill_s: the models reading the prompt.
        unknown: token sequences that came out and are no item's: none, or the constraint is broken.
    """

    items: tuple[int, ...]
    log_probs: tuple[float, ...]
    target_calls: int
    draft_calls: int
    seconds: float
    prefill_s: float
    unknown: int


def make_list(shop: Shop, request: Request) -> Listed:
    """Run a request to its end."""
    prefill_s, clock_s, last = 0.0, 0.0, None
    for step in decode(request):
        match step:
            case Started():
                prefill_s = step.prefill_s
            case Round():
                clock_s, last = step.clock_s, step
            case Finished():
                assert last is not None and last.verdict.beams is not None, "a list needs beams"
                beams = [*last.verdict.beams.ended, *last.verdict.beams.live]
                scores: dict[int | None, float] = {}
                unknown = 0
                for beam in sorted(beams, key=lambda each: -each.log_prob):
                    item = _item(shop, last.tree, beam.node)
                    unknown += item is None
                    scores.setdefault(item, beam.log_prob)
                scores.pop(None, None)
                items = tuple(item for item in scores if item is not None)
                return Listed(
                    items, tuple(scores.values()), step.target_calls, step.draft_calls, clock_s, prefill_s, unknown
                )
    raise AssertionError("a run without an end")


def _item(shop: Shop, tree: TokenTree, node: int) -> int | None:
    """Return the item whose identifier ends at a node."""
    tokens = []
    for _ in range(shop.identifiers.length):
        tokens.append(tree.tokens[node])
        node = tree.parents[node]
    return shop.identifiers.item(tokens[::-1])


def mean(values: Sequence[float]) -> dict[str, float]:
    """With a 95 % bootstrap interval over the users."""
    known = np.array(values, dtype=float)
    low, high = bootstrap(lambda picks: known[picks].mean(1), len(known))
    return {"mean": float(known.mean()), "low": low, "high": high}


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median, with the middle half."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    return {"median": middle, "low": low, "high": high}
