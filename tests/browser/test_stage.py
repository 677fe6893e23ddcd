"""The drawing on the stage: what is readable, what folds, and that nothing is painted before it has its place."""

from typing import Any

import pytest

from tests.browser.lens_traces import recorded
from tests.browser.player_harness import (
    committed,
    drafted,
    judged,
    mount_player,
    rest_at,
    run_started,
    scored,
    settle,
    state,
    step_of,
    trace_of,
)

WIDE = {
    "rsd_s": {"width": 6, "draft_length": 6},
    "sequoia": {"num_nodes": 60, "draft_length": 8},
    "dsbd": {"num_draws": 12, "draft_length": 4, "width": 4},
    "beam_search": {"width": 8},
    "specinfer": {"first_draws": 8, "later_draws": 2, "draft_length": 4},
}

LETTERS = """() => {
  const stage = document.querySelector('.sp-stage').getBoundingClientRect();
  const texts = Array.from(document.querySelectorAll('.sp-stage text')).filter((text) => text.textContent);
  return texts.map((text) => {
    const box = text.getBoundingClientRect();
    const across = box.left >= stage.left && box.right <= stage.right;
    const inside = across && box.top >= stage.top && box.bottom <= stage.bottom;
    const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    return { text: text.textContent, size, inside: inside || text.closest('.sp-is-prompt, .sp-trunk') !== null };
  });
}"""

# Of the step's round: nodes that hang in the tree by then, those drawn, and what the tufts say they stand for.
COUNTS = """() => {
  const { step } = p;
  const over = step.kind === 'committed';
  const drawn = step.round.nodes.filter((node) => node.draws.some((draw) => draw.layer <= step.round.layers[step.layers - 1]?.number));
  const tufts = [...document.querySelectorAll('.sp-tuft .sp-piece')]
    .flatMap((text) => text.textContent.split(' · '))
    .map((text) => parseInt(text) || 0);
  return {
    nodes: drawn.length + (over ? step.round.extras.length : 0),
    open: document.querySelectorAll('.sp-nodes > .sp-node:not(.sp-trunk)').length,
    folded: tufts.reduce((sum, each) => sum + each, 0),
  };
}"""  # noqa: E501


@pytest.mark.parametrize("method", WIDE)
def test_letters_have_14_px_and_the_whole_tree_is_on_the_stage(open_page, method):
    page = open_page(width=1280, height=720)
    mount_player(page, recorded(method, length=24, **WIDE[method]))
    for number in (1, 2, 3):
        rest_at(page, step_of(page, "committed", number))
        letters = page.evaluate(LETTERS)
        assert min(each["size"] for each in letters) >= 14
        assert [each["text"] for each in letters if not each["inside"]] == []


@pytest.mark.parametrize("method", WIDE)
def test_open_nodes_and_tufts_add_up_at_every_step(page, method):
    mount_player(page, recorded(method, length=12, **WIDE[method]))
    counts = page.evaluate(
        f"""() => {{
          const counted = [];
          for (let step = 1; step < p.state().steps - 1; step++) {{
            p.goto(step);
            p.tree.motion.go(0);
            counted.push(({COUNTS})());
          }}
          return counted;
        }}"""
    )
    assert len(counts) == state(page)["steps"] - 2
    assert any(each["nodes"] for each in counts)
    assert [each for each in counts if each["open"] + each["folded"] != each["nodes"]] == []


def test_steps_of_a_round_move_nothing(page):
    """A round's tree is laid out once: what is drafted, judged and kept appears where it will stay."""
    mount_player(page, recorded("specinfer", length=12, **WIDE["specinfer"]))
    places: dict[str, Any] = {}
    for step in range(1, step_of(page, "committed", 1) + 1):
        rest_at(page, step)
        now = page.evaluate(
            "Object.fromEntries(Array.from(p.tree.drawn, ([key, { thing }]) => [key, [thing.at.x, thing.at.y]]))"
        )
        assert all(places.get(key, place) == place for key, place in now.items()), step
        places |= now


def family_trace(count: int, num_judged: int) -> dict[str, Any]:
    """`count` children of the frontier, so many of them judged and refused."""
    nodes = list(range(3, 3 + count))
    return trace_of(
        run_started(),
        drafted(1, 1, [2] * count, nodes, [3] * count, [0.01] * count),
        scored(1, [2], [2], 2, None),
        judged(1, *[(node, "rejected", 0.1, 0.2, 0.5, 0.9, "Refused.") for node in nodes[:num_judged]]),
        committed(1, [900], [8], ["correction"], 0.1),
    )


def opened(page) -> Any:
    return page.evaluate("p.tree.tufts.opened && p.tree.tufts.opened.keys.size")


def is_drawn(page, node: int) -> bool:
    return page.locator(f".sp-nodes > .sp-node[data-id='{node}']").count() == 1


