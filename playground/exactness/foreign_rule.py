"""Somebody else's rule, run in a process of its own: it may crash, print, end the process or never come back.

The process says twice a second that it is still there. Whatever goes wrong becomes one sentence.
"""

from __future__ import annotations

import importlib
import multiprocessing
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from playground.errors import PlaygroundError, did_you_mean
from playground.exactness.enumeration import Text
from playground.exactness.trial import Rule, Trial, write

PATIENCE_S = 20.0  # with one text of a rule
LOADING_S = 120.0  # its module may bring a large library
REPORT_S = 0.5


def count(
    name: str, trial: Trial, *, samples: int, seed: int, patience_s: float = PATIENCE_S, folder: str | None = None
) -> Iterator[Counter[Text]]:
    """How often a rule writes each text; the counts so far, at least twice a second, and the last ones are whole.

    Args:
        name: of the rule, as module:function; the module is looked for in the working folder first.
        trial: what it is given.
        samples: texts.
        seed: of the drafts, of the generator that the rule is given, and of those that Python and NumPy share.
        patience_s: how long one text may take.
        folder: to look for the module in, if not the working folder.

    Raises:
        PlaygroundError: if there is no such rule, or it crashes, gives back what no rule can, or does not come back.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    worker = spawn.Process(
        target=_work, args=(theirs, name, trial, samples, seed, folder or str(Path.cwd())), daemon=True
    )
    worker.start()
    theirs.close()
    patience = LOADING_S
    try:
        while True:
            if not ours.poll(patience):
                raise PlaygroundError(f"{name} has not come back for {patience:g} s. Look for a loop without end.")
            try:
                found = ours.recv()
            except EOFError:
                raise PlaygroundError(f"{name} ended the process that it ran in. Let it return instead.") from None
            if isinstance(found, str):
                raise PlaygroundError(found)
            yield found
            patience = patience_s
            if sum(found.values()) == samples:
                return
    finally:
        worker.kill()
        worker.join()
        ours.close()


def _work(connection: Connection, name: str, trial: Trial, samples: int, seed: int, folder: str) -> None:
    """In the process: counts, again and again, or a sentence."""
    with redirect_stdout(sys.stderr):  # what it prints is no part of ours
        try:
            sys.path.insert(0, folder)
            rule = find_rule(name)
            random.seed(seed)
            np.random.seed(seed % 2**32)
            connection.send(Counter())
            drafts_rng, rule_rng = (np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(2))
            counts: Counter[Text] = Counter()
            told = time.monotonic()
            with _told_as_a_sentence(name):
                for _ in range(samples):
                    counts[write(rule, trial, drafts_rng, rule_rng)] += 1
                    if time.monotonic() - told > REPORT_S:
                        connection.send(counts)
                        told = time.monotonic()
            connection.send(counts)
        except PlaygroundError as error:
            connection.send(str(error))


def find_rule(name: str) -> Rule:
    """The function that module:function names.

    Raises:
        PlaygroundError: if there is none.
    """
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise PlaygroundError(f"--rule {name} does not name a function. Write it as module:function.")
    with _told_as_a_sentence(module_name):
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name != module_name and not module_name.startswith(f"{error.name}."):
                raise
            raise PlaygroundError(
                f"There is no module {module_name!r}. Start in the folder that it is in, and leave out .py."
            ) from None
    found: Any = getattr(module, function_name, None)
    if not callable(found):
        functions = [each for each, value in vars(module).items() if isinstance(value, Callable)]
        raise PlaygroundError(
            f"{module_name} has no function {function_name!r}.{did_you_mean(function_name, functions)}"
        )
    return found


@contextmanager
def _told_as_a_sentence(name: str) -> Iterator[None]:
    """Whatever somebody else's code raises, in a sentence that says where."""
    try:
        yield
    except PlaygroundError:
        raise
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        what = f"{type(error).__name__}: {error}".strip(": ")
        raise PlaygroundError(f"{name} stopped with {what} ({place}).") from None
