"""The bundled pair and what comes beside it, with digests that tell them from earlier and later ones."""

import hashlib
from functools import cache
from pathlib import Path

from playground.paths import ASSETS

BUNDLED = ASSETS / "models"
HEAD = "head"  # its folder
BLOCK = "block"  # The target's block drafter is in this folder.
# They are the same weights, with its two additions.
BLOCK_MARKOV, BLOCK_CONFIDENCE = f"{BLOCK}-markov", f"{BLOCK}-confidence"
FOREIGN = "foreign"  # The draft with another tokenizer is in this folder.
# may be others while the pair stays the same, and so may what the pair makes without them
BESIDE = (HEAD, BLOCK, FOREIGN)


@cache
def pair_in(models: Path = BUNDLED, *, beside: tuple[str, ...] = ()) -> str:
    """Digest of a bundled pair's weights and tokenizer, which tells it from every other.

    Args:
        beside: which of BESIDE count, too: those that the thing in question was made with.
    """
    files = sorted([*models.glob("*/*.safetensors"), *models.glob("*/tokenizer.json")])
    files = [file for file in files if file.parent.name not in BESIDE or file.parent.name in beside]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(models).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
