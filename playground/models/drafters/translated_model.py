"""A draft model with another tokenizer, made to speak the target's tokens: it proposes those that both know.

    target's tree     The | _ze | bra | _ran        a token of the target is, for the draft, the token that spells
    draft's tree      The | _z | e | bra | _ran     the same, or the several that spell it together
    q                 of _ran: the draft's;  of a token that the draft does not have: 0

Two tokens are the same where they spell the same bytes. q is renormalised over the tokens that both know, and any q
that is truly the distribution of the draws leaves the target's distribution untouched: the rules need no change.

Paper: Timor et al. 2025, Accelerating LLM Inference with Lossless Speculative Decoding Algorithms for Heterogeneous
    Vocabularies, ICML, arXiv 2502.05202: its Token-Level Intersection (TLI).
Differs from the paper: the text is not decoded and read again for the draft. Each token is translated by itself, so a
    tree of the target is a tree of the draft, with one cache; the draft may read a text in other pieces than its own
    tokenizer would cut.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from playground.errors import PlaygroundError
from playground.models.forward import Forward, Model, Vocabulary
from playground.tree import TokenTree

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.models.vocabulary import TokenizerVocabulary
    from playground.trace.events import Facts

LEAST_SHARE = 0.1  # Both models must know this share of the smaller vocabulary.
LONGEST_RATIO = 2  # a text may be this many times as long in the draft's tokens


@dataclass(frozen=True, slots=True)
class Translation:
    """From a target's tokens to a draft's."""

    shared: list[tuple[int, int]]  # (target's token, draft's token) of all that spell the same
    # for each of the target's tokens the draft's that spell it together; none where nothing does
    spelled: list[tuple[int, ...]]
    beginning: tuple[int, ...] = ()  # the draft's tokens that a text begins with


class _Beside:
    """A target's tree and, node by node, the draft's."""

    def __init__(self, tree: TokenTree, translation: Translation) -> None:
        self._spelled = translation.spelled
        tokens, self.nodes = list(translation.beginning), dict[int, int]()
        for node in tree.trunk:
            spelled = self._spelled[tree.tokens[node]]
            if node or spelled != translation.beginning:  # a begin token of one spelling is written once
                tokens += spelled
            tokens = tokens or [translation.shared[0][1]]  # a token must come before the first word
            self.nodes[node] = len(tokens) - 1
        self.tree = TokenTree(tokens)
        self._num_prunes = tree.num_prunes

    def follow(self, tree: TokenTree) -> None:
        """Cut off what the target's tree has cut off."""
        if self._num_prunes == tree.num_prunes:
            return
        # with the trunk's end: what is drafted behind it by now may be cut off in the next round
        leaves = [tree.trunk[-1], *(node for node in tree.tail if not tree.children(node))]
        self.tree.retain(dict.fromkeys(self.node(tree, leaf) for leaf in leaves))
        self.nodes = {node: at for node, at in self.nodes.items() if tree.is_alive(node)}
        self._num_prunes = tree.num_prunes

    def node(self, tree: TokenTree, node: int) -> int:
        """Return the draft's node that has read the same text."""
        new = []
        while node not in self.nodes:
            new.append(node)
            node = tree.parents[node]
        at = self.nodes[node]
        for node in reversed(new):
            for token in self._spelled[tree.tokens[node]]:
                at = self.tree.add(at, token)
            self.nodes[node] = at
        return at


