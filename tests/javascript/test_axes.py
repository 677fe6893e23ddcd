"""Axes and rules of the page's own plots, by Node.js alone."""

import json

from tests.javascript.node import ran

LABEL = """
    const { drawRule } = await load("shared/plots/axes.js");
    globalThis.document.createElementNS ??= (_, name) => document.createElement(name);
    const at = { x: (x) => 100 * x, y: (y) => 200 - 100 * y };
    const heights = %s.map((y) => {
      const picture = document.createElement("svg");
      const plot = { picture, at, left: 0, right: 400, top: 0, bottom: 200 };
      drawRule(plot, { y: 1, text: "even" }, [{ x: [0, 1, 2, 3, 4], y }]);
      return Number(picture.children[1].getAttribute("y"));
    });
    print(heights);
"""


def test_the_text_of_a_rule_stands_where_no_line_passes():
    """The rule is at 100 px: its text is above, below where a line comes from above, above where both are taken."""
    apart, from_above = [3, 3, 3, 3, 3], [3, 3, 2, 1.2, 1.1]
    through, along, ended = [1.3, 1.2, 1.1, 0.9, 0.9], [1.2, 1.2, 1.2, 1.2, 0.8], [1.1, 1.1, 1.1, None, None]
    lines = [apart, from_above, through, along, ended]
    assert ran(LABEL % json.dumps(lines), with_document=True) == [95, 115, 95, 95, 95]
