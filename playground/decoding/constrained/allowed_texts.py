"""A list of texts as a constraint: a run can then write one of them behind its prompt, such as a label or a name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from playground.decoding.constrained.constraint import Trie
from playground.errors import PlaygroundError
from playground.models.forward import Vocabulary

MOST_TEXTS = 1000
LONGEST = 1000  # characters of one


def allowed_texts(texts: Sequence[str], prompt: str, vocabulary: Vocabulary) -> Trie:
    """Tokenize the texts that may follow a prompt; leave out empty ones.

    Args:
        texts: a word that would stick to the prompt's last one gets a space before it.
        prompt: text that they follow.
        vocabulary: vocabulary of the models.

    Raises:
        PlaygroundError: if there are too many, if one cannot be written, or if one is the beginning of another.
    """
    texts = [_behind(prompt, text.rstrip("\r\n")) for text in texts if text.strip()]
    if len(texts) > MOST_TEXTS:
        raise PlaygroundError(f"{len(texts):,} texts are allowed; {MOST_TEXTS:,} is the most. Shorten the list.")
    sequences = {tuple(_tokens(text, prompt, vocabulary)): text for text in texts}
    for shorter, longer in pairwise(sorted(sequences)):
        if longer[: len(shorter)] == shorter:
            raise PlaygroundError(
                f"The allowed text {_shown(sequences[shorter])} is the beginning of {_shown(sequences[longer])}, so a "
                "run could not tell where to stop. Leave one out, or put a full stop behind both."
            )
    return Trie(sequences)


def _behind(prompt: str, text: str) -> str:
    sticks = prompt[-1:].strip() and text[0].isalnum()
    return f" {text}" if sticks else text


def _tokens(text: str, prompt: str, vocabulary: Vocabulary) -> list[int]:
    """Tokens of a text behind the prompt.

    They are taken from the tokens of both together, where the prompt's are the first of them: some tokenizers swallow
    the space that a text begins with, and some begin every text with a token of their own.
    """
    if len(text) > LONGEST:
        raise PlaygroundError(f"The allowed text {_shown(text)} has {len(text):,} characters; {LONGEST:,} is the most.")
    if not any("\ud800" <= letter <= "\udfff" for letter in text):  # half a character has no tokens
        before, both = vocabulary.encode(prompt), vocabulary.encode(prompt + text)
        continues = both[: len(before)] == before
        tokens = both[len(before) :] if continues else vocabulary.encode(text)[len(vocabulary.encode("")) :]
        if tokens and vocabulary.decode([*before, *tokens]) == vocabulary.decode(before) + text:
            return tokens
    raise PlaygroundError(
        f"These models cannot write the allowed text {_shown(text)} behind this prompt. Take it off the list."
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
