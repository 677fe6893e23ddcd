import pytest

from playground.views.theme import COLOURS, HATCHES, INK


@pytest.mark.parametrize("background", ["#FFFFFF", "#0B0F19"])
def test_ink_reads_on_light_and_dark(background):
    """At least 4 : 1 on both; more than 4.6 on both is impossible for one colour."""
    assert _contrast(INK, background) >= 4


def test_no_two_kinds_in_one_figure_are_told_apart_by_colour_alone():
    assert len(set(HATCHES.values())) == len(HATCHES)
    assert set(HATCHES) <= set(COLOURS)


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    """WCAG 2 relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
