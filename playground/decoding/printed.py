"""Tokens as text while a run goes on: what each round adds to what a reader has seen."""

from __future__ import annotations

from playground.models.forward import Vocabulary


class GrowingText:
    """Text added by each round. A character split over tokens appears when its last byte does."""

    LONGEST = 48  # tokens decoded anew at every push; spacing may depend on what stands before, but not that far

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.tokens: list[int] = []
        self.shown = ""  # what of their text was given out
        self.num_new = 0  # tokens since then

    def push(self, tokens: list[int], *, last: bool) -> str:
        """What these tokens add to what was given out."""
        self.tokens += tokens
        self.num_new += len(tokens)
        text = self.vocabulary.decode(self.tokens)
        if text.endswith("\ufffd") and not last:
            return ""
        added = text.removeprefix(self.shown)
        self.shown = text
        if len(self.tokens) > self.LONGEST:
            self.tokens = self.tokens[-self.num_new :]  # from the beginning of a character
            self.shown = self.vocabulary.decode(self.tokens)
        self.num_new = 0
        return added


class BestText:
    """The text of the best beam, which another may overtake: then what the two do not share is written anew."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.text = ""

    def push(self, tokens: list[int], *, last: bool) -> tuple[int, str]:
        """How many characters of the text before stay, and what comes after them."""
        before, self.text = self.text, self.vocabulary.decode(tokens)
        if not last:
            self.text = self.text.rstrip("\ufffd")  # a character of which bytes are missing still
        pairs = enumerate(zip(before, self.text, strict=False))
        kept = next((index for index, (old, new) in pairs if old != new), min(len(before), len(self.text)))
        return kept, self.text[kept:]
