"""Quality and speed of the lists: every draft version, strict and relaxed, at several lengths of list.

    AS@K      steps of a list whose drafts were accepted, summed over its rounds: L - target calls, L - 1 at most
    WS@K      seconds of beam search with tree attention / seconds of the speculative run, user by user, one after the
              other in one process, without the prefill
    Recall@K  share of the held-out items that are in the list; NDCG@K counts them by their place

Source of AS@K and WS@K: Lin et al. 2024, arXiv 2410.05165, section 4.
"""

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.bench.race import spread
from playground.errors import PlaygroundError, did_you_mean
from playground.metrics.interval import bootstrap
from playground.models.loading import LoadedPair
from playground.models.machine import machine
from playground.recommender.recommend import (
    DRAFT_LENGTH,
    Recommendation,
    load_recommender,
    method_for,
    recommend,
    written_identifiers,
)
from playground.recommender.shop import Shop, User
from playground.recommender.versions import VERSIONS

LENGTHS = (1, 3, 5, 10, 20)  # K
WARM_UP = 5  # users, not counted
Say = Callable[[str], None]


def evaluate(
    shop: Shop,
    models: Path,
    *,
    num_users: int,
    drafts: int,
    lengths: Sequence[int] = LENGTHS,
    versions: Sequence[str] = tuple(VERSIONS),
    temperature: float = 1.0,
    say: Say = lambda _: None,
) -> dict[str, object]:
    """Measure a shop's recommenders.

    Args:
        num_users: how many of those with a test, spread evenly.
        drafts: N, beams drafted at every depth; K where that is more.
        lengths: of the lists, K.
        temperature: of relaxed verification and of the sampled lists.

    Returns:
        Where and how it was measured, and a row for every version, verification and K.

    Raises:
        PlaygroundError: if a model cannot be loaded, there are no users to test, or a list cannot be asked for so.
    """
    _check(shop, num_users, drafts, lengths, versions)
    users = some(shop.tested(), num_users)
    rows: list[dict[str, Any]] = []
    here = machine(torch.device("cpu"))  # `load_beside` puts models on the processor.
    number_format = load_recommender(versions[0], models=models).target.facts()["dtype"]  # The drafts have the same.
    for version in versions:
        pair = load_recommender(version, models=models)
        for length in (each for each in lengths if each <= len(shop.items)):
            wide, sampled = max(drafts, length), version == versions[0]
            measured = _measure(shop, pair, users, length, wide, temperature, sampled=sampled)
            rows += [{"version": version, "k": length, "drafts": wide, **row} for row in measured]
            say(f"{version}, K {length}: " + ", ".join(_short(row) for row in measured))
    return {
        "shop": shop.title,
        "users": len(users),
        "drafts": str(drafts),
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
) -> list[dict[str, object]]:
    """Check that strict verification is beam search: the same items in the same order, for this many users.

    Returns:
        For each K the users, how many lists were the same, the target calls of both, and what came out that is no item.

    Raises:
        PlaygroundError: if the shop has fewer users.
    """
    if num_users < 1:
        raise PlaygroundError(f"{num_users} users cannot be checked. Choose 1 or more.")
    users = [user for _, user in sorted(shop.users.items()) if user.history]
    if num_users > len(users):
        raise PlaygroundError(f"{shop.title} has {len(users)} users with a history. Choose at most that many.")
    rows = []
    for length in lengths:
        how = {"top_k": length, "drafts": max(drafts, length), "shop": shop, "pair": pair}
        same, calls, unknown = 0, {"none": 0, "strict": 0}, 0
        for user in some(users, num_users):
            both = {kind: recommend(user.history, verification=kind, **how) for kind in calls}
            same += _ids(both["none"]) == _ids(both["strict"])
            calls = {kind: num_calls + _calls(both[kind]) for kind, num_calls in calls.items()}
            unknown += sum(_unknown(shop, each) for each in both.values())
        rows.append({"k": length, "users": num_users, "same": same, "beam_search_calls": calls["none"]})
        rows[-1] |= {"strict_calls": calls["strict"], "unknown": unknown}
        say(
            f"K {length}: {same} of {num_users} lists are the same, {calls['strict']} target calls instead of "
            f"{calls['none']}"
        )
    return rows


def _check(shop: Shop, num_users: int, drafts: int, lengths: Sequence[int], versions: Sequence[str]) -> None:
    """Refuse what could stop a measurement later."""
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
        method_for("strict", length, max(drafts, length))


def some(users: list[User], count: int) -> list[User]:
    """Return `count` of these users, spread evenly."""
    return [users[index] for index in np.linspace(0, len(users) - 1, min(count, len(users))).astype(int)]


def _measure(
    shop: Shop, pair: LoadedPair, users: list[User], length: int, drafts: int, temperature: float, *, sampled: bool
) -> list[dict[str, object]]:
    """Return the rows of one version and K; those of the target alone are listed with the first version."""
    kinds = ["none", *(["sampled"] if sampled else []), "strict", "relaxed"]
    by_kind: dict[str, list[Recommendation]] = {kind: [] for kind in kinds}
    how = {"top_k": length, "drafts": drafts, "temperature": temperature, "shop": shop, "pair": pair}
    for number, user in enumerate([*users[:WARM_UP], *users]):
        for kind in kinds:  # Kinds alternate, so a slow minute of the machine slows all of them.
            result = recommend(user.history, verification=kind, seed=user.id, **how)
            if number >= min(WARM_UP, len(users)):
                by_kind[kind].append(result)
    return [
        {"verification": kind, **_summary(shop, users, by_kind[kind], by_kind["none"], length)}
        for kind in kinds
        if kind != "none" or sampled
    ]


def _summary(
    shop: Shop, users: list[User], lists: list[Recommendation], plain: list[Recommendation], length: int
) -> dict[str, object]:
    """Summary of a list of runs, next to plain beam search of the same users."""
    items, pairs = [_ids(each) for each in lists], list(zip(plain, lists, strict=True))
    return {
        "as": mean([shop.identifiers.length - _calls(each) for each in lists]),
        "ws": spread([_seconds(one) / _seconds(each) for one, each in pairs]),
        "recall": mean([recall(own, user.held_out) for own, user in zip(items, users, strict=True)]),
        "ndcg": mean([ndcg(own, user.held_out, length) for own, user in zip(items, users, strict=True)]),
        "target_calls": sum(map(_calls, lists)),
        "items": sum(map(len, items)) / len(items),
        "unknown": sum(_unknown(shop, each) for each in lists),
        "same_lists": sum(_ids(one) == _ids(each) for one, each in pairs),
    }


def _ids(listed: Recommendation) -> list[int]:
    return [each.item.id for each in listed.items]


def _calls(listed: Recommendation) -> int:
    """Return the target's calls, without the prefill."""
    return listed.trace.finished.target_calls if listed.trace.finished else 0


def _seconds(listed: Recommendation) -> float:
    """Return the seconds of decoding, without the prefill."""
    return listed.trace.committed[-1].clock_s


def _unknown(shop: Shop, listed: Recommendation) -> int:
    """Count the sequences that came out and are not an item's: none, or the constraint is broken."""
    return sum(shop.identifiers.item(tokens) is None for tokens, _ in written_identifiers(shop, listed.trace))


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


def mean(values: Sequence[float]) -> dict[str, float]:
    """Return the mean with its 95 % bootstrap interval over the users."""
    known = np.array(values, dtype=float)
    low, high = bootstrap(lambda picks: known[picks].mean(1), len(known))
    return {"mean": float(known.mean()), "low": low, "high": high}
