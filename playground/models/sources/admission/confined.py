"""A request to a module of the playground that runs in a process of its own, which can be ended at any moment.

Where the system has the limits of POSIX, the process has a bound on its addresses and its processor time, and is the
first that Linux ends when memory is full. Everywhere, also on Windows and macOS, it is ended when its resident memory
or its time passes a bound, which is looked at twenty times a second.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from playground.errors import PlaygroundError, StoppedError
from playground.paths import ROOT

LOOK_S = 0.05
PATIENCE_S = 5.0  # for a process that was told to end


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a process."""

    memory_bytes: int  # of its addresses, or where these cannot be bounded, of its resident memory
    processor_s: int  # of processor time, where that can be bounded
    wait_s: float  # until it has answered


class BrokenOffError(PlaygroundError):
    """The process ended without an answer; the message says which bound it passed."""


def ask(
    module: str,
    request: Any,
    *,
    bounds: Bounds | None = None,
    stop: Callable[[], bool] = lambda: False,
    look: Callable[[], None] = lambda: None,
    look_s: float = LOOK_S,
) -> Any:
    """Run a module in a process of its own, and return what it answers.

    Args:
        module: that `answer`s.
        request: a value of JSON.
        bounds: of the process; None: none.
        stop: once it says True, the process ends.
        look: called now and then.
        look_s: how often.

    Raises:
        StoppedError: if it was stopped.
        BrokenOffError: if it ended without an answer, with the reason as the end of a sentence.
    """
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = os.environ | {"PYTHONPATH": path, "TOKENIZERS_PARALLELISM": "false", "RUST_BACKTRACE": "0"}
    process = subprocess.Popen(
        command(module),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if bounds else None,
        env=variables,
    )
    began = time.monotonic()
    content: bytes | None = json.dumps([request, bounds and [bounds.memory_bytes, bounds.processor_s]]).encode()
    looked = 0.0
    try:
        while True:
            try:
                said, _ = process.communicate(content, timeout=min(look_s, LOOK_S))
                break
            except subprocess.TimeoutExpired:
                content = None
            if stop():
                raise StoppedError("Stopped.")
            if bounds and _is_large(process.pid, bounds.memory_bytes):
                raise BrokenOffError(_took_memory(bounds))
            if bounds and time.monotonic() - began > bounds.wait_s:
                raise BrokenOffError(f"took more than {bounds.wait_s:.0f} s")
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
    """Answer a request, in the process: bound itself, then read from standard input and write to standard output."""
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
    limits = {"RLIMIT_AS": (memory_bytes,) * 2, "RLIMIT_CPU": (processor_s, processor_s + 2), "RLIMIT_CORE": (0, 0)}
    for name, most in limits.items():
        with suppress(AttributeError, OSError, ValueError):  # macOS bounds no addresses
            resource.setrlimit(getattr(resource, name), most)


def _is_large(pid: int, memory_bytes: int) -> bool:
    with suppress(psutil.Error):
        return psutil.Process(pid).memory_info().rss > memory_bytes
    return False


def _reason(code: int | None, bounds: Bounds | None) -> str:
    """Say what ended a process, by its exit code: the signal of too much processor time, or of a failed allocation."""
    if bounds and code and code == -getattr(signal, "SIGXCPU", 0):
        return f"took more than {bounds.processor_s} s of the processor"
    return _took_memory(bounds) if bounds and code else "broke off"


def _took_memory(bounds: Bounds) -> str:
    return f"took more than {bounds.memory_bytes / 1e9:.0f} GB of memory"


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError, ValueError):
            if pipe:
                pipe.close()
