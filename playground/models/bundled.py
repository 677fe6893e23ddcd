"""Which pair is bundled: what tells it from one that was here before or will be here later."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

BUNDLED = Path(__file__).parents[2] / "assets" / "models"


@cache
def pair_in(models: Path = BUNDLED) -> str:
    """What tells one bundled pair from another: a digest of its weights and its tokenizer."""
    files = sorted([*models.glob("*/*.safetensors"), *models.glob("*/tokenizer.json")])
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(models).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
