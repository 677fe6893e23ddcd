"""A link sets up what it was made from."""

from urllib.parse import parse_qsl

import pytest

from playground.errors import PlaygroundError
from playground.ui.page.links import make_query, read_query

DEFAULTS = {"prompt": "Once", "seed": 0, "temperature": 1.0, "method": "speculative_sampling"}


@pytest.mark.parametrize("prompt", ["Once", "a & b = c? #1", "<img src=x onerror=alert(1)>", "${x} \U0001f642\n"])
def test_what_goes_in_comes_out(prompt):
    values = DEFAULTS | {"prompt": prompt, "seed": 7, "temperature": 0.5}
    query = dict(parse_qsl(make_query(values, DEFAULTS)[1:], keep_blank_values=True))
    assert DEFAULTS | read_query(query, DEFAULTS)[0] == values


def test_a_link_is_no_longer_than_it_must_be():
    assert make_query(DEFAULTS, DEFAULTS) == "?"
    with pytest.raises(PlaygroundError, match="Shorten the prompt"):
        make_query(DEFAULTS | {"prompt": "x" * 3000}, DEFAULTS)


@pytest.mark.parametrize("query", [{"colour": "red"}, {"seed": "many"}, {"seed": "inf"}, {"temperature": ""}])
def test_a_wrong_word_in_a_link_is_named_and_drops_itself_alone(query):
    values, [phrase] = read_query(query | {"prompt": "Tom"}, DEFAULTS)
    [(name, _)] = query.items()
    assert name in phrase and values == {"prompt": "Tom"}
    assert read_query({"prompt": "Tom", "seed": "7", "__theme": "dark", "language": "de"}, DEFAULTS)[1] == []


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ({"__theme": "dark"}, {}),  # Gradio's own
        ({"language": "de"}, {}),
        ({"seed": "7", "temperature": "0.8"}, {"seed": 7, "temperature": 0.8}),  # although its default is whole
        ({"chat": "true"}, {"chat": 1}),
        ({"chat": "0"}, {"chat": 0}),
    ],
)
def test_a_link_sets_up_its_own_words(query, read):
    assert read_query(query, {"seed": 0, "temperature": 1, "chat": False}) == (read, [])
