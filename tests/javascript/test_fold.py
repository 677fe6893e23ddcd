"""Folding, by Node.js alone: whatever tree and room, open nodes and tufts add up, and what is kept is open."""

from itertools import groupby
from random import Random
from typing import Any

import pytest

from tests.javascript.node import ran

NEVER_JUDGED, JUDGED, WANTED, KEPT = range(4)
ROOT = -1
HUGE = 10**6  # more columns or rows than any tree here has


def fold(cases: list[dict[str, Any]]) -> list[dict[int, list[int]]]:
    """The tufts of each case, by the parent they hang below."""
    script = """
        const { fold } = await load("player/stage/fold.js");
        print(given.map(({ nodes, ...room }) => Array.from(fold(nodes, room))));
    """
    return [dict(tufts) for tufts in ran(script, cases)]


def node(key: int, parent: int, depth: int, matters: int = NEVER_JUDGED, weight: float = 0.0) -> dict[str, Any]:
    return {"key": key, "parent": parent, "depth": depth, "matters": matters, "weight": weight}


def random_tree(seed: int) -> dict[str, Any]:
    """Up to 90 nodes in up to 9 layers, one kept path, some judged ones; and a room."""
    random = Random(seed)
    nodes: list[dict[str, Any]] = []
    for key in range(random.randint(1, 90)):
        above = random.choice([None, *nodes[-30:]]) if random.random() < 0.8 else None
        above = above if above and above["depth"] < 9 else None
        nodes.append(
            node(key, above["key"] if above else ROOT, above["depth"] + 1 if above else 1, weight=random.random())
        )
    for each in random.sample(nodes, len(nodes) // 3):
        each["matters"] = JUDGED
    key = random.choice(nodes)["key"]
    while key != ROOT:
        nodes[key]["matters"] = KEPT
        key = nodes[key]["parent"]
    return {"nodes": nodes, "rows": random.randint(3, 14), "last": random.choice([2, 4, HUGE])}


@pytest.fixture(scope="module")
def folded() -> list[tuple[dict[str, Any], dict[int, list[int]]]]:
    cases = [random_tree(seed) for seed in range(300)]
    return list(zip(cases, fold(cases), strict=True))


def open_keys(case: dict[str, Any], tufts: dict[int, list[int]]) -> set[int]:
    return {each["key"] for each in case["nodes"]} - {key for keys in tufts.values() for key in keys}


def columns(case: dict[str, Any], tufts: dict[int, list[int]]) -> dict[int, int]:
    """Nodes and tufts by depth."""
    shown = open_keys(case, tufts)
    depths = [each["depth"] for each in case["nodes"] if each["key"] in shown]
    depths += [next(each["depth"] for each in case["nodes"] if each["parent"] == parent) for parent in tufts]
    return {depth: len(list(same)) for depth, same in groupby(sorted(depths))}


def test_open_nodes_and_tufts_add_up_to_the_tree(folded):
    assert any(tufts for _, tufts in folded)
    for case, tufts in folded:
        keys = [key for keys in tufts.values() for key in keys]
        assert len(keys) == len(set(keys))
        assert len(open_keys(case, tufts)) + len(keys) == len(case["nodes"])
        assert all(tufts.values())


def test_a_tuft_hangs_below_an_open_node_and_holds_whole_subtrees(folded):
    for case, tufts in folded:
        shown = open_keys(case, tufts) | {ROOT}
        parents = {each["key"]: each["parent"] for each in case["nodes"]}
        for parent, keys in tufts.items():
            assert parent in shown
            assert all(parents[key] == parent or parents[key] in keys for key in keys)
        assert all(parents[key] in shown for key in shown - {ROOT})


def test_what_is_kept_stays_open_and_columns_fit(folded):
    for case, tufts in folded:
        shown = open_keys(case, tufts)
        assert all(each["key"] in shown for each in case["nodes"] if each["matters"] == KEPT)
        assert all(count <= case["rows"] for count in columns(case, tufts).values())


def test_beyond_the_width_only_what_leads_to_judged_nodes_is_open(folded):
    for case, tufts in folded:
        shown = open_keys(case, tufts)
        judged = {each["key"] for each in case["nodes"] if each["matters"] > NEVER_JUDGED}
        for each in reversed(case["nodes"]):
            if each["key"] in judged:
                judged.add(each["parent"])
        assert all(
            each["key"] in judged for each in case["nodes"] if each["depth"] > case["last"] and each["key"] in shown
        )


def test_with_room_enough_nothing_folds():
    assert fold([random_tree(seed) | {"rows": HUGE, "last": HUGE} for seed in range(20)]) == [{}] * 20


def test_what_was_never_judged_folds_first_then_the_lightest_then_the_latest():
    by_verdict = [node(key, ROOT, 1, JUDGED if key in (4, 5) else NEVER_JUDGED, 0.9 - key / 10) for key in range(6)]
    by_weight = [node(key, ROOT, 1, JUDGED, weight) for key, weight in enumerate([0.1, 0.5, 0.2, 0.3])]
    alike = [node(key, ROOT, 1) for key in range(4)]
    cases = [{"nodes": by_verdict, "rows": 4}, {"nodes": by_weight, "rows": 3}, {"nodes": alike, "rows": 3}]
    assert fold(cases) == [{ROOT: [1, 2, 3]}, {ROOT: [0, 2]}, {ROOT: [2, 3]}]


def test_an_opened_tuft_shows_what_it_stood_for_and_keeps_a_sign_to_close_it():
    """Ten families of four in twelve rows: the others give way, and the opened one's place is one row more."""
    nodes = [node(key, ROOT, 1) for key in range(10)]
    nodes += [node(10 + 4 * parent + i, parent, 2) for parent in range(10) for i in range(4)]
    (tufts,) = fold([{"nodes": nodes, "rows": 12}])
    hidden = tufts[9]
    assert len(hidden) == 4
    wanted = [each | ({"matters": WANTED} if each["key"] in hidden else {}) for each in nodes]
    (opened,) = fold([{"nodes": wanted, "rows": 12, "opened": 9}])
    assert set(hidden) <= open_keys({"nodes": nodes}, opened)
    assert columns({"nodes": nodes}, opened)[2] + 1 <= 12
