"""The header of a GGUF file, walked without making an object of any list in it.

The header is a magic, a version, the numbers of tensors and of keys; then the keys, each with a kind and a value; then
name, shape, kind and offset of each tensor. Everything is little-endian, and a text is its length and its bytes.
"""

import math
import mmap
import struct
from functools import lru_cache
from pathlib import Path

from playground.errors import PlaygroundError
from playground.models.sources.folder import check_plain, refuse_above

# kinds of values in the file: their layout, or a text, or a list
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
MOST_DIMENSIONS = 8
MOST_BYTES = 100_000_000  # Gemma 3's header has some 10 MB.


def num_weights(file: Path) -> int:
    """Return the number of weights in a GGUF file.

    Raises:
        PlaygroundError: if it is none, or its header is too long.
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

    def num_weights(self) -> int:
        if self.content[:4] != b"GGUF":
            raise ValueError("no magic")
        self.position = 4
        version, num_tensors, num_keys = self._number("I"), self._number("Q"), self._number("Q")
        if version not in (2, 3):
            raise ValueError(f"version {version}")
        for _ in range(num_keys):
            self._skip(self._number("Q"))
            self._skip_value(self._number("I"))
        number = sum(self._tensor() for _ in range(num_tensors))
        if number > 8 * len(self.content):
            raise ValueError(f"{number} weights of less than a bit each")
        return number

    def _skip_value(self, kind: int) -> None:
        if kind == TEXT:
            self._skip(self._number("Q"))
        elif kind == LIST:
            inner, length = self._number("I"), self._number("Q")
            if inner == TEXT:
                for _ in range(length):
                    self._skip(self._number("Q"))
            else:
                self._skip(length * struct.calcsize(NUMBERS[inner]))
        else:
            self._skip(struct.calcsize(NUMBERS[kind]))

    def _tensor(self) -> int:
        """Return the number of weights of the next tensor, whose description is passed over."""
        self._skip(self._number("Q"))
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

    def _skip(self, num_bytes: int) -> None:
        self.position += num_bytes
        if self.position > len(self.content):
            raise ValueError("it ends in its header")
        refuse_above(self.name, "the number of bytes of its header", self.position, MOST_BYTES)
