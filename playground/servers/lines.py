"""Numbers in the text of a log, by the words before them, in time that grows with the length of the text.

No regular expression reads a log: one that looks for its end from every letter takes minutes for a megabyte of the
wrong letters, and holds the interpreter meanwhile. The functions here look at a letter a bounded number of times.

A number counts where something follows it, so the last number of a file that was cut off is not read.
"""

from calendar import day_abbr, month_abbr
from collections.abc import Iterable, Iterator
from io import StringIO

LONGEST_RUN = 4000  # letters of one number, or of one list of numbers
MOST_FIELDS = 100  # One table has no more.
_OF_NUMBERS = "0123456789. "
_OF_DATES = "0123456789.:-/,+TZ[]()|"
_NAMES_OF_DATES = frozenset((*month_abbr, *day_abbr))


def plain(text: str) -> str:
    """Return the text with one kind of line ends, and without the codes by which a terminal has colours."""
    first, *coloured = text.replace("\r\n", "\n").replace("\r", "\n").split("\x1b[")
    return first + "".join(part.lstrip("0123456789;?")[1:] for part in coloured)


def skip(text: str, letters: str, at: int = 0) -> int:
    """Return the first index from `at` on whose letter is none of these; the length of the text where all are."""
    while at < len(text):
        part = text[at : at + 250]
        if left := len(part.lstrip(letters)):
            return at + len(part) - left
        at += len(part)
    return at


def lines_with(text: str, *marks: str) -> list[str]:
    """Return the lines that contain one of the marks, each with its end, which the last one may lack."""
    if not any(mark in text for mark in marks):
        return []
    return [line for line in StringIO(text) if any(mark in line for mark in marks)]


def run_after(line: str, label: str, letters: str) -> str | None:
    """Return the run of these letters after the label; None without the label, or where the text ends with the run."""
    start = line.find(label) + len(label)
    part = line[start : start + LONGEST_RUN]
    end = skip(part, letters)
    return part[:end] if start >= len(label) and end < len(part) else None


def number_after(line: str, *labels: str) -> float | None:
    """Return the number after the first of the labels that has one."""
    return next((numbers[0] for label in labels if (numbers := numbers_after(line, label, " "))), None)


def numbers_after(line: str, label: str, separator: str = ",") -> tuple[float, ...]:
    """Return the numbers after the label, up to the first letter that is neither in a number nor between two."""
    run = run_after(line, label, _OF_NUMBERS + separator) or ""
    try:
        return tuple(float(number.rstrip(".")) for number in run.replace(separator, " ").split())
    except ValueError:  # "1.2.3"
        return ()


def first_number(text: str) -> float | None:
    """Return the first word as a number, which may be NaN; None where it is none."""
    try:
        return float(text.split(maxsplit=1)[0])
    except (IndexError, ValueError):
        return None


def stream_of(line: str, mark: str) -> tuple[str, ...]:
    """Return what names the writer of a line before the mark: its words, without dates, times and numbers."""
    words = line[: max(0, line.find(mark))][:LONGEST_RUN].split()
    return tuple(word for word in words if word.strip(_OF_DATES) and word not in _NAMES_OF_DATES)


def tables(text: str, title: str, *ends: str, sign: str = ":") -> Iterator[dict[str, str]]:
    """Yield the fields of each table: the lines `name: value` after a line with the title, the first of each name.

    A table ends before a line with one of `ends`, before the next title, or after `MOST_FIELDS` lines.
    """
    if title not in text:
        return
    fields: dict[str, str] | None = None
    left = 0
    for line in StringIO(text):
        if fields is not None and (title in line or not left or any(end in line for end in ends)):
            yield fields
            fields = None
        if title in line:
            fields, left = {}, MOST_FIELDS
        if fields is not None:
            left -= 1
            name, is_field, value = line.rpartition(sign)
            if is_field and line.endswith("\n"):
                fields.setdefault(name.strip(), value.strip())
    if fields is not None:
        yield fields


def samples(text: str, *prefixes: str) -> Iterator[tuple[str, str, float]]:
    """Yield name, labels and number of each series of `/metrics` with one of the prefixes, in the order of the text.

    A line may have a time or an exemplar after its number. What vLLM's `get_metrics()` returns, and what its example
    prints of it, are the same series.
    """
    for line in lines_with(text, *prefixes):
        yield from _printed(line) if "name='" in line else _sample(line, prefixes)


def position_in(labels: str) -> int | None:
    """Return the draft position that labels name; None where they name none."""
    position = number_after(labels, 'position="')
    return None if position is None else int(position)


def _sample(line: str, prefixes: Iterable[str]) -> Iterator[tuple[str, str, float]]:
    """Yield the series of a line of `/metrics`; a comment has none."""
    series = line[min(at for prefix in prefixes if (at := line.find(prefix)) >= 0) :].replace("\t", " ")
    name, _, after = series.partition(" ")
    labels = ""
    if "{" in name:  # a space may be inside a label, too
        name, _, after = series.partition("{")
        labels, _, after = f'"{after}'.replace('",} ', '"} ').partition('"} ')  # none leave a quote and a brace
    if after.startswith("("):  # "(counter) = 40"
        yield from _by_position(name, "", after.partition("= ")[2])
    elif line.endswith("\n") and (number := first_number(after)) is not None:
        yield name, f'{labels}"', number


def _printed(line: str) -> Iterator[tuple[str, str, float]]:
    """Yield the series of a list as Python prints it: "Counter(name='...', labels={...}, value=40), ..."."""
    for part in line.split("name='")[1:]:
        name, _, after = part.partition("'")
        yield from _by_position(name, after[: after.find("}") + 1], after.partition(" value")[2].partition("=")[2])


def _by_position(name: str, labels: str, value: str) -> Iterator[tuple[str, str, float]]:
    """Yield one series, or one for each entry of a list."""
    if not value.startswith("["):
        number = number_after(value, "")
        yield from () if number is None else ((name, labels, number),)
    for at, number in enumerate(numbers_after(value, "[")):
        yield name, f'{labels},position="{at}"', number
