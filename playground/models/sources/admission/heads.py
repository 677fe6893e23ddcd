"""Drafting heads that are given as a model: each is called by its name, as none is a language model of its own."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.models.sources.admission.folder import CONFIG, read_object
from playground.models.sources.admission.limits import CONFIG_BYTES

# what a configuration calls its architecture or algorithm, the narrower kinds first
NAMES = (
    (r"p-?_?eagle", "P-EAGLE"),
    (r"eagle-?3", "EAGLE-3"),
    (r"forcausallmeagle|\beagle\b|eaglespeculator", "EAGLE"),
    (r"medusa", "Medusa"),
    (r"dflash", "DFlash"),
    (r"nextn\b|mtp\b", "MTP"),
    (r"speculator", "speculators"),
)
KEYS = {"medusa_num_heads": "Medusa", "dflash_config": "DFlash", "draft_vocab_size": "EAGLE-3", "eagle_config": "EAGLE"}


def refuse_head(folder: Path, title: str) -> None:
    """Refuse a folder whose configuration is that of a drafting head.

    Raises:
        PlaygroundError: naming its kind, and what runs here instead.
    """
    file = folder / CONFIG
    if file.is_file() and file.stat().st_size <= CONFIG_BYTES.most and (kind := kind_of(read_object(file, title))):
        raise head_refused(title, kind)


def kind_of(config: dict[str, Any]) -> str:
    """Return the kind of head that a configuration describes; empty for that of a model."""
    speculators = config.get("speculators_config")
    algorithm = speculators.get("algorithm") if isinstance(speculators, dict) else ""
    named = f"{config.get('architectures')} {config.get('speculators_model_type')} {algorithm}".lower()
    by_name = (kind for pattern, kind in NAMES if re.search(pattern, named))
    return next(by_name, next((kind for key, kind in KEYS.items() if key in config), ""))


def is_head_by(missing: Collection[str], unexpected: Collection[str]) -> bool:
    """Return whether weights are an EAGLE head's: no embedding, and a matrix that joins a token with a feature."""
    return "fc.weight" in unexpected and any(name.endswith("embed_tokens.weight") for name in missing)


def head_refused(title: str, kind: str) -> PlaygroundError:
    """Return the refusal of a head."""
    return PlaygroundError(
        f"{title} is a drafting head ({kind}), not a language model: it reads what its one target makes of the text. "
        "Heads of others do not run here. Leave it out, and choose a drafter that needs no model: the target's own "
        "head, its first layers (exit4), or the text (suffix)."
    )
