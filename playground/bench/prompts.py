"""Prompts for many runs: a preset, or a file."""

from __future__ import annotations

import json
from pathlib import Path

from playground.errors import PlaygroundError

PRESETS = Path(__file__).parents[2] / "assets" / "prompts"


def read_prompts(source: str) -> list[str]:
    """The prompts of a preset, or of a file: a .txt with one in each line, or a .jsonl with {"prompt": "..."} lines.

    Raises:
        PlaygroundError: if there are none, or lines are broken; it names them.
    """
    preset = PRESETS / f"{source}.json"
    if source.isidentifier() and preset.exists():
        return [each["text"] for each in json.loads(preset.read_text(encoding="utf-8"))]
    try:
        content = Path(source).read_bytes()
    except OSError as error:
        known = ", ".join(sorted(path.stem for path in PRESETS.glob("*.json")))
        raise PlaygroundError(f"{source} is no text file here ({error}). Give a file, or a preset: {known}.") from None
    lines = _lines(source, content)
    prompts = _from_json_lines(source, lines) if source.endswith(".jsonl") else [line for line in lines if line.strip()]
    if not prompts:
        raise PlaygroundError(f"{source} holds no prompts. Write one in each line.")
    return prompts


def _lines(source: str, content: bytes) -> list[str]:
    """The lines of a file, each of them text."""
    lines, broken = [], []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            broken.append(str(number))
    if broken:
        raise PlaygroundError(f"{source} has lines that are not text (UTF-8): {', '.join(broken)}. Mend them.")
    return lines


def _from_json_lines(source: str, lines: list[str]) -> list[str]:
    prompts, broken = [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            prompt = json.loads(line)["prompt"]
        except (ValueError, KeyError, TypeError):
            prompt = None
        if isinstance(prompt, str) and prompt.strip():
            prompts.append(prompt)
        else:
            broken.append(str(number))
    if broken:
        raise PlaygroundError(f'{source} has lines that are not {{"prompt": "..."}}: {", ".join(broken)}. Mend them.')
    return prompts
