"""The expected-speed lab against the formulas it stands on, and its ends."""

import json

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.lab.expected_speed import LONGEST, MOST_NODES, expected_speed
from playground.theory import speculation
from playground.ui.lab import speed

SLIDERS = {
    "draft_length": 4, "cost_ratio": 0.15, "nodes_cost": "straight", "per_node": 0.0, "bytes_per_parameter": 2,
    "num_nodes": 16, "children": 2, "layer_acceptance": 0.7, "num_beams": 2, "num_draws": 6, "falling": 1.0,
}  # fmt: skip
PASSING = [0.7, 0.4, 0.3, 0.2]


def asked(passing=PASSING, **changed):
    return expected_speed(passing, **SLIDERS | changed)


def shapes(found):
    return {shape["id"]: shape for shape in found["shapes"]}


def test_where_nodes_cost_nothing_the_chain_is_the_textbook():
    answer = asked()
    chain = shapes(answer)["chain"]
    assert chain["speed_up"] == pytest.approx(float(speculation.speed_up(0.7, 4, 0.15)))
    assert answer["chain"]["textbook"] == pytest.approx(chain["speed_up"])
    assert answer["chain"]["break_even"] == pytest.approx(speculation.break_even_acceptance(4, 0.15))
    assert answer["chain"]["best_length"] == speculation.best_draft_length(0.7, 0.15, longest=LONGEST)
    np.testing.assert_allclose(answer["by_rate"]["speed_up"], answer["by_rate"]["textbook"], atol=1e-12)


def test_break_even_is_where_the_curve_crosses_one():
    answer = asked(per_node=0.05)
    even = answer["chain"]["break_even"]
    assert shapes(asked([even], per_node=0.05))["chain"]["speed_up"] == pytest.approx(1)
    x, y = answer["by_rate"]["x"], answer["by_rate"]["speed_up"]
    assert np.interp(even, x, y) == pytest.approx(1, abs=1e-3)


def test_a_draft_that_is_too_dear_never_breaks_even():
    answer = asked(cost_ratio=1.0, per_node=0.2)
    assert answer["chain"]["break_even"] is None and answer["chain"]["best_length"] == 0


def test_the_best_tree_is_on_its_curve_and_no_worse_than_the_others_of_its_size():
    answer = asked(per_node=0.02)
    best = shapes(answer)["best"]
    assert answer["by_nodes"]["tree"][best["num_nodes"] - 1] == pytest.approx(best["speed_up"])
    assert len(answer["tree"]["parents"]) == best["num_nodes"] == 16
    assert 1 + sum(answer["tree"]["chances"]) == pytest.approx(best["emitted"])
    for tree, chain in zip(answer["by_nodes"]["tree"], answer["by_nodes"]["chain"], strict=False):
        assert tree is None or tree >= chain - 1e-12
    assert answer["by_nodes"]["best_speed_up"] == pytest.approx(max(filter(None, answer["by_nodes"]["tree"])))
    deep = asked([0.95, 0.4, 0.3, 0.2], cost_ratio=0.01)  # Drafts nearly always pass and cost nearly nothing.
    trees, chains = deep["by_nodes"]["tree"][:LONGEST], deep["by_nodes"]["chain"]
    assert all(tree >= chain - 1e-12 for tree, chain in zip(trees, chains, strict=True))
    assert shapes(deep)["best"]["speed_up"] >= chains[LONGEST - 1]


def test_beams_are_counted_by_the_theorem_against_beam_sampling():
    beams = shapes(asked(per_node=0.01))["beams"]
    assert beams["emitted"] == pytest.approx((1 - 0.7**5) / 0.3)
    assert beams["cost"] == pytest.approx(4 * 0.15 + 1 + 0.01 * (2 + 24 - 1))
    assert beams["speed_up"] == pytest.approx(beams["emitted"] * 1.01 / beams["cost"])
    assert asked(num_beams=6, num_draws=6)
    with pytest.raises(PlaygroundError, match="5 drafts per depth can never fill 6 beams"):
        asked(num_beams=6, num_draws=5)


def test_a_roofline_is_flat_and_then_rises():
    answer = asked(nodes_cost="l40")
    cost = dict(zip(np.round(answer["cost"]["x"]).tolist(), answer["cost"]["y"], strict=True))
    assert answer["cost"]["free"] == pytest.approx(209.49, abs=0.01) and answer["cost"]["note"].startswith(
        "An estimate: "
    )
    assert cost[1] == 1 and cost[512] == pytest.approx(512 / 209.49, abs=1e-3)


