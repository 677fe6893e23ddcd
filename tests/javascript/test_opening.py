"""Callouts in the picture of a round, by Node.js alone: each has a place of its own, or none."""

from tests.javascript.node import ran

PLACE = """
    const { between, freePlace } = await load("player/opening/placement.js");
    const size = { width: 100, height: 40 };
    const target = { left: 100, top: 100, right: 150, bottom: 130 };
    const room = { width: 400, height: 300 };
    const beside = freePlace(size, target, [target], room, 70);
    const second = freePlace(size, target, [target, beside], room, 70);
    const whole = { left: 0, top: 0, right: 400, bottom: 300 };
    print({
        apart: [between(beside, target), between(second, target), between(second, beside)],
        inside: [beside, second].every((box) => box.left >= 0 && box.top >= 0 && box.right <= 400 && box.bottom <= 300),
        full: freePlace(size, target, [whole], room, 70),
        far: freePlace(size, target, [{ ...whole, right: 290 }], room, 70),
    });
"""


def test_a_callout_stands_beside_what_it_names_covers_nothing_and_is_left_out_where_it_has_no_place():
    found = ran(PLACE)
    first, second, between = found["apart"]
    assert 6 <= first < 70 and 6 <= second < 70 and between >= 6
    assert found["inside"]
    assert found["full"] is None and found["far"] is None
