"""A target's features of windows of a text, computed once and kept on disk: what a head and a block drafter read.

A window's features take 2 bytes a number, so a million tokens of a target of width 320 take 640 MB. They are made batch
by batch, and a run that was stopped goes on with the next one.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from playground.files import write_file
from playground.makers.training.checkpoints import only_one
from playground.makers.training.network import Network
from playground.makers.training.run import Run
from playground.makers.training.text.corpus import windows
from playground.makers.training.text.sampled_text import sign

LENGTH = 256  # tokens of a window
AT_ONCE = 16  # windows in a file


class Features:
    """Windows of tokens and their features.

    Attributes:
        tokens: (W, T + 1), int64: each window, and the token that follows it.
        plan: of a run that reads them, where it is not the usual one.
    """

    plan = {"window": LENGTH}

    def __init__(self, tokens: torch.Tensor, files: list[np.ndarray]) -> None:
        self.tokens, self._files = tokens, files

    def of(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return the features of these windows. (n, T, width)"""
        rows = [self._files[number // AT_ONCE][number % AT_ONCE] for number in numbers.tolist()]
        return torch.from_numpy(np.stack(rows).astype(np.float32))

    def order(self, first: int, count: int, *, seed: int) -> torch.Tensor:
        """Return indices of the windows after `first` others in an endless reading in shuffled order. (count,)"""
        size = len(self.tokens)
        passes = {number // size for number in range(first, first + count)}
        shuffled = {each: np.random.default_rng([seed, each]).permutation(size) for each in passes}
        return torch.tensor([int(shuffled[number // size][number % size]) for number in range(first, first + count)])


def features_of(run: Run, target: Network, text: np.ndarray) -> Features:
    """Return the features that a run reads, made where they are not there yet."""
    folder = run.work / f"features-of-{Path(run.about['teacher']).name}"
    with only_one(folder):
        num_tokens = int(run.about["num_tokens"])
        return make_features(target, text, folder, num_tokens, lambda count: run.say(f"features of {count:,} tokens"))


@torch.inference_mode()
def make_features(
    teacher: Network, tokens: np.ndarray, folder: Path, num_tokens: int, progress: Callable[[int], None]
) -> Features:
    """Return the features of at least `num_tokens` tokens; those in the folder, a file per batch, are not made again.

    Raises:
        PlaygroundError: if they are another network's, the text is too short, or the disk is full.
    """
    sign(folder, teacher)
    texts, files, shape = [], [], (AT_ONCE, LENGTH, teacher.shape.width)
    for batch in range(-(-num_tokens // (AT_ONCE * LENGTH))):
        texts.append(windows(tokens, batch * AT_ONCE, AT_ONCE, LENGTH, seed=0))
        file = folder / f"{batch:05d}.features"
        if not file.exists():
            with torch.autocast("cpu", torch.bfloat16):
                features = teacher.model(texts[-1][:, :-1]).half().numpy()  # (AT_ONCE, LENGTH, width)
            write_file(file, features.tobytes())
        files.append(np.memmap(file, dtype=np.float16, mode="r", shape=shape))
        progress((batch + 1) * AT_ONCE * LENGTH)
    return Features(torch.cat(texts), files)
