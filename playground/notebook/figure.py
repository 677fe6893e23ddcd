"""The tree of one step as SVG, in the look of the player, for a paper: nothing is folded, nothing moves.

The player's own pictures (S in it) have a caption and what to cite below; this one has the signs that occur, and leaves
the caption to the paper. Texts of models are text nodes, with what has no shape written by its code.
"""

import html
from dataclasses import dataclass
from itertools import islice

from playground.notebook.marks import GLYPHS, SIGNS, Colours, outline
from playground.notebook.shown import Picture
from playground.notebook.stage import Mark, Stage, first_rounds_end, stage_at
from playground.trace.events import Trace
from playground.trace.fold import Node
from playground.views.tokens import shortened, visible
from playground.views.tree_layout import tree_layout

CHIP, ROW, FONT, SMALL = 28, 52, 15, 14  # px
PAD, GAP, TRUNK_GAP, BEAM_GAP = 22, 44, 5, 24  # px
WORDS = 7  # So many words of the text stand before the tree.
LETTERS = 14  # A token shows no more.
BAR = 4  # px high


@dataclass(slots=True)
class _Box:
    x: float
    y: float
    width: float
    label: str


def figure(trace: Trace, step: int | None = None, *, dark: bool = False) -> Picture:
    """Draw the tree at a step as the player draws it.

    Args:
        trace: whole or interrupted.
        step: from 0, as in a link; None: the end of the first round.
        dark: for a dark page.

    Raises:
        PlaygroundError: if the run has no such step.
    """
    stage = stage_at(trace, first_rounds_end(trace) if step is None else step)
    trunk = _trunk(stage)
    nodes = [*trunk, *stage.marks]
    boxes = _boxes(stage, trunk)
    colours = Colours(dark)
    ends = (box.x + box.width for box in boxes.values())
    inner = max(*ends, 420.0)
    top = min(box.y for box in boxes.values()) - CHIP / 2 - 8
    foot = max(box.y for box in boxes.values()) + CHIP / 2 + 16
    parts = [_edge(node, boxes, colours, stage, node in trunk) for node in nodes if node.parent in boxes]
    parts += [_chip(node, boxes[node], colours, stage, node in trunk) for node in nodes]
    legend, legend_height = _legend(stage, colours, inner)
    width, height = inner + 2 * PAD, foot - top + legend_height + 2 * PAD
    about = html.escape(visible(f"{trace.started.title}: step {stage.step}, round {stage.round}").replace("·", " "))
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="sans-serif" role="img" xml:space="preserve"><title>{about}</title>'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="{colours.ground}"/>'
        f'<g transform="translate({PAD} {PAD - top:.1f})">{"".join(parts)}</g>'
        f'<g transform="translate({PAD} {PAD + foot - top + 6:.1f})">{legend}</g></svg>\n'
    )


# -- positions ----------------------------------------------------------------------------------------------


def _trunk(stage: Stage) -> list[Node]:
    """Return the last words of the text, or of every beam, each once, parents first."""
    words = {node: None for end in stage.frontier for node in islice(end.path(), WORDS)}
    least = max((node.depth for node in words), default=0) - WORDS
    return sorted((node for node in words if node.depth > least), key=lambda node: node.depth)


def _boxes(stage: Stage, trunk: list[Node]) -> dict[Node, _Box]:
    """Lay out a column per depth; every leaf has a row, and a node is centred on what was drafted below it."""
    nodes = [*trunk, *stage.marks]
    heights = _heights(nodes)
    several = len(set(stage.frontier)) > 1
    boxes: dict[Node, _Box] = {}
    x = 0.0
    for depth in sorted({node.depth for node in nodes}):
        column = [node for node in nodes if node.depth == depth]
        for node in column:
            label = shortened(visible(stage.pieces.get(node.token, f"⟨{node.token}⟩")), LETTERS)
            least = CHIP if node in trunk else 46
            width = max(least, text_width(label, FONT) + 20 + _beside(node, stage)[1])
            boxes[node] = _Box(x, heights[node], width, label)
        widest = max(boxes[node].width for node in column)
        for node in column:
            if node in trunk and not several:  # words of one text lean on each other
                boxes[node].x += widest - boxes[node].width
        in_trunk = all(node in trunk for node in column)
        next_in_trunk = any(node in trunk and node.depth == depth + 1 for node in nodes)
        x += widest + ((BEAM_GAP if several else TRUNK_GAP) if in_trunk and next_in_trunk else GAP)
    return boxes


