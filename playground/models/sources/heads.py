"""Drafting heads that are given as a model: the kind of each, and the refusal of those that do not run."""

import re
from collections.abc import Collection
from pathlib import Path

from playground.errors import PlaygroundError
from playground.models.sources.folder import CONFIG, read_object

# A configuration calls its architecture, type or algorithm so; the narrower kinds come first.
NAMES = (
    (r"p[-_]?eagle", "P-EAGLE"),
    (r"eagle[-_]?3(?!_vl)", "EAGLE-3"),
    (r"eagle(?![-_]?\d)", "EAGLE"),
    (r"medusa", "Medusa"),
    (r"dflash", "DFlash"),
    (r"dspark", "DSpark"),
    (r"nextn\b|mtp|gemma4_\w{0,40}assistant", "MTP"),
    (r"mlp_?speculator", "MLP speculator"),
    (r"speculator", "speculators"),
)
KEYS = {
    "medusa_num_heads": "Medusa", "hydra_num_heads": "Hydra", "dflash_config": "DFlash", "draft_vocab_size": "EAGLE-3",
    "eagle_config": "EAGLE",
}  # fmt: skip
PARALLEL = {"pard_token", "ptd_token_id"}  # An EAGLE-3 head with one of them drafts several positions in one call.
EAGLE3, MTP = RUNS = ("EAGLE-3", "MTP")  # These kinds run as a draft.


def head_kind(folder: Path, title: str) -> str:
    """Return the kind of head that a folder's configuration describes; empty for a model, or where there is none.

    Raises:
        PlaygroundError: if it is not a JSON object.
    """
    file = folder / CONFIG
    return kind_of(read_object(file, title)) if file.is_file() else ""


def kind_of(config: dict[str, object]) -> str:
    """Return the kind of head that a configuration describes; empty for that of a model."""
    speculators = config.get("speculators_config")
    algorithm = speculators.get("algorithm") if isinstance(speculators, dict) else ""
    names = [config.get(key) for key in ("architectures", "model_type", "speculators_model_type")]
    named = f"{names} {algorithm}".lower()
    by_name = next((kind for pattern, kind in NAMES if re.search(pattern, named)), "")
    kind = by_name or next((kind for key, kind in KEYS.items() if key in config), "")
    return "P-EAGLE" if kind == EAGLE3 and PARALLEL & config.keys() else kind


def kind_by_weights(missing: Collection[str], unexpected: Collection[str]) -> str:
    """Return the kind of head whose files lack these weights of a model and have those; empty for no head."""
    if missing and "fc.weight" in unexpected:  # joins a token with a feature
        return "EAGLE"
    return "MTP" if missing and any(name.endswith("eh_proj.weight") for name in unexpected) else ""


def head_refused(title: str, kind: str) -> PlaygroundError:
    """Return the refusal of a head where a language model is needed."""
    what = f"{title} is a drafting head ({kind}), not a language model: it reads what its one target makes of the text."
    if kind in RUNS:
        return PlaygroundError(f"{what} Name that target as the target model, and the head as the draft model.")
    return PlaygroundError(
        f"{what} Of published heads, those of EAGLE-3 and MTP layers run here. Leave it out, and choose a drafter that "
        "needs no model: the target's own head, its first layers (exit4), or the text (suffix)."
    )
