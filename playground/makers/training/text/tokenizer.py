"""The tokenizer: byte-level byte-pair encoding, learnt from the text.

A text begins with no special token: training windows start anywhere in a book, so a prompt is simply more text.
`<|endoftext|>` separates works, and ends what a model writes.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.models.sources.checkpoint import read
from playground.models.sources.gguf_file import is_gguf

END_OF_TEXT = "<|endoftext|>"
SMALLEST = 257  # every byte, and the end of a text


def learn_tokenizer(pieces: Iterable[str], vocab: int) -> Any:
    """Return a tokenizer of `vocab` tokens, or fewer where the text is too short to yield them.

    Args:
        vocab: number of tokens, the end of a text included; `<|endoftext|>` is token 0.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    if not SMALLEST <= vocab <= 65_536:
        raise PlaygroundError(f"A vocabulary of {vocab} tokens is out of range. Choose {SMALLEST} to 65536.")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(pieces, trainer)
    return tokenizer


def read_tokenizer(file: Path) -> Any:
    """Return the tokenizer in a `tokenizer.json`.

    Raises:
        PlaygroundError: if there is none that can be read, or it has no token for the end of a text.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception for a missing or broken file
        raise PlaygroundError(f"{file} is not a tokenizer: {error}. Give a tokenizer.json.") from None
    if tokenizer.token_to_id(END_OF_TEXT) != 0:
        raise PlaygroundError(f"Token 0 of {file} is not {END_OF_TEXT}. Give a tokenizer made by this command.")
    return tokenizer


def read_chat_tokenizer(name: str) -> Any:
    """Read the tokenizer of an exported folder or a GGUF file, as transformers has it, with its chat template."""
    from transformers import AutoTokenizer

    path = Path(name)
    if is_gguf(name):
        return read(AutoTokenizer, path.parent, name, gguf_file=path.name)
    return read(AutoTokenizer, path, name)
