"""Items as short sequences of tokens: the identifiers that a language model writes for them.

Every item has one code per level, and the codes of a level are tokens of their own. A history is read as the
identifiers of its last items, one after the other; what the model writes behind it is the next item's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

PAD, START, UNKNOWN = "<pad>", "<s>", "<unk>"
SPECIAL = (PAD, START, UNKNOWN)
HISTORY = 10  # items of a history that the models read, the last ones


class Identifiers:
    """The identifiers of a shop's items, as tokens."""

    def __init__(self, codes: Sequence[tuple[str, ...]]) -> None:
        self.length = len(codes[0])  # L, tokens of an identifier
        # (V,) the text of every token
        self.pieces = [*SPECIAL, *sorted({code for each in codes for code in each}, key=_in_order)]
        ids = {piece: token for token, piece in enumerate(self.pieces)}
        self.tokens = [tuple(ids[code] for code in each) for each in codes]  # Each item has its tokens.
        self._items = {tokens: item for item, tokens in enumerate(self.tokens)}

    def prompt(self, history: Sequence[int]) -> list[int]:
        """Return the tokens that a model reads before it names the next item."""
        return [1, *(token for item in history[-HISTORY:] for token in self.tokens[item])]

    def item(self, tokens: Sequence[int]) -> int | None:
        """Return the item with this identifier; None where no item has it."""
        return self._items.get(tuple(tokens))

    def text(self, tokens: Sequence[int]) -> str:
        """Tokens as a reader sees them."""
        return "".join(self.pieces[token] for token in tokens)

    @cached_property
    def children(self) -> np.ndarray:
        """All identifiers as a tree: (nodes, V), the node that a token leads to, -1 where it leads nowhere.

        Node 0 is where an identifier begins; below its last token is no node, but the item's number.
        """
        import numpy as np

        nodes: dict[tuple[int, ...], int] = {(): 0}
        for tokens in self.tokens:
            for end in range(1, self.length):
                nodes.setdefault(tokens[:end], len(nodes))
        table = np.full((len(nodes), len(self.pieces)), -1, dtype=np.int32)
        for item, tokens in enumerate(self.tokens):
            for end in range(self.length):
                below = item if end == self.length - 1 else nodes[tokens[: end + 1]]
                table[nodes[tokens[:end]], tokens[end]] = below
        return table

    def tokenizer(self) -> Any:
        """Make a transformers tokenizer that reads and writes these tokens."""
        from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
        from transformers import PreTrainedTokenizerFast

        ids = {piece: token for token, piece in enumerate(self.pieces)}
        tokenizer = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("<[^<>]*>"), "isolated")
        tokenizer.decoder = decoders.Fuse()
        return PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token=PAD, unk_token=UNKNOWN, clean_up_tokenization_spaces=False
        )


def _in_order(code: str) -> tuple[str, int, str]:
    """`<a_2>` before `<a_12>` before `<b_1>`."""
    match = re.fullmatch(r"<(\D*?)_?(\d+)>", code)
    return (match[1], int(match[2]), code) if match else (code, 0, code)
