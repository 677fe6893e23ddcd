"""Admission of a GGUF file: its header, walked without making an object of any list in it.

The header is a magic, a version, the numbers of tensors and of keys; then the keys, each with a kind and a value; then
name, shape, kind and offset of each tensor. Everything is little-endian, and a text is its length and its bytes.
"""

import math
import mmap
import struct
from functools import lru_cache
from pathlib import Path

from playground.errors import PlaygroundError
from playground.models.sources.admission.folder import check_plain
from playground.models.sources.admission.limits import (
    BY_KEY,
    GGUF_ENTRIES,
    GGUF_HEADER_BYTES,
    GGUF_TENSORS,
    TEMPLATE_BYTES,
    VOCABULARY,
    Limit,
    refuse,
)

# kinds of values in the file: their layout, or a text, or a list
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
TOKENS, TEMPLATE = "tokenizer.ggml.tokens", "tokenizer.chat_template"
MOST_DIMENSIONS = 8


def num_weights(file: Path) -> int:
    """Return the number of weights in a GGUF file whose header is within the bounds.

    Raises:
        PlaygroundError: if it is not, naming the key and the bound; or if it is no GGUF file.
    """
    check_plain(file, str(file))
    status = file.stat()
    return _num_weights(str(file), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=32)
def _num_weights(file: str, size: int, _: int) -> int:
    path = Path(file)
    try:
        with path.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _Walk(content, path.name).num_weights()
    except (struct.error, ValueError, LookupError, OSError) as error:
        raise PlaygroundError(f"{path} cannot be read as a GGUF file. Fetch it again, or choose another.") from error


class _Walk:
    """A position in a header that moves over it."""

    def __init__(self, content: mmap.mmap, name: str) -> None:
        self.content = content
        self.name = name
        self.position = 0
        self.num_entries = 0

    def num_weights(self) -> int:
        if self.content[:4] != b"GGUF":
            raise ValueError("no magic")
        self.position = 4
        version, num_tensors, num_keys = self._number("I"), self._number("Q"), self._number("Q")
        if version not in (2, 3):
            raise ValueError(f"version {version}")
        self._refuse("the number of tensors", num_tensors, GGUF_TENSORS)
        self._count("the number of keys", num_keys)
        for _ in range(num_keys):
            key = self._text().decode()
            self._value(key, self._number("I"))
        number = sum(self._tensor() for _ in range(num_tensors))
        if number > 8 * len(self.content):
            raise ValueError(f"{number} weights of less than a bit each")
        return number

    def _value(self, key: str, kind: int) -> None:
        if kind == TEXT:
            length = len(self._text())
            if key == TEMPLATE:
                self._refuse(key, length, TEMPLATE_BYTES)
        elif kind == LIST:
            inner, length = self._number("I"), self._number("Q")
            self._count(f"the length of {key}", length)
            if key == TOKENS:
                self._refuse(key, length, VOCABULARY)
            if inner == TEXT:
                for _ in range(length):
                    self._skip(self._number("Q"))
            else:
                self._skip(length * struct.calcsize(NUMBERS[inner]))
        else:
            number = self._number(NUMBERS[kind])
            if limit := BY_KEY.get(key.rpartition(".")[2]):
                self._refuse(key, number, limit)

    def _tensor(self) -> int:
        """Return the number of weights of the next tensor, whose description is passed over."""
        self._text()
        num_dimensions = self._number("I")
        if num_dimensions > MOST_DIMENSIONS:
            raise ValueError(f"{num_dimensions} dimensions")
        shape = [self._number("Q") for _ in range(num_dimensions)]
        self._number("I")
        if self._number("Q") > len(self.content):
            raise ValueError("a tensor beyond the end of the file")
        return math.prod(shape)

    def _number(self, layout: str) -> int:
        before = self.position
        self._skip(struct.calcsize(f"<{layout}"))
        return struct.unpack_from(f"<{layout}", self.content, before)[0]

    def _text(self) -> bytes:
        length = self._number("Q")
        before = self.position
        self._skip(length)
        return self.content[before : self.position]

    def _skip(self, num_bytes: int) -> None:
        self.position += num_bytes
        if self.position > len(self.content):
            raise ValueError("it ends in its header")
        if self.position > GGUF_HEADER_BYTES.most:
            self._refuse("the number of bytes of its header", self.position, GGUF_HEADER_BYTES)

    def _count(self, key: str, number: int) -> None:
        """Count entries, over all lists; a list that could not be in the file is none of a GGUF file."""
        self.num_entries += number
        self._refuse(key, self.num_entries, GGUF_ENTRIES)

    def _refuse(self, key: str, number: float, limit: Limit) -> None:
        refuse(self.name, self.name, key, number, limit)