def test_a_tuft_opens_for_the_pointer_and_closes_when_it_leaves(page):
    mount_player(page, family_trace(60, 3))
    rest_at(page, 1)
    tuft = page.locator(".sp-tuft")
    label = tuft.get_attribute("aria-label")
    assert label.startswith(tuft.text_content().removeprefix("+") + " more tokens after “house”")
    tuft.hover()
    page.wait_for_function("p.tree.tufts.opened")
    settle(page)
    assert tuft.get_attribute("aria-expanded") == "true"
    assert is_drawn(page, 62) or not is_drawn(page, 5)
    counts = page.evaluate(COUNTS)
    assert counts["open"] + counts["folded"] == 60
    page.mouse.move(2, 2)
    page.wait_for_function("!p.tree.tufts.opened")
    settle(page)
    assert tuft.get_attribute("aria-label") == label


def test_a_tuft_is_a_button_to_the_keyboard(page):
    mount_player(page, family_trace(24, 3))
    rest_at(page, 1)
    folded = page.locator(".sp-tuft").text_content()
    page.locator(".sp-tuft").focus()
    settle(page)
    assert opened(page) == int(folded.removeprefix("+"))
    page.keyboard.press("ArrowDown")
    assert page.locator(".sp-node.sp-pointed").count() == 1
    first = page.evaluate("p.hovered.id")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("p.hovered.id") == first + 1
    assert state(page)["step"] == 1
    page.keyboard.press("Enter")  # the rest of it, or closed
    settle(page)
    page.keyboard.press("Escape")
    settle(page)
    assert opened(page) is None and page.evaluate("p.hovered") is None
    assert page.evaluate("document.activeElement.getAttribute('class')").startswith("sp-tuft")
    assert page.locator(".sp-tuft").text_content() == folded
    page.keyboard.press("Enter")
    assert opened(page)
    page.keyboard.press("Tab")
    assert opened(page) is None


def test_a_node_that_is_judged_or_marked_is_never_left_folded(page):
    mount_player(page, family_trace(60, 50))
    for nth in (0, 20, 40, 49):
        rest_at(page, step_of(page, "verified", 1, nth))
        assert is_drawn(page, 3 + nth), nth
    rest_at(page, step_of(page, "committed", 1))
    assert is_drawn(page, 900)
    assert not is_drawn(page, 60)
    page.evaluate("p.pin(p.trace.rounds[0].nodes[57])")
    page.wait_for_function("p.tree.tufts.opened")
    assert is_drawn(page, 60)
    page.evaluate("p.pin(null)")
    page.wait_for_function("!p.tree.tufts.opened")


def test_no_frame_shows_a_node_before_it_has_its_place(page):
    """Looks at every painted frame of play: who is new starts out see-through, and nobody is without a place."""
    mount_player(page, recorded("rsd_s", length=24, **WIDE["rsd_s"]))
    rest_at(page, 1)
    seen = page.evaluate(
        """() => new Promise((done) => {
          const faults = [], before = new Set(document.querySelectorAll('.sp-nodes > g'));
          let frames = 0, entered = 0;
          const look = () => { // before the page's own frame: what stands here is what was painted last
            for (const node of document.querySelectorAll('.sp-nodes > g')) {
              if (!node.hasAttribute('transform')) faults.push('no place');
              if (before.has(node)) continue;
              before.add(node);
              entered += 1;
              if (Number(node.getAttribute('opacity') ?? 1) > 0.9) faults.push('opaque at once');
            }
            frames += 1;
            if (frames > 40 && entered > 12) p.playhead.leave();
            if (p.playhead.playing) requestAnimationFrame(look);
            else done({ faults, frames, entered });
          };
          p.playhead.setSpeed(0.5);
          requestAnimationFrame(look);
          p.playhead.toggle();
        })"""
    )
    assert seen["frames"] > 10 and seen["entered"] > 12 and seen["faults"] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_of_branches_not_kept_are_readable(open_page, scheme):
    """At least 4.5 to 1, over a chip that hides the edges behind it."""
    page = open_page(color_scheme=scheme)
    mount_player(page, recorded("rsd_s", length=12, **WIDE["rsd_s"]))
    rest_at(page, step_of(page, "committed", 1))
    page.wait_for_function("document.getAnimations().every((each) => each.playState !== 'running')")  # colours fade
    contrasts = page.evaluate(
        """() => {
          const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
          const lay = (colour, strength) => { canvas.globalAlpha = strength; canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); };
          const light = () => {
            const [r, g, b] = Array.from(canvas.getImageData(0, 0, 1, 1).data, (part) => {
              const share = part / 255;
              return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          return Array.from(document.querySelectorAll('.sp-node.sp-faded'), (node) => {
            const shape = getComputedStyle(node.querySelector('.sp-shape'));
            lay('#888', 1);
            lay(getComputedStyle(document.querySelector('.sp-stage')).backgroundColor, 1);
            if (shape.fill !== 'none') lay(shape.fill, Number(shape.opacity));
            const ground = light();
            lay(getComputedStyle(node.querySelector('.sp-piece')).fill, Number(node.getAttribute('opacity') ?? 1));
            const letters = light();
            return (Math.max(ground, letters) + 0.05) / (Math.min(ground, letters) + 0.05);
          });
        }"""  # noqa: E501
    )
    assert contrasts and min(contrasts) >= 4.5
