r"""Stop strings: the text of a run ends before the first one that is complete.

    tokens written   Alice| ran|.|\nUs|er:| what      ` what` is behind the token that completes it: thrown away
    stop string      \nUser:
    text of the run  Alice ran.

They are looked for in the text, not in its tokens: one may begin in a token that an earlier round emitted, or end in
the middle of one. A round is cut at the token that completes one; what it accepted behind that token is thrown away, as
servers do. A part of a stop string at the end of a run stays. Of several, the one that is complete first counts, and of
those that are complete with the same character the longest.

The round before the last draws nothing else because of them, so what is written up to the cut is what the same run
writes without stop strings.
"""

from collections.abc import Sequence
from typing import NamedTuple

from playground.errors import PlaygroundError
from playground.models.forward import Vocabulary
from playground.words import word

MOST, LONGEST = 100, 200  # strings, characters of one


class Cut(NamedTuple):
    """The end of a text at a stop string."""

    num_tokens: int  # The token that completes the stop string is counted.
    num_characters: int  # The text ends before the stop string.


def read_stop_strings(lines: Sequence[str]) -> tuple[str, ...]:
    r"""Return stop strings as they are typed: `\n` is a line break, `\t` a tab, `\\` a backslash; empty ones go."""
    return tuple(dict.fromkeys(_unescape(line) for line in lines if line))


def check_stop_strings(strings: Sequence[str]) -> None:
    """Refuse strings that no text can be searched for.

    Raises:
        PlaygroundError: if there are too many, or one is empty or too long.
    """
    if not all(strings):
        raise PlaygroundError(word("refused_empty_stop"))
    if len(strings) > MOST:
        raise PlaygroundError(word("refused_many_stops", count=len(strings), most=MOST))
    if long := [each for each in strings if len(each) > LONGEST]:
        raise PlaygroundError(word("refused_long_stop", count=len(long[0]), most=LONGEST))


def typed(string: str) -> str:
    """Return a stop string as it is typed."""
    return string.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _unescape(text: str) -> str:
    parts = text.split("\\\\")
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in parts)


def find_stop(text: str, strings: Sequence[str]) -> int | None:
    """Return where the first complete stop string of a text begins; None without any."""
    begins = [(text.find(each), each) for each in strings]
    ends = [(begin + len(each), begin) for begin, each in begins if begin >= 0]
    return min(ends)[1] if ends else None


def cut_at_stop(
    before: Sequence[int], new: Sequence[int], strings: Sequence[str], vocabulary: Vocabulary
) -> Cut | None:
    """Return the cut of a text that grows by new tokens; None where no stop string is complete.

    Args:
        before: the text's tokens, which complete none.
        new: those that a round adds.
    """
    if not strings or find_stop(vocabulary.decode([*before, *new]), strings) is None:
        return None
    for num_tokens in range(1, len(new) + 1):
        begin = find_stop(vocabulary.decode([*before, *new[:num_tokens]]), strings)
        if begin is not None:
            return Cut(num_tokens, begin)
    raise AssertionError("a stop string is in a text, but in no beginning of it")
