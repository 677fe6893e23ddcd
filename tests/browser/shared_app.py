"""One app for all workers that test in a browser, and whose turn it is there: files that are locked tell."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from playground.locks import lock_file
from tests.browser.app_fixture import running_app

POLL_S = 0.1


@contextmanager
def shared_app(folder: Path, worker: str) -> Iterator[str]:
    """Give the address of the app of all workers.

    The first that asks starts it, and ends it once no other uses it.

    Args:
        folder: of these workers alone.
        worker: the name of this one.
    """
    known = folder / "address"
    with locked(folder / f"app-{worker}.lock"), ExitStack() as own:
        with locked(folder / "start.lock"):
            if not known.exists():
                known.write_text(own.enter_context(running_app()))
                own.callback(_let_the_others_end, folder, worker)
            address = known.read_text()
        yield address


@contextmanager
def turn(folder: Path, worker: str, *, alone: bool) -> Iterator[None]:
    """Use the app together with the tests of other workers, or alone: two long runs would wait for each other."""
    with ExitStack() as held:
        with locked(folder / "alone.lock"):
            if alone:
                _wait_for_others(folder, "test", worker)
                yield
                return
            held.enter_context(locked(folder / f"test-{worker}.lock"))
        yield


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, once nobody else does; a process that dies lets go."""
    with path.open("w") as file:
        while True:
            with suppress(OSError):
                lock_file(file)
                break
            time.sleep(POLL_S)  # asked again; nothing else waits for this
        yield


def _let_the_others_end(folder: Path, worker: str) -> None:
    with locked(folder / "start.lock"):
        (folder / "address").unlink()  # A process that asks from now on starts another.
    _wait_for_others(folder, "app", worker)


def _wait_for_others(folder: Path, kind: str, worker: str) -> None:
    for path in folder.glob(f"{kind}-*.lock"):
        if path.name != f"{kind}-{worker}.lock":
            with locked(path):
                pass
