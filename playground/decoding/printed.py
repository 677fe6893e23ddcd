"""Tokens as text while a run goes on: the text that each round adds."""

from playground.models.forward import Vocabulary


class GrowingText:
    """Text added by each round. A character split over tokens appears when its last byte does."""

    LONGEST = 48  # tokens decoded at every push; spacing may depend on tokens before, but not that far

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.tokens: list[int] = []
        self.shown = ""  # their text as far as it was returned
        self.num_new = 0  # tokens since then

    def push(self, tokens: list[int], *, last: bool) -> str:
        """Text that these tokens add; empty while a character is incomplete, unless they are the last."""
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
    """Text of the best beam. Where another overtakes it, the part that the two do not share is replaced."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.text = ""

    def push(self, tokens: list[int], *, last: bool) -> tuple[int, str]:
        """Add tokens; return how many characters of the text before remain, and the text that follows them."""
        before, self.text = self.text, self.vocabulary.decode(tokens)
        if not last:
            self.text = self.text.rstrip("\ufffd")  # an incomplete character
        return replaced(before, self.text)


def replaced(before: str, text: str) -> tuple[int, str]:
    """Return how many characters two texts share at their beginning, and those of the second that follow."""
    pairs = enumerate(zip(before, text, strict=False))
    num_shared = next((index for index, (old, new) in pairs if old != new), min(len(before), len(text)))
    return num_shared, text[num_shared:]
