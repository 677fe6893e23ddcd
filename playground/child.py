"""A request to a module of the playground that runs in a child, a process which can be ended at any moment.

    reply = ask("playground.models.chat_template", request, bounds=Bounds(1_000_000_000, 5))     here
    answer(reply_to)                                                    at the end of that module, in the child

What a stranger wrote may run away with memory or time. Two bounds decide about that, both the same on a busy machine:
memory, and processor time. They are looked at twenty times a second, and where the system has the limits of POSIX, the
child sets them for itself, too; it is the first process that Linux ends when memory is full. Wall time says nothing of
a request: a child that waits for something, and has not computed for a minute, is stopped, and nothing is said to be
wrong with it.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from playground.errors import PlaygroundError, StoppedError
from playground.paths import ROOT

LOOK_S = 0.05  # between two looks at the bounds
END_S = 5.0  # A child that was told to end has so long before it is killed.
STOPPED_S = 60.0  # A child that has bounds is stopped after so long without any work of the processor.


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a child: both decide about the request, and neither depends on what else the machine does."""

    memory_bytes: int  # It bounds what the child asks for where the system can, and what it holds everywhere.
    processor_s: int


class BrokenOffError(PlaygroundError):
    """The child ended without an answer; the message, the end of a sentence, says which bound it passed."""


def ask(
    module: str,
    request: Any,
    *,
    bounds: Bounds | None = None,
    stop: Callable[[], bool] = lambda: False,
    look: Callable[[], None] = lambda: None,
    look_s: float = LOOK_S,
) -> Any:
    """Run a module in a child, and return what it answers.

    Args:
        module: the module that calls `answer`.
        request: a value of JSON.
        bounds: the child's; None for a child that may take as much as it likes.
        stop: once it says True, the child ends.
        look: a function that is called now and then.
        look_s: seconds between two calls of it.

    Raises:
        StoppedError: if `stop` said so, or the child only waits.
        BrokenOffError: if the child ended without an answer.
    """
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = os.environ | {"PYTHONPATH": path, "TOKENIZERS_PARALLELISM": "false", "RUST_BACKTRACE": "0"}
    with tempfile.TemporaryFile() as file:  # `communicate` gives up what it has not yet written at a look
        file.write(json.dumps([request, bounds and [bounds.memory_bytes, bounds.processor_s]]).encode())
        file.seek(0)
        process = subprocess.Popen(
            command(module),
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if bounds else None,
            env=variables,
        )
    worked_s, worked_at = 0.0, time.monotonic()
    looked = 0.0
    try:
        while True:
            try:
                said, _ = process.communicate(timeout=min(look_s, LOOK_S))
                break
            except subprocess.TimeoutExpired:
                pass
            if stop():
                raise StoppedError("Stopped.")
            if bounds:
                before_s, worked_s, now = worked_s, _worked_s(process.pid, bounds), time.monotonic()
                worked_at = now if worked_s > before_s else worked_at
                if now - worked_at > STOPPED_S:
                    raise StoppedError(f"Stopped: it waited for {STOPPED_S:.0f} s. Try again.")
            if time.monotonic() - looked >= look_s:
                look()
                looked = time.monotonic()
    finally:
        _end(process)
    try:
        return json.loads(said)
    except ValueError:
        raise BrokenOffError(_reason(process.returncode, bounds)) from None


def command(module: str) -> list[str]:
    """Return the command that runs a module by this Python."""
    return [sys.executable, "-m", module]


def answer(reply: Callable[[Any], Any]) -> None:
    """Answer a request, in the child: bound itself, then read from standard input and write to standard output."""
    request, bounds = json.load(sys.stdin)
    if bounds:
        _bound(*bounds)
    print(json.dumps(reply(request)))


def _bound(memory_bytes: int, processor_s: int) -> None:
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {"RLIMIT_DATA": (memory_bytes,) * 2, "RLIMIT_CPU": (processor_s, processor_s + 2), "RLIMIT_CORE": (0, 0)}
    for name, most in limits.items():
        with suppress(AttributeError, OSError, ValueError):  # Some systems bound no memory so.
            resource.setrlimit(getattr(resource, name), most)


def _worked_s(pid: int, bounds: Bounds) -> float:
    """Return the seconds of the processor that a child has had; raise the reason once it has passed a bound."""
    with suppress(psutil.Error):  # It has ended meanwhile.
        child = psutil.Process(pid)
        if child.memory_info().rss > bounds.memory_bytes:
            raise BrokenOffError(_took_memory(bounds))
        seconds = sum(child.cpu_times()[:2])
        if seconds > bounds.processor_s:
            raise BrokenOffError(_took_time(bounds))
        return seconds
    return 0.0


def _reason(code: int | None, bounds: Bounds | None) -> str:
    """Say what ended a process, by its exit code: the signal of too much processor time, or of a failed allocation."""
    if bounds and code and code == -getattr(signal, "SIGXCPU", 0):
        return _took_time(bounds)
    return _took_memory(bounds) if bounds and code else "broke off"


def _took_memory(bounds: Bounds) -> str:
    return f"took more than {bounds.memory_bytes / 1e9:.0f} GB of memory"


def _took_time(bounds: Bounds) -> str:
    return f"took more than {bounds.processor_s} s of the processor"


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout:
        process.stdout.close()
