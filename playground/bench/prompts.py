"""Prompts for many runs: a preset, or a file."""

from __future__ import annotations

import json
from pathlib import Path

from playground.errors import PlaygroundError

PRESETS = Path(__file__).parents[2] / "assets" / "prompts"
MOST_NAMED = 12  # broken lines that a message names


def presets() -> dict[str, list[str]]:
    """The prompts that come with the playground, by the name of their preset."""
    return {path.stem: _read_preset(path) for path in sorted(PRESETS.glob("*.json"))}


def read_prompts(source: str, *, name: str | None = None) -> list[str]:
    """The prompts of a preset, or of a file: a .txt with one in each line, or a .jsonl with {"prompt": "..."} lines.

    Args:
        source: the preset's name, or the file's path.
        name: what to call the file in a message, if not by its path.

    Raises:
        PlaygroundError: if there are none, or lines are broken; it names them.
    """
    preset = PRESETS / f"{source}.json"
    if source.isidentifier() and preset.exists():
        return _read_preset(preset)
    name = name or source
    try:
        lines = Path(source).read_bytes().splitlines()
    except OSError as error:
        known = ", ".join(sorted(path.stem for path in PRESETS.glob("*.json")))
        reason = error.strerror or error
        raise PlaygroundError(f"{name} is no text file here ({reason}). Give a file, or a preset: {known}.") from None
    as_json = source.endswith(".jsonl")
    prompts, broken = [], []
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            if text.strip():
                prompts.append(_from_json(text) if as_json else text)
        except (ValueError, KeyError, TypeError):
            broken.append(str(number))
    if broken:
        kind = '{"prompt": "..."}' if as_json else "text (UTF-8)"
        more = f" and {len(broken) - MOST_NAMED} more" if len(broken) > MOST_NAMED else ""
        named = ", ".join(broken[:MOST_NAMED])
        raise PlaygroundError(f"{name} has lines that are not {kind}: {named}{more}. Mend them.")
    if not prompts:
        raise PlaygroundError(f"{name} holds no prompts. Write one in each line.")
    return prompts


def read_kinds(source: str) -> list[tuple[str, str]]:
    """The same with what kind of text each prompt begins: presets say so; elsewhere all are of one kind.

    Args:
        source: as for `read_prompts`.

    Raises:
        PlaygroundError: as there.
    """
    preset = PRESETS / f"{source}.json"
    if source.isidentifier() and preset.exists():
        told = json.loads(preset.read_text(encoding="utf-8"))
        return [(each.get("kind", "text"), each["text"]) for each in told]
    return [("text", prompt) for prompt in read_prompts(source)]


def _read_preset(path: Path) -> list[str]:
    return [each["text"] for each in json.loads(path.read_text(encoding="utf-8"))]


def _from_json(line: str) -> str:
    prompt = json.loads(line)["prompt"]
    if not isinstance(prompt, str) or not prompt.strip():
        raise ValueError("no prompt")
    return prompt
