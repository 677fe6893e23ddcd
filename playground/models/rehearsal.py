"""Models of strangers: whatever is read of them before their weights is read in a child first.

    python -m playground.models.rehearsal     the child

A configuration and a tokenizer are small programs. What they make grow, or never end, cannot be told from their files:
so the child does what loading does, of which nothing is known but how much memory and processor time it may take, and
only what came to an end there is done here.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from playground.child import Bounds, BrokenOffError, answer, ask
from playground.errors import PlaygroundError
from playground.models.loading import Models
from playground.models.model_files import read_but_weights
from playground.models.sources.hub import Source
from playground.models.sources.memory_estimate import Weights

MODULE = "playground.models.rehearsal"
BOUNDS = Bounds(3_000_000_000, 60)  # The child's libraries take 0.5 GB and 4 s, Gemma 3's tokenizer as much again.

_passed: set[tuple[object, ...]] = set()  # states of folders that came to an end


class StrangeModels(Models):
    """Models that are read in a child first, but for those that are as they were when they came to an end there."""

    def vet(self, sources: Sequence[Source], stop: Callable[[], bool]) -> None:
        """Read the models in a child.

        Raises:
            PlaygroundError: with what the child says, or the bound that it passed; StoppedError if it was stopped.
        """
        for source in sources:
            state = (source.folder, source.gguf, *_state(source.folder))
            if state in _passed:
                continue
            try:
                request = [source.name, str(source.folder), source.gguf, bool(source.files)]
                problem = ask(MODULE, request, bounds=BOUNDS, stop=stop)
            except BrokenOffError as error:
                problem = f"{source.name} cannot be read: reading it {error}. Choose another model."
            if problem:
                raise PlaygroundError(problem)
            _passed.add(state)


def _state(folder: Path) -> list[tuple[str, int, int]]:
    """Return names, sizes and times of a folder's files."""
    files = [(file.name, file.stat()) for file in sorted(folder.iterdir()) if file.is_file()]
    return [(name, status.st_size, status.st_mtime_ns) for name, status in files]


def _reply(request: tuple[str, str, str, bool]) -> str:
    """Read a model but for its weights, in the child, and return what is wrong with it; nothing if it can be read."""
    name, folder, gguf, is_to_come = request
    files = (("", 0),) if is_to_come else ()
    try:
        read_but_weights(Source(name, Path(folder), "", Weights(0, 0), files, gguf=gguf))
    except PlaygroundError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    answer(_reply)
