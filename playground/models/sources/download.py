"""A download from the Hub in a process of its own, which can be ended at any moment without harm to another's.

The Hub's client cannot be told to stop. What a process that is ended leaves behind is what a lost network leaves: whole
files, and parts of files that the next download goes on with.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from playground.errors import PlaygroundError, StoppedError
from playground.models.sources.hub_errors import hub_errors_as_sentences
from playground.paths import ROOT

COMMAND = [sys.executable, "-m", "playground.models.sources.download"]
PATIENCE_S = 5.0  # for a process that was told to end


def download(
    name: str,
    revision: str | None,
    files: Sequence[str],
    *,
    look: Callable[[], None],
    look_s: float,
    stop: Callable[[], bool],
) -> str:
    """Download files of a repository.

    Args:
        name: of the repository.
        revision: a branch or commit; None: the newest.
        files: their names.
        look: called now and then.
        look_s: how often.
        stop: once it says True the download ends.

    Returns:
        The folder that holds them.

    Raises:
        StoppedError: if it was.
        PlaygroundError: if the Hub refuses.
        OSError: if the disk is full.
    """
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps([name, revision, list(files)]))
        process.stdin.close()
        process.stdin = None
        looked = 0.0
        while process.poll() is None:
            if stop():
                raise StoppedError(f"Stopped. What came of {name} is kept, and the next download goes on from there.")
            if time.monotonic() - looked >= look_s:
                look()
                looked = time.monotonic()
            time.sleep(min(look_s, 0.05))
        look()
        answer = process.stdout.read() if process.stdout else ""
    finally:
        _end(process)
    try:
        folder, problem, number = json.loads(answer)
    except ValueError:  # it was ended by somebody else, or there was no memory for it
        raise PlaygroundError(f"The download of {name} broke off. Ask again; what came of it is kept.") from None
    if number:
        raise OSError(number, problem)
    if problem:
        raise PlaygroundError(problem)
    return folder


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout:
        process.stdout.close()


def _main() -> None:
    """The process: what to download on standard input, (folder, problem, its number) on standard output."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    name, revision, files = json.load(sys.stdin)
    disable_progress_bars()
    answer: list[str | int] = ["", "", 0]
    try:
        with hub_errors_as_sentences(name):
            answer[0] = snapshot_download(name, revision=revision, allow_patterns=files)
    except PlaygroundError as error:
        answer[1] = str(error)
    except OSError as error:
        answer[1:] = [error.strerror or str(error), error.errno or 5]
    print(json.dumps(answer))


if __name__ == "__main__":
    _main()
