"""Standard output and standard error, whatever is behind them: a console without Unicode, a full disk, a closed pipe.

A command goes on to its end where nobody reads what it prints, so that its files and its exit code are the same.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import sys
from typing import Any, Self

from playground.errors import PlaygroundError

ESCAPES = "json_escapes"  # the name of the error handler


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return characters that an encoding lacks as JSON writes them, so that JSON stays the same value."""
    assert isinstance(error, UnicodeEncodeError), error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(ESCAPES, _escape)


class Console:
    """One of the two streams, for a block.

    Args:
        name: "stdout" or "stderr".

    Raises:
        PlaygroundError: at the end of a block of standard output, if something could not be written. A pipe that was
            closed has a reader who has seen enough.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._error: OSError | None = None

    def __enter__(self) -> Self:
        self._stream = getattr(sys, self._name)  # None where it was closed before the start
        if self._stream is None:
            self._error, self._stream = OSError(errno.EBADF, os.strerror(errno.EBADF)), io.StringIO()
        if isinstance(self._stream, io.TextIOWrapper):
            self._stream.reconfigure(errors=ESCAPES)
        setattr(sys, self._name, self)
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()
        setattr(sys, self._name, self._stream)
        if self._name == "stdout" and self._error and not isinstance(self._error, BrokenPipeError):
            raise PlaygroundError(
                f"The output cannot be written: {self._error.strerror}. Make room, or write elsewhere."
            )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write to the stream, or nowhere once that has failed."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._lose(error)
        return len(text)

    def flush(self) -> None:
        """Flush the stream, or note why it cannot be."""
        try:
            self._stream.flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        """Note an error, and send the rest nowhere, with what the stream still holds."""
        self._error = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


def can_print(text: str) -> bool:
    """Return whether standard output has all of these characters."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
