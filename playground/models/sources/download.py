"""A download from the Hub in a process of its own, which can be ended at any moment without harming other downloads.

The Hub's client cannot be stopped. What a process that is ended leaves behind is what a lost network leaves: whole
files, and parts of files that the next download goes on with.
"""

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from playground.child import BrokenOffError, answer, ask
from playground.errors import PlaygroundError, StoppedError

MODULE = "playground.models.sources.download"


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
        revision: a branch or commit; None: the newest.
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
    try:
        folder, problem, number = ask(MODULE, [name, revision, list(files)], stop=stop, look=look, look_s=look_s)
    except StoppedError:
        raise StoppedError(f"Stopped. What came of {name} is kept, and the next download goes on from there.") from None
    except BrokenOffError:  # another process ended it, or there was no memory for it
        raise PlaygroundError(f"The download of {name} broke off. Ask again; what came of it is kept.") from None
    look()
    if number:
        raise OSError(number, problem)
    if problem:
        raise PlaygroundError(problem)
    return folder


def _fetch(request: tuple[str, str | None, list[str]]) -> tuple[str, str, int]:
    """Download, in the process: (folder, problem, its number)."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    name, revision, files = request
    disable_progress_bars()
    try:
        with hub_errors_as_sentences(name):
            return snapshot_download(name, revision=revision, allow_patterns=files), "", 0
    except PlaygroundError as error:
        return "", str(error), 0
    except OSError as error:
        return "", error.strerror or str(error), error.errno or 5


@contextmanager
def hub_errors_as_sentences(name: str) -> Iterator[None]:
    """Raise the many errors of the Hub as a PlaygroundError each; a full disk stays an OSError."""
    from huggingface_hub import errors

    try:
        yield
    except PlaygroundError:
        raise
    except errors.HFValidationError:
        raise PlaygroundError(f"{name!r} is not a model name. Hub ids look like gpt2 or Qwen/Qwen3-0.6B.") from None
    except errors.GatedRepoError:
        raise PlaygroundError(f"{name} is gated. Accept its licence on its Hub page, then run hf auth login.") from None
    except errors.RevisionNotFoundError:
        raise PlaygroundError(f"{name} has no such revision. Leave out what follows @, or correct it.") from None
    except errors.RepositoryNotFoundError:
        raise PlaygroundError(f"The Hub has no model {name!r}, or it is private. Check its spelling.") from None
    except errors.EntryNotFoundError:
        raise PlaygroundError(f"{name} holds no model: config.json is missing. Choose another.") from None
    except Exception as error:  # every kind of network trouble, and offline mode
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        raise PlaygroundError(
            f"{name} is not on this machine and the Hugging Face Hub does not answer ({type(error).__name__}). "
            "Connect to the network, or choose the bundled pair or a folder."
        ) from None


if __name__ == "__main__":
    answer(_fetch)
