"""A user's rule, run in a process of its own: it may crash, print, end the process or never come back.

The process says twice a second that it is still there. Whatever goes wrong becomes one sentence. A rule that gives the
same tokens whenever it is given the same drafts is reported: it draws nothing, or seeds its generator in every call.
"""

import importlib
import multiprocessing
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil

from playground.errors import PlaygroundError, StoppedError, did_you_mean
from playground.exactness.enumeration import Text
from playground.exactness.trial import Rule, Trial, write

PATIENCE_S = 20.0  # a text of a rule may take this much of the processor
LOADING_S = 120.0  # its module may bring a large library, which takes the processor this long
WAITS_S = 60.0  # a rule that does nothing for so long is stopped
LOOK_S = 0.2  # between two looks at what it has taken
REPORT_S = 0.5
ENOUGH = 60  # answers to what was asked before: a rule that draws anything has given two different ones by then


class Samples(NamedTuple):
    """Texts of a rule."""

    texts: list[Text]  # in their order
    no_chance: bool  # whether the same drafts behind the same token always brought the same tokens


def sample(
    name: str, trial: Trial, *, samples: int, seed: int, patience_s: float = PATIENCE_S, folder: str | None = None
) -> Samples:
    """Return the texts that a rule writes.

    Args:
        name: of the rule, as module:function; the module is looked for in the working folder first.
        seed: of the drafts, of the generator that the rule is given, and of those that Python and NumPy share.
        patience_s: seconds of the processor that one text may take, which are the same on a busy machine.
        folder: to look for the module in, if not the working folder.

    Raises:
        PlaygroundError: if there is no such rule, or it crashes, gives back what no rule can, or takes too long;
            StoppedError if it only waits.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    worker = spawn.Process(
        target=_work, args=(theirs, name, trial, samples, seed, folder or str(Path.cwd())), daemon=True
    )
    worker.start()
    theirs.close()
    patience, heard_s, worked_s, worked_at = LOADING_S, 0.0, 0.0, time.monotonic()
    try:
        while True:
            if not ours.poll(LOOK_S):
                before_s, worked_s = worked_s, _worked_s(worker.pid)
                worked_at = time.monotonic() if worked_s > before_s else worked_at
                if worked_s - heard_s > patience:
                    raise PlaygroundError(
                        f"{name} has had the processor for {patience:g} s and has not come back. Look for a loop "
                        "without end."
                    )
                if time.monotonic() - worked_at > WAITS_S:
                    raise StoppedError(f"Stopped: {name} has waited for {WAITS_S:g} s. Let it return instead.")
                continue
            try:
                message = ours.recv()
            except EOFError:
                raise PlaygroundError(f"{name} ended the process that it ran in. Let it return instead.") from None
            if isinstance(message, str):
                raise PlaygroundError(message)
            if isinstance(message, Samples):
                return message
            patience, heard_s, worked_at = patience_s, worked_s, time.monotonic()
    finally:
        worker.kill()
        worker.join()
        ours.close()


def _worked_s(pid: int | None) -> float:
    """Return the seconds of the processor that a process has had; 0 once it has ended, which its pipe says."""
    with suppress(psutil.Error):
        return sum(psutil.Process(pid).cpu_times()[:2])
    return 0.0


def _work(connection: Connection, name: str, trial: Trial, samples: int, seed: int, folder: str) -> None:
    """In the process: that it is still there, again and again, then what it wrote, or a sentence."""
    with redirect_stdout(sys.stderr):  # Lines that the rule prints are no part of our output.
        try:
            sys.path.insert(0, folder)
            rule = find_rule(name)
            random.seed(seed)
            np.random.seed(seed % 2**32)
            connection.send(None)
            drafts_rng, rule_rng = (np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(2))
            watched, texts = Watched(rule), list[Text]()
            last_report = time.monotonic()
            with _errors_in_a_sentence(name):
                for _ in range(samples):
                    texts.append(write(watched, trial, drafts_rng, rule_rng))
                    if time.monotonic() - last_report > REPORT_S:
                        connection.send(None)
                        last_report = time.monotonic()
            connection.send(Samples(texts, watched.no_chance))
        except PlaygroundError as error:
            connection.send(str(error))


class Watched:
    """A rule whose answers to the same question are held against each other."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._answers: dict[bytes, str] = {}
        self._num_repeats = 0
        self._has_varied = False

    def __call__(
        self, target_probs: np.ndarray, draft_probs: np.ndarray, drafts: np.ndarray, rng: np.random.Generator
    ) -> Any:
        """Return the rule's answer."""
        question = target_probs.tobytes() + drafts.tobytes()
        answer = self._rule(target_probs, draft_probs, drafts, rng)
        if not self._has_varied:
            self._num_repeats += question in self._answers
            self._has_varied = self._answers.setdefault(question, repr(answer)) != repr(answer)
        return answer

    @property
    def no_chance(self) -> bool:
        """True if it was asked the same often enough, and always answered the same."""
        return not self._has_varied and self._num_repeats >= ENOUGH


def find_rule(name: str) -> Rule:
    """Return the function that module:function names.

    Raises:
        PlaygroundError: if there is none.
    """
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise PlaygroundError(f"--rule {name} does not name a function. Write it as module:function.")
    with _errors_in_a_sentence(module_name):
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name != module_name and not module_name.startswith(f"{error.name}."):
                raise
            raise PlaygroundError(
                f"No module {module_name!r} can be imported. Start in the folder that it is in, and leave out .py."
            ) from None
    rule: Any = getattr(module, function_name, None)
    if not callable(rule):
        functions = [each for each, value in vars(module).items() if isinstance(value, Callable)]
        raise PlaygroundError(
            f"{module_name} has no function {function_name!r}. {did_you_mean(function_name, functions)}"
        )
    return rule


@contextmanager
def _errors_in_a_sentence(name: str) -> Iterator[None]:
    """Describe an exception of a foreign rule in a sentence that says where."""
    try:
        yield
    except PlaygroundError:
        raise
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        line = f"{Path(last.filename).name}, line {last.lineno}"
        what = f"{type(error).__name__}: {error}".strip(": ")
        raise PlaygroundError(f"{name} stopped with {what} ({line}).") from None
