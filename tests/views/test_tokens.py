import pytest

from playground.views.tokens import shortened, visible


@pytest.mark.parametrize(("text", "shown"), [
    (" the", "·the"), ("  ", "··"), ("a b", "a·b"), ("\n", "⏎"), ("\x07", "\\x07"), ("\ud83d", "\\ud83d"),
    ("\u202e", "\\u202e"),  # turns the direction of the text after it
    ("é😀", "é😀"), ("", "∅"),
])  # fmt: skip
def test_nothing_in_a_token_stays_invisible(text, shown):
    assert visible(text) == shown


def test_shortened_text_ends_in_an_ellipsis():
    assert (shortened("abcdef", 4), shortened("abcd", 4)) == ("abc…", "abcd")