class TranslatedModel:
    """A draft model that is asked in the target's tokens, and answers in them."""

    def __init__(self, model: Model, translation: Translation, target: Model) -> None:
        self.model = model
        self.translation = translation
        self.name = model.name
        self.vocab_size = target.vocab_size
        self.max_positions = model.max_positions // LONGEST_RATIO
        self.eos_ids = target.eos_ids
        self.vocabulary: Vocabulary = target.vocabulary
        self.device = model.device
        columns = torch.tensor(translation.shared, device=model.device)  # (shared, 2)
        self._to, self._from = columns[:, 0], columns[:, 1]
        self._trees: weakref.WeakKeyDictionary[TokenTree, _Beside] = weakref.WeakKeyDictionary()

    def facts(self) -> Facts:
        """Return the draft's own, and how many of the target's tokens it can propose."""
        shared = {"tokens": len(self.translation.shared), "of_target": self.vocab_size}
        return self.model.facts() | {"shared_vocabulary": shared}

    def logits(self, tree: TokenTree, nodes: list[int]) -> torch.Tensor:
        """Next-token logits at these nodes. (n, V)"""
        return self.forward(tree, nodes).logits

    @torch.inference_mode()
    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Next-token logits at these nodes of the target's tree, -inf for tokens that the draft does not know.

        Raises:
            PlaygroundError: if the text, in the draft's tokens, is longer than the draft can read.
        """
        beside = self._trees.get(tree)
        if beside is None:
            beside = self._trees[tree] = _Beside(tree, self.translation)
        beside.follow(tree)
        at = [beside.node(tree, node) for node in nodes]
        if max(beside.tree.depths[node] for node in at) >= self.model.max_positions:
            raise PlaygroundError(
                f"The text has become longer than the {self.model.max_positions} of its own tokens that {self.name} "
                "can read. Ask for fewer tokens."
            )
        wanted = list(dict.fromkeys(at))
        answer = self.model.forward(beside.tree, wanted)
        row = {node: row for row, node in enumerate(wanted)}
        own = answer.logits[[row[node] for node in at]]  # (n, the draft's V)
        logits = own.new_full((len(nodes), self.vocab_size), -torch.inf)
        logits[:, self._to] = own[:, self._from]
        return answer._replace(logits=logits)

    def cache_bytes(self, tree: TokenTree) -> int:
        """Bytes of keys and values held for this tree now."""
        beside = self._trees.get(tree)
        return self.model.cache_bytes(beside.tree) if beside else 0


def translated(
    draft: LanguageModel, own: TokenizerVocabulary, target: LanguageModel, theirs: TokenizerVocabulary
) -> TranslatedModel:
    """Return the draft in the target's tokens.

    Raises:
        PlaygroundError: if their tokenizers have too little in common.
    """
    wanted, known = _spellings(theirs, target.vocab_size), _spellings(own, draft.vocab_size)
    token_of: dict[bytes, int] = {}
    for token, spelling in enumerate(known):
        if spelling:
            token_of.setdefault(spelling, token)
    pairs = {token: token_of[each] for token, each in enumerate(wanted) if each and each in token_of}
    smaller = min(sum(1 for spelling in each if spelling) for each in (wanted, known))
    if len(pairs) < max(1, LEAST_SHARE * smaller):
        raise PlaygroundError(
            f"The tokenizers of {target.name} and {draft.name} have {len(pairs):,} tokens in common, too few to draft "
            "with. Choose a draft model whose tokenizer is nearer to the target's."
        )
    ends = [_end(model, vocabulary) for model, vocabulary in ((target, theirs), (draft, own))]
    spelled = [_spelled_by(spelling, token_of) if spelling else () for spelling in wanted]
    for token, same in _shared_specials(theirs, target.vocab_size, own, draft.vocab_size):
        pairs[token], spelled[token] = same, (same,)
    if ends[0] is not None and ends[1] is not None:
        pairs[ends[0]] = ends[1]
        spelled[ends[0]] = (ends[1],)
    return TranslatedModel(draft, Translation(list(pairs.items()), spelled, tuple(own.encode(""))), target)


def _spellings(vocabulary: TokenizerVocabulary, size: int) -> list[bytes | None]:
    """Spelling of every token of a model, padding included; None for one that spells nothing."""
    spellings = vocabulary.spellings()[:size]
    return [*spellings, *[None] * (size - len(spellings))]


def _shared_specials(
    theirs: TokenizerVocabulary, their_size: int, own: TokenizerVocabulary, own_size: int
) -> list[tuple[int, int]]:
    """(target's token, draft's token) of the special tokens that are written alike."""
    special = own.special_tokens()
    pairs = [(token, special[name]) for name, token in theirs.special_tokens().items() if name in special]
    return [(token, same) for token, same in pairs if token < their_size and same < own_size]


def _end(model: LanguageModel, vocabulary: TokenizerVocabulary) -> int | None:
    """Return the token that ends a text."""
    usual = vocabulary.tokenizer.eos_token_id
    return usual if usual in model.eos_ids else min(model.eos_ids, default=None)


def _spelled_by(spelling: bytes, token_of: dict[bytes, int]) -> tuple[int, ...]:
    """Tokens that spell these bytes together, each as long as can be; what none spells is left out."""
    tokens, start = list[int](), 0
    while start < len(spelling):
        end = next((end for end in range(len(spelling), start, -1) if spelling[start:end] in token_of), None)
        if end is None:
            start += 1
            continue
        tokens.append(token_of[spelling[start:end]])
        start = end
    return tuple(tokens)
