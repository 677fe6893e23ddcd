"""A recommendation: the list of beam search and those of both verifications, measured together."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from playground.recommender.files import load_shop
from playground.recommender.paying import LISTS, Paying, offered_drafts, paying
from playground.recommender.recommend import Recommendation, load_recommender, recommend
from playground.recommender.shop import Item, Shop
from playground.recommender.versions import VERSIONS
from playground.trace.events import Trace
from playground.trace.storage import FORMAT, VERSION, events_json
from playground.ui.contract.to_page import ListKind, RecommendedList, RecommendValue
from playground.ui.live.device import on_device
from playground.ui.recommend.form import RecommendForm, user_with
from playground.words import word

KINDS: dict[ListKind, str] = {
    "strict": word("shop_strict"),
    "relaxed": word("shop_relaxed"),
    "none": word("shop_beam_search"),
}
SPECULATIVE: tuple[ListKind, ...] = ("strict", "relaxed")
REPEATS = 3  # A run whose time is shown is made so often.
TIMED_USERS = 5  # Fewer users have no interval of the speed-up.


def pressed(form: RecommendForm) -> RecommendValue:
    """Return the lists and their runs, as the panel shows them. Loads the models, which may take some seconds.

    Raises:
        PlaygroundError: if there is no history, or something does not go together.
    """
    shop, items, results = load_shop(), form.items(), _measured(form, form.version, KINDS)
    user = user_with(shop, items)
    held_out = [shop.items[item] for item in user.held_out] if user else []
    plain = [each.item.id for each in results["none"].items]
    return {
        "run": uuid.uuid4().hex,
        "recorded": "",
        "format": FORMAT,
        "version": VERSION,
        "names": _names(shop, items, [each.trace for each in results.values()]),
        "bought_next": [{"id": item.id, "name": item.name} for item in held_out],
        "lists": [_list(kind, results[kind], plain, {item.id for item in held_out}) for kind in KINDS],
    }


def versions_beside(form: RecommendForm, panel: RecommendValue) -> list[dict[str, object]]:
    """Return a row for every version of the draft: what its two verifications came to for this history.

    Args:
        form: what is asked for.
        panel: what `pressed` gave for it: the version of the form is not measured again, and has one time on the page.

    Raises:
        PlaygroundError: as `pressed`.
    """
    rows = []
    for version, title in VERSIONS.items():
        facts = {each["kind"]: each["facts"] for each in panel["lists"]}
        if version != form.version:
            results = _measured(form, version, SPECULATIVE)
            facts = {kind: facts_of(each.trace) for kind, each in results.items()}
        rows.append({"version": version, "title": title} | facts)
    return rows


def _measured(form: RecommendForm, version: str, kinds: Iterable[ListKind]) -> dict[ListKind, Recommendation]:
    """Return the recommendation of each kind of verification by a version of the draft."""
    shop, items, how = load_shop(), form.items(), form.how()
    shop.check_history(items)  # before anything is loaded
    pair = load_recommender(version)
    return {
        kind: on_device(lambda kind=kind: _typical(items, verification=kind, shop=shop, pair=pair, **how))
        for kind in kinds
    }


def paying_here(version: str) -> Iterator[tuple[list[Paying], int]]:
    """(rows so far, rows in all), after each list length: where strict verification is faster than beam search here.

    Raises:
        PlaygroundError: if there is no such version of the draft.
    """
    shop, pair = load_shop(), load_recommender(version)
    tested = shop.tested()
    histories = [user.history for user in tested[:: max(1, len(tested) // TIMED_USERS)][:TIMED_USERS]]
    total = sum(len(offered_drafts(top_k)) for top_k in LISTS)
    rows: list[Paying] = []
    yield rows, total
    for top_k in LISTS:
        rows = rows + on_device(lambda top_k=top_k: list(paying(shop, pair, histories, top_k)))
        yield rows, total


def _typical(items: Sequence[int], **how: Any) -> Recommendation:
    """Return the run of median time of four, the first left out, as a model's first run takes longer.

    All of them find the same: what is drawn at random hangs on the seed.
    """
    recommendations = [recommend(items, **how) for _ in range(1 + REPEATS)][1:]
    return sorted(recommendations, key=lambda each: facts_of(each.trace)["milliseconds"])[REPEATS // 2]


def _list(kind: ListKind, recommendation: Recommendation, plain: list[int], held_out: set[int]) -> RecommendedList:
    ids = [each.item.id for each in recommendation.items]
    return {
        "kind": kind,
        "title": KINDS[kind],
        "chunk": events_json(recommendation.trace.events),
        "same": ids == plain,
        "shared": len(set(ids) & set(plain)),
        "facts": facts_of(recommendation.trace),
        "items": [
            {
                "id": each.item.id,
                "name": each.item.name,
                "about": _about(each.item),
                "log_prob": each.log_prob,
                "hit": each.item.id in held_out,
            }
            for each in recommendation.items
        ],
    }


def facts_of(trace: Trace) -> dict[str, float]:
    """Return calls, accepted steps, milliseconds in all and by phase, and nodes of a target call; without prefill."""
    end = trace.finished
    assert end is not None, "a list without an end"
    length = trace.started.max_new_tokens
    return {
        "target_calls": end.target_calls,
        "draft_calls": end.draft_calls,
        "accepted_steps": length - end.target_calls,
        "steps": length,
        "milliseconds": 1000 * end.seconds,
        "draft_ms": 1000 * end.draft_s,
        "verify_ms": 1000 * end.verify_s,
        "nodes": fmean(len(each.scored.nodes) for each in trace.rounds),
    }


def _about(item: Item) -> str:
    """Return the attributes of an item that are not in its name."""
    return ", ".join(value for value in item.attributes.values() if value.lower() not in item.name.lower())


def _names(shop: Shop, history: Sequence[int], traces: Sequence[Trace]) -> dict[str, str]:
    """Short names by tokens, with spaces: of items, and of beginnings of identifiers by the commonest kind below them.

    Of the history, and of all that a run has come to.
    """
    tokens, reached = shop.identifiers.tokens, {shop.identifiers.tokens[item] for item in history}
    for trace in traces:
        start = trace.started.frontier[0]
        paths: dict[int, tuple[int, ...]] = {start: ()}
        for each in trace.rounds:
            grown = [(event.nodes, event.parents, event.tokens) for event in (*each.drafted, each.committed)]
            for node, parent, token in (row for columns in grown for row in zip(*columns, strict=True)):
                paths[node] = (*paths[parent], token)
        reached |= {path for path in paths.values() if path}
    wanted = {path[:length] for path in reached for length in range(1, len(path) + 1)}
    below: dict[tuple[int, ...], list[Item]] = {path: [] for path in sorted(wanted)}
    for item, path in zip(shop.items, tokens, strict=True):
        for length in range(1, len(path) + 1):
            if path[:length] in below:
                below[path[:length]].append(item)
    return {" ".join(str(token) for token in path): _named(items) for path, items in below.items() if items}


def _named(items: Sequence[Item]) -> str:
    """Return the name of the one item, or the commonest kind among several."""
    if len(items) == 1:
        return _in_short(items[0])
    kinds = Counter(item.attributes.get("kind") or item.name for item in items)
    return f"{kinds.most_common(1)[0][0]} …"


def _in_short(item: Item) -> str:
    """Return a name that fits on the stage: its colour first, as long names are truncated."""
    known = [item.attributes[name] for name in ("colour", "kind") if item.attributes.get(name)]
    return " ".join(known) or item.name
