"""A recorder around transformers' own speculative decoding, `generate(assistant_model=...)`.

    with recorded(target) as log:
        target.generate(**inputs, assistant_model=draft, max_new_tokens=64)
    log.save("steps.jsonl")                      # for python -m playground log steps.jsonl

Every step is noted with its drafted tokens and how many of them were accepted, prompt lookup included. It changes no
token. It wraps `_get_candidate_generator`, which transformers keeps to itself; 5.24 is the version it was written for.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError

FORMAT = "speculative-decoding-steps"


@dataclass(slots=True)
class AssistedLog:
    """The calls of `generate` that were recorded, each as the JSON of its line of the file."""

    calls: list[dict[str, object]] = field(default_factory=list)

    def save(self, path: str | Path) -> None:
        """Write one call a line.

        Raises:
            PlaygroundError: if the file cannot be written.
        """
        text = "".join(json.dumps(call, separators=(",", ":")) + "\n" for call in self.calls)
        try:
            Path(path).write_text(text, encoding="ascii")
        except OSError as error:
            raise PlaygroundError(f"{path} cannot be written: {error.strerror}. Choose another place.") from None


@contextmanager
def recorded(model: Any) -> Iterator[AssistedLog]:
    """Record every speculative `generate` of this model within the block.

    Raises:
        PlaygroundError: if this transformers has no place to listen at.
    """
    make = getattr(model, "_get_candidate_generator", None)
    if make is None:
        raise PlaygroundError("This model does not speculate in a way that can be recorded. Use transformers 5.24.")
    log = AssistedLog()

    def listening(*arguments: Any, **named: Any) -> _Listener:
        call: dict[str, Any] = {"format": FORMAT, "emitted": 0, "seconds": None, "rounds": []}
        log.calls.append(call)
        return _Listener(make(*arguments, **named), call)

    model._get_candidate_generator = listening
    try:
        yield log
    finally:
        del model._get_candidate_generator  # the class's own is there again


class _Listener:
    """A candidate generator that notes what goes in and out of another one, and changes nothing."""

    def __init__(self, inner: Any, call: dict[str, Any]) -> None:
        self.inner, self.call = inner, call
        self.began: float | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def get_candidates(self, input_ids: Any, *arguments: Any, **named: Any) -> Any:
        now = time.monotonic()
        self.began = now if self.began is None else self.began
        candidates = self.inner.get_candidates(input_ids, *arguments, **named)
        self.call["rounds"].append({"drafted": candidates[0][0, input_ids.shape[1] :].tolist(), "accepted": 0})
        self.length = input_ids.shape[1]
        return candidates

    def update_candidate_strategy(self, input_ids: Any, scores: Any, num_matches: Any) -> Any:
        step = self.call["rounds"][-1]
        step["accepted"] = min(int(num_matches), len(step["drafted"]))
        self.call["emitted"] += input_ids.shape[1] - self.length
        self.call["seconds"] = time.monotonic() - self.began if self.began is not None else None
        return self.inner.update_candidate_strategy(input_ids, scores, num_matches)