@pytest.mark.parametrize("passing", [[0, 0, 0, 0], [1, 1, 1, 1], [0.5], [1, 0, 0, 0]])
@pytest.mark.parametrize("nodes_cost", ["straight", "cpu_core"])
def test_ends_of_the_sliders_are_finite_and_json(passing, nodes_cost):
    answer = asked(passing, nodes_cost=nodes_cost, num_nodes=MOST_NODES, draft_length=LONGEST, children=4)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert shapes(answer)["branching"]["num_nodes"] <= MOST_NODES


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"nodes_cost": "abacus"}, "Unknown machine 'abacus'"),
    ],
)
def test_numbers_out_of_range_become_a_sentence(changed, words):
    with pytest.raises(PlaygroundError, match=words):
        asked(**changed)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("draft_length", 1, LONGEST), ("cost_ratio", 0, 2), ("per_node", 0, 1), ("bytes_per_parameter", 0.5, 8),
        ("num_nodes", 1, MOST_NODES), ("children", 1, 4), ("layer_acceptance", 0, 1), ("num_beams", 1, 16),
        ("num_draws", 1, 64),
    ],
)  # fmt: skip
def test_every_slider_reaches_its_ends_and_no_further(name, low, high):
    suited = {"num_beams": 1} if name == "num_draws" else {"num_draws": 64}
    question = {"type": "speed", "passing": PASSING} | SLIDERS | suited
    for value in (low, high):
        assert "shapes" in speed.ask(question | {name: value})
    step = 1 if isinstance(SLIDERS[name], int) else 0.01
    for value, said in ((low - step, "below the limit"), (high + step, "above the limit")):
        assert said in str(speed.ask(question | {name: value})["error"])


@pytest.mark.parametrize(
    ("children", "passing", "length", "levels", "num_nodes"),
    [(2, PASSING, 4, 4, 30), (2, PASSING, 16, 5, 62), (3, PASSING, 16, 3, 39), (4, PASSING, 16, 2, 20),
     (1, PASSING, 16, 16, 16), (4, [0.5, 0.2], 3, 3, 14)],
)  # fmt: skip
def test_the_branching_tree_has_as_many_whole_depths_as_fit(children, passing, length, levels, num_nodes):
    shape = shapes(asked(passing, children=children, draft_length=length))["branching"]
    assert (shape["levels"], shape["num_nodes"], shape["children"]) == (levels, num_nodes, min(children, len(passing)))
    assert shape["cost"] == pytest.approx(1 + 0.15 * levels)


def test_curves_and_cards_say_the_same():
    """A card's chain stands on both curves, and the best of a curve is its greatest value."""
    answer = asked(per_node=0.03)
    chain = shapes(answer)["chain"]
    assert chain["cost"] == pytest.approx(4 * 0.15 + 1 + 0.03 * 4) and chain["levels"] == chain["num_nodes"] == 4
    assert chain["emitted"] == pytest.approx((1 - 0.7**5) / 0.3)
    assert answer["by_nodes"]["chain"][3] == pytest.approx(chain["speed_up"]) and answer["by_nodes"]["x"][3] == 4
    index = 70  # The rates are 0, 0.01, ... 1.
    assert answer["by_rate"]["x"][index] == pytest.approx(0.7)
    assert answer["by_rate"]["speed_up"][index] == pytest.approx(chain["speed_up"])
    assert answer["by_rate"]["emitted"][index] == pytest.approx(chain["emitted"])
    assert answer["by_rate"]["best"][index] == pytest.approx(answer["chain"]["best_speed_up"])
    assert answer["chain"]["best_speed_up"] == pytest.approx(max(answer["by_nodes"]["chain"]))
    assert answer["chain"]["best_length"] == 1 + int(np.argmax(answer["by_nodes"]["chain"]))
    assert answer["by_nodes"]["best"] == answer["by_nodes"]["tree"].index(answer["by_nodes"]["best_speed_up"]) + 1
    assert answer["cost"]["y"][0] == 1 and answer["cost"]["y"][-1] == pytest.approx(1 + 0.03 * 511)
    assert answer["cost"]["free"] is None and answer["cost"]["note"].startswith("Assumed: ")
    assert answer["chain"]["textbook_best_length"] == speculation.best_draft_length(0.7, 0.15, longest=LONGEST)
    assert answer["chain"]["textbook_break_even"] == speculation.break_even_acceptance(4, 0.15)
    assert answer["chain"]["break_even_cost"] == pytest.approx(float(speculation.break_even_cost(0.7, 4)))


def test_curves_are_as_long_as_their_sliders():
    answer = asked()
    assert answer["by_nodes"]["x"] == list(range(1, MOST_NODES + 1)) and len(answer["by_nodes"]["tree"]) == MOST_NODES
    assert len(answer["by_nodes"]["chain"]) == LONGEST and len(answer["cost"]["x"]) == len(answer["cost"]["y"])
    assert (answer["by_rate"]["x"][0], answer["by_rate"]["x"][-1], len(answer["by_rate"]["x"])) == (0, 1, 101)
    all_accepted = [(n + 1) / (1 + 0.15 * n) for n in range(LONGEST + 1)]
    assert answer["by_rate"]["best"][-1] == pytest.approx(max(all_accepted)) and answer["by_rate"]["best"][0] == 1


def test_an_acceptance_that_falls_with_the_position_by_hand():
    """Acceptance .8, then half of it, .4: 1 + .8 + .8 * .4 tokens; the textbook and the trees do not fall."""
    falls, stays = (asked([0.8], draft_length=2, falling=each) for each in (0.5, 1.0))
    assert falls["shapes"][0]["emitted"] == pytest.approx(2.12) and stays["shapes"][0]["emitted"] == pytest.approx(2.44)
    assert falls["chain"]["most"] == pytest.approx(2.5) and falls["chain"]["textbook"] == stays["chain"]["textbook"]
    assert falls["by_rate"]["emitted"][80] == pytest.approx(2.12) and falls["shapes"][2] == stays["shapes"][2]
    assert falls["by_nodes"]["chain"][1] == pytest.approx(2.12 / 1.3)
