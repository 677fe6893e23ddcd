"""Texts of tokens for a picture: spaces and control characters visible, and no markup taken for markup."""

_VISIBLE = {" ": "·", "\n": "⏎", "\r": "␍", "\t": "⇥"}  # the marks of the player (assets/shared/elements.js)


def visible(text: str) -> str:
    """Show a token with nothing hidden: "·the", "⏎", "∅", and letters without a shape by code, \\x07 or \\ud83d."""
    return "".join(_VISIBLE.get(letter) or escaped(letter) for letter in text) or "∅"


def shortened(text: str, length: int = 12) -> str:
    """At most `length` characters, the last one an ellipsis where something is missing."""
    return text if len(text) <= length else text[: length - 1] + "…"


def escaped(text: str, *, keep: str = "") -> str:
    """Replace each letter without a shape by its code: control characters, lone surrogates, separators."""
    return "".join(letter if letter.isprintable() or letter in keep else _code(letter) for letter in text)


def _code(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
