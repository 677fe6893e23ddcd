"""A link sets up what it was made from."""

from urllib.parse import parse_qsl

import pytest

from playground.errors import PlaygroundError
from playground.ui.page.links import make_query, read_query, wrong_in

DEFAULTS = {"prompt": "Once", "seed": 0, "temperature": 1.0, "method": "speculative_sampling"}


@pytest.mark.parametrize("prompt", ["Once", "a & b = c? #1", "<img src=x onerror=alert(1)>", "${x} \U0001f642\n"])
def test_what_goes_in_comes_out(prompt):
    values = DEFAULTS | {"prompt": prompt, "seed": 7, "temperature": 0.5}
    query = dict(parse_qsl(make_query(values, DEFAULTS)[1:], keep_blank_values=True))
    assert DEFAULTS | read_query(query, DEFAULTS) == values


def test_defaults_make_no_link_longer():
    assert make_query(DEFAULTS, DEFAULTS) == "?"


def test_a_prompt_too_long_for_a_link_is_refused():
    with pytest.raises(PlaygroundError, match="Shorten the prompt"):
        make_query(DEFAULTS | {"prompt": "x" * 3000}, DEFAULTS)


@pytest.mark.parametrize("query", [{"colour": "red"}, {"seed": "many"}, {"seed": "inf"}, {"temperature": ""}])
def test_a_wrong_word_in_a_link_is_named_and_drops_itself_alone(query):
    [phrase] = wrong_in(query, DEFAULTS)
    [(name, _)] = query.items()
    assert name in phrase
    assert read_query(query | {"prompt": "Tom"}, DEFAULTS) == {"prompt": "Tom"}
    assert wrong_in({"prompt": "Tom", "seed": "7", "__theme": "dark", "language": "de"}, DEFAULTS) == []


def test_gradios_own_parameters_are_left_alone():
    assert read_query({"__theme": "dark"}, DEFAULTS) == {}


def test_a_whole_default_does_not_cut_off_decimals():
    assert read_query({"seed": "7", "temperature": "0.8"}, {"seed": 0, "temperature": 1}) == {
        "seed": 7,
        "temperature": 0.8,
    }


def test_a_language_sets_nothing_up():
    assert read_query({"language": "de"}, {"seed": 0}) == {}
