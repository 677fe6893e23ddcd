"""A grammar as a constraint: a regular expression, a JSON schema or a list of texts that a run has to match.

Every node of the token tree has the state of a matcher after its own path: a drafted token advances the state of its
branch alone, and what is rejected leaves no trace in any other. The state gives the mask of a node's row, for target
and draft alike, so that a run has exactly the distribution of the masked target, as with a list of allowed sequences.
Every end token of the target is allowed where the text matches as a whole, and nowhere else.

A mask looks at the next token only. A text that ends at its number of tokens may be the beginning of a match.

The matcher is that of the library llguidance, github.com/guidance-ai/llguidance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from playground.decoding.constrained.constraint import state_of
from playground.errors import PlaygroundError
from playground.models.forward import Model
from playground.tree import TokenTree
from playground.words import word

LONGEST = 10_000  # characters of a grammar
# else a token that is the only text possible is written in one spelling alone, and the others lose their probability
UNFORCED = '%llguidance {"no_forcing": true}\n'
WHITE_SPACE = r"( |\n{1,2}[ \t]{0,20})"  # between two parts of JSON: one rule without a bound could fill the whole text


@runtime_checkable
class Spelled(Protocol):
    """A vocabulary that knows the bytes of its tokens."""

    def spellings(self) -> list[bytes | None]:
        """Return the bytes of every token, by id; None for special ones."""
        ...


def one_of(texts: Sequence[str], prompt: str) -> str:
    """Return the regular expression of a list of texts that may follow a prompt; blank ones are left out.

    A word that would stick to the prompt's last one gets a space before it.

    Raises:
        PlaygroundError: if no text is left.
    """
    stripped = [text.rstrip("\r\n") for text in texts if text.strip()]
    if not stripped:
        raise PlaygroundError(word("refused_no_text"))
    sticks = prompt[-1:].strip()
    spaced = [f" {text}" if sticks and text[0].isalnum() else text for text in stripped]
    return f"({'|'.join(map(re.escape, dict.fromkeys(spaced)))})"


class Grammar:
    """A grammar, compiled for the tokens of a model.

    Attributes:
        text: a JSON schema where it begins with a brace, else a regular expression for the whole text.
        matcher: at the beginning of a text.
        end_tokens: those that may end it.
    """

    def __init__(self, text: str, target: Model) -> None:
        """Compile a grammar.

        Raises:
            PlaygroundError: if it cannot be read, or the model has no end token or no spelling of its tokens.
        """
        from llguidance import LLMatcher, LLTokenizer

        if len(text) > LONGEST:
            raise PlaygroundError(word("refused_long_grammar", count=f"{len(text):,}", most=f"{LONGEST:,}"))
        vocabulary, self.text = target.vocabulary, text
        spellings = vocabulary.spellings()[: target.vocab_size] if isinstance(vocabulary, Spelled) else []
        self.end_tokens = frozenset(token for token in target.eos_ids if token < len(spellings))
        if not self.end_tokens:
            raise PlaygroundError(word("refused_no_end", model=target.name))
        try:
            tokenizer: Any = _Tokenizer(spellings, self.end_tokens)
            self.matcher = LLMatcher(LLTokenizer(tokenizer), UNFORCED + _in_lark(text), log_level=0)
            problem = self.matcher.get_error()
        except ValueError as error:
            problem = str(error)
        if problem:
            raise PlaygroundError(word("refused_grammar", why=problem.strip().splitlines()[0][:200]))

    def on(self, tree: TokenTree) -> TreeGrammar:
        """Return the grammar, laid over a run's token tree."""
        return TreeGrammar(self, tree)


def _in_lark(text: str) -> str:
    """Return a grammar in the library's own format."""
    from llguidance import LLMatcher

    if text.lstrip().startswith("{"):
        [schema] = json.loads(LLMatcher.grammar_from_json_schema(text, {"whitespace_pattern": WHITE_SPACE}))["grammars"]
        return f"start: %json {json.dumps(schema['json_schema'])}"
    [regex] = json.loads(LLMatcher.grammar_from_regex(text))["grammars"]
    return regex["lark_grammar"]


class _Tokenizer:
    """A model's tokens as llguidance asks for them."""

    is_tokenizer_wrapper = True

    def __init__(self, spellings: Sequence[bytes | None], end_tokens: frozenset[int]) -> None:
        self.eos_token_id, self.bos_token_id = min(end_tokens), None
        self.special_token_ids = [
            token for token, letters in enumerate(spellings) if letters is None or token in end_tokens
        ]
        special = set(self.special_token_ids)
        self.tokens = [
            f"<|{token}|>".encode() if token in special else letters or b"" for token, letters in enumerate(spellings)
        ]

    def __call__(self, text: bytes | str) -> list[int]:
        """Return no tokens: masks are made of single tokens, whatever a tokenizer would cut a text into."""
        return []


class TreeGrammar:
    """A grammar laid over a run's token tree: the matcher of each node, and the mask of its logits.

    Args:
        grammar: of the text that follows the prompt.
    """

    def __init__(self, grammar: Grammar, tree: TokenTree) -> None:
        self.tree = tree
        self._start = {tree.trunk[-1]: grammar.matcher.deep_copy()}
        self._matchers: dict[int, Any] = dict(self._start)  # None: no match goes through the node
        self._num_prunes = tree.num_prunes
        self._end_tokens = grammar.end_tokens

    def ends(self, node: int) -> bool:
        """Return False: an end token ends a text."""
        return False

    def last_tokens(self, node: int) -> list[int]:
        """Return no tokens but end tokens, which need no grammar to end a text."""
        return []

    def allowed_after(self, nodes: Sequence[int]) -> dict[int, np.ndarray]:
        """Index in `nodes` -> the tokens that may follow that node; left out where no text goes on. (m,) each"""
        if self._num_prunes != self.tree.num_prunes:
            alive = {node: each for node, each in self._matchers.items() if self.tree.is_alive(node)}
            end = self.tree.depths[self.tree.trunk[-1]]
            self._matchers = self._start | {n: each for n, each in alive.items() if self.tree.depths[n] >= end}
            self._num_prunes = self.tree.num_prunes
        matchers = {row: state_of(self._matchers, self.tree, node, self._advance) for row, node in enumerate(nodes)}
        return {row: self._allowed(each) for row, each in matchers.items() if each is not None}

    def _advance(self, matcher: Any, token: int) -> Any:
        """Return a matcher's copy after one more token; None where no match goes on with it."""
        copy = matcher.deep_copy() if matcher is not None and token not in self._end_tokens else None
        return copy if copy is not None and copy.consume_token(token) else None

    def _allowed(self, matcher: Any) -> np.ndarray:
        """Tokens that a matcher allows next; none where no token of the vocabulary goes on with the text. (m,)"""
        allowed = np.frombuffer(matcher.compute_logit_bias(), np.uint8).astype(bool)
        # the library knows one end token, and ends a text that it cannot go on with, whether it matches or not
        allowed[list(self._end_tokens)] = matcher.is_accepting()
        return np.flatnonzero(allowed)
