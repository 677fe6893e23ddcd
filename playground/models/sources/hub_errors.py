"""The many errors of the Hub's client, each as one sentence."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from playground.errors import PlaygroundError


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
