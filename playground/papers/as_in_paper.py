"""Outcome of a comparison next to the paper's: directions in sentences, the ones that differ said as plainly.

A direction is who is ahead of whom, or which way a number goes along the axis. Here it is the mean difference over the
prompts, on which both sides ran, and a bootstrap over prompts says whether it may be chance. Where a paper's own
conditions disagree among each other, nothing is said.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from playground.decoding.method import find_method
from playground.metrics.interval import Difference
from playground.papers.preset import Claim, Preset
from playground.papers.printed import Result, Value, find_paper
from playground.papers.reproduction import RANGE, Panel, Position, Row, cited, missing, panels, plain, written

LEVEL = 0.02  # A smaller difference, relative to the number, has no direction.
NEUTRAL = {"gain": 0.0}  # A ratio between entries is neutral at 1, a gain at 0.
TRENDS = {1: "rises", -1: "falls", 0: "stays level"}
STANDINGS = {1: "better than", -1: "worse than", 0: "level with"}
BY_CHANCE = " Paired over prompts, the 95 % interval of the difference holds 0, so this may be chance."
TOO_FEW = " Too few prompts ran on both sides to tell it from chance."
TOO_LITTLE = "Too little was run to compare."


def reproduce(preset: Preset, rows: Sequence[Row], conditions: Mapping[str, float]) -> dict[str, Any]:
    """Return the whole comparison, ready for json.dumps.

    Args:
        rows: of the race; entries that the preset does not have are left out.
        conditions: of the race, by the names of `Preset.conditions`.

    Returns:
        `missing`: sentences on what was not run as set up. `says`: directions, {text, kind} with kind "same", "differs"
        or "open". `panels`: see reproduction.py. `left_out`: {place, why} of pictures without printed numbers.
    """
    paper, panels_made = find_paper(preset.paper), panels(preset, rows)
    return {
        "preset": preset.id,
        "title": preset.title,
        "paper": cited(paper),
        "arxiv": paper.arxiv,
        "link": paper.link,
        "reduced": preset.reduced,
        "missing": missing(preset, rows, conditions),
        "says": directions(preset, panels_made),
        "panels": [plain(panel, preset) for panel in panels_made],
        "left_out": [msgspec.structs.asdict(each) for each in paper.left_out if each.place in preset.places],
    }


def directions(preset: Preset, panels: Sequence[Panel]) -> list[dict[str, str]]:
    """Return every direction that can be compared, then those that cannot."""
    said = []
    for panel in panels:
        for own in preset.own:
            if panel.column.id in NEUTRAL or (panel.column.form == "times" and panel.results):
                said += _against_one(panel, own)
            elif panel.points:
                said += _standing(panel, own) + _trend(panel, own)
        if panel.positions:
            said += [_claimed(panel, claim) for claim in preset.claims if claim.field == panel.column.id]
    unmeasured = [panel.column.title for panel in panels if panel.results and not panel.points]
    if unmeasured:
        said.append(_open(f"Not measured here: {', '.join(unmeasured)}."))
    if not any(panel.results for panel in panels) and not preset.claims:
        said.append(_open("The paper draws these curves without printing numbers, so no direction is compared."))
    return said


def _standing(panel: Panel, own: str) -> list[dict[str, str]]:
    """Compare the paper's method with each other one, where all of the paper's conditions agree."""
    paper: dict[str, set[int]] = {}
    here: dict[str, dict[Position, tuple[int, Difference]]] = {}
    for result in panel.results:
        for x, values in _by_position(result).items():
            for other in [name for name in values if name != own and own in values]:
                best, rival = panel.best(own, x), panel.best(other, x)
                if best and rival:
                    printed = _middle(values[own]) - _middle(values[other])
                    paper.setdefault(other, set()).add(_better(panel, printed, _middle(values[other])))
                    difference = best.above(rival)
                    here.setdefault(other, {})[x] = _better(panel, difference.value, rival.value), difference
    same: dict[int, list[str]] = {}
    said = []
    for other, signs in paper.items():
        if len(signs) > 1:
            continue
        [sign] = signs
        unlike = {x: difference for x, (above, difference) in here[other].items() if above != sign}
        if not unlike:
            doubt = " (here maybe by chance)" if sign and _chance([each for _, each in here[other].values()]) else ""
            same.setdefault(sign, []).append(find_method(other).title + doubt)
            continue
        above = {here[other][x][0] for x in unlike}
        how = STANDINGS[above.pop()] if len(above) == 1 else f"not {STANDINGS[sign]}"
        where = _where(panel, list(unlike)) if len(unlike) < len(here[other]) else ""
        said.append(
            _differs(
                f"{_name(panel)}: in the paper {_title(own)} is {STANDINGS[sign]} {_title(other)}, "
                f"here it is {how} it{where}.{_chance(unlike.values())}"
            )
        )
    agreed = [
        _same(f"{_name(panel)}: as in the paper, {_title(own)} is {STANDINGS[sign]} {_list(names)}.")
        for sign, names in same.items()
    ]
    return agreed + said


def _trend(panel: Panel, own: str) -> list[dict[str, str]]:
    """Trend of the number along the axis, where the paper prints one method alone."""
    results = [result for result in panel.results if result.x and len({v.method for v in result.values}) == 1]
    printed = [sorted((v for v in result.values if v.ours == own), key=_along) for result in results]
    ends = [(_middle(values[0]), _middle(values[-1])) for values in printed if len(values) > 1]
    signs = {_direction(last - first, first) for first, last in ends}
    here = [point for x in panel.positions if (point := panel.best(own, x))]
    if panel.axis is None or len(signs) != 1 or len(here) < 2:
        return []
    [sign] = signs
    difference = here[-1].above(here[0])
    direction, chance = _direction(difference.value, here[0].value), _chance([difference])
    along = f"with the {panel.axis.title}"
    if direction == sign:
        return [_same(f"{_name(panel)}: as in the paper, it {TRENDS[sign]} {along}.{chance if sign else ''}")]
    return [_differs(f"{_name(panel)}: {along} it {TRENDS[sign]} in the paper; here it {TRENDS[direction]}.{chance}")]


def _against_one(panel: Panel, own: str) -> list[dict[str, str]]:
    """Compare with one method: on which side of "the same" the ratio is."""
    neutral = NEUTRAL.get(panel.column.id, 1.0)
    values = [value for result in panel.results for value in result.values if value.ours == own]
    here = {x: point.value for x in panel.positions if (point := panel.best(own, x))}
    if not values or not here:
        return []
    printed = [end for value in values for end in value.ends]
    ranges = (
        f"{min(printed):g} to {max(printed):g} in the paper, {min(here.values()):.2f} to {max(here.values()):.2f} here"
    )
    about = f"{_title(own)}, {panel.column.title}"
    if min(printed) <= neutral:
        return [_open(f"{about}: {ranges}.")]
    below = [x for x, value in here.items() if value <= neutral]
    if not below:
        return [_same(f"{about}: a gain everywhere, as in the paper ({ranges}).")]
    if len(below) == len(here):
        return [_differs(f"{about}: a gain in the paper, none here ({ranges}).")]
    where = " in part" if panel.axis is RANGE else _where(panel, below)
    return [_differs(f"{about}: a gain everywhere in the paper, none here{where} ({ranges}).")]


def _claimed(panel: Panel, claim: Claim) -> dict[str, str]:
    """Return a direction that the paper gives in words."""
    opening = f"The paper says that {claim.says}"
    if claim.trend:
        own = next((point.method for point in panel.points if point.x is not None), "")
        along = [point for x in panel.positions if (point := panel.best(own, x))]
        if len(along) < 2:
            return _open(f"{opening}. {TOO_LITTLE}")
        difference = along[-1].above(along[0])
        direction = _direction(difference.value, along[0].value)
        first, last = (_figure(panel, point.value) for point in (along[0], along[-1]))
        axis = panel.axis.title if panel.axis else "the axis"
        here = f"along {axis} it {TRENDS[direction]}, from {first} to {last}"
        return (_same if direction == claim.trend else _differs)(f"{opening}. Here {here}.{_chance([difference])}")
    won, lost, differences = [], [], []
    for x in panel.positions:
        sides = [[p for name in side if (p := panel.best(name, x))] for side in (claim.ahead, claim.behind)]
        if all(sides):
            best, rival = (max(side, key=lambda point: point.value) for side in sides)
            differences.append(best.above(rival))
            (won if differences[-1].value > 0 else lost).append(x)
    positions = len(won) + len(lost)
    if not positions:
        return _open(f"{opening}. {TOO_LITTLE}")
    holds = len(won) >= claim.share * positions
    where = f", not{_where(panel, lost)}" if won and lost else ""
    sentence = f"{opening}. Here, by {panel.column.title}, it is so at {len(won)} of {positions}{where}."
    return (_same if holds else _differs)(sentence + _chance(differences))


def _by_position(result: Result) -> dict[Position, dict[str, Value]]:
    """Values by place and our method; a method that the paper prints in several forms is left out."""
    values: dict[Position, dict[str, list[Value]]] = {}
    for value in result.values:
        if value.ours:
            values.setdefault(value.x, {}).setdefault(value.ours, []).append(value)
    return {x: {ours: v[0] for ours, v in by.items() if len(v) == 1} for x, by in values.items()}


def _chance(differences: Iterable[Difference]) -> str:
    """Return the sentence about a direction whose differences may all be chance."""
    every = list(differences)
    if not all(each.is_within_chance for each in every):
        return ""
    return TOO_FEW if all(each.low is None for each in every) else BY_CHANCE


def _where(panel: Panel, positions: Sequence[Position]) -> str:
    return f" where {panel.axis.title} is {_list([written(x) for x in positions], 'or')}" if panel.axis else ""


def _middle(value: Value) -> float:
    return sum(value.ends) / 2


def _along(value: Value) -> float:
    assert value.x is not None, f"{value} has no position on the axis"
    return value.x


def _better(panel: Panel, difference: float, of: float) -> int:
    """1 where the first of two, which is so far above the other, is better."""
    return _direction(difference, of) * (1 if panel.column.better == "high" else -1)


def _direction(difference: float, of: float) -> int:
    """1 up, -1 down, 0 where it is a small part of the number."""
    return 0 if abs(difference) <= LEVEL * abs(of) else 1 if difference > 0 else -1


def _name(panel: Panel) -> str:
    title = panel.column.title
    kind = ", estimate here" if panel.column.kind == "estimate" else ""
    return f"{title[:1].upper()}{title[1:]}{kind}"


def _figure(panel: Panel, value: float) -> str:
    digits = panel.column.digits
    return f"{value:.{digits}f}" if abs(value) >= 10 ** (1 - digits) else f"{value:.2g}"  # few joules are no zero


def _title(method: str) -> str:
    return find_method(method).title


def _list(words: Sequence[str], link: str = "and") -> str:
    *others, last = words
    return f"{', '.join(others)} {link} {last}" if others else last


def _say(kind: str, text: str) -> dict[str, str]:
    return {"text": text, "kind": kind}


_same, _differs, _open = (partial(_say, kind) for kind in ("same", "differs", "open"))