def _heights(nodes: list[Node]) -> dict[Node, float]:
    index = {node: at for at, node in enumerate(nodes)}
    parents = [-1 if node.parent is None else index.get(node.parent, -1) for node in nodes]
    layout = tree_layout(parents, aside={index[node] for node in nodes if node.kind == "extra"})
    return {node: ROW * row for node, row in zip(nodes, layout.rows, strict=True)}


def text_width(text: str, px: float) -> float:
    """About how wide the text is, in px: a picture without a browser has no font to ask."""
    narrow, wide = "iljtfrI.,:;'|!·()[] ", "mwMW@%⏎"
    return px * sum(
        0.34 if letter in narrow else 0.88 if letter in wide else 1.0 if ord(letter) > 0x2E80 else 0.57
        for letter in text
    )


def _beside(node: Node, stage: Stage) -> tuple[str, float]:
    """Text next to the token in its chip, a beam's rank or how often it was drawn; and its width in px."""
    if node in stage.frontier and len(set(stage.frontier)) > 1:
        text = f"#{stage.frontier.index(node) + 1}"
    else:
        times = max(stage.frontier.count(node), len(stage.mark(node).qs))
        text = f"×{times}" if times > 1 else ""
    return text, text_width(text, FONT) + 6 if text else 0.0


# -- what is drawn ---------------------------------------------------------------------------------------------------


def _edge(node: Node, boxes: dict[Node, _Box], colours: Colours, stage: Stage, is_trunk: bool) -> str:
    assert node.parent is not None
    mark = stage.mark(node)
    above, here = boxes[node.parent], boxes[node]
    start, end = above.x + above.width, here.x
    if end - start <= TRUNK_GAP + 0.1 and is_trunk:
        return ""
    bend = max(6.0, 0.5 * (end - start))
    q = mark.qs[0] if mark.qs else None
    width = 1.6 if is_trunk or q is None else 1 + 4.5 * q
    dashed = ' stroke-dasharray="2 5"' if mark.state in ("rejected", "correction") and not is_trunk else ""
    tone = colours.faint if is_trunk or mark.state == "not_tested" else colours.edge(mark.state)
    faint = ' stroke-opacity="0.5"' if mark.faded and mark.state != "not_tested" and not is_trunk else ""
    return (
        f'<path d="M{start:.1f} {above.y:.1f}C{start + bend:.1f} {above.y:.1f} {end - bend:.1f} {here.y:.1f} '
        f'{end:.1f} {here.y:.1f}" fill="none" stroke="{tone}" stroke-width="{width:.1f}" stroke-linecap="round"'
        f"{dashed}{faint}/>"
    )


def _chip(node: Node, box: _Box, colours: Colours, stage: Stage, is_trunk: bool) -> str:
    drawn, mark = [], stage.mark(node)
    fade = ' opacity="0.5"' if mark.faded and not is_trunk else ""
    is_frontier = node in stage.frontier
    ink = colours.quiet if (is_trunk and not is_frontier) or mark.state == "not_tested" else colours.ink
    if not is_trunk:
        shape = f'<path d="{outline(mark.state, box.width, CHIP)}" {colours.shape(mark.state)}{fade}/>'
        drawn += [shape, _bars(mark, box.width, colours, fade)]
    elif is_frontier:
        line = f'stroke="{colours.ink}" stroke-width="1.5"'
        drawn.append(f'<path d="{outline(mark.state, box.width, CHIP)}" fill="{colours.raised}" {line}/>')
    elif mark.state != "prompt":
        tone = f'fill="{colours.tone(mark.state)}" fill-opacity="0.11"'
        drawn.append(f'<path d="{outline(mark.state, box.width, CHIP)}" {tone}/>')
    beside, inset = _beside(node, stage)
    is_rank = beside.startswith("#")
    middle = (box.width + (inset if is_rank else -inset)) / 2
    drawn.append(_text(box.label, middle, ink, weight=500))
    if beside:
        edge, anchor = (10.0, "start") if is_rank else (box.width - 10, "end")
        drawn.append(_text(beside, edge, colours.quiet if is_rank else colours.ink, weight=600, anchor=anchor))
    if not is_trunk and mark.state != "scored":
        drawn.append(f'<g transform="translate(1 {-CHIP / 2:.0f})"{fade}>{badge(mark.state, colours)}</g>')
    return f'<g transform="translate({box.x:.1f} {box.y:.1f})">{"".join(drawn)}</g>'


