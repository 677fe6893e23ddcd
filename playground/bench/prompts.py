"""Prompts for many runs: a preset, or a file."""

import codecs
import csv
import json
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from playground.decoding.chat import chat_turn
from playground.errors import PlaygroundError
from playground.models.forward import Model
from playground.paths import ASSETS
from playground.words import commas, word

PRESETS = ASSETS / "prompts"
MOST_NAMED = 12  # broken lines that a message names
MOST_BYTES, MOST_LINES, MOST_LINE_BYTES = 10_000_000, 100_000, 1_000_000  # These bound a file.
TURNS = "turns"  # A conversation's first turn is the prompt.
FIELDS = ("prompt", TURNS, "question", "text")  # Files of questions call a prompt by one of these.
KINDS = ("category", "kind")  # They call the kind of a text by one of these.
TEXT = "text"  # the kind where none is said
CHAT, USES = (
    "chat",
    "uses",
)  # These presets hold messages, one of each kind in turn; of the uses it is edit, code, question.


def presets() -> dict[str, list[str]]:
    """Return the prompts that come with the playground, by the name of their preset."""
    return {path.stem: read_prompts(path.stem) for path in sorted(PRESETS.glob("*.json"))}


def read_prompts(source: str, *, name: str | None = None) -> list[str]:
    """Return the prompts of a preset, or of a file.

    A text has one in each line. A .jsonl has a question in each line, a .json a list of them, a .csv one in each row:
    an object with the prompt under one of `FIELDS`, as MT-bench and Spec-Bench have it, or in JSON the prompt alone.

    Args:
        source: the preset's name, or the file's path.
        name: what to call the file in a message, if not by its path.

    Raises:
        PlaygroundError: if there are none, the file is too large or no text, or lines are broken; it names them.
    """
    return [prompt for _, prompt in read_kinds(source, name=name)]


class Turn(NamedTuple):
    """A prompt as a run takes it.

    Attributes:
        prompt: the text, of a message as the target's chat template writes it.
        ids: its tokens; () where not yet known.
        message: what the template was applied to; empty without one.
    """

    prompt: str
    ids: tuple[int, ...] = ()
    message: str = ""


def as_turn(target: Model, prompt: str, *, chat: bool = False) -> Turn:
    """Return a prompt as a run takes it.

    Args:
        chat: whether it is a message. Prompts of the presets `CHAT` and `USES` are, where the target has a template:
            without it such a model ends its text at once.

    Raises:
        PlaygroundError: if it is a message, and the target has no template that takes it.
    """
    if chat or (prompt in _messages() and getattr(target.vocabulary, "has_chat_template", False)):
        return Turn(*chat_turn(target, prompt), prompt)
    return Turn(prompt)


@cache
def _messages() -> frozenset[str]:
    return frozenset(read_prompts(CHAT) + read_prompts(USES))


@cache
def use_kinds() -> dict[str, str]:
    """Return the kind of each prompt of the preset `USES`, by its text."""
    return {prompt: kind for kind, prompt in read_kinds(USES)}


def read_kinds(source: str, *, name: str | None = None) -> list[tuple[str, str]]:
    """Prompts with the kind of text that each begins, where the preset or the file names it.

    Args:
        source, name: as for `read_prompts`.

    Raises:
        PlaygroundError: as there.
    """
    preset = PRESETS / f"{source}.json"
    if source.isidentifier() and preset.exists():
        return [_question(each) for each in json.loads(preset.read_text(encoding="utf-8"))]
    name = name or source
    content = _content(source, name)
    lines = [(number, line) for number, line in enumerate(content.splitlines(), 1) if line.strip()]
    match Path(source).suffix.lower():
        case ".csv":
            entries, noun, form = enumerate(_table_rows(content, name), 1), "rows", ""
        case ".json" if (listed := _list_in(content)) is not None:
            entries, noun, form = enumerate(listed, 1), "lines", '{"prompt": "..."}'
        case ".json" | ".jsonl":
            entries, noun, form = ((number, _parsed(line)) for number, line in lines), "lines", '{"prompt": "..."}'
        case _:
            entries, noun, form = ((number, _plain(line)) for number, line in lines), "lines", "UTF-8"
    prompts, broken = [], []
    for number, entry in entries:
        try:
            prompts.append(_question(entry))
        except ValueError:
            broken.append(str(number))
    if broken:
        named = commas(broken[:MOST_NAMED])
        if len(broken) > MOST_NAMED:
            named = word("refused_more", lines=named, count=len(broken) - MOST_NAMED)
        raise PlaygroundError(word(f"refused_{noun}", name=name, form=form, lines=named))
    if not prompts:
        raise PlaygroundError(word("refused_no_prompts", name=name))
    return prompts


def _content(source: str, name: str) -> bytes:
    """Return a file of text as UTF-8, without a byte order mark; UTF-16 is known by its own."""
    try:
        with Path(source).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        known = ", ".join(sorted(path.stem for path in PRESETS.glob("*.json")))
        reason = error.strerror or error
        raise PlaygroundError(word("refused_no_file", name=name, why=reason, known=known)) from None
    if len(content) > MOST_BYTES:
        raise PlaygroundError(word("refused_long_file", name=name, most=f"{MOST_BYTES:,}"))
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        with suppress(UnicodeDecodeError):
            content = content.decode("utf-16").encode()
    if b"\0" in content or content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise PlaygroundError(word("refused_encoding", name=name))
    if max(content.count(b"\n"), content.count(b"\r")) > MOST_LINES:
        raise PlaygroundError(word("refused_many_lines", name=name, most=f"{MOST_LINES:,}"))
    return content.removeprefix(codecs.BOM_UTF8)


def _plain(line: bytes) -> str | None:
    """Return a line as text; None where it is none."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def _parsed(line: bytes) -> Any:
    """Return the value of a line of JSON; None where it is not JSON."""
    try:
        return json.loads(line) if len(line) <= MOST_LINE_BYTES else None
    except (RecursionError, ValueError):
        return None


def _list_in(content: bytes) -> list[Any] | None:
    """Return the list that a file of JSON is; None where it has a value in each line."""
    try:
        value = json.loads(content)
    except RecursionError:
        value = None
    except ValueError:
        return None
    return value if isinstance(value, list) else [value]


def _table_rows(content: bytes, name: str) -> Iterable[Any]:
    """Return the rows of a table, by its columns' names."""
    try:
        table = csv.DictReader(StringIO(content.decode(), newline=""), strict=True)
        rows = list(table)
    except (csv.Error, UnicodeDecodeError) as error:
        raise PlaygroundError(word("refused_no_table", name=name, why=error)) from None
    if not any(column in FIELDS for column in table.fieldnames or ()):
        raise PlaygroundError(word("refused_no_column", name=name, column=FIELDS[0]))
    return rows


def _question(entry: Any) -> tuple[str, str]:
    """(kind, prompt) of an entry: a text, or an object that has one."""
    fields = entry if isinstance(entry, dict) else {FIELDS[0]: entry}
    name = next((name for name in FIELDS if name in fields), FIELDS[0])
    prompt = fields.get(name)
    if name == TURNS and isinstance(prompt, list) and prompt:
        prompt = prompt[0]
    if not isinstance(prompt, str) or not prompt.strip():
        raise ValueError("no prompt")
    kind = next((fields[name] for name in KINDS if isinstance(fields.get(name), str)), TEXT)
    return kind, prompt
