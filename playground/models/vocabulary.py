"""Text to tokens and back, for the tokenizers of transformers."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from playground.errors import PlaygroundError, is_panic
from playground.models.chat_template import TURN_LETTERS, render_turn

# Texts that try a strange tokenizer have so many letters, and one of them so many of each letter.
PROMPT_LETTERS, RUN = 4_000, 100
REPLACEMENT = "\ufffd"


class TokenizerVocabulary:
    """A transformers tokenizer, reduced to what the playground asks of it.

    Attributes:
        size: where its tokens end, those that were added to it included.
    """

    def __init__(self, tokenizer: Any) -> None:
        """Take a tokenizer of transformers."""
        self.tokenizer = tokenizer
        tokenizer.model_max_length = 10**9  # our own limit is checked with a sentence; this one only warns
        self.size = 1 + max(tokenizer.get_vocab().values())  # more than its tokens, where it leaves out numbers
        self.piece = lru_cache(maxsize=None)(self._piece)
        self._text_of = _text_of(tokenizer)
        self._anchor: list[int] = tokenizer.encode("a", add_special_tokens=False)[-1:]
        self._anchor_text = self.decode(self._anchor)

    def encode(self, text: str) -> list[int]:
        """Tokens of a prompt, with the special tokens the model was trained to begin with, each once.

        A text that is copied from a model's template spells the begin token already.
        """
        tokens, begin = self._encode(text), self.tokenizer.bos_token_id
        return tokens[1:] if begin is not None and tokens[:2] == [begin, begin] else tokens

    def rehearse(self) -> None:
        """Encode texts of all kinds, one of them of its own longest tokens, and decode.

        The longest are as long as a chat template may make a turn: growth that a prompt's length bears is found there.
        """
        letters = sorted(self.tokenizer.get_vocab(), key=len)[-PROMPT_LETTERS:]
        own = "".join(reversed(letters))[:PROMPT_LETTERS]
        kinds = "".join(letter * RUN for letter in map(chr, range(32, 127)))
        for text in (
            own,
            kinds,
            "a" * TURN_LETTERS,
            "The cat's 1,234 mats: \u00fcn\u00efc\u00f6de, \u65e5\u672c!\n" * RUN,
        ):
            self.encode(text)
        self.decode(self._anchor * TURN_LETTERS)

    @property
    def has_chat_template(self) -> bool:
        """True if the model came with a template for turns of a conversation."""
        return bool(getattr(self.tokenizer, "chat_template", None))

    def chat(self, message: str, stop: Callable[[], bool] = lambda: False) -> tuple[str, tuple[int, ...]]:
        """Write a turn of a user and the beginning of the answer, as text and as tokens, special ones included.

        Raises:
            Exception: of whatever kind the template raises.
        """
        turn = {"messages": [{"role": "user", "content": message}], "tools": None, "documents": None}
        variables = {**turn, "add_generation_prompt": True, **self.tokenizer.special_tokens_map}
        text = render_turn(self.tokenizer.get_chat_template(), variables, stop)
        return text, tuple(self._encode(text, add_special_tokens=False))

    def _encode(self, text: str, **options: Any) -> list[int]:
        """Encode a text. However long that takes, other threads go on: the library lets go of the interpreter."""
        try:
            return list(self.tokenizer.encode(text, **options))
        except BaseException as error:
            if not is_panic(error):
                raise
            raise PlaygroundError(f"The tokenizer cannot read this text: {error}. Choose another model.") from None

    def decode(self, tokens: list[int]) -> str:
        """Text of these tokens, special ones included, spaces as they are."""
        return self._text_of(tokens)

    def spellings(self) -> list[bytes | None]:
        """Return the bytes of every token, by id; None for special ones. Tokens of two tokenizers compare by these."""
        raw: list[str | None] = self.tokenizer.convert_ids_to_tokens(list(range(self.size)))
        special = set(self.tokenizer.all_special_ids)
        in_bytes = "\u0120" in self.tokenizer.get_vocab()  # a space, as byte-level vocabularies write it
        return [
            None if token in special or letters is None else _spelling(letters, in_bytes=in_bytes)
            for token, letters in enumerate(raw)
        ]

    def special_tokens(self) -> dict[str, int]:
        """Return the special tokens by how they are written. Two tokenizers mean the same by one spelling."""
        names = {str(token): number for number, token in self.tokenizer.added_tokens_decoder.items() if token.special}
        return names | dict(zip(self.tokenizer.all_special_tokens, self.tokenizer.all_special_ids, strict=True))

    def _piece(self, token: int) -> str:
        """One token as text; the bytes of a part of a character as <E2><80>.

        Decoded behind a letter, because some tokenizers swallow the space that a text begins with.
        """
        text = self.decode([*self._anchor, token]).removeprefix(self._anchor_text)
        if REPLACEMENT not in text:
            return text
        raw = self.tokenizer.convert_ids_to_tokens(token)
        try:
            return "".join(f"<{_byte_table()[letter]:02X}>" for letter in raw)
        except KeyError:
            return raw  # a SentencePiece byte already reads <0xE2>


def _text_of(tokenizer: Any) -> Callable[[list[int]], str]:
    """Tokens to text: by the library behind a fast tokenizer, whose wrapper takes longer than the work itself.

    Where the wrapper of a family changes what the library says of its tokens, it is the wrapper's that counts.
    """
    from transformers import PreTrainedTokenizerFast

    whole: Callable[[list[int]], str] = partial(
        tokenizer.decode, skip_special_tokens=False, clean_up_tokenization_spaces=False
    )
    if (
        not isinstance(tokenizer, PreTrainedTokenizerFast)
        or type(tokenizer).decode is not PreTrainedTokenizerFast.decode
    ):
        return whole
    decode: Any = tokenizer.backend_tokenizer.decode
    fast: Callable[[list[int]], str] = partial(decode, skip_special_tokens=False)
    every = list(range(len(tokenizer)))
    return fast if fast(every) == whole(every) else whole


def _spelling(letters: str, *, in_bytes: bool) -> bytes:
    """Return the bytes of a token as a vocabulary writes it."""
    if in_bytes and all(letter in _byte_table() for letter in letters):
        return bytes(_byte_table()[letter] for letter in letters)
    if len(letters) == 6 and letters.startswith("<0x") and letters.endswith(">"):  # a byte of SentencePiece
        return bytes([int(letters[3:5], 16)])
    return letters.replace("\u2581", " ").encode()


@lru_cache(maxsize=1)
def _byte_table() -> dict[str, int]:
    """Return the byte of each letter of a byte-level vocabulary, by GPT-2's map."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return {letter: byte for byte, letter in bytes_to_unicode().items()}