def _bars(mark: Mark, width: float, colours: Colours, fade: str) -> str:
    """p above q, each a share of the chip's width; a token that was not drafted has no q."""
    bars = []
    full_width, y = width - 8, CHIP / 2 + 3.5
    q = mark.qs[0] if mark.qs else None
    if mark.p is None and q is None:
        return ""
    for share, colour in ((mark.p, colours.target), (q, colours.draft)):
        if share is None and colour == colours.draft:
            continue
        bars.append(f'<rect x="4" y="{y:.1f}" width="{full_width:.1f}" height="{BAR}" rx="2" fill="{colours.faint}"/>')
        if share:
            wide = f'width="{full_width * share:.1f}" height="{BAR}" rx="2" fill="{colour}"'
            bars.append(f'<rect x="4" y="{y:.1f}" {wide}/>')
        y += BAR + 1.5
    return f"<g{fade}>{''.join(bars)}</g>"


def badge(state: str, colours: Colours) -> str:
    """Draw the disc with the sign of a state, around (0, 0)."""
    if state not in GLYPHS:
        return ""
    tone = colours.tone(state)
    hollow = state == "pending"
    disc = colours.ground if hollow else tone
    fill = colours.sign if state == "bonus" else "none"
    stroke = tone if hollow else colours.sign
    width = {"bonus": 0.6, "plain": 5, "pending": 1.6}.get(state, 1.8)
    return (
        f'<circle r="7" fill="{disc}" stroke="{colours.ground}" stroke-width="1.5"/><path d="{GLYPHS[state]}" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _text(
    text: str, x: float, colour: str, *, y: float = 0.35 * FONT, weight: int = 400, anchor: str = "middle"
) -> str:
    size = FONT if weight > 400 else SMALL
    return (
        f'<text x="{x:.1f}" y="{y:.2f}" fill="{colour}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{html.escape(text)}</text>'
    )


def _legend(stage: Stage, colours: Colours, width: float) -> tuple[str, float]:
    """Draw the signs that occur, in rows; return them and their height in px."""
    states = {mark.state for mark in stage.marks.values()}
    rows = [(state, words) for state, words in SIGNS.items() if state in states]
    rows += [("p", "p: target model")] if any(mark.p is not None for mark in stage.marks.values()) else []
    rows += (
        [("q", "q: draft model; its edge is as thick")] if any(any(mark.qs) for mark in stage.marks.values()) else []
    )
    drawn, x, y = [], 0.0, 10.0
    for sign, words in rows:
        wide = 32 + text_width(words, SMALL)
        if x > 0 and x + wide > width:
            x, y = 0.0, y + 26
        if sign in ("p", "q"):
            colour = colours.target if sign == "p" else colours.draft
            mark = f'<rect x="0" y="-3" width="24" height="5" rx="2.5" fill="{colours.faint}"/>'
            mark += f'<rect x="0" y="-3" width="15" height="5" rx="2.5" fill="{colour}"/>'
        else:
            mark = f'<g transform="translate(12 0)">{badge(sign, colours)}</g>'
        said = _text(words, 31, colours.quiet, y=5, anchor="start")
        drawn.append(f'<g transform="translate({x:.1f} {y:.1f})">{mark}{said}</g>')
        x += wide + 20
    return "".join(drawn), y + 10 if rows else 0.0
